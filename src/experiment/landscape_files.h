// landscape_files.h: what a run of the landscape keeps: points.json, scan.json, scan.csv, and back.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "murmur/landscape.h"
#include "run/kept_json.h"

namespace murmur {

// points.json and back: atoms, masses, numbers and certificates, not the points that were best.
nlohmann::json json_of(const Landscape& landscape, const Search& search);
Search search_of(const KeptJson& kept, int d);
// scan.json and back; scan.csv.
nlohmann::json json_of(const Landscape& landscape, std::span<const ScanPoint> scan);
std::vector<ScanPoint> scan_of(const KeptJson& kept, int d);
std::string csv_of(std::span<const ScanPoint> scan);

}  // namespace murmur
