// run_kind.h: the operations on each kind of run; each kind is defined in the file of its command.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "command.h"
#include "murmur/observe.h"
#include "murmur/run.h"
#include "report/report.h"
#include "run/kept_json.h"

namespace murmur::app {

// Why something cannot be done with a run, and what to do instead.
struct Refusal {
  std::string what{}, remedy{};
};

struct RunKind {
  const char* command;                         // `command` of manifest.json
  const char* noun;                            // in lists, until there is a result to show
  std::span<const Parameter> (*parameters)();  // of its config.toml
  bool explains_parameters = true;             // false: `explain` lists them under another command

  // Continues a run and returns the exit code; or the reason why a single run is not continued.
  int (*resume)(const Flags& flags, const std::filesystem::path& run,
                const Arguments& arguments) = nullptr;
  Refusal no_resume{};
  // Keys of config.toml that may change before a run is continued: no number depends on them.
  std::vector<std::string> free{};
  // Begins a new run at the last checkpoint of this one; null: this kind has no branches.
  int (*branch)(const Flags& flags, const std::filesystem::path& run,
                const Arguments& arguments) = nullptr;
  // The answer of --resume of its command to runs of other kinds; empty: names their command.
  Refusal wrong_kind{};

  // Adds results of a run to its row in murmur runs.
  void (*list)(const RunReader& run, nlohmann::json& row) = nullptr;
  // The text of that row in murmur runs; null: n, d, t and frames.
  std::string (*columns)(const nlohmann::json& row) = nullptr;
  // A JSON object with facts of a run for the page, in addition to those of every run. Null: the
  // page does not list this kind.
  std::string (*page_facts)(const std::filesystem::path& run) = nullptr;

  Refusal no_frames{};  // set if there are no frames to render, measure or export
  Refusal no_swarm{};   // set if config.toml does not describe the experiment of the frames
  // Frames that a swarm can be compared with, if the frames are not swarms themselves.
  History (*measures)(const RunReader& run) = nullptr;

  // Fills the page of a run; `check_report` throws before anything is written.
  void (*report)(RunReport& report) = nullptr;
  void (*check_report)(const std::filesystem::path& run) = nullptr;
  Refusal no_report{};
};

std::span<const RunKind> run_kinds();
// Error(input) for a kind that is not in the table.
const RunKind& kind_of(const RunReader& run);
const RunKind* find_kind(const std::string& command);  // null: not in the table

KeptJson kept_manifest(const RunReader& run);  // manifest.json, value by value

[[noreturn]] void refuse(const RunReader& run, const Refusal& refusal);

// --resume of a command whose runs are of the kind `own`: finds the run and refuses other kinds.
int resume_named_run(const RunKind& own, const Flags& flags, const Arguments& arguments);
// Continues a run after checking that its settings and inputs are unchanged.
int resume_run(const RunKind& kind, const Flags& flags, const std::filesystem::path& directory,
               const Arguments& arguments);
// Error(usage) for parameters and for -o, which the continuation of a `noun` does not take.
void require_no_changes(const Flags& flags, const Arguments& arguments, const std::string& noun);

// Opens a run for reading. Error(input) if its files have changed since it was written.
RunReader read_run(const Flags& flags, const std::string& word);

// Draws the pictures of the page of a run, named as in find_run, and prints their paths; with
// `page` writes the page too.
int report_run(const Flags& flags, const std::string& subject, ReportRequest request, bool page);

void require_kind_with_frames(const RunReader& run);  // Error(input) for runs without frames
// Error(input) unless the run holds frames of a swarm that its config.toml describes.
void require_swarm(const RunReader& run);

// The parts of `resumed`: refuses parameters other than T= and, with `has_engine`, engine=.
void require_resumable(const std::filesystem::path& directory, const Arguments& arguments,
                       bool has_engine);
bool override_setting(const Arguments& arguments, const std::string& key, Settings& settings);
// Error(input) for a T below that of the run. True, after printing the run, if the run is finished
// at this T.
bool is_finished_at(const Flags& flags, const std::filesystem::path& directory, double run_T,
                    double T);

template <typename Setup>
struct Resumed {
  Setup setup;
  bool changed;  // T or the engine differ: config.toml is written again
};

// The setup of a run with the T and, with `has_engine`, the engine of the arguments. `make` builds
// a setup, which has a schedule, from settings. Nothing, after printing the run, if it is finished
// at that T.
template <typename Make>
auto resumed(const Flags& flags, const std::filesystem::path& directory, const Arguments& arguments,
             Settings settings, const Make& make, bool has_engine = false)
    -> std::optional<Resumed<decltype(make(settings))>> {
  require_resumable(directory, arguments, has_engine);
  // The engine comes first: the one of the run may not be on this machine.
  const bool other_engine = has_engine && override_setting(arguments, "engine", settings);
  auto setup = make(settings);
  const double run_T = setup.schedule.T;
  if (override_setting(arguments, "T", settings)) setup = make(settings);
  const double T = setup.schedule.T;
  if (is_finished_at(flags, directory, run_T, T)) return std::nullopt;
  return Resumed<decltype(make(settings))>{std::move(setup), T > run_T || other_engine};
}

}  // namespace murmur::app
