// manifest.h: the content of manifest.json of a run directory as plain data.
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

// The settings and inputs of the run; runs of earlier versions lack them.
struct MadeOf {
  std::string settings{}, settings_sha256{};  // text of config.toml
  std::vector<std::string> before{};          // digests of earlier settings that these replaced
  // Settings that are about to replace these: config.toml may already hold them.
  std::string next{}, next_sha256{};
  std::map<std::string, std::string> inputs{};  // file name in inputs/ -> sha256
};

// The run that a branch parted from.
struct Parent {
  std::string run{};              // its directory, as the user named it
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
  double seconds = 0;                 // summed over all sessions that closed the run
  std::vector<Resumption> resumes{};
  std::string sentence{};
  std::map<std::string, double> numbers{};
  std::map<std::string, std::string> sha256{};  // of outputs, by file name
  std::optional<MadeOf> made_of{};
  std::optional<Parent> parent{};
};

// Returns a manifest filled in with this program, this machine and the current time.
Manifest manifest_of_now();
std::string schema_of_runs();  // murmur-run-1
std::string utc_now();         // 2025-01-31T12:00:00Z

std::string to_json(const Manifest& manifest);
// Error(input) if the text is not a manifest of this program, or is one of another version.
Manifest parse_manifest(const std::string& text, const std::string& where);
Manifest read_manifest(const std::filesystem::path& directory);

}  // namespace murmur
