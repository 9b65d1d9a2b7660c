// encoder.h: has ffmpeg make a film of frames that are drawn several at a time.
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
  std::function<bool()> stop{};  // asked between batches of frames
};

// round(fps * seconds); Error(input) where that is no film.
int count_frames(int fps, double seconds);

// What is to be filmed: `ready` is called for every frame in order, on one thread, before `draw`,
// which is called for many frames at once.
struct Shooting {
  std::function<void(int frame)> ready{};  // may be empty
  std::function<void(Canvas& canvas, int frame)> draw{};
};

// False when stopped: nothing is kept then, nor after an Error.
bool encode(const Encoding& encoding, const Shooting& shooting, const std::filesystem::path& film);

}  // namespace murmur::picture
