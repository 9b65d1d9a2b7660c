// meanfield_setup.h: mean fields out of words: their parameters, and what those describe.
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

}  // namespace murmur
