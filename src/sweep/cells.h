// cells.h: the cells of a sweep: listing, simulation, files.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep/sweep.h"

namespace murmur {

// close_pairs, mean_cos, order, clusters: in this order in every reading.
const std::vector<std::string>& kept_observables();
inline constexpr std::size_t kKept = 4;

// A number with twelve digits: 0.3 and not 0.30000000000000004.
struct RoundNumber {
  std::string text{};
  double value = 0;  // the value of the text
};
RoundNumber twelve_digits(double value);

Cell grid_cell(const Sweep& sweep, std::int64_t number);      // of the grid before refinement
double cost_of(const ExperimentSpec& cell);                   // n^2 d T
std::optional<std::size_t> refined_axis(const Sweep& sweep);  // the first of two or more numbers

// Returns cells half way between neighbours of a fibre whose curves differ by more than 1/4
// anywhere.
std::vector<Cell> halved(const Sweep& sweep, std::vector<Cell> cells,
                         const std::filesystem::path& directory);
bool comes_before(const Cell& a, const Cell& b);  // lexicographic along the axes

// Mean and spread over replicas, added in their order.
struct Tally {
  std::int64_t count = 0;
  double mean = 0, squares = 0;  // sum of squared deviations
  void add(double value);
  double error() const;  // standard error of the mean; NaN for one replica
};
struct CellTable {
  std::vector<double> t{};
  std::vector<Tally> tally{};                    // (times, kKept)
  std::map<int, std::int64_t> cluster_counts{};  // clusters at the last time -> replicas
};

struct CellControl {
  int threads = 1;
  const std::atomic<int>* signal = nullptr;
};
// Returns nothing if interrupted; throws an Error if a replica fails.
std::optional<CellTable> simulate_cell(const Sweep& sweep, const Cell& cell,
                                       const CellControl& control);

std::filesystem::path cell_path(const std::filesystem::path& directory, const Cell& cell);
std::string table_head(const Sweep& sweep);  // row of names, with its newline
std::string table_rows(const Sweep& sweep, const Cell& cell, const CellTable& table);
// Returns the rows of a cell's file; nothing if the file is missing or incomplete.
std::optional<std::string> kept_rows(const Sweep& sweep, const Cell& cell,
                                     const std::filesystem::path& directory);
CellCurve curve_of(const Sweep& sweep, const std::string& rows);

inline constexpr const char* kCellsFolder = "cells/";
inline constexpr const char* kSettingsDigestName = "cells.sha256";
// Saves a digest of what the cells depend on next to them; throws Error(input) if there is a
// different one.
void keep_settings(const Sweep& sweep, const std::filesystem::path& directory);

inline constexpr std::array<const char*, 3> kSweepTables = {"sweep.csv", "front.csv",
                                                            "failures.jsonl"};
// Writes sweep.csv and front.csv from the cells that exist.
void write_tables(const Sweep& sweep, const std::vector<Cell>& cells,
                  const std::filesystem::path& directory);

}  // namespace murmur
