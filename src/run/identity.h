// identity.h: the settings and inputs that a run is made of, and messages about their changes.
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
// Returns the digest of every inputs/NAME.npy; Error(input) if one is not a regular file.
Digests digests_of_inputs(const std::filesystem::path& directory);

// A line of config.toml that has changed.
struct SettingsChange {
  int line = 0;             // its present number; 0: it is missing
  std::string was{}, is{};  // "beta = 9", "beta = 1"; empty: no such line
  int others = 0;           // more lines that differ
};
// Ignores comments, empty lines and lines of the keys in `free`. Returns nothing if no line
// differs.
std::optional<SettingsChange> first_change(const std::string& was, const std::string& is,
                                           std::span<const std::string> free);
std::string sentence_of(const SettingsChange& change);

// Error(input) that shows the difference, if settings, inputs or the layout of a checkpoint differ
// from those the run was made with. Returns a warning if the run keeps no digests.
std::string require_same_settings(const std::filesystem::path& directory,
                                  std::span<const std::string> free);

}  // namespace murmur
