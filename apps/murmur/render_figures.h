// render_figures.h: the figures of murmur render that figure=NAME chooses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "murmur/run.h"
#include "report/dome.h"
#include "report/figures.h"

namespace murmur::app {

// The flags of render that figure=dome and figure=next-word use.
struct DomeFlags {
  DomeStyle style{};
  std::optional<std::int64_t> frame{};
  double seconds = 0;  // 0: three per block
  int fps = 30;
};

// The flags of render that the other figures use.
struct FigureFlags {
  FigureStyle style = FigureStyle::dark;
  int width = 0, height = 0;  // of vector fields, in pixels of a .png; 0: chosen
  RenderSettings render{};    // of a globe
  std::int64_t frame = -1;    // of a globe; negative: from the end
  TimeScale time = TimeScale::chosen;
};

// Removes KEY=K from the arguments and returns K, a whole number of 0 or above. Error(input) for
// anything else.
std::optional<int> take_whole(Arguments& arguments, const char* key);

// Prints the paths of pictures, or that a film was stopped; returns the exit code.
int print_pictures(const Flags& flags, const std::vector<std::string>& paths);

// Each draws its figure or film, prints the path and returns the exit code.
int render_dome(const Flags& flags, const RunReader& run, const Arguments& arguments,
                const DomeFlags& asked);
int render_next_word(const Flags& flags, const RunReader& run, const Arguments& arguments,
                     const DomeFlags& asked, bool sized);  // sized: --size was given
int render_figure(const Flags& flags, const RunReader& run, const Arguments& arguments,
                  const FigureFlags& asked);

}  // namespace murmur::app
