// landscape_setup.h: searches of a landscape: their parameters, the run that stores them, and its
// files.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/landscape.h"
#include "run/kept_json.h"

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

// points.json: atoms, masses, numbers and certificates, without the best points of certificates.
nlohmann::json json_of(const Landscape& landscape, const Search& search);
Search search_of(const KeptJson& kept, int d);
// scan.json and scan.csv.
nlohmann::json json_of(const Landscape& landscape, std::span<const ScanPoint> scan);
std::vector<ScanPoint> scan_of(const KeptJson& kept, int d);
std::string csv_of(std::span<const ScanPoint> scan);

}  // namespace murmur
