// sweep.cpp: murmur sweep: grids of simulations in parallel, resumable, with heat maps.
#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <set>

#include "command.h"
#include "murmur/error.h"
#include "ranks.h"
#include "recipe.h"
#include "report/figures.h"
#include "run/compare.h"
#include "run/shell.h"
#include "run_kind.h"
#include "slurm.h"

namespace murmur::app {

namespace fs = std::filesystem;

RunKind sweep_kind();

namespace {

bool fail_fast = false, keep_going = false;
std::string joined;  // the run of --join

// The keys in the order in which they were typed. Error(usage) for a repeated key.
std::vector<std::string> typed_keys(const Arguments& arguments) {
  std::vector<std::string> keys;
  for (const std::string& assignment : arguments.assignments) {
    const std::string key = split_assignment(assignment).key;
    if (std::find(keys.begin(), keys.end(), key) != keys.end())
      throw_usage_error(fmt::format("{} is given twice", key),
                        "give each parameter once; a,b,c lists values");
    keys.push_back(key);
  }
  return keys;
}

int threads_of(const Sweep& sweep) {
  const std::string& text = sweep.base.words.at("threads").text;
  return static_cast<int>(parse_whole(text, 0, 1 << 20).value_or(0));  // 0: all
}

int dry_run(const Flags& flags, const Sweep& sweep) {
  const SweepEstimate cost = estimate(sweep);
  nlohmann::json plan = {{"config", sweep.config},
                         {"cells", cost.cells},
                         {"flights", cost.simulations},
                         {"sweep_csv_bytes", cost.table_bytes}};
  std::string pairs;
  if (cost.pairs > 0) {
    plan["coordinate_pairs"] = cost.pairs;
    pairs += fmt::format(", {:.3g} coordinate pairs in all", cost.pairs);
  }
  if (cost.pairs_per_moment > 0) {
    plan["coordinate_pairs_per_evaluation_and_time"] = cost.pairs_per_moment;
    pairs += fmt::format(", {:.3g} coordinate pairs for each evaluation in a unit of time",
                         cost.pairs_per_moment);
  }
  print_result(
      flags, plan,
      sweep.config + fmt::format("# {} cells{}, {:.0f} simulations{}, sweep.csv about {:.3g} MB\n",
                                 cost.cells, sweep.refine > 0 ? " before refinement" : "",
                                 cost.simulations, pairs, cost.table_bytes / 1e6));
  return 0;
}

void print_failure(const SweepFailure& failure) {
  print_error(failure.name + " failed",
              {failure.fault, failure.what, failure.where, failure.remedy});
}

// 4 if all cells failed numerically, 5 if some cells failed.
int exit_code(const SweepOutcome& outcome) {
  if (!outcome.finished && caught_signal != 0) return 128 + caught_signal;
  if (outcome.failures.empty()) return 0;
  const bool numerical =
      std::all_of(outcome.failures.begin(), outcome.failures.end(),
                  [](const SweepFailure& f) { return f.fault == Fault::numerical; });
  const bool all = outcome.failures.size() == outcome.cells.size();
  return static_cast<int>(all && numerical ? Fault::numerical : Fault::jobs);
}

void print_sweep(const Flags& flags, const fs::path& directory, const SweepOutcome& outcome,
                 double seconds, const std::vector<fs::path>& figures) {
  const std::size_t cells = outcome.cells.size(), failed = outcome.failures.size();
  const char* status = outcome.finished ? (failed < cells ? "done" : "failed") : "interrupted";
  nlohmann::json paths = nlohmann::json::array();
  for (const fs::path& path : figures) paths.push_back(path.string());
  print_run(flags, directory,
            {{"status", status},
             {"cells", cells},
             {"failed", failed},
             {"figures", paths},
             {"seconds", seconds}});
  if (!outcome.finished)
    print_stopped(flags, resume_command("sweep", directory));
  else
    print_message(flags,
                  fmt::format("{} cells, {} failed, {}{}", cells, failed, duration_text(seconds),
                              figures.empty() ? "" : ", drawn " + figures.back().string()));
}

std::vector<fs::path> draw_figures(const Sweep& sweep, const SweepOutcome& outcome,
                                   const fs::path& directory) {
  constexpr const char* kFailure = "the heat maps are not drawn";
  std::vector<fs::path> figures;
  try {
    draw_or_print_error(directory, kFailure,
                        [&] { figures = draw_sweep(sweep, outcome, directory); });
  } catch (const std::bad_alloc&) {
    print_picture_error(kFailure, {Fault::runtime, "there is not enough memory", directory.string(),
                                   "murmur sweep --resume draws them on a larger machine"});
  }
  return figures;
}

struct HowToRun {
  bool stop_at_failure = false;
  SweepShare share = SweepShare::alone;
};

int simulate_and_report(const Flags& flags, const Sweep& sweep, Run& run, HowToRun how) try {
  const Pace pace;
  SweepOutcome outcome;
  {
    LiveProcess process(flags);
    const SweepControl control{.process = process.control,
                               .failed = print_failure,
                               .fail_fast = how.stop_at_failure,
                               .threads = shared_threads(threads_of(sweep)),
                               .share = how.share};
    outcome = run_sweep(sweep, run, control);
  }
  std::vector<fs::path> figures;
  if (outcome.finished) figures = draw_figures(sweep, outcome, run.directory());
  close_sweep(run, outcome);
  print_sweep(flags, run.directory(), outcome, pace.seconds(), figures);
  return exit_code(outcome);
} catch (...) {  // probably a full disk
  close_after_exception(run, {});
  throw;
}

// Computes cells together with other processes, until all are done.
SweepOutcome join(const Flags& flags, const Sweep& sweep, const fs::path& directory) {
  LiveProcess process(flags);
  const SweepControl control{.process = process.control,
                             .threads = shared_threads(threads_of(sweep)),
                             .share = SweepShare::joins};
  return join_sweep(sweep, directory, control);
}

// Computes a sweep with all ranks that were started together: rank 0 creates or opens the run and
// closes it, all ranks compute cells.
int run_with_ranks(const Flags& flags, const Sweep& sweep, const std::function<Run()>& open,
                   HowToRun how) {
  if (launch().size == 1) {
    Run run = open();
    return simulate_and_report(flags, sweep, run, how);
  }
  RankFolder ranks(flags);
  if (!ranks.first()) {
    const RankTask task = ranks.wait_for_task(sweep.config);
    if (task.exit_code != 0) return task.exit_code;
    return join(flags, sweep, task.folder).finished ? 0 : 128 + caught_signal;
  }
  std::optional<Run> run;
  try {
    run.emplace(open());
    open_claims(run->directory());
  } catch (const Error& error) {
    ranks.announce({.exit_code = static_cast<int>(error.fault)});
    throw;
  }
  ranks.announce({run->directory().string(), sweep.config});
  how.share = SweepShare::leads;
  return simulate_and_report(flags, sweep, *run, how);
}

// Reads the sweep of a run directory, with the threads of the arguments. Error(input) if the other
// arguments are not those of the sweep.
Sweep sweep_of_run(const fs::path& directory, const Arguments& arguments) {
  std::vector<std::string> changes, repeated;
  for (const std::string& assignment : arguments.assignments)
    (split_assignment(assignment).key == "threads" ? changes : repeated).push_back(assignment);
  const Sweep kept =
      make_sweep(gather({(directory / "config.toml").string(), {}, changes}, sweep_parameters()));
  if (repeated.empty() && arguments.positional.empty()) return kept;
  const Sweep asked = make_sweep(settings_of(arguments, sweep_parameters()), typed_keys(arguments));
  const auto without_threads = [](const std::string& config) {
    const std::size_t at = config.find("\nthreads = ");
    return config.substr(0, at) + config.substr(config.find('\n', at + 1));
  };
  if (without_threads(asked.config) != without_threads(kept.config))
    throw Error(Fault::input, "these parameters are not those of the sweep", directory.string(),
                "leave them out, or start a new sweep; see config.toml");
  return kept;
}

// For the tasks of an array, which have no leader: the task that finds all cells done writes the
// tables and closes the sweep.
int join_and_close(const Flags& flags, const fs::path& directory) {
  const Sweep sweep = sweep_of_run(directory, {});
  check_settings(sweep, directory);
  const SweepOutcome outcome = join(flags, sweep, directory);
  if (!outcome.finished)
    return print_stopped(flags, "murmur sweep --join " + shell_path(directory));
  const std::string status = RunReader(directory).status();
  if (status == "done" || status == "failed") return exit_code(outcome);
  std::optional<Run> run;
  try {
    run.emplace(reopen_sweep(directory, sweep, program_argv));
  } catch (const Error& error) {
    if (error.fault != Fault::runtime || !is_being_written(directory)) throw;
    print_message(flags, "another process closes the sweep");
    return exit_code(outcome);
  }
  return simulate_and_report(flags, sweep, *run, {.share = SweepShare::leads});
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  const std::vector<std::string> typed = typed_keys(arguments);
  if (fail_fast && keep_going)
    throw_usage_error("--fail-fast and --keep-going exclude each other", "give one of them");
  if (!joined.empty()) {
    if (!arguments.positional.empty() || !arguments.assignments.empty() || !flags.resume.empty())
      throw_usage_error("--join takes a run and nothing else", "leave the rest out");
    return join_and_close(flags, find_run(flags, joined));
  }
  if (!flags.resume.empty()) return resume_named_run(sweep_kind(), flags, arguments);
  const Sweep sweep = make_sweep(settings_of(arguments, sweep_parameters()), typed);
  if (flags.dry_run) return dry_run(flags, sweep);
  return run_with_ranks(
      flags, sweep, [&] { return create_run(flags, sweep.name, contents_of(sweep, program_argv)); },
      {fail_fast});
}

int resume(const Flags& flags, const fs::path& directory, const Arguments& arguments) {
  const RunReader reader(directory);
  if (!flags.out.empty() && fs::path(flags.out) != directory)
    throw_usage_error("a resumed sweep stays in its run", "leave -o out");
  const Sweep sweep = sweep_of_run(directory, arguments);
  if (flags.dry_run) return dry_run(flags, sweep);
  check_settings(sweep, directory);
  const KeptJson numbers = kept_manifest(reader).at("numbers");
  const bool finished = reader.status() == "done" || reader.status() == "failed";
  const bool all = numbers.json().contains("failed") && numbers.at("failed").number_or(1) == 0;
  if (finished && all && is_complete(sweep, directory) && is_drawn(sweep, directory)) {
    print_run(flags, directory,
              {{"status", "done"}, {"cells", numbers.at("cells").json()}, {"failed", 0}});
    print_message(flags, "the sweep is already finished");
    return 0;
  }
  return run_with_ranks(flags, sweep, [&] { return reopen_sweep(directory, sweep, program_argv); },
                        {fail_fast && !finished});  // finished: failed cells are tried again
}

}  // namespace

// The run is created at once, so that a wrong sweep is refused before it waits in a queue.
PreparedSweep prepare_sweep(const Flags& flags, const std::vector<std::string>& words, bool dry) {
  const Arguments arguments = parse_arguments(words);
  const Sweep sweep = make_sweep(settings_of(arguments, sweep_parameters()), typed_keys(arguments));
  if (dry) {
    const fs::path place = flags.out.empty()
                               ? free_run_directory(flags.runs, sweep.name, sweep.seed)
                               : fs::path(flags.out);
    return {place, sweep.grid()};
  }
  Run run = create_run(flags, sweep.name, contents_of(sweep, program_argv));
  run.close("interrupted", {}, "waits for the tasks that compute its cells");
  return {run.directory(), sweep.grid()};
}

RunKind sweep_kind() {
  const Refusal no_frames = {
      "this run is a sweep: it keeps tables of its cells, and no frames",
      "see its sweep.csv and figures/; murmur simulate computes one cell of it with frames"};
  return {.command = "sweep",
          .noun = "sweep",
          .parameters = sweep_parameters,
          .explains_parameters = false,
          .resume = resume,
          .free = free_sweep_settings(),
          .wrong_kind = {"this run is no sweep", "murmur runs resume continues runs of every kind"},
          .no_frames = no_frames,
          .no_report = no_frames};
}

Command sweep_command() {
  return {"sweep", "Grids of simulations in parallel, with heat maps.",
          "  murmur sweep beta=0.5:9:18 d=2,8,32 n=32 replicas=64 T=30 method=layers\n"
          "  murmur sweep dynamics='{SA,USA}' beta=0.5:4:8 T=1 refine=2 look=dark -o runs/map\n"
          "  murmur sweep --resume runs/map\n"
          "  mpirun -n 4 murmur sweep beta=0.5:9:18 n=32 T=30",
          [](Options& sub, Flags& flags) {
            sub.add_resume(flags, "continue a sweep");
            sub.add_option("--join", joined,
                           "compute cells of a sweep together with other processes")
                .type_name("RUN");
            sub.add_flag("--dry-run", flags.dry_run,
                         "print the resolved parameters and the cost, run nothing");
            sub.add_flag("--fail-fast", fail_fast, "stop at the first cell that fails");
            sub.add_flag("--keep-going", keep_going, "continue when cells fail (the default)");
          },
          run};
}

}  // namespace murmur::app
