// landscape_setup.h: searches of a landscape from text: their parameters, and what those describe.
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
  std::vector<double> betas{};  // of a scan; empty: a search at landscape.beta
  std::string config{};         // config.toml: every setting
  // Arrays that came from files, by name; and `units` (h, d + 1), rows a_m and omega_m.
  Record inputs{};
};
LandscapeSetup make_landscape(const Settings& settings);

// Searches into `run`, start by start, or scans beta by beta, from its last checkpoint; the run
// stays open for what else belongs into it. Nothing when stopped by a signal: the run is then
// closed as interrupted, and the same call goes on.
std::optional<Search> search_landscape(const LandscapeSetup& setup, Run& run,
                                       const ProcessControl& control);
std::optional<std::vector<ScanPoint>> scan_landscape(const LandscapeSetup& setup, Run& run,
                                                     const ProcessControl& control);

}  // namespace murmur
