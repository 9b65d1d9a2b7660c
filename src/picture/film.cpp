// film.cpp: draws the flight frame by frame and has ffmpeg make a film of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/parallel.h"
#include "murmur/error.h"
#include "picture/process.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

Command encoder(const FilmSettings& settings, const std::filesystem::path& mp4) {
  const PictureStyle& style = settings.scene.style;
  return {.words = {"ffmpeg",
                    "-v",
                    "error",
                    "-nostdin",
                    "-y",
                    "-f",
                    "rawvideo",
                    "-pix_fmt",
                    "bgr0",
                    "-s",
                    fmt::format("{}x{}", style.width, style.height),
                    "-r",
                    std::to_string(settings.fps),
                    "-i",
                    "pipe:0",
                    "-c:v",
                    "libx264",
                    "-preset",
                    "medium",
                    "-crf",
                    "17",
                    "-tune",
                    "animation",
                    "-pix_fmt",
                    "yuv420p",
                    "-movflags",
                    "+faststart",
                    "-f",
                    "mp4",
                    fmt::format("file:{}", mp4.string())},
          .remedy = "Install it with: apt-get install ffmpeg"};
}

int count_frames(const FilmSettings& settings) {
  const double frames = std::round(settings.fps * settings.seconds);
  if (settings.fps < 1 || settings.fps > 240 || !(frames >= 1) || frames > 100'000)
    throw Error(Fault::input,
                fmt::format("a film of {} s at {} frames a second cannot be made", settings.seconds,
                            settings.fps),
                "parameters fps, seconds",
                "choose 1 to 240 frames a second and at most 100000 frames in all");
  return static_cast<int>(frames);
}

// Positions at every frame of the film, in order, each with the trail that leads to it.
class Reel {
 public:
  Reel(const RunReader& run, const Stage& stage, int frames)
      : stage_(stage), track_(run, stage.projection), frames_(frames) {
    const bool all = stage.projection.view == View::circle;
    pieces_ = std::clamp(kInstants / frames, 1, 24);
    const int trail = stage.settings.trail <= 0 ? 0 : all ? frames : stage.settings.trail;
    most_ = static_cast<std::size_t>(trail) * pieces_ + 1;
  }

  double progress(double frame) const { return frames_ > 1 ? frame / (frames_ - 1) : 1; }

  Past next() {
    for (int piece = frame_ == 0 ? pieces_ : 1; piece <= pieces_; ++piece) {
      const double p = progress(frame_ - 1 + static_cast<double>(piece) / pieces_);
      const double t = stage_.clock->time(p);
      past_.push_back(std::make_shared<Snapshot>(Snapshot{t, p, track_.at(t)}));
      if (past_.size() > most_) past_.erase(past_.begin());
    }
    ++frame_;
    return past_;
  }

 private:
  static constexpr int kInstants = 240;  // a film of fewer frames has its trails drawn finer

  const Stage& stage_;
  Track track_;
  int frames_, frame_ = 0, pieces_ = 1;
  std::size_t most_ = 1;  // instants kept
  Past past_{};
};

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

bool film_flight(const RunReader& run, const FilmSettings& settings,
                 const std::filesystem::path& mp4) {
  const int frames = count_frames(settings);
  const SceneSettings& scene = settings.scene;
  const Stage stage = set_stage(run, scene, settings.log_time, settings.strip);
  Draft draft(mp4);
  Process ffmpeg(encoder(settings, draft.path()));

  const int threads = settings.threads > 0
                          ? settings.threads
                          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int batch = std::min(frames, 2 * threads);
  std::vector<std::unique_ptr<Canvas>> canvases;
  for (int k = 0; k < batch; ++k)
    canvases.push_back(std::make_unique<Canvas>(scene.style.width, scene.style.height));
  const std::size_t bytes = std::size_t{4} * scene.style.width * scene.style.height;

  Reel reel(run, stage, frames);
  for (int first = 0; first < frames; first += batch) {
    if (settings.stop && settings.stop()) return false;
    const int count = std::min(batch, frames - first);
    std::vector<Past> pasts;
    for (int k = 0; k < count; ++k) pasts.push_back(reel.next());
    for_blocks(count, threads, [&](int k) {
      const double turned = scene.azimuth + scene.turn * reel.progress(first + k);
      draw_stage(*canvases[k], stage, pasts[k], turned);
    });
    for (int k = 0; k < count; ++k) ffmpeg.write(canvases[k]->pixels(), bytes);
  }
  ffmpeg.finish();
  draft.keep();
  return true;
}

}  // namespace murmur
