// run_kind.cpp: the table of the kinds of runs, and what all kinds share. A new kind is a row here
// and a function in the file of its command.
#include "run_kind.h"

#include <fmt/format.h>

#include <cassert>

#include "murmur/error.h"
#include "ranks.h"
#include "run/compare.h"
#include "run/identity.h"

namespace murmur::app {

RunKind simulate_kind();
RunKind train_kind();
RunKind meanfield_kind();
RunKind landscape_kind();
RunKind sweep_kind();
RunKind reproduce_kind();
RunKind trace_kind();

std::span<const RunKind> run_kinds() {
  static const RunKind table[] = {simulate_kind(),  train_kind(), meanfield_kind(),
                                  landscape_kind(), sweep_kind(), reproduce_kind(),
                                  trace_kind()};
  // Each row has a function or the reason why there is none.
  for (const RunKind& kind : table)
    assert(kind.parameters != nullptr && (kind.resume != nullptr || !kind.no_resume.what.empty()) &&
           (kind.report != nullptr || !kind.no_report.what.empty()));
  return table;
}

const RunKind* find_kind(const std::string& command) {
  for (const RunKind& kind : run_kinds())
    if (kind.command == command) return &kind;
  return nullptr;
}

const RunKind& kind_of(const RunReader& run) {
  const std::string command = run.command();
  if (const RunKind* kind = find_kind(command)) return *kind;
  throw Error(Fault::input, fmt::format("this murmur does not know runs of the kind {}", command),
              run.directory().string(), "use the version of murmur that created it");
}

KeptJson kept_manifest(const RunReader& run) {
  return KeptJson::parse(run.manifest(), (run.directory() / "manifest.json").string());
}

void refuse(const RunReader& run, const Refusal& refusal) {
  throw Error(Fault::input, refusal.what, run.directory().string(), refusal.remedy);
}

int resume_named_run(const RunKind& own, const Flags& flags, const Arguments& arguments) {
  const std::filesystem::path directory = find_run(flags, flags.resume);
  const RunReader run(directory);
  const RunKind& kind = kind_of(run);
  if (kind.command == std::string_view(own.command))
    return resume_run(own, flags, directory, arguments);
  if (!own.wrong_kind.what.empty()) refuse(run, own.wrong_kind);
  refuse(run, {fmt::format("this run was made by murmur {}", kind.command),
               kind.resume == nullptr ? kind.no_resume.remedy
                                      : fmt::format("use murmur {} --resume", kind.command)});
}

int resume_run(const RunKind& kind, const Flags& flags, const std::filesystem::path& directory,
               const Arguments& arguments) {
  if (ranks() != nullptr && std::string_view(kind.command) != "simulate")
    throw Error(Fault::usage,
                fmt::format("a run of murmur {} is written by one process", kind.command),
                directory.string(), "resume it without mpirun or srun");
  const std::string warning = require_same_settings(directory, kind.free);
  if (!warning.empty()) print_message(flags, "warning: " + warning);
  return kind.resume(flags, directory, arguments);
}

void require_no_changes(const Flags& flags, const Arguments& arguments, const std::string& noun) {
  if (!arguments.positional.empty() || !arguments.assignments.empty())
    throw_usage_error(fmt::format("a resumed {} takes no parameters", noun),
                      "leave them out, or start a new run");
  if (!flags.out.empty())
    throw_usage_error(fmt::format("a resumed {} stays in its run", noun), "leave -o out");
}

void require_resumable(const std::filesystem::path& directory, const Arguments& arguments,
                       bool has_engine) {
  if (!arguments.positional.empty())
    throw_usage_error("a resumed run takes no preset", "leave it out");
  for (const std::string& assignment : arguments.assignments) {
    const std::string key = split_assignment(assignment).key;
    if (key == "T" || (has_engine && key == "engine")) continue;
    throw Error(Fault::input, fmt::format("{} cannot change in a resumed run", assignment),
                directory.string(),
                fmt::format("only a larger T{} is accepted; start a new run for the rest",
                            has_engine ? " or another engine" : ""));
  }
}

bool override_setting(const Arguments& arguments, const std::string& key, Settings& settings) {
  bool given = false;
  for (const std::string& text : arguments.assignments)
    if (const Assignment assignment = split_assignment(text); assignment.key == key) {
      settings[key] = {assignment.value, "command line: " + text, {}};
      given = true;
    }
  return given;
}

bool is_finished_at(const Flags& flags, const std::filesystem::path& directory, double run_T,
                    double T) {
  if (T < run_T)
    throw Error(Fault::input, fmt::format("T = {:g} is below the run's T = {:g}", T, run_T),
                directory.string(), "give a larger T, or none");
  if (T > run_T || RunReader(directory).status() != "done") return false;
  require_whole(directory);
  print_run(flags, directory, {{"status", "done"}, {"t", run_T}});
  print_message(flags, fmt::format("the run is already finished at T = {:g}", run_T));
  return true;
}

RunReader read_run(const Flags& flags, const std::string& word) {
  RunReader run(find_run(flags, word));
  require_readable(run.directory(), kind_of(run).free);
  return run;
}

void require_kind_with_frames(const RunReader& run) {
  const RunKind& kind = kind_of(run);
  if (!kind.no_frames.what.empty()) refuse(run, kind.no_frames);
}

void require_swarm(const RunReader& run) {
  const RunKind& kind = kind_of(run);
  if (!kind.no_swarm.what.empty()) refuse(run, kind.no_swarm);
  require_kind_with_frames(run);
}

}  // namespace murmur::app
