// manifest.h: what manifest.json of a run directory says, as plain data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace murmur {

struct Resumption {
  std::string at{};  // UTC
  std::vector<std::string> argv{};
};

// What the run is made of; runs of earlier versions do not say.
struct MadeOf {
  std::string settings{}, settings_sha256{};  // text of config.toml
  std::vector<std::string> before{};          // digests of settings that these took the place of
  // Settings that are about to take their place: config.toml may already hold them.
  std::string next{}, next_sha256{};
  std::map<std::string, std::string> inputs{};  // file name in inputs/ -> sha256
};

// The run that a branch parted from.
struct Parent {
  std::string run{};              // its directory, as it was named
  std::string settings_sha256{};  // of its config.toml
  double t = 0;                   // time of parting
};

struct Manifest {
  std::string status = "running";  // running, done, interrupted, failed
  std::string command{};
  std::vector<std::string> argv{};
  std::string version{}, commit{};  // of the program
  std::string engine{};
  std::uint64_t seed = 0;
  std::string cpu{};
  int cores = 0;
  std::string started{}, finished{};  // UTC; finished is empty while running
  double seconds = 0;                 // of every session that ended by closing
  std::vector<Resumption> resumes{};
  std::string sentence{};
  std::map<std::string, double> numbers{};
  std::map<std::string, std::string> sha256{};  // of outputs, by file name
  std::optional<MadeOf> made_of{};
  std::optional<Parent> parent{};
};

// Filled in with this program, this machine and this moment.
Manifest manifest_of_now();
std::string schema_of_runs();  // murmur-run-1
std::string utc_now();         // 2025-01-31T12:00:00Z

std::string to_json(const Manifest& manifest);
// Error(input) on text that is no manifest of ours, or one of another version.
Manifest parse_manifest(const std::string& text, const std::string& where);
Manifest read_manifest(const std::filesystem::path& directory);

}  // namespace murmur
