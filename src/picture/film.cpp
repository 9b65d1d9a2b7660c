// film.cpp: draws a trajectory frame by frame and encodes it as a film by ffmpeg.
#include <algorithm>

#include "picture/encoder.h"
#include "picture/named_stage.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

// Positions at every frame of the film, in order, each with the trail that leads to it.
class Reel {
 public:
  Reel(const RunReader& run, const Stage& stage, int frames)
      : stage_(stage), track_(run, stage.projection), frames_(frames) {
    const bool all = stage.projection.view == View::circle || stage.settings.map;
    if (stage.settings.grid) grid_.emplace(track_of_grid(run, stage));
    pieces_ = std::clamp(kInstants / frames, 1, 24);
    const int trail = stage.settings.trail <= 0 ? 0 : all ? frames : stage.settings.trail;
    most_ = static_cast<std::size_t>(trail) * pieces_ + 1;
  }

  double progress(double frame) const { return frames_ > 1 ? frame / (frames_ - 1) : 1; }

  // Where the names stand, over the whole film at once.
  void place_names(const RunReader& run) {
    NameStage seen(stage_, stage_.settings.style.width, stage_.settings.style.height);
    if (!seen.any()) return;
    Track track(run, stage_.projection);
    for (int frame = 0; frame < frames_; ++frame)
      seen.see(track.at(stage_.clock->time(progress(frame))),
               stage_.settings.azimuth + stage_.settings.turn * progress(frame));
    names_ = seen.planned(std::min(8, frames_ / 12));
  }

  Past next() {
    for (int piece = frame_ == 0 ? pieces_ : 1; piece <= pieces_; ++piece) {
      const double p = progress(frame_ - 1 + static_cast<double>(piece) / pieces_);
      const double t = stage_.clock->time(p);
      const bool now = piece == pieces_ && grid_;
      auto made = std::make_shared<Snapshot>(
          Snapshot{t, p, track_.at(t), now ? grid_->at(t) : std::vector<Point>()});
      if (piece == pieces_ && !names_.empty())
        made->names = names_[static_cast<std::size_t>(frame_)];
      past_.push_back(std::move(made));
      if (past_.size() > most_) past_.erase(past_.begin());
    }
    ++frame_;
    return past_;
  }

 private:
  static constexpr int kInstants = 240;  // a film of fewer frames has its trails drawn finer

  const Stage& stage_;
  Track track_;
  std::optional<Track> grid_{};
  std::vector<std::vector<PlacedName>> names_{};  // (frames)
  int frames_, frame_ = 0, pieces_ = 1;
  std::size_t most_ = 1;  // instants kept
  Past past_{};
};

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

bool film_trajectory(const RunReader& run, const FilmSettings& settings,
                     const std::filesystem::path& mp4) {
  const int frames = count_frames(settings.fps, settings.seconds);
  const SceneSettings& scene = settings.scene;
  const Stage stage = set_stage(run, scene, settings.strip);
  Reel reel(run, stage, frames);
  reel.place_names(run);
  std::vector<Past> pasts(static_cast<std::size_t>(frames));
  const Shooting shooting{.ready = [&](int frame) { pasts[frame] = reel.next(); },
                          .draw =
                              [&](Canvas& canvas, int frame) {
                                const double turned =
                                    scene.azimuth + scene.turn * reel.progress(frame);
                                draw_stage(canvas, stage, pasts[frame], turned);
                                pasts[frame].clear();
                              }};
  return encode({.style = scene.style,
                 .fps = settings.fps,
                 .seconds = settings.seconds,
                 .threads = settings.threads,
                 .stop = settings.stop},
                shooting, mp4);
}

}  // namespace murmur
