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

// What words say of a token, its time, its head and its picture.
struct SwarmWords {
  DomeRequest request{};
  std::string data{};                 // of a training: where the pictures are
  std::vector<std::string> others{};  // settings of the run, laid over
};
SwarmWords read_swarm_words(const Words& words);
// The states of the swarm that they speak of: a simulation, or a sample of a training.
DomeStates states_of(const RunReader& run, const SwarmWords& words);

// Where a figure or film goes: -o, or NAME.png among the run's figures.
std::filesystem::path figure_path(const Flags& flags, const RunReader& run,
                                  const std::string& name);
// Prints where it is, or that it was stopped; the exit code.
int tell_drawn(const Flags& flags, const std::filesystem::path& path);
// Draws it, and prints where; the exit code.
int render_dome(const Flags& flags, const RunReader& run, const Words& words,
                const DomeFlags& asked);

}  // namespace murmur::app
