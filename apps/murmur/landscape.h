// landscape.h: what the command landscape looks for, what it keeps, and how that is drawn.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "murmur/curves.h"
#include "murmur/landscape_setup.h"

namespace murmur::app {

// points.json and back: atoms, masses, numbers and certificates, not the points that were best.
nlohmann::json json_of(const Landscape& landscape, const Search& search);
Search search_of(const nlohmann::json& kept);
// scan.json and back.
nlohmann::json json_of(const Landscape& landscape, std::span<const ScanPoint> scan);
std::vector<ScanPoint> scan_of(const nlohmann::json& kept);

// Tables for people: the first row is the head.
using TextTable = std::vector<std::vector<std::string>>;
TextTable points_table(const Search& search);
TextTable places_table(const Landscape& landscape, const Atoms& mu);
TextTable scan_table(std::span<const ScanPoint> scan);
std::string csv_of(std::span<const ScanPoint> scan);

// The best points as figures/landscape.svg and .png: on the circle F around it and atoms as spokes,
// on S^2 F on two discs, in more dimensions energy against index, spectra and masses. Error(tool)
// where gnuplot is missing and d > 3.
std::vector<std::filesystem::path> draw_landscape(const Landscape& landscape, const Search& search,
                                                  const std::filesystem::path& directory,
                                                  FigureStyle style);
// figures/scan.svg and .png: panels against beta. Error(tool) without gnuplot.
std::vector<std::filesystem::path> draw_scan(std::span<const ScanPoint> scan,
                                             const std::filesystem::path& directory,
                                             FigureStyle style);

}  // namespace murmur::app
