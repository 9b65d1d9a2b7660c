// runs.cpp: murmur runs: lists runs, shows one, compares two, goes on with one or branches off.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "keeping.h"
#include "murmur/error.h"
#include "run/json_text.h"
#include "run_kind.h"
#include "slurm.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

PruneOptions prune_options;

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

// What a run came to: clusters of a simulation, accuracy of a training.
std::string outcome_of(const nlohmann::json& row) {
  const auto word = row["command"].get<std::string>();
  const RunKind* kind = find_kind(word);
  if (kind == nullptr) return fmt::format("{}: this murmur does not know it", word);
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

// What Slurm says of the jobs that make these runs; those that have not begun get a row of their
// own.
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
  for (const fs::path& directory : runs_below(flags.runs)) try {
      rows.push_back(row_of(directory));
    } catch (const Error& error) {
      say(flags, fmt::format("skipped {}: {}", directory.string(), error.summary));
    }
  add_jobs(flags, rows);
  if (flags.json) {
    report(rows);
    return 0;
  }
  if (rows.empty()) say(flags, fmt::format("no runs in {}; murmur simulate makes one", flags.runs));
  for (const auto& row : rows) data(line_of(row) + "\n");
  return 0;
}

int show(const Flags& flags, const std::string& word) {
  const RunReader run(find_run(flags, word));
  if (flags.json) {
    report(manifest_of(run));
    return 0;
  }
  nlohmann::json row = row_of(run.directory());
  if (const nlohmann::json manifest = manifest_of(run); manifest.contains("parent")) {
    row["parent"] = manifest["parent"]["run"];
    row["parted"] = manifest["parent"]["t"];
  }
  for (const auto& [key, value] : row.items())
    data(fmt::format("{:<9} {}\n", key,
                     value.is_string() ? value.get<std::string>() : json_text(value)));
  data(run.config());
  if (run.frames() == 0) return 0;
  data("# observables of the last frame\n");
  for (const std::string& name : run.columns())
    data(fmt::format("# {:<18} {:.10g}\n", name, run.column(name).back()));
  return 0;
}

// Parameters that differ, and how far the last common frames are apart.
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
    app::report(report);
    return 0;
  }
  for (const auto& [key, value] : report["parameters"].items())
    data(fmt::format("{:<14} {}  |  {}\n", key, value[0].get<std::string>(),
                     value[1].get<std::string>()));
  data(fmt::format("{} common frames; largest difference of a coordinate {:.3g}\n", common, most));
  return 0;
}

int resume(const Flags& flags, const std::string& word, const Words& words) {
  const RunReader run(find_run(flags, word));
  const RunKind& kind = kind_of(run);
  if (kind.resume == nullptr) refuse(run, kind.no_resume);
  return go_on(kind, flags, run.directory(), words);
}

// A new run that begins where another is, with changed settings.
int branch(const Flags& flags, const std::string& word, const Words& words) {
  const RunReader run = read_run(flags, word);
  const RunKind& kind = kind_of(run);
  if (kind.branch == nullptr)
    refuse(run, {fmt::format("a run of murmur {} has no branches", kind.word),
                 "simulations have; start a new run instead"});
  return kind.branch(flags, run.directory(), words);
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  const std::vector<std::string>& w = sorted.plain;
  const bool settings = !w.empty() && (w[0] == "resume" || w[0] == "branch");
  if (!settings && !sorted.assignments.empty())
    usage(fmt::format("{} is for runs resume and runs branch", sorted.assignments[0]),
          "leave it out; murmur runs --help");
  if (w.empty() || (w[0] == "list" && w.size() == 1)) return list(flags);
  if (w[0] == "show" && w.size() == 2) return show(flags, w[1]);
  if (w[0] == "diff" && w.size() == 3) return diff(flags, w[1], w[2]);
  if (w[0] == "resume" && w.size() == 2) return resume(flags, w[1], {{}, sorted.assignments});
  if (w[0] == "branch" && w.size() == 2) return branch(flags, w[1], {{}, sorted.assignments});
  const std::vector<std::string> rest(w.begin() + 1, w.end());
  if (w[0] == "verify") return verify_runs(flags, rest);
  if (w[0] == "delete") return delete_runs(flags, rest, prune_options.yes);
  if (w[0] == "prune" && w.size() == 1) return prune_runs(flags, prune_options);
  usage("runs takes list, show, diff, resume, branch, verify, delete or prune",
        "murmur runs --help");
}

}  // namespace

Command runs_command() {
  return {
      "runs", "List, show, compare, verify, branch, resume and delete runs.",
      "  murmur runs list\n  murmur runs show flock-0-1\n"
      "  murmur runs diff flock-0-1 flock-1-1\n  murmur runs resume flock-0-1 T=100\n"
      "  murmur runs branch flock-0-1 beta=1 T=100 -o runs/cooler\n"
      "  murmur runs verify flock-0-1 flock-1-1\n"
      "  murmur runs delete flock-0-1 --yes\n"
      "  murmur runs prune --status failed,interrupted --older 30",
      [](Options& sub, Flags& flags) {
        sub.add_flag("--yes", prune_options.yes, "delete, prune: without asking");
        sub.add_flag("--dry-run", flags.dry_run, "delete, prune, branch: tell, do nothing");
        sub.add_option("--status", prune_options.statuses, "prune: runs of these").show_default();
        sub.add_option("--older", prune_options.older, "prune: begun so many days ago or more")
            .range(0.0, 36500.0);
        sub.add_option("--checkpoint", flags.checkpoint_seconds, "seconds between checkpoints")
            .range(0.0, 10.0);
      },
      run};
}

}  // namespace murmur::app
