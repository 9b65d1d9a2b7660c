// picture.cpp: draws a run: one stored frame, the film of its trajectory, its observables over
// time.
#include "picture/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "picture/figure.h"
#include "picture/labels.h"
#include "picture/process.h"
#include "picture/stage.h"
#include "picture/swarm_paint.h"
#include "picture/track.h"

namespace murmur::picture {

namespace {

// The trajectory up to a frame: from `trail` frames back (the whole past on the circle), in enough
// instants for smooth curves.
Past past_of_frame(const RunReader& run, const Stage& stage, std::int64_t frame) {
  const std::int64_t trail = std::max(0, stage.settings.trail);
  const bool all = (stage.projection.view == View::circle || stage.settings.map) && trail > 0;
  const std::int64_t first = all ? 0 : std::max<std::int64_t>(0, frame - trail);
  const std::int64_t wanted = all ? 400 : 120;
  const std::int64_t pieces =
      std::clamp<std::int64_t>(wanted / std::max<std::int64_t>(1, frame - first), 1, 8);
  const std::int64_t stride = std::max<std::int64_t>(1, (frame - first) / wanted);
  const std::vector<double>& times = run.times();
  Track track(run, stage.projection);
  Past past;
  const auto keep = [&](double t) {
    past.push_back(std::make_shared<Snapshot>(Snapshot{t, stage.clock->progress(t), track.at(t)}));
  };
  for (std::int64_t k = first; k < frame; k += stride) {
    const double next = times[std::min(k + stride, frame)];
    for (std::int64_t piece = 0; piece < pieces; ++piece)
      keep(times[k] + (next - times[k]) * static_cast<double>(piece) / static_cast<double>(pieces));
  }
  keep(times[frame]);
  NameTracker tracker(stage, stage.settings.style.width, stage.settings.style.height);
  if (tracker.any()) {
    Snapshot named = *past.back();
    tracker.add_frame(named.points, stage.settings.azimuth);
    named.names = tracker.plan(1).front();
    past.back() = std::make_shared<Snapshot>(std::move(named));
  }
  if (stage.settings.grid)
    past.back() = std::make_shared<Snapshot>(Snapshot{
        past.back()->t, past.back()->progress, past.back()->points,
        stage.projection.project(stage.settings.grid->frames[static_cast<std::size_t>(frame)])});
  return past;
}

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

void draw_scene(const RunReader& run, std::int64_t frame, const SceneSettings& settings,
                const std::filesystem::path& png) {
  SceneSettings still = settings;
  still.turn = 0;
  const Stage stage = set_stage(run, still, "");
  if (frame < 0 || frame >= run.frames())
    throw Error(
        Fault::input, fmt::format("there is no frame {}: the run holds {}", frame, run.frames()),
        run.directory().string(), fmt::format("choose a frame from 0 to {}", run.frames() - 1));
  Canvas canvas(settings.style.width, settings.style.height);
  draw_stage(canvas, stage, past_of_frame(run, stage, frame), settings.azimuth);
  canvas.save(png);
}

}  // namespace murmur

namespace murmur::picture {

namespace {

// Positions at every frame of the film, in order, each with the trail that leads to it.
class FilmPast {
 public:
  FilmPast(const RunReader& run, const Stage& stage, int frames)
      : stage_(stage), track_(run, stage.projection), frames_(frames) {
    const bool all = stage.projection.view == View::circle || stage.settings.map;
    if (stage.settings.grid) grid_.emplace(track_of_grid(run, stage));
    pieces_ = std::clamp(kInstants / frames, 1, 24);
    const int trail = stage.settings.trail <= 0 ? 0 : all ? frames : stage.settings.trail;
    most_ = static_cast<std::size_t>(trail) * pieces_ + 1;
  }

  double progress(double frame) const { return frames_ > 1 ? frame / (frames_ - 1) : 1; }

  // Places the names, for the whole film at once.
  void place_names(const RunReader& run) {
    NameTracker tracker(stage_, stage_.settings.style.width, stage_.settings.style.height);
    if (!tracker.any()) return;
    Track track(run, stage_.projection);
    for (int frame = 0; frame < frames_; ++frame)
      tracker.add_frame(track.at(stage_.clock->time(progress(frame))),
                        stage_.settings.azimuth + stage_.settings.turn * progress(frame));
    names_ = tracker.plan(std::min(8, frames_ / 12));
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

bool film_trajectory(const RunReader& run, const FilmSettings& settings,
                     const std::filesystem::path& mp4) {
  const int frames = count_frames(settings.fps, settings.seconds);
  const SceneSettings& scene = settings.scene;
  const Stage stage = set_stage(run, scene, settings.strip);
  FilmPast film_past(run, stage, frames);
  film_past.place_names(run);
  std::vector<Past> pasts(static_cast<std::size_t>(frames));
  const FrameSource source{.prepare = [&](int frame) { pasts[frame] = film_past.next(); },
                           .draw =
                               [&](Canvas& canvas, int frame) {
                                 const double turned =
                                     scene.azimuth + scene.turn * film_past.progress(frame);
                                 draw_stage(canvas, stage, pasts[frame], turned);
                                 pasts[frame].clear();
                               }};
  return encode({.style = scene.style,
                 .fps = settings.fps,
                 .seconds = settings.seconds,
                 .threads = settings.threads,
                 .stop = settings.stop},
                source, mp4);
}

namespace {

FigureAxis time_axis(const RunReader& run, const TimeAxis& asked) {
  const std::vector<double>& t = run.times();
  const auto positive = std::find_if(t.begin(), t.end(), [](double time) { return time > 0; });
  FigureAxis axis{.label = asked.label, .name = "t", .log = asked.log && positive != t.end()};
  axis.from = axis.log ? *positive : t.front();
  axis.to = t.back();
  if (axis.from < axis.to) return axis;
  const double room = axis.from != 0 ? std::abs(axis.from) / 2 : 1;  // a single frame
  axis.to = axis.from + room;
  axis.from -= room;
  return axis;
}

}  // namespace

void plot_observables(const RunReader& run, const std::vector<std::string>& names,
                      const TimeAxis& axis, const std::filesystem::path& path) {
  if (run.frames() == 0)
    throw Error(Fault::input, "the run holds no whole frame yet", run.directory().string(),
                "wait for the first frame, or resume the run");
  if (names.empty())
    throw Error(Fault::input, "no observable was named", run.directory().string(),
                "name at least one column of observables.csv");
  Figure figure{.layout = Figure::stack};
  for (const std::string& name : names) {
    Series series = read_series(run, name);
    Panel panel{.title = label_of(name).markup, .x = time_axis(run, axis)};
    panel.y = {.name = name, .from = series.low, .to = series.high};
    panel.curves = {{.x = std::move(series.t),
                     .y = std::move(series.value),
                     .mark = series.whole ? Curve::steps : Curve::line}};
    figure.panels.push_back(std::move(panel));
  }
  draw(figure, path);
}

}  // namespace murmur
