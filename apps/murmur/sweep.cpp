// sweep.cpp: murmur sweep: grids of simulations in parallel, resumable, with heat maps.
#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <set>

#include "command.h"
#include "meeting.h"
#include "murmur/error.h"
#include "prepared_sweep.h"
#include "progress.h"
#include "ranks.h"
#include "recipe.h"
#include "report/figures.h"
#include "run/compare.h"
#include "run/shell.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

RunKind sweep_kind();

namespace {

bool fail_fast = false, keep_going = false;
std::string joined;  // the run of --join

std::string key_of(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

// The keys in the order in which they were typed; one typed twice is refused.
std::vector<std::string> typed_keys(const Words& words) {
  std::vector<std::string> keys;
  for (const std::string& assignment : words.assignments) {
    const std::string key = key_of(assignment);
    if (std::find(keys.begin(), keys.end(), key) != keys.end())
      usage(fmt::format("{} is there twice", key), "give each parameter once; a,b,c lists values");
    keys.push_back(key);
  }
  return keys;
}

int threads_of(const Sweep& sweep) {
  const std::string& text = sweep.base.words.at("threads").text;
  return text == "all" ? 0 : std::atoi(text.c_str());
}

int dry_run(const Flags& flags, const Sweep& sweep) {
  const SweepEstimate cost = estimate(sweep);
  if (flags.json) {
    nlohmann::json plan = {{"config", sweep.config},
                           {"cells", cost.cells},
                           {"flights", cost.simulations},
                           {"sweep_csv_bytes", cost.table_bytes}};
    if (cost.pairs > 0) plan["coordinate_pairs"] = cost.pairs;
    if (cost.pairs_per_moment > 0)
      plan["coordinate_pairs_per_evaluation_and_time"] = cost.pairs_per_moment;
    report(plan);
    return 0;
  }
  std::string pairs;
  if (cost.pairs > 0) pairs += fmt::format(", {:.3g} coordinate pairs in all", cost.pairs);
  if (cost.pairs_per_moment > 0)
    pairs += fmt::format(", {:.3g} coordinate pairs for each evaluation in a unit of time",
                         cost.pairs_per_moment);
  data(sweep.config);
  data(fmt::format("# {} cells{}, {:.0f} flights{}, sweep.csv about {:.3g} MB\n", cost.cells,
                   sweep.refine > 0 ? " before refinement" : "", cost.simulations, pairs,
                   cost.table_bytes / 1e6));
  return 0;
}

void tell_failure(const SweepFailure& failure) {
  complain(failure.name + " failed", {failure.fault, failure.what, failure.where, failure.remedy});
}

// All failed by numbers: 4; some failed: 5.
int exit_code(const SweepOutcome& outcome) {
  if (!outcome.finished && caught_signal != 0) return 128 + caught_signal;
  if (outcome.failures.empty()) return 0;
  const bool numerical =
      std::all_of(outcome.failures.begin(), outcome.failures.end(),
                  [](const SweepFailure& f) { return f.fault == Fault::numerical; });
  const bool all = outcome.failures.size() == outcome.cells.size();
  return static_cast<int>(all && numerical ? Fault::numerical : Fault::jobs);
}

struct Tale {
  double seconds = 0;
  std::vector<fs::path> figures{};
};

void tell(const Flags& flags, const fs::path& directory, const SweepOutcome& outcome,
          const Tale& tale) {
  const std::size_t cells = outcome.cells.size(), failed = outcome.failures.size();
  const char* status = outcome.finished ? (failed < cells ? "done" : "failed") : "interrupted";
  if (flags.json) {
    nlohmann::json figures = nlohmann::json::array();
    for (const fs::path& path : tale.figures) figures.push_back(path.string());
    report({{"run", directory.string()},
            {"status", status},
            {"cells", cells},
            {"failed", failed},
            {"figures", figures},
            {"seconds", tale.seconds}});
  } else {
    data(directory.string() + "\n");
  }
  if (!outcome.finished)
    tell_stopped(flags, resume_command("sweep", directory));
  else
    say(flags, fmt::format("{} cells, {} failed, {}{}", cells, failed, duration_text(tale.seconds),
                           tale.figures.empty() ? "" : ", drawn " + tale.figures.back().string()));
}

// The numbers are kept whether or not they could be drawn.
std::vector<fs::path> try_to_draw(const Sweep& sweep, const SweepOutcome& outcome,
                                  const fs::path& directory) try {
  const picture::Signature signature(recipe_of(ingredients_of(RunReader(directory), {})));
  return draw_sweep(sweep, outcome, directory);
} catch (const Error& error) {
  complain_undrawn("the heat maps are not drawn", error);
  return {};
} catch (const std::bad_alloc&) {
  complain_undrawn("the heat maps are not drawn",
                   {Fault::runtime, "there is not enough memory", directory.string(),
                    "murmur sweep --resume draws them on a larger machine"});
  return {};
}

struct HowToRun {
  bool stop_at_failure = false;
  SweepShare share = SweepShare::alone;
};

int simulate_and_report(const Flags& flags, const Sweep& sweep, Run& run, HowToRun how) try {
  const auto began = std::chrono::steady_clock::now();
  SweepOutcome outcome;
  {
    LiveProcess process(flags);
    const SweepControl control{.process = process.control,
                               .failed = tell_failure,
                               .fail_fast = how.stop_at_failure,
                               .threads = shared_threads(threads_of(sweep)),
                               .share = how.share};
    outcome = run_sweep(sweep, run, control);
  }
  Tale tale;
  if (outcome.finished) tale.figures = try_to_draw(sweep, outcome, run.directory());
  close_sweep(run, outcome);
  tale.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  tell(flags, run.directory(), outcome, tale);
  return exit_code(outcome);
} catch (...) {  // the disk, most likely
  close_after_exception(run, {});
  throw;
}

// Does cells beside other processes, until all are done.
SweepOutcome join(const Flags& flags, const Sweep& sweep, const fs::path& directory) {
  LiveProcess process(flags);
  const SweepControl control{.process = process.control,
                             .threads = shared_threads(threads_of(sweep)),
                             .share = SweepShare::joins};
  return join_sweep(sweep, directory, control);
}

// Ranks that were started together: the first makes or opens the run and closes it, all do cells.
int deal(const Flags& flags, const Sweep& sweep, const std::function<Run()>& open, HowToRun how) {
  if (started_as().size == 1) {
    Run run = open();
    return simulate_and_report(flags, sweep, run, how);
  }
  Meeting meeting(flags);
  if (!meeting.first()) {
    const Told told = meeting.hear(sweep.config);
    if (told.failed != 0) return told.failed;
    return join(flags, sweep, told.where).finished ? 0 : 128 + caught_signal;
  }
  std::optional<Run> run;
  try {
    run.emplace(open());
    open_claims(run->directory());
  } catch (const Error& error) {
    meeting.tell({.failed = static_cast<int>(error.fault)});
    throw;
  }
  meeting.tell({run->directory().string(), sweep.config});
  how.share = SweepShare::leads;
  return simulate_and_report(flags, sweep, *run, how);
}

// What the sweep of a run directory was, with the threads of now.
Sweep sweep_of_run(const fs::path& directory, const Words& words) {
  std::vector<std::string> changes, repeated;
  for (const std::string& assignment : words.assignments)
    (key_of(assignment) == "threads" ? changes : repeated).push_back(assignment);
  const Sweep kept =
      make_sweep(gather({(directory / "config.toml").string(), {}, changes}, sweep_parameters()));
  if (repeated.empty() && words.plain.empty()) return kept;
  Sweep asked = make_sweep(settings_of(words, sweep_parameters()), typed_keys(words));
  const auto without_threads = [](const std::string& config) {
    const std::size_t at = config.find("\nthreads = ");
    return config.substr(0, at) + config.substr(config.find('\n', at + 1));
  };
  if (without_threads(asked.config) != without_threads(kept.config))
    throw Error(Fault::input, "these parameters are not those of the sweep", directory.string(),
                "leave them out, or start a new sweep; config.toml tells what it is");
  return kept;
}

// One of several processes that nobody leads, the tasks of an array: who finds every cell done
// writes the tables and closes the sweep.
int join_and_close(const Flags& flags, const fs::path& directory) {
  const Sweep sweep = sweep_of_run(directory, {});
  check_settings(sweep, directory);
  const SweepOutcome outcome = join(flags, sweep, directory);
  if (!outcome.finished) return tell_stopped(flags, "murmur sweep --join " + shell_path(directory));
  const std::string status = RunReader(directory).status();
  if (status == "done" || status == "failed") return exit_code(outcome);
  std::optional<Run> run;
  try {
    run.emplace(reopen_sweep(directory, sweep, program_argv));
  } catch (const Error& error) {
    if (error.fault != Fault::runtime || !is_being_written(directory)) throw;
    say(flags, "another process closes the sweep");
    return exit_code(outcome);
  }
  return simulate_and_report(flags, sweep, *run, {.share = SweepShare::leads});
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  const std::vector<std::string> typed = typed_keys(sorted);
  if (fail_fast && keep_going)
    usage("--fail-fast and --keep-going exclude each other", "give one of them");
  if (!joined.empty()) {
    if (!sorted.plain.empty() || !sorted.assignments.empty() || !flags.resume.empty())
      usage("--join takes a run and nothing else", "leave the rest out");
    return join_and_close(flags, find_run(flags, joined));
  }
  if (!flags.resume.empty()) return resume_own(sweep_kind(), flags, sorted);
  const Sweep sweep = make_sweep(settings_of(sorted, sweep_parameters()), typed);
  if (flags.dry_run) return dry_run(flags, sweep);
  return deal(flags, sweep,
              [&] { return create_run(flags, sweep.name, contents_of(sweep, program_argv)); },
              {fail_fast});
}

int resume(const Flags& flags, const fs::path& directory, const Words& words) {
  const RunReader reader(directory);
  if (!flags.out.empty() && fs::path(flags.out) != directory)
    usage("a resumed sweep stays in its run", "leave -o out");
  const Sweep sweep = sweep_of_run(directory, words);
  if (flags.dry_run) return dry_run(flags, sweep);
  check_settings(sweep, directory);
  const KeptJson numbers = kept_manifest(reader).at("numbers");
  const bool finished = reader.status() == "done" || reader.status() == "failed";
  const bool all = numbers.json().contains("failed") && numbers.at("failed").number_or(1) == 0;
  if (finished && all && is_complete(sweep, directory) && is_drawn(sweep, directory)) {
    if (flags.json)
      report({{"run", directory.string()},
              {"status", "done"},
              {"cells", numbers.at("cells").json()},
              {"failed", 0}});
    else
      data(directory.string() + "\n");
    say(flags, "the sweep is already finished");
    return 0;
  }
  return deal(flags, sweep, [&] { return reopen_sweep(directory, sweep, program_argv); },
              {fail_fast && !finished});  // finished: only tried again
}

}  // namespace

// The run is there at once, so that a wrong sweep is refused before it waits in a queue.
PreparedSweep prepare_sweep(const Flags& flags, const std::vector<std::string>& words, bool dry) {
  const Words sorted = sort_words(words);
  const Sweep sweep = make_sweep(settings_of(sorted, sweep_parameters()), typed_keys(sorted));
  if (dry) {
    const fs::path place = flags.out.empty()
                               ? free_run_directory(flags.runs, sweep.name, sweep.seed)
                               : fs::path(flags.out);
    return {place, sweep.grid()};
  }
  Run run = create_run(flags, sweep.name, contents_of(sweep, program_argv));
  run.close("interrupted", {}, "waits for the tasks that do its cells");
  return {run.directory(), sweep.grid()};
}

RunKind sweep_kind() {
  const Refusal no_frames = {
      "this run is a sweep: it keeps tables of its cells, and no frames",
      "see its sweep.csv and figures/; murmur simulate flies one cell of it with frames"};
  return {
      .word = "sweep",
      .noun = "sweep",
      .parameters = sweep_parameters,
      .explains_parameters = false,
      .resume = resume,
      .free = free_sweep_settings(),
      .not_mine = {"this run is no sweep", "murmur runs resume goes on with runs of every kind"},
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
            sub.add_option("--resume", flags.resume, "go on with a sweep").type_name("RUN");
            sub.add_option("--join", joined, "do cells of a sweep beside other processes")
                .type_name("RUN");
            sub.add_flag("--dry-run", flags.dry_run, "resolved parameters and cost, nothing run");
            sub.add_flag("--fail-fast", fail_fast, "stop at the first cell that fails");
            sub.add_flag("--keep-going", keep_going, "go on when cells fail (the default)");
          },
          run};
}

}  // namespace murmur::app
