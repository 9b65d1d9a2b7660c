// keep.cpp: whether a directory holds cells of this sweep, and whether it holds all of them.
#include <fmt/format.h>

#include <algorithm>

#include "experiment/words.h"
#include "murmur/error.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/manifest.h"
#include "run/sha256.h"
#include "sweep/cells.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

void add_text(Sha256& digest, std::string_view text) {
  digest.update(std::as_bytes(std::span(text.data(), text.size())));
}

bool starts_with(const std::string& line, const char* opening) {
  return line.rfind(opening, 0) == 0;
}

// Parameters that older sweeps do not name: where one is as it always was, it counts for nothing.
constexpr const char* kLater[][2] = {{"head_scale", "head_scale = \"sum\""},
                                     {"weights_in_time", "weights_in_time = \"constant\""},
                                     {"weights_until", "weights_until = \"T\""}};

bool came_later(const std::string& name) {
  return std::any_of(std::begin(kLater), std::end(kLater),
                     [&](const auto& later) { return name == later[0]; });
}

bool goes_without_saying(const std::string& line) {
  return std::any_of(std::begin(kLater), std::end(kLater),
                     [&](const auto& later) { return line == later[1]; });
}

// Of every line of config.toml that a number in a cell depends on: how many threads compute it,
// where data lies and how it is drawn are free to change.
std::string settings_digest(const Sweep& sweep) {
  Sha256 digest;
  for (const std::string& line : split(sweep.config, '\n')) {
    if (starts_with(line, "threads = ") || starts_with(line, "data = ") ||
        starts_with(line, "look = ") || goes_without_saying(line))
      continue;
    if (!starts_with(line, "defaults = ")) {
      add_text(digest, line + "\n");
      continue;
    }
    const std::size_t open = line.find('"'), close = line.rfind('"');
    for (const std::string& name : split(line.substr(open + 1, close - open - 1), ','))
      if (name != "data" && name != "none" && !came_later(name)) add_text(digest, name + ",");
  }
  return digest.hex() + "\n";
}

// The grid and what refinement adds to it, from the cells that are there.
std::vector<Cell> cells_known(const Sweep& sweep, const fs::path& directory) {
  std::vector<Cell> cells;
  for (std::int64_t k = 0; k < sweep.grid(); ++k) cells.push_back(grid_cell(sweep, k));
  for (int level = 0; level < sweep.refine; ++level) {
    const std::vector<Cell> added = halved(sweep, cells, directory);
    if (added.empty()) break;
    cells.insert(cells.end(), added.begin(), added.end());
  }
  std::stable_sort(cells.begin(), cells.end(), comes_before);
  return cells;
}

}  // namespace

void check_settings(const Sweep& sweep, const fs::path& directory) {
  const fs::path path = directory / kSettingsDigestName;
  if (std::error_code ignored; !fs::exists(path, ignored)) return;
  if (read_text(path) != settings_digest(sweep))
    throw Error(Fault::input, "the cells of this sweep were flown with other settings",
                (directory / "config.toml").string(), "restore config.toml, or start a new sweep");
}

void keep_settings(const Sweep& sweep, const fs::path& directory) {
  check_settings(sweep, directory);
  write_file_atomically(directory / kSettingsDigestName, settings_digest(sweep));
}

Run reopen_sweep(const fs::path& directory, const Sweep& sweep,
                 const std::vector<std::string>& argv) {
  std::vector<fs::path> damaged;  // going on removes the digests from the manifest
  for (const auto& [name, digest] : read_manifest(directory).sha256) {
    std::error_code ignored;
    if (name.starts_with(kCellsFolder) && fs::exists(directory / name, ignored) &&
        sha256_of_file(directory / name) != digest)
      damaged.push_back(directory / name);
  }
  const RunContents contents = contents_of(sweep, argv);
  Run run = Run::reopen(directory, argv, &contents);
  for (const fs::path& cell : damaged) remove_quietly(cell);
  return run;
}

bool is_complete(const Sweep& sweep, const fs::path& directory) {
  const Manifest manifest = read_manifest(directory);
  for (const char* name : kSweepTables) {
    const auto kept = manifest.sha256.find(name);
    std::error_code ignored;
    if (kept == manifest.sha256.end() || !fs::exists(directory / name, ignored) ||
        sha256_of_file(directory / name) != kept->second)
      return false;
  }
  Sha256 digest;  // of sweep.csv, as the cells would make it again
  add_text(digest, table_head(sweep));
  for (const Cell& cell : cells_known(sweep, directory))
    if (const std::optional<std::string> rows = kept_rows(sweep, cell, directory))
      add_text(digest, *rows);
  return digest.hex() == manifest.sha256.at("sweep.csv");
}

}  // namespace murmur
