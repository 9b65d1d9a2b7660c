// run_kind.h: what can be done with the runs of one kind: a row, written beside its command.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "command.h"
#include "murmur/observe.h"
#include "report/report.h"
#include "run/kept_json.h"

namespace murmur::app {

// Why something cannot be done with a run, and what to do instead.
struct Refusal {
  std::string what{}, remedy{};
};

struct RunKind {
  const char* word;                            // `command` of manifest.json
  const char* noun;                            // in lists, while there is no number to tell
  std::span<const Parameter> (*parameters)();  // of its config.toml
  bool explains_parameters = true;             // false: `explain` lists them under another command

  // Goes on with a run and returns the exit code; or why that is not done run by run.
  int (*resume)(const Flags& flags, const std::filesystem::path& run, const Words& words) = nullptr;
  Refusal no_resume{};
  // Keys of config.toml that may change before a run goes on: no number depends on them.
  std::vector<std::string> free{};
  // Begins a new run where the last checkpoint of this one is; none: this kind has no branches.
  int (*branch)(const Flags& flags, const std::filesystem::path& run, const Words& words) = nullptr;
  // What --resume of its command says to runs of other kinds; empty: who made them.
  Refusal not_mine{};

  // Adds what a run came to, to its row in murmur runs.
  void (*list)(const RunReader& run, nlohmann::json& row) = nullptr;
  // What its line there tells of that row; none: n, d, t and frames.
  std::string (*columns)(const nlohmann::json& row) = nullptr;
  // What the page learns of a run beside what every run tells, as a JSON object. None: the page
  // does not list this kind.
  std::string (*page_facts)(const std::filesystem::path& run) = nullptr;

  Refusal no_frames{};  // set where there are none: nothing to render, measure or export
  Refusal no_swarm{};   // set where config.toml describes no experiment that frames are of
  // Frames that a swarm can be held against, where they are not swarms themselves.
  History (*measures)(const RunReader& run) = nullptr;

  // Fills the page of a run; `check_report` refuses before anything is made.
  void (*report)(RunReport& report) = nullptr;
  void (*check_report)(const std::filesystem::path& run) = nullptr;
  Refusal no_report{};
};

std::span<const RunKind> run_kinds();
// Error(input) for a kind that is not in the table.
const RunKind& kind_of(const RunReader& run);
const RunKind* find_kind(const std::string& word);  // null: not in the table

KeptJson kept_manifest(const RunReader& run);  // manifest.json, value by value

[[noreturn]] void refuse(const RunReader& run, const Refusal& refusal);

// --resume of a command whose runs are of the kind `own`: finds the run, and refuses other kinds.
int resume_own(const RunKind& own, const Flags& flags, const Words& words);

// Goes on with a run, once its settings and inputs are found to be those it was made with.
int go_on(const RunKind& kind, const Flags& flags, const std::filesystem::path& directory,
          const Words& words);

// A run for those who read it: Error(input) where it is not as it was left.
RunReader read_run(const Flags& flags, const std::string& word);

// Draws what the page of a run, named as in find_run, shows, and prints what was made; `page`: the
// page itself too.
int report_run(const Flags& flags, const std::string& subject, ReportRequest request, bool page);

void require_kind_with_frames(const RunReader& run);  // Error(input) for runs that keep none

}  // namespace murmur::app
