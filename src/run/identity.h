// identity.h: what a run is made of, its settings and its inputs, and how a change of them is told.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace murmur {

using Digests = std::map<std::string, std::string>;  // file name -> sha256

std::string sha256_of_text(std::string_view text);
// Of every inputs/NAME.npy; what is no regular file there is Error(input).
Digests digests_of_inputs(const std::filesystem::path& directory);

// A line of config.toml that is not what it was.
struct SettingsChange {
  int line = 0;             // where it is now; 0: it is gone
  std::string was{}, is{};  // "beta = 9", "beta = 1"; empty: there is none
  int others = 0;           // more lines that differ
};
// Comments, empty lines and lines of the keys in `free` do not count. Nothing: no line differs.
std::optional<SettingsChange> first_change(const std::string& was, const std::string& is,
                                           std::span<const std::string> free);
std::string sentence_of(const SettingsChange& change);

// Error(input) that shows the difference, where settings, inputs or the layout of a checkpoint are
// no longer those the run was made with. Returns a warning where a run keeps no digests of them.
std::string require_same_settings(const std::filesystem::path& directory,
                                  std::span<const std::string> free);

}  // namespace murmur
