// simulations.h: experiments simulated in memory, for figures that need their frames and no run
// directory.
#pragma once

#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "reproduce/rules.h"

namespace murmur {

// What a preset says, for a figure to change.
ExperimentSpec preset_spec(const std::string& preset);

struct Simulated {
  Outcome outcome{};
  std::vector<double> times{};
  std::vector<HostSwarm> frames{};  // merged particles repeat their group's place
  std::vector<Merge> merges{};
  const HostSwarm& last() const { return frames.back(); }
};

// Error(numerical) where the simulation does not reach its end. A null model takes the place of the
// forces, and of nothing else of the experiment.
Simulated simulate_in_memory(const Experiment& experiment, NullModel null = NullModel::none);

double angle_of(const HostSwarm& x, int i);  // of its first two coordinates, in (-pi, pi]

}  // namespace murmur
