// meanfield_setup.h: mean fields: their parameters, and the run that stores them.
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
  std::optional<BifurcationSweep> kappas{};  // for a bifurcation diagram
  std::string config{};                      // config.toml: every setting
  Record inputs{};                           // arrays that came from files, by name
};
MeanFieldSetup make_meanfield(const Settings& settings);

// Columns of observables.csv after t: energies, order, the monitor, and amplitudes of the first
// modes.
std::vector<std::string> meanfield_outputs();  // files that `simulate` writes next to the frames
std::vector<std::string> meanfield_columns();

// Simulates the measure from the last checkpoint of `run`, or from t = 0. Frames are means with
// their readings; density.npy grows with them, over the cells of grid.npy. The caller may add files
// to the run and closes it.
MeanFieldTrajectory simulate(const MeanFieldSetup& setup, Run& run, const ProcessControl& control);

}  // namespace murmur
