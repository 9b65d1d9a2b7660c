// simulate.cpp: murmur simulate: carries a swarm through time, or goes on with a run.
#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.h"
#include "engine/mpi/shared_engine.h"
#include "error_text.h"
#include "experiment/shared_simulation.h"
#include "murmur/error.h"
#include "murmur/forces.h"
#include "progress.h"
#include "ranks.h"
#include "resume.h"
#include "run/json_text.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

RunKind simulate_kind();

RunContents simulation_contents(const Experiment& e, const std::string& engine) {
  RunContents c;
  c.config = e.config;
  c.inputs = e.inputs;
  c.columns = observable_names(e.dynamics);
  c.shape = e.swarm.shape();
  c.stored = e.engine.precision;
  c.command = "simulate";
  c.argv = program_argv;
  c.engine = engine;
  c.seed = e.random.seed;
  return c;
}

namespace {

int dry_run(const Flags& flags, const Experiment& e) {
  const double n = e.swarm.n(), d = e.swarm.d();
  const double pairs = n * n;
  const std::int64_t frames = e.schedule.frames();
  const double bytes =
      static_cast<double>(frames) * n * d * (e.engine.precision == Precision::f32 ? 4 : 8);
  const double steps = is_fixed(e.flow.method) ? e.schedule.T / e.flow.dt : -1;
  if (flags.json) {
    nlohmann::json cost = {{"config", e.config},
                           {"pairs_per_evaluation", pairs},
                           {"frames", frames},
                           {"trajectory_bytes", bytes},
                           {"engine", e.engine.name}};
    if (steps >= 0) cost["steps"] = steps;
    report(cost);
    return 0;
  }
  data(e.config);
  data(fmt::format("# cost: {:.3g} pairs an evaluation, {} frames, trajectory of {:.3g} MB{}\n",
                   pairs, frames, bytes / 1e6,
                   steps >= 0 ? fmt::format(", {:.0f} steps", steps) : ", steps as needed"));
  return 0;
}

// engine simd f64 AVX3, evaluations 338, groups 64, rejected 0, steps 55, t 10
std::string run_numbers(const RunReader& reader) {
  const KeptJson manifest = kept_manifest(reader);
  std::string line = "engine " + manifest.at("engine").text();
  for (const auto& [name, value] : manifest.at("numbers").members())
    line += fmt::format(", {} {:g}", name, value.number_or(std::nan("")));
  return line;
}

// The engine's own error bound, where it is above the tolerance that was asked for.
void report_drift_error(const Flags& flags, const Experiment& e, const RunReader& reader) {
  const KeptJson numbers = kept_manifest(reader).at("numbers");
  const std::optional<double> tolerance = error_tolerance(e.engine);
  if (!tolerance || !numbers.json().contains("pull_error")) return;
  const double bound = numbers.at("pull_error").number_or(std::numeric_limits<double>::infinity());
  if (bound > *tolerance) say(flags, error_text(bound, "estimated", *tolerance));
}

// A count of clusters; where they are chains, in what way it means little.
std::string clusters_text(const Experiment& e, const RunReader& run, double count) {
  std::string text = fmt::format("{:g} clusters", count);
  if (run.frames() == 0 || run.shape().n > ClusterCounts::kMostUnasked) return text;
  const ClusterCounts c =
      count_clusters(run.frame(run.frames() - 1), e.dynamics, e.observe.cluster_tol);
  if (!c.chained || c.count != count) return text;
  return text + fmt::format(
                    " (chains: one is {:.2g} wide where cluster_tol is {:g}; {} at a tenth "
                    "of it, {} at ten times)",
                    c.width, e.observe.cluster_tol, c.finer, c.coarser);
}

// Of the ranks that leave the telling to the first.
int exit_code(const Outcome& outcome) {
  if (outcome.ok()) return 0;
  return outcome.ending == Ending::interrupted ? 128 + caught_signal
                                               : static_cast<int>(Fault::numerical);
}

// The engine of an experiment, shared among the ranks where there are any.
std::unique_ptr<Engine> engine_of(Experiment& e) {
  e.engine.threads = shared_threads(e.engine.threads);
  auto engine = make_engine(e.engine);
  if (ranks() == nullptr) return engine;
  require_shareable(e);
  require_one_experiment(e, engine->name());
  return share_engine(std::move(engine), *ranks());
}

struct Carried {
  Outcome outcome{};
  fs::path directory{};
  bool tells = true;  // this process does, and not another rank
};

// Carries an experiment, alone or with the other ranks; `open` makes or opens the run of it.
Carried carry(const Flags& flags, const Experiment& e, Engine& engine,
              const std::function<Run()>& open) {
  if (ranks() == nullptr) {
    Run run = open();
    LiveProcess process(flags);
    return {simulate(e, engine, run, process.control), run.directory()};
  }
  SharedRun run(*ranks(), open);
  LiveProcess process(flags);
  if (!run.leads()) process.control.report = nullptr;
  Carried carried{simulate_shared(e, engine, run, process.control), run.directory(), run.leads()};
  share_signal();
  return carried;
}

int simulate_and_report(const Flags& flags, const Experiment& e, Engine& engine,
                        const std::function<Run()>& open) {
  const auto began = std::chrono::steady_clock::now();
  const auto [outcome, directory, tells] = carry(flags, e, engine, open);
  if (!tells) return exit_code(outcome);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const RunReader reader(directory);
  const std::vector<double> clusters = reader.column("clusters");
  if (flags.json) {
    const KeptJson manifest = kept_manifest(reader);
    report({{"run", directory.string()},
            {"status", manifest.at("status").text()},
            {"t", outcome.t},
            {"frames", reader.frames()},
            {"clusters", clusters.empty() ? 0 : clusters.back()},
            {"numbers", manifest.at("numbers").json()},
            {"seconds", seconds}});
  } else {
    data(directory.string() + "\n");
  }
  if (flags.verbose) say(flags, run_numbers(reader));
  report_drift_error(flags, e, reader);
  if (outcome.ok()) {
    say(flags, fmt::format("t = {:g}, {}, {} frames, {}", outcome.t,
                           clusters_text(e, reader, clusters.empty() ? 0 : clusters.back()),
                           reader.frames(), duration_text(seconds)));
    return 0;
  }
  if (outcome.ending == Ending::interrupted)
    return tell_stopped(flags, resume_command("simulate", directory),
                        fmt::format("t = {:g}", outcome.t));
  const std::string particle =
      outcome.particle >= 0 ? fmt::format(", particle {}", outcome.particle) : "";
  throw Error(Fault::numerical, outcome.what,
              fmt::format("{}: t = {:g}{}", directory.string(), outcome.t, particle),
              outcome.remedy);
}

int simulate(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (!flags.resume.empty()) return resume_own(simulate_kind(), flags, sorted);
  Experiment e = make_experiment(settings_of(sorted));
  if (flags.dry_run) return dry_run(flags, e);
  const auto engine = engine_of(e);
  return simulate_and_report(flags, e, *engine, [&] {
    return create_run(flags, e.name, simulation_contents(e, engine->name()));
  });
}

// The settings of a run whose files say all that moves it.
Settings whole_settings_of(const fs::path& directory, const std::vector<std::string>& changes) {
  Settings settings = settings_of_run(directory, changes);
  if (const std::vector<std::string> names = external_of(settings); !names.empty())
    throw Error(
        Fault::input,
        fmt::format("the force {} of this run is a function of the program that made it", names[0]),
        directory.string(), "go on with it in that program");
  return settings;
}

// Goes on from the last checkpoint to the original T, or to a larger one, on any engine.
int resume(const Flags& flags, const fs::path& directory, const Words& words) {
  const auto make = [](const Settings& settings) { return make_experiment(settings); };
  auto on = resumed(flags, directory, words, whole_settings_of(directory, {}), make, true);
  if (!on) return 0;
  Experiment& e = on->setup;
  if (flags.dry_run) return dry_run(flags, e);
  const auto engine = engine_of(e);
  const std::string now = engine->name();
  const RunContents contents = simulation_contents(e, now);
  return simulate_and_report(flags, e, *engine, [&] {
    Run run = Run::reopen(directory, program_argv, &contents, on->changed);
    const std::string before = kept_manifest(RunReader(directory)).at("engine").text();
    if (before != now) {
      run.event(json_text(
          nlohmann::json{{"event", "warning"}, {"engine_before", before}, {"engine_now", now}}));
      say(flags, fmt::format("begun by {}, continued by {}: bits may differ", before, now));
    }
    return run;
  });
}

// What a branch cannot change is what its first state fixes.
int branch(const Flags& flags, const fs::path& directory, const Words& words) {
  for (const std::string& assignment : words.assignments) {
    const std::string key = assignment.substr(0, assignment.find('='));
    if (key == "n" || key == "d" || key == "init" || key == "masses")
      throw Error(Fault::input, fmt::format("{} cannot change in a branch", assignment),
                  directory.string(), "a branch begins with the particles of its parent");
  }
  const Experiment before = make_experiment(whole_settings_of(directory, {}));
  Experiment e = make_experiment(whole_settings_of(directory, words.assignments));
  const auto engine = engine_of(e);
  RunContents contents = simulation_contents(e, engine->name());
  contents.branch = branch_from(directory, before, e);
  if (flags.dry_run) return dry_run(flags, e);
  return simulate_and_report(flags, e, *engine, [&] {
    Run run = create_run(flags, e.name, contents);
    say(flags, fmt::format("parts from {} at t = {:g}", directory.string(), contents.branch->t));
    return run;
  });
}

}  // namespace

RunKind simulate_kind() {
  return {.word = "simulate",
          .noun = "simulate",
          .parameters = parameters,
          .resume = resume,
          .branch = branch,
          .page_facts = [](const fs::path&) { return std::string("{}"); },
          .report = report_simulation};
}

Command simulate_command() {
  return {"simulate", "Carry a swarm through time.",
          "  murmur simulate n=64 beta=4\n"
          "  murmur simulate circle seed=3 -o runs/mine\n"
          "  murmur simulate model=runs/digits-0-1 init=test:17\n"
          "  murmur simulate --resume runs/mine T=200",
          [](Options& sub, Flags& flags) {
            sub.add_option("--resume", flags.resume, "go on with a run").type_name("RUN");
            sub.add_flag("--dry-run", flags.dry_run, "resolved parameters and cost, nothing run");
            sub.add_option("--checkpoint", flags.checkpoint_seconds, "seconds between checkpoints")
                .range(0.0, 10.0);
          },
          simulate};
}

}  // namespace murmur::app
