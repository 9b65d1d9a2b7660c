// render_figure.h: murmur render RUN figure=attention, cosines or density.
#pragma once

#include "command.h"
#include "murmur/run.h"
#include "render_dome.h"
#include "report/figures.h"

namespace murmur::app {

// What the flags of render say that these figures heed.
struct FigureFlags {
  FigureStyle style = FigureStyle::dark;
  RenderSettings render{};  // of a globe
  std::int64_t frame = -1;  // of a globe; negative: from the end
  TimeScale time = TimeScale::chosen;
};

// Draws it, and prints where; the exit code.
int render_figure(const Flags& flags, const RunReader& run, const Words& words,
                  const FigureFlags& asked);

}  // namespace murmur::app
