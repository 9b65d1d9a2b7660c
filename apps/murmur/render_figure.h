// render_figure.h: murmur render RUN figure=attention, cosines, density or fields.
#pragma once

#include <optional>

#include "command.h"
#include "murmur/run.h"
#include "render_dome.h"
#include "report/figures.h"

namespace murmur::app {

// What the flags of render say that these figures heed.
struct FigureFlags {
  FigureStyle style = FigureStyle::dark;
  int width = 0, height = 0;  // of vector fields, pixels of a .png; 0: chosen
  RenderSettings render{};    // of a globe
  std::int64_t frame = -1;    // of a globe; negative: from the end
  TimeScale time = TimeScale::chosen;
};

// Takes KEY=K out of the words, a whole number from 0 on. Error(input) for anything else.
std::optional<int> take_number(Words& words, const char* key);

// Draws it, and prints where; the exit code.
int render_figure(const Flags& flags, const RunReader& run, const Words& words,
                  const FigureFlags& asked);

}  // namespace murmur::app
