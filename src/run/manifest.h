// manifest.h: the content of manifest.json of a run directory as plain data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "murmur/describe.h"

namespace murmur {

struct Resumption {
  std::string at{};  // UTC
  std::vector<std::string> argv{};
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Resumption>) {
  v(&Resumption::at, "at", "time of the resumption");
  v(&Resumption::argv, "argv", "its command line");
}

// A text of config.toml.
struct SettingsText {
  std::string text{}, sha256{};
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<SettingsText>) {
  v(&SettingsText::sha256, "sha256", "digest of the text");
  v(&SettingsText::text, "text", "config.toml");
}

// The settings and inputs of the run; runs of earlier versions lack them.
struct MadeOf {
  std::string settings{}, settings_sha256{};  // text of config.toml
  std::vector<std::string> before{};          // digests of earlier settings that these replaced
  // Settings that are about to replace these: config.toml may already hold them.
  std::string next{}, next_sha256{};
  std::map<std::string, std::string> inputs{};  // file name in inputs/ -> sha256

  std::optional<SettingsText> next_settings() const {
    if (next_sha256.empty()) return std::nullopt;
    return SettingsText{next, next_sha256};
  }
  void set_next_settings(const std::optional<SettingsText>& given) {
    if (given) next = given->text, next_sha256 = given->sha256;
  }
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<MadeOf>) {
  using M = MadeOf;
  v(&M::settings_sha256, "sha256", "digest of the text");
  v(&M::settings, "text", "config.toml");
  v(&M::before, "before", "digests of the settings that these replaced");
  v.computed(&M::next_settings, &M::set_next_settings, "next", "settings that will replace these",
             {.optional = true});
}

// The run that a branch parted from.
struct Parent {
  std::string run{};              // its directory, as the user named it
  std::string settings_sha256{};  // of its config.toml
  double t = 0;                   // time of parting
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Parent>) {
  v(&Parent::run, "run", "directory of the run");
  v(&Parent::settings_sha256, "settings_sha256", "digest of its config.toml");
  v(&Parent::t, "t", "time at which the branch parted");
}

struct Machine {
  std::string cpu{};
  int cores = 0;
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Machine>) {
  v(&Machine::cpu, "cpu", "name of the processor");
  v(&Machine::cores, "cores", "number of its hardware threads");
}

struct Manifest {
  std::string status = "running";  // running, done, interrupted, failed
  std::string command{};
  std::vector<std::string> argv{};
  std::string version{}, commit{};  // of the program
  std::string engine{};
  std::uint64_t seed = 0;
  Machine machine{};
  std::string started{}, finished{};  // UTC; finished is empty while running
  double seconds = 0;                 // summed over all sessions that closed the run
  std::vector<Resumption> resumes{};
  std::string sentence{};
  std::map<std::string, double> numbers{};
  std::map<std::string, std::string> sha256{};  // of outputs, by file name
  std::optional<MadeOf> made_of{};
  std::optional<Parent> parent{};

  using Inputs = std::map<std::string, std::string>;
  std::optional<Inputs> inputs() const {
    return made_of ? std::optional(made_of->inputs) : std::nullopt;
  }
  void set_inputs(const std::optional<Inputs>& given) {
    if (made_of && given) made_of->inputs = *given;
  }
  std::optional<std::string> end() const {
    return finished.empty() ? std::nullopt : std::optional(finished);
  }
  void set_end(const std::optional<std::string>& given) { finished = given.value_or(""); }
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Manifest>) {
  using M = Manifest;
  v(&M::status, "status", "running, done, interrupted or failed");
  v(&M::sentence, "sentence", "the result in one sentence");
  v(&M::command, "command", "the command that made the run");
  v(&M::argv, "argv", "its command line");
  v(&M::engine, "engine", "full name of the engine");
  v(&M::seed, "seed", "seed of the run");
  v(&M::version, "version", "version of the program");
  v(&M::commit, "commit", "commit of the program");
  v(&M::machine, "machine", "the machine that made the run");
  v(&M::started, "started", "time of the start, UTC");
  v.computed(&M::end, &M::set_end, "finished", "time of the end, UTC");
  v(&M::seconds, "seconds", "seconds of all sessions that closed the run");
  v.derived([](const M& m) { return m.resumes.size(); }, "resumed", "number of resumptions");
  v(&M::resumes, "resumes", "each resumption");
  v(&M::numbers, "numbers", "counts and results", {.null = Null::nan});
  v(&M::sha256, "sha256", "digests of the outputs");
  v(&M::made_of, "settings", "settings of the run", {.optional = true});
  v.computed(&M::inputs, &M::set_inputs, "inputs", "digests of the files in inputs/",
             {.optional = true});
  v(&M::parent, "parent", "the run that this one branched from", {.optional = true});
}

// Returns a manifest filled in with this program, this machine and the current time.
Manifest manifest_of_now();
std::string schema_of_runs();  // murmur-run-1
std::string utc_now();         // 2025-01-31T12:00:00Z

std::string to_json(const Manifest& manifest);
// Error(input) if the text is not a manifest of this program, or is one of another version.
Manifest parse_manifest(const std::string& text, const std::string& where);
Manifest read_manifest(const std::filesystem::path& directory);

}  // namespace murmur
