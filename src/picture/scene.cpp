// scene.cpp: draws one stored frame of a run, with the trails that led to it.
#include <fmt/format.h>

#include <algorithm>

#include "murmur/error.h"
#include "picture/named_stage.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

// The trajectory up to a frame: from `trail` frames back (the whole past on the circle), in so many
// instants that curves look like curves.
Past recall(const RunReader& run, const Stage& stage, std::int64_t frame) {
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
  NameStage seen(stage, stage.settings.style.width, stage.settings.style.height);
  if (seen.any()) {
    Snapshot named = *past.back();
    seen.see(named.points, stage.settings.azimuth);
    named.names = seen.planned(1).front();
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
  draw_stage(canvas, stage, recall(run, stage, frame), settings.azimuth);
  canvas.save(png);
}

}  // namespace murmur
