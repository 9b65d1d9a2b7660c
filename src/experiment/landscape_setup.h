// landscape_setup.h: searches of a landscape: their parameters, and the run that stores them.
#pragma once

#include <optional>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/landscape.h"

namespace murmur {

std::span<const Parameter> landscape_parameters();

struct LandscapeSetup {
  std::string name = "landscape";
  Landscape landscape{};
  SearchSettings search{};
  std::vector<double> betas{};  // for a scan; empty: a search at landscape.beta
  std::string config{};         // config.toml: every setting
  // Arrays from files by name, and `units` (h, d + 1), rows a_m and omega_m.
  Record inputs{};
};
LandscapeSetup make_landscape(const Settings& settings);

// Searches start by start, or scans beta by beta, from the last checkpoint of `run`. The run stays
// open for more files. Returns nothing after a signal: the run is then closed as interrupted, and
// the same call continues it.
std::optional<Search> search_landscape(const LandscapeSetup& setup, Run& run,
                                       const ProcessControl& control);
std::optional<std::vector<ScanPoint>> scan_landscape(const LandscapeSetup& setup, Run& run,
                                                     const ProcessControl& control);

}  // namespace murmur
