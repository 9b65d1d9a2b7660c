// render_dome.h: murmur render RUN figure=dome: the move of one token in parts.
#pragma once

#include "command.h"
#include "murmur/run.h"
#include "report/dome.h"

namespace murmur::app {

// What the flags of render say that a dome heeds.
struct DomeFlags {
  DomeStyle style{};
  std::optional<std::int64_t> frame{};
  double seconds = 0;  // 0: three a block
  int fps = 30;
};

// Whether these words ask for a figure by name, or for this one.
bool asks_for_figure(const Words& words, const std::string& name = {});
// Where a figure or film goes: -o, or NAME.png among the run's figures.
std::filesystem::path figure_path(const Flags& flags, const RunReader& run,
                                  const std::string& name);
// Prints where it is, or that it was stopped; the exit code.
int tell_drawn(const Flags& flags, const std::filesystem::path& path);
// Draws it, and prints where; the exit code.
int render_dome(const Flags& flags, const RunReader& run, const Words& words,
                const DomeFlags& asked);

}  // namespace murmur::app
