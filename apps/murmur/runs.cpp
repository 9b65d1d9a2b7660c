// runs.cpp: murmur runs: lists, shows, compares, verifies, resumes, branches and deletes runs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "murmur/error.h"
#include "run/compare.h"
#include "run/discard.h"
#include "run/json_text.h"
#include "run_kind.h"
#include "slurm.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

struct PruneOptions {
  bool yes = false;                             // delete without asking
  std::string statuses = "failed,interrupted";  // of the runs to prune
  double older = 0;                             // days since a run began
} prune_options;

// Compares a run with its digests; a run that cannot be compared counts as different.
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
    throw_usage_error("stdin is not a terminal, so deleting cannot be confirmed",
                      "add --yes, or call this from a terminal");
  fmt::print(stderr, "delete {} run{}? [y/N] ", runs, runs == 1 ? "" : "s");
  std::string answer;
  std::getline(std::cin, answer);
  const bool yes_typed = answer == "y" || answer == "Y" || answer == "yes";
  if (!yes_typed) print_message(flags, "nothing was deleted");
  return yes_typed;
}

// Lists the runs, asks, and deletes them. Errors come before anything is deleted.
int remove_runs(const Flags& flags, const std::vector<fs::path>& runs, bool yes) {
  RunSize all;
  nlohmann::json rows = nlohmann::json::array();
  for (const fs::path& run : runs) {
    const RunSize weight = measure_run(run);
    all.files += weight.files;
    all.bytes += weight.bytes;
    const std::string status = RunReader(run).status();
    rows.push_back({{"run", run.string()},
                    {"status", status},
                    {"files", weight.files},
                    {"bytes", weight.bytes}});
    print_message(flags, fmt::format("{:<32} {:<12} {:>5} files  {}", run.string(), status,
                                     weight.files, size_text(static_cast<double>(weight.bytes))));
  }
  if (!flags.dry_run && !runs.empty() && !agreed(flags, runs.size(), yes)) return 0;
  if (!flags.dry_run)
    for (const fs::path& run : runs) discard_run(run);
  if (flags.json) print_json(rows);
  print_message(flags,
                fmt::format("{} {} run{}, {} files, {}", flags.dry_run ? "would delete" : "deleted",
                            runs.size(), runs.size() == 1 ? "" : "s", all.files,
                            size_text(static_cast<double>(all.bytes))));
  return 0;
}

std::vector<std::string> chosen_statuses(const std::string& text) {
  std::vector<std::string> statuses = split_list(text, ',');
  if (statuses.back().empty()) statuses.pop_back();
  for (const std::string& status : statuses)
    if (status != "failed" && status != "interrupted" && status != "running" && status != "done")
      throw_usage_error(fmt::format("no run has the status '{}'", status),
                        "use failed, interrupted, running (without a writer) or done");
  return statuses;
}

// 2025-01-31T12:00:00Z as seconds; negative for any other text.
double seconds_of(const std::string& utc) {
  std::tm time{};
  if (strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time) == nullptr) return -1;
  return static_cast<double>(timegm(&time));
}

// Runs directly below a folder, sorted by name.
std::vector<fs::path> runs_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string()[0] != '.' && is_run_directory(entry.path()))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// Calls `work` for each run below --runs; a run that cannot be read is skipped with a message.
template <class Work>
void for_each_run(const Flags& flags, const Work& work) {
  for (const fs::path& directory : runs_below(flags.runs)) try {
      work(directory);
    } catch (const Error& error) {
      print_message(flags, fmt::format("skipped {}: {}", directory.string(), error.summary));
    }
}

int verify_runs(const Flags& flags, const std::vector<std::string>& words) {
  if (words.empty()) throw_usage_error("there is no run to verify", "murmur runs verify RUN...");
  bool all = true;
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& word : words) {
    const fs::path directory = find_run(flags, word);
    const RunComparison result = compared(directory);
    all = all && result.agrees();
    rows.push_back(json_of(directory, result));
    if (!flags.json) print_text(text_of(directory, result));
  }
  if (flags.json) print_json(rows);
  return all ? 0 : static_cast<int>(Fault::verification);
}

int delete_runs(const Flags& flags, const std::vector<std::string>& words) {
  if (words.empty()) throw_usage_error("there is no run to delete", "murmur runs delete RUN...");
  std::vector<fs::path> runs;
  for (const std::string& word : words) {
    const fs::path run = find_run(flags, word);
    if (std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
  }
  return remove_runs(flags, runs, prune_options.yes);
}

int prune_runs(const Flags& flags) {
  const std::vector<std::string> statuses = chosen_statuses(prune_options.statuses);
  const double until = static_cast<double>(std::time(nullptr)) - prune_options.older * 86400;
  std::vector<fs::path> runs;
  for_each_run(flags, [&](const fs::path& directory) {
    const RunReader run(directory);
    const auto manifest = json_of_text(run.manifest());
    const bool chosen = std::find(statuses.begin(), statuses.end(), run.status()) != statuses.end();
    const bool real = !fs::is_symlink(fs::symlink_status(directory));
    if (chosen && real && seconds_of(manifest.value("started", "")) <= until &&
        !is_being_written(directory))
      runs.push_back(directory);
  });
  const int swept = flags.dry_run ? 0 : sweep_left_overs(flags.runs);
  if (swept > 0)
    print_message(flags, fmt::format("removed {} that dead processes left behind", swept));
  return remove_runs(flags, runs, prune_options.yes);
}

nlohmann::json manifest_of(const RunReader& run) { return json_of_text(run.manifest()); }

nlohmann::json row_of(const fs::path& directory) {
  const RunReader run(directory);
  const nlohmann::json manifest = manifest_of(run);
  const auto& columns = run.columns();
  const bool counted = std::find(columns.begin(), columns.end(), "clusters") != columns.end();
  const std::vector<double> clusters = counted ? run.column("clusters") : std::vector<double>{};
  nlohmann::json row = {{"run", directory.string()},
                        {"command", run.command()},
                        {"status", run.status()},
                        {"n", run.shape().n},
                        {"d", run.shape().d},
                        {"frames", run.frames()},
                        {"t", run.frames() > 0 ? run.times().back() : 0.0},
                        {"engine", manifest.value("engine", "")},
                        {"started", manifest.value("started", "")}};
  if (counted)
    row["clusters"] = clusters.empty() || std::isnan(clusters.back()) ? 0.0 : clusters.back();
  if (const RunKind* kind = find_kind(run.command()); kind && kind->list) kind->list(run, row);
  return row;
}

// The result of a run: clusters of a simulation, accuracy of a training.
std::string outcome_of(const nlohmann::json& row) {
  const auto command = row["command"].get<std::string>();
  const RunKind* kind = find_kind(command);
  if (kind == nullptr) return fmt::format("{}: unknown to this murmur", command);
  if (row.contains("test_accuracy"))
    return fmt::format("{:.2f} % right", 100 * row["test_accuracy"].get<double>());
  if (row.contains("clusters")) return fmt::format("{} clusters", row["clusters"].get<double>());
  return kind->noun;
}

std::string columns_of(const nlohmann::json& row) {
  const RunKind* kind = find_kind(row["command"].get<std::string>());
  if (kind != nullptr && kind->columns != nullptr) return kind->columns(row);
  return fmt::format("n={:<7} d={:<4} t={:<10.6g} {:>5} frames", row["n"].get<int>(),
                     row["d"].get<int>(), row["t"].get<double>(), row["frames"].get<long>());
}

// Adds the states of the Slurm jobs that create these runs; jobs that have not begun get a row.
void add_jobs(const Flags& flags, nlohmann::json& rows) {
  for (const Job& job : jobs_below(flags.runs)) {
    const std::string state = state_of(job).value_or("unknown");
    const auto same = [&](const nlohmann::json& row) {
      return row["run"].get<std::string>() == job.run.string();
    };
    auto row = std::find_if(rows.begin(), rows.end(), same);
    if (row == rows.end()) {
      rows.push_back({{"run", job.run.string()}, {"command", "submit"}, {"status", state}});
      row = rows.end() - 1;
    }
    (*row)["job"] = {{"id", job.id}, {"state", state}, {"command", job.command}};
  }
}

std::string line_of(const nlohmann::json& row) {
  const std::string opening = fmt::format("{:<32} {:<12} ", row["run"].get<std::string>(),
                                          row["status"].get<std::string>());
  const std::string job = row.contains("job")
                              ? fmt::format("  job {} {}", row["job"]["id"].get<std::string>(),
                                            row["job"]["state"].get<std::string>())
                              : "";
  if (row["command"] == "submit")
    return opening + fmt::format("{:<42}{}", row["job"]["command"].get<std::string>(), job);
  return opening + fmt::format("{:<42}  {}{}", columns_of(row), outcome_of(row), job);
}

int list(const Flags& flags) {
  nlohmann::json rows = nlohmann::json::array();
  for_each_run(flags, [&](const fs::path& directory) { rows.push_back(row_of(directory)); });
  add_jobs(flags, rows);
  if (flags.json) {
    print_json(rows);
    return 0;
  }
  if (rows.empty())
    print_message(flags, fmt::format("no runs in {}; murmur simulate makes one", flags.runs));
  for (const auto& row : rows) print_text(line_of(row) + "\n");
  return 0;
}

int show(const Flags& flags, const std::string& word) {
  const RunReader run(find_run(flags, word));
  if (flags.json) {
    print_json(manifest_of(run));
    return 0;
  }
  nlohmann::json row = row_of(run.directory());
  if (const nlohmann::json manifest = manifest_of(run); manifest.contains("parent")) {
    row["parent"] = manifest["parent"]["run"];
    row["parted"] = manifest["parent"]["t"];
  }
  for (const auto& [key, value] : row.items())
    print_text(fmt::format("{:<9} {}\n", key,
                           value.is_string() ? value.get<std::string>() : json_text(value)));
  print_text(run.config());
  if (run.frames() == 0) return 0;
  print_text("# observables of the last frame\n");
  for (const std::string& name : run.columns())
    print_text(fmt::format("# {:<18} {:.10g}\n", name, run.column(name).back()));
  return 0;
}

// Prints the parameters that differ, and the largest difference of common frames.
int diff(const Flags& flags, const std::string& first, const std::string& second) {
  const RunReader a = read_run(flags, first), b = read_run(flags, second);
  const auto settings = [](const RunReader& run) {
    return settings_of_run(run.directory(), {}, kind_of(run).parameters());
  };
  const Settings left = settings(a), right = settings(b);
  nlohmann::json report = {{"parameters", nlohmann::json::object()}};
  for (const auto& [key, value] : left)
    if (right.count(key) != 0 && value.text != right.at(key).text)
      report["parameters"][key] = {value.text, right.at(key).text};
  double most = 0;
  std::int64_t common = 0;
  if (a.shape() == b.shape())
    for (; common < std::min(a.frames(), b.frames()) && a.times()[common] == b.times()[common];
         ++common) {
      const HostSwarm x = a.frame(common), y = b.frame(common);
      for (int k = 0; k < x.d(); ++k)
        for (int i = 0; i < x.n(); ++i) most = std::max(most, std::fabs(x.at(i, k) - y.at(i, k)));
    }
  report["common_frames"] = common;
  report["largest_difference"] = most;
  if (flags.json) {
    print_json(report);
    return 0;
  }
  for (const auto& [key, value] : report["parameters"].items())
    print_text(fmt::format("{:<14} {}  |  {}\n", key, value[0].get<std::string>(),
                           value[1].get<std::string>()));
  print_text(
      fmt::format("{} common frames; largest difference of a coordinate {:.3g}\n", common, most));
  return 0;
}

int resume(const Flags& flags, const std::string& word, const Arguments& arguments) {
  const RunReader run(find_run(flags, word));
  const RunKind& kind = kind_of(run);
  if (kind.resume == nullptr) refuse(run, kind.no_resume);
  return resume_run(kind, flags, run.directory(), arguments);
}

// Begins a new run at the last checkpoint of another one, with changed settings.
int branch(const Flags& flags, const std::string& word, const Arguments& arguments) {
  const RunReader run = read_run(flags, word);
  const RunKind& kind = kind_of(run);
  if (kind.branch == nullptr)
    refuse(run, {fmt::format("a run of murmur {} has no branches", kind.command),
                 "only simulations have; start a new run instead"});
  return kind.branch(flags, run.directory(), arguments);
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  const std::vector<std::string>& w = arguments.positional;
  const bool settings = !w.empty() && (w[0] == "resume" || w[0] == "branch");
  if (!settings && !arguments.assignments.empty())
    throw_usage_error(
        fmt::format("{} is for runs resume and runs branch", arguments.assignments[0]),
        "leave it out; murmur runs --help");
  if (w.empty() || (w[0] == "list" && w.size() == 1)) return list(flags);
  if (w[0] == "show" && w.size() == 2) return show(flags, w[1]);
  if (w[0] == "diff" && w.size() == 3) return diff(flags, w[1], w[2]);
  if (w[0] == "resume" && w.size() == 2) return resume(flags, w[1], {{}, arguments.assignments});
  if (w[0] == "branch" && w.size() == 2) return branch(flags, w[1], {{}, arguments.assignments});
  const std::vector<std::string> rest(w.begin() + 1, w.end());
  if (w[0] == "verify") return verify_runs(flags, rest);
  if (w[0] == "delete") return delete_runs(flags, rest);
  if (w[0] == "prune" && w.size() == 1) return prune_runs(flags);
  throw_usage_error("runs takes list, show, diff, resume, branch, verify, delete or prune",
                    "murmur runs --help");
}

}  // namespace

Command runs_command() {
  return {"runs", "List, show, compare, verify, branch, resume and delete runs.",
          "  murmur runs list\n  murmur runs show flock-0-1\n"
          "  murmur runs diff flock-0-1 flock-1-1\n  murmur runs resume flock-0-1 T=100\n"
          "  murmur runs branch flock-0-1 beta=1 T=100 -o runs/cooler\n"
          "  murmur runs verify flock-0-1 flock-1-1\n"
          "  murmur runs delete flock-0-1 --yes\n"
          "  murmur runs prune --status failed,interrupted --older 30",
          [](Options& sub, Flags& flags) {
            sub.add_flag("--yes", prune_options.yes, "delete, prune: do not ask");
            sub.add_flag("--dry-run", flags.dry_run,
                         "delete, prune, branch: only print what would be done");
            sub.add_option("--status", prune_options.statuses,
                           "prune: delete runs with these statuses")
                .show_default();
            sub.add_option("--older", prune_options.older,
                           "prune: only runs that began at least this many days ago")
                .range(0.0, 36500.0);
            sub.add_checkpoint(flags);
          },
          run};
}

}  // namespace murmur::app
