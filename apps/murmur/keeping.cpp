// keeping.cpp: murmur runs verify, delete and prune.
#include "keeping.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <sstream>

#include "murmur/error.h"
#include "run/compare.h"
#include "run/discard.h"
#include "run/json_text.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

// A run that cannot even be compared is one that differs.
RunComparison compared(const fs::path& directory) try {
  return compare_run(directory);
} catch (const Error& error) {
  return {{{"manifest.json", "a manifest of a run", error.summary}}, {}};
}

nlohmann::json json_of(const fs::path& directory, const RunComparison& result) {
  nlohmann::json checks = nlohmann::json::array();
  for (const RunCheck& check : result.checks)
    checks.push_back({{"file", check.file},
                      {"expected", check.expected},
                      {"found", check.found},
                      {"agrees", check.agrees()}});
  return {{"run", directory.string()},
          {"agrees", result.agrees()},
          {"checks", checks},
          {"notes", result.notes}};
}

std::string text_of(const fs::path& directory, const RunComparison& result) {
  const auto wrong = std::count_if(result.checks.begin(), result.checks.end(),
                                   [](const RunCheck& check) { return !check.agrees(); });
  std::string text =
      fmt::format("{}: {} of {} agree\n", directory.string(),
                  result.checks.size() - static_cast<std::size_t>(wrong), result.checks.size());
  for (const RunCheck& check : result.checks)
    if (!check.agrees())
      text += fmt::format("  {}\n    expected  {}\n    found     {}\n", check.file, check.expected,
                          check.found);
  for (const std::string& note : result.notes) text += fmt::format("  {}\n", note);
  return text;
}

std::string size_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes / 1e6)
                     : fmt::format("{:.2f} GB", bytes / 1e9);
}

bool agreed(const Flags& flags, std::size_t runs, bool yes) {
  if (yes) return true;
  if (::isatty(STDIN_FILENO) == 0)
    usage("nobody is there to ask before deleting", "add --yes, or call this from a terminal");
  fmt::print(stderr, "delete {} run{}? [y/N] ", runs, runs == 1 ? "" : "s");
  std::string answer;
  std::getline(std::cin, answer);
  const bool said_yes = answer == "y" || answer == "Y" || answer == "yes";
  if (!said_yes) say(flags, "nothing was deleted");
  return said_yes;
}

// Says what would go, asks, and removes. Refusals come before anything is removed.
int remove_runs(const Flags& flags, const std::vector<fs::path>& runs, bool yes) {
  RunWeight all;
  nlohmann::json rows = nlohmann::json::array();
  for (const fs::path& run : runs) {
    const RunWeight weight = weigh_run(run);
    all.files += weight.files;
    all.bytes += weight.bytes;
    const std::string status = RunReader(run).status();
    rows.push_back({{"run", run.string()},
                    {"status", status},
                    {"files", weight.files},
                    {"bytes", weight.bytes}});
    say(flags, fmt::format("{:<32} {:<12} {:>5} files  {}", run.string(), status, weight.files,
                           size_text(static_cast<double>(weight.bytes))));
  }
  if (!flags.dry_run && !runs.empty() && !agreed(flags, runs.size(), yes)) return 0;
  if (!flags.dry_run)
    for (const fs::path& run : runs) discard_run(run);
  if (flags.json) report(rows);
  say(flags, fmt::format("{} {} run{}, {} files, {}", flags.dry_run ? "would delete" : "deleted",
                         runs.size(), runs.size() == 1 ? "" : "s", all.files,
                         size_text(static_cast<double>(all.bytes))));
  return 0;
}

std::vector<std::string> chosen_statuses(const std::string& text) {
  std::vector<std::string> statuses;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) {
    if (word != "failed" && word != "interrupted" && word != "running" && word != "done")
      usage(fmt::format("no run has the status '{}'", word),
            "use failed, interrupted, running (and without a writer) or done");
    statuses.push_back(word);
  }
  return statuses;
}

// 2025-01-31T12:00:00Z as seconds; negative where it is none.
double seconds_of(const std::string& utc) {
  std::tm time{};
  if (strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time) == nullptr) return -1;
  return static_cast<double>(timegm(&time));
}

}  // namespace

std::vector<fs::path> runs_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string()[0] != '.' && is_run_directory(entry.path()))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

int verify_runs(const Flags& flags, const std::vector<std::string>& words) {
  if (words.empty()) usage("there is no run to verify", "murmur runs verify RUN...");
  bool all = true;
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& word : words) {
    const fs::path directory = find_run(flags, word);
    const RunComparison result = compared(directory);
    all = all && result.agrees();
    rows.push_back(json_of(directory, result));
    if (!flags.json) data(text_of(directory, result));
  }
  if (flags.json) report(rows);
  return all ? 0 : static_cast<int>(Fault::verification);
}

int delete_runs(const Flags& flags, const std::vector<std::string>& words, bool yes) {
  if (words.empty()) usage("there is no run to delete", "murmur runs delete RUN...");
  std::vector<fs::path> runs;
  for (const std::string& word : words) {
    const fs::path run = find_run(flags, word);
    if (std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
  }
  return remove_runs(flags, runs, yes);
}

int prune_runs(const Flags& flags, const PruneOptions& options) {
  const std::vector<std::string> statuses = chosen_statuses(options.statuses);
  const double until = static_cast<double>(std::time(nullptr)) - options.older * 86400;
  std::vector<fs::path> runs;
  for (const fs::path& directory : runs_below(flags.runs)) try {
      const RunReader run(directory);
      const auto manifest = json_of_text(run.manifest());
      const bool chosen =
          std::find(statuses.begin(), statuses.end(), run.status()) != statuses.end();
      const bool real = !fs::is_symlink(fs::symlink_status(directory));
      if (chosen && real && seconds_of(manifest.value("started", "")) <= until &&
          !is_being_written(directory))
        runs.push_back(directory);
    } catch (const Error& error) {
      say(flags, fmt::format("skipped {}: {}", directory.string(), error.summary));
    }
  const int swept = flags.dry_run ? 0 : sweep_left_overs(flags.runs);
  if (swept > 0) say(flags, fmt::format("swept {} that dead processes left behind", swept));
  return remove_runs(flags, runs, options.yes);
}

}  // namespace murmur::app
