// encoder.h: draws the frames of a film several at a time, and encodes them by ffmpeg.
#pragma once

#include <filesystem>
#include <functional>

#include "picture/canvas.h"
#include "picture/picture.h"

namespace murmur::picture {

struct Encoding {
  PictureStyle style{};
  int fps = 30;
  double seconds = 8;
  int threads = 0;               // 0: all cores
  std::function<bool()> stop{};  // called between batches of frames
};

// round(fps * seconds); Error(input) where that is not a possible film.
int count_frames(int fps, double seconds);

// The frames of a film: `prepare` is called for every frame in order, on one thread, before `draw`,
// which is called for many frames at once.
struct FrameSource {
  std::function<void(int frame)> prepare{};  // may be empty
  std::function<void(Canvas& canvas, int frame)> draw{};
};

// Returns false when stopped; nothing is kept then, or after an Error.
bool encode(const Encoding& encoding, const FrameSource& source, const std::filesystem::path& film);

}  // namespace murmur::picture
