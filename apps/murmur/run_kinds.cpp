// run_kinds.cpp: the table of the kinds of runs. A new kind is a row here and its own file.
#include <fmt/format.h>

#include <cassert>

#include "murmur/error.h"
#include "ranks.h"
#include "run/compare.h"
#include "run/identity.h"
#include "run_kind.h"

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
  // A row says of everything how it is done, or why it is not.
  for (const RunKind& kind : table)
    assert(kind.parameters != nullptr && (kind.resume != nullptr || !kind.no_resume.what.empty()) &&
           (kind.report != nullptr || !kind.no_report.what.empty()));
  return table;
}

const RunKind* find_kind(const std::string& word) {
  for (const RunKind& kind : run_kinds())
    if (kind.word == word) return &kind;
  return nullptr;
}

const RunKind& kind_of(const RunReader& run) {
  const std::string word = run.command();
  if (const RunKind* kind = find_kind(word)) return *kind;
  throw Error(Fault::input, fmt::format("this murmur does not know runs of the kind {}", word),
              run.directory().string(), "use the murmur that made it");
}

KeptJson kept_manifest(const RunReader& run) {
  return KeptJson::parse(run.manifest(), (run.directory() / "manifest.json").string());
}

void refuse(const RunReader& run, const Refusal& refusal) {
  throw Error(Fault::input, refusal.what, run.directory().string(), refusal.remedy);
}

int resume_own(const RunKind& own, const Flags& flags, const Words& words) {
  const std::filesystem::path directory = find_run(flags, flags.resume);
  const RunReader run(directory);
  const RunKind& kind = kind_of(run);
  if (kind.word == std::string_view(own.word)) return go_on(own, flags, directory, words);
  if (!own.not_mine.what.empty()) refuse(run, own.not_mine);
  refuse(run, {fmt::format("this run was made by murmur {}", kind.word),
               kind.resume == nullptr ? kind.no_resume.remedy
                                      : fmt::format("use murmur {} --resume", kind.word)});
}

int go_on(const RunKind& kind, const Flags& flags, const std::filesystem::path& directory,
          const Words& words) {
  if (ranks() != nullptr && std::string_view(kind.word) != "simulate")
    throw Error(Fault::usage,
                fmt::format("a run of murmur {} is written by one process", kind.word),
                directory.string(), "go on with it without mpirun or srun");
  const std::string warning = require_same_settings(directory, kind.free);
  if (!warning.empty()) say(flags, "warning: " + warning);
  return kind.resume(flags, directory, words);
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

}  // namespace murmur::app
