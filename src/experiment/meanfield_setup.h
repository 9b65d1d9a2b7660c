// meanfield_setup.h: mean fields from text: their parameters, what those describe, and the run.
#pragma once

#include <optional>

#include "murmur/experiment.h"
#include "murmur/meanfield.h"

namespace murmur {

std::span<const Parameter> meanfield_parameters();

struct MeanFieldSetup {
  std::string name = "meanfield";
  std::uint64_t seed = 0;
  MeanField field{};
  Measure start{};
  MeanFieldMethod method{};
  Schedule schedule{};
  std::optional<BifurcationSweep> kappas{};  // of the bifurcation diagram
  std::string config{};                      // config.toml: every setting
  Record inputs{};                           // arrays that came from files, by name
};
MeanFieldSetup make_meanfield(const Settings& settings);

// Of observables.csv, after t: energies, order, the monitor, and amplitudes of the first modes.
std::vector<std::string> meanfield_outputs();  // files that `simulate` writes next to the frames
std::vector<std::string> meanfield_columns();

// Carries the measure into `run` from its last checkpoint, or from t = 0: frames are means, with
// their readings; density.npy grows beside them, over the cells of grid.npy. The run stays open for
// what else belongs into it, and is closed by the caller.
MeanFieldTrajectory simulate(const MeanFieldSetup& setup, Run& run, const ProcessControl& control);

}  // namespace murmur
