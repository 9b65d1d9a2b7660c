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
  v(&Resumption::at, {.key = "at", .meaning = "time of the resumption"});
  v(&Resumption::argv, {.key = "argv", .meaning = "its command line"});
}

// A text of config.toml.
struct SettingsText {
  std::string text{}, sha256{};
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<SettingsText>) {
  v(&SettingsText::sha256, {.key = "sha256", .meaning = "digest of the text"});
  v(&SettingsText::text, {.key = "text", .meaning = "config.toml"});
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
  v(&M::settings_sha256, {.key = "sha256", .meaning = "digest of the text"});
  v(&M::settings, {.key = "text", .meaning = "config.toml"});
  v(&M::before, {.key = "before", .meaning = "digests of the settings that these replaced"});
  v.computed(&M::next_settings, &M::set_next_settings,
             {.key = "next", .meaning = "settings that will replace these", .optional = true});
}

// The run that a branch parted from.
struct Parent {
  std::string run{};              // its directory, as the user named it
  std::string settings_sha256{};  // of its config.toml
  double t = 0;                   // time of parting
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Parent>) {
  v(&Parent::run, {.key = "run", .meaning = "directory of the run"});
  v(&Parent::settings_sha256, {.key = "settings_sha256", .meaning = "digest of its config.toml"});
  v(&Parent::t, {.key = "t", .meaning = "time at which the branch parted"});
}

struct Machine {
  std::string cpu{};
  int cores = 0;
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Machine>) {
  v(&Machine::cpu, {.key = "cpu", .meaning = "name of the processor"});
  v(&Machine::cores, {.key = "cores", .meaning = "number of its hardware threads"});
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
  v(&M::status, {.key = "status", .meaning = "running, done, interrupted or failed"});
  v(&M::sentence, {.key = "sentence", .meaning = "the result in one sentence"});
  v(&M::command, {.key = "command", .meaning = "the command that made the run"});
  v(&M::argv, {.key = "argv", .meaning = "its command line"});
  v(&M::engine, {.key = "engine", .meaning = "full name of the engine"});
  v(&M::seed, {.key = "seed", .meaning = "seed of the run"});
  v(&M::version, {.key = "version", .meaning = "version of the program"});
  v(&M::commit, {.key = "commit", .meaning = "commit of the program"});
  v(&M::machine, {.key = "machine", .meaning = "the machine that made the run"});
  v(&M::started, {.key = "started", .meaning = "time of the start, UTC"});
  v.computed(&M::end, &M::set_end, {.key = "finished", .meaning = "time of the end, UTC"});
  v(&M::seconds, {.key = "seconds", .meaning = "seconds of all sessions that closed the run"});
  v.derived([](const M& m) { return m.resumes.size(); },
            {.key = "resumed", .meaning = "number of resumptions"});
  v(&M::resumes, {.key = "resumes", .meaning = "each resumption"});
  v(&M::numbers, {.key = "numbers", .meaning = "counts and results", .null = Null::nan});
  v(&M::sha256, {.key = "sha256", .meaning = "digests of the outputs"});
  v(&M::made_of, {.key = "settings", .meaning = "settings of the run", .optional = true});
  v.computed(&M::inputs, &M::set_inputs,
             {.key = "inputs", .meaning = "digests of the files in inputs/", .optional = true});
  v(&M::parent,
    {.key = "parent", .meaning = "the run that this one branched from", .optional = true});
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
