// simulate.cpp: murmur simulate and murmur velocity: a swarm over time, and its velocity at one
// time.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.h"
#include "engine/mpi/shared_engine.h"
#include "experiment/shared_simulation.h"
#include "murmur/error.h"
#include "murmur/forces.h"
#include "output.h"
#include "ranks.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

// A sentence about the error bound of an engine. `kind`: certified or estimated (ErrorBound of
// murmur/engine.h).
std::string error_text(double bound, const std::string& kind, double tolerance) {
  const std::string which = "the error of a particle's sum of forces";
  const std::string instead = "engine=simd sums pair by pair, and has no error bound";
  if (!std::isfinite(bound)) return which + " has no bound; " + instead;
  const std::string text = fmt::format("{} is at most {:.2g} ({})", which, bound, kind);
  if (bound <= tolerance) return text;
  return fmt::format("{}, above the tolerance {:g}; {}", text, tolerance, instead);
}

}  // namespace

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
  nlohmann::json cost = {{"config", e.config},
                         {"pairs_per_evaluation", pairs},
                         {"frames", frames},
                         {"trajectory_bytes", bytes},
                         {"engine", e.engine.name}};
  if (steps >= 0) cost["steps"] = steps;
  print_result(
      flags, cost,
      e.config +
          fmt::format("# cost: {:.3g} pairs per evaluation, {} frames, trajectory of {:.3g} MB{}\n",
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

// Prints the error bound of the engine if it is above the tolerance.
void print_error_bound(const Flags& flags, const Experiment& e, const RunReader& reader) {
  const KeptJson numbers = kept_manifest(reader).at("numbers");
  const std::optional<double> tolerance = error_tolerance(e.engine);
  if (!tolerance || !numbers.json().contains("pull_error")) return;
  const double bound = numbers.at("pull_error").number_or(std::numeric_limits<double>::infinity());
  if (bound > *tolerance) print_message(flags, error_text(bound, "estimated", *tolerance));
}

// The number of clusters. If clusters are chains, the text shows how the number depends on
// cluster_tol.
std::string clusters_text(const Experiment& e, const RunReader& run, double count) {
  std::string text = fmt::format("{:g} clusters", count);
  if (run.frames() == 0 || run.shape().n > ClusterCounts::kMostUnasked) return text;
  const ClusterCounts c =
      count_clusters(run.frame(run.frames() - 1), e.dynamics, e.observe.cluster_tol);
  if (!c.chained || c.count != count) return text;
  return text + fmt::format(
                    " (chains: one is {:.2g} wide, cluster_tol is {:g}; {} clusters at a tenth "
                    "of it, {} at ten times)",
                    c.width, e.observe.cluster_tol, c.finer, c.coarser);
}

// The exit code of a rank that does not print.
int exit_code(const Outcome& outcome) {
  if (outcome.ok()) return 0;
  return outcome.ending == Ending::interrupted ? 128 + caught_signal
                                               : static_cast<int>(Fault::numerical);
}

// Creates the engine of an experiment; connected ranks share it.
std::unique_ptr<Engine> engine_of(Experiment& e) {
  e.engine.threads = shared_threads(e.engine.threads);
  auto engine = make_engine(e.engine);
  if (ranks() == nullptr) return engine;
  require_shareable(e);
  require_one_experiment(e, engine->name());
  return share_engine(std::move(engine), *ranks());
}

struct Simulated {
  Outcome outcome{};
  fs::path directory{};
  bool prints = true;  // false: another rank prints the result
};

// Simulates an experiment, alone or with the other ranks; `open` creates or opens its run.
Simulated simulate_with_ranks(const Flags& flags, const Experiment& e, Engine& engine,
                              const std::function<Run()>& open) {
  if (ranks() == nullptr) {
    Run run = open();
    LiveProcess process(flags);
    return {simulate(e, engine, run, process.control), run.directory()};
  }
  SharedRun run(*ranks(), open);
  LiveProcess process(flags);
  if (!run.leads()) process.control.report = nullptr;
  Simulated done{simulate_shared(e, engine, run, process.control), run.directory(), run.leads()};
  share_signal();
  return done;
}

int simulate_and_report(const Flags& flags, const Experiment& e, Engine& engine,
                        const std::function<Run()>& open) {
  const Pace pace;
  const auto [outcome, directory, prints] = simulate_with_ranks(flags, e, engine, open);
  if (!prints) return exit_code(outcome);
  const double seconds = pace.seconds();
  const RunReader reader(directory);
  const std::vector<double> column = reader.column("clusters");
  const double clusters = column.empty() ? 0 : column.back();
  const KeptJson manifest = kept_manifest(reader);
  print_run(flags, directory,
            {{"status", manifest.at("status").text()},
             {"t", outcome.t},
             {"frames", reader.frames()},
             {"clusters", clusters},
             {"numbers", manifest.at("numbers").json()},
             {"seconds", seconds}});
  if (flags.verbose) print_message(flags, run_numbers(reader));
  print_error_bound(flags, e, reader);
  if (outcome.ok()) {
    print_message(flags, fmt::format("t = {:g}, {}, {} frames, {}", outcome.t,
                                     clusters_text(e, reader, clusters), reader.frames(),
                                     duration_text(seconds)));
    return 0;
  }
  if (outcome.ending == Ending::interrupted)
    return print_stopped(flags, resume_command("simulate", directory),
                         fmt::format("t = {:g}", outcome.t));
  const std::string particle =
      outcome.particle >= 0 ? fmt::format(", particle {}", outcome.particle) : "";
  throw Error(Fault::numerical, outcome.what,
              fmt::format("{}: t = {:g}{}", directory.string(), outcome.t, particle),
              outcome.remedy);
}

int simulate(const Flags& flags, const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  if (!flags.resume.empty()) return resume_named_run(simulate_kind(), flags, arguments);
  Experiment e = make_experiment(settings_of(arguments));
  if (flags.dry_run) return dry_run(flags, e);
  const auto engine = engine_of(e);
  return simulate_and_report(flags, e, *engine, [&] {
    return create_run(flags, e.name, simulation_contents(e, engine->name()));
  });
}

// The settings of a run. Error(input) if a function of another program is one of its forces.
Settings complete_settings_of(const fs::path& directory, const std::vector<std::string>& changes) {
  Settings settings = settings_of_run(directory, changes);
  if (const std::vector<std::string> names = external_of(settings); !names.empty())
    throw Error(Fault::input,
                fmt::format("the force {} of this run is a function of the program that created it",
                            names[0]),
                directory.string(), "resume it in that program");
  return settings;
}

// Continues from the last checkpoint to the original T, or to a larger one, on any engine.
int resume(const Flags& flags, const fs::path& directory, const Arguments& arguments) {
  const auto make = [](const Settings& settings) { return make_experiment(settings); };
  auto next = resumed(flags, directory, arguments, complete_settings_of(directory, {}), make, true);
  if (!next) return 0;
  Experiment& e = next->setup;
  if (flags.dry_run) return dry_run(flags, e);
  const auto engine = engine_of(e);
  const std::string now = engine->name();
  const RunContents contents = simulation_contents(e, now);
  return simulate_and_report(flags, e, *engine, [&] {
    Run run = Run::reopen(directory, program_argv, &contents, next->changed);
    const std::string before = kept_manifest(RunReader(directory)).at("engine").text();
    if (before != now) {
      run.event(json_text(
          nlohmann::json{{"event", "warning"}, {"engine_before", before}, {"engine_now", now}}));
      print_message(flags,
                    fmt::format("begun by {}, continued by {}: bits may differ", before, now));
    }
    return run;
  });
}

// The initial state of a branch comes from its parent, so parameters of that state cannot change.
int branch(const Flags& flags, const fs::path& directory, const Arguments& arguments) {
  for (const std::string& assignment : arguments.assignments) {
    const std::string key = split_assignment(assignment).key;
    if (key == "n" || key == "d" || key == "init" || key == "masses")
      throw Error(Fault::input, fmt::format("{} cannot change in a branch", assignment),
                  directory.string(), "a branch begins with the particles of its parent");
  }
  const Experiment before = make_experiment(complete_settings_of(directory, {}));
  Experiment e = make_experiment(complete_settings_of(directory, arguments.assignments));
  const auto engine = engine_of(e);
  RunContents contents = simulation_contents(e, engine->name());
  contents.branch = branch_from(directory, before, e);
  if (flags.dry_run) return dry_run(flags, e);
  return simulate_and_report(flags, e, *engine, [&] {
    Run run = create_run(flags, e.name, contents);
    print_message(
        flags, fmt::format("branches from {} at t = {:g}", directory.string(), contents.branch->t));
    return run;
  });
}

}  // namespace

RunKind simulate_kind() {
  return {.command = "simulate",
          .noun = "simulate",
          .parameters = parameters,
          .resume = resume,
          .branch = branch,
          .page_facts = [](const fs::path&) { return std::string("{}"); },
          .report = report_simulation};
}

Command simulate_command() {
  return {"simulate", "Simulate a swarm over time.",
          "  murmur simulate n=64 beta=4\n"
          "  murmur simulate circle seed=3 -o runs/mine\n"
          "  murmur simulate model=runs/digits-0-1 init=test:17\n"
          "  murmur simulate --resume runs/mine T=200",
          [](Options& sub, Flags& flags) {
            sub.add_resume(flags, "continue a run");
            sub.add_flag("--dry-run", flags.dry_run,
                         "print the resolved parameters and the cost, run nothing");
            sub.add_checkpoint(flags);
          },
          simulate};
}

namespace {

Array array_of_rows(const HostSwarm& v, Precision precision) {
  Array array = array_of(to_rows(v));
  array.shape = {static_cast<std::size_t>(v.n()), static_cast<std::size_t>(v.d())};
  if (precision == Precision::f32) {
    const std::vector<double> rows = array.doubles();
    array.values = std::vector<float>(rows.begin(), rows.end());
  }
  return array;
}

void check_finite(const HostSwarm& v, Precision precision) {
  const double most = precision == Precision::f32 ? std::numeric_limits<float>::max()
                                                  : std::numeric_limits<double>::max();
  for (int i = 0; i < v.n(); ++i)
    for (int k = 0; k < v.d(); ++k)
      if (!(std::fabs(v.at(i, k)) <= most))
        throw Error(Fault::numerical, "a velocity is not a finite number of its precision",
                    fmt::format("particle {}, coordinate {}", i, k),
                    "use a smaller beta or clock=U2: USA overflows beyond beta 709, f32 beyond 88");
}

// The error bound of the engine; null if the engine has none.
nlohmann::json error_of(const Field& field, const Experiment& e) {
  const ErrorBound* bound = field.error_bound();
  if (bound == nullptr) return nullptr;
  return {{"largest", finite_or_null(bound->worst)},
          {"kind", bound->kind()},
          {"tolerance", error_tolerance(e.engine).value_or(0)}};
}

// Writes to the file of -o, or rows to standard output.
void write_velocity(const Flags& flags, const HostSwarm& velocity, const Experiment& e,
                    const std::string& engine, const nlohmann::json& error) {
  nlohmann::json result = {{"engine", engine}};
  if (!error.is_null()) result["error_bound"] = error;
  if (!flags.out.empty()) {
    write_npy(flags.out, array_of_rows(velocity, e.engine.precision));
    result["out"] = flags.out, result["n"] = velocity.n();
    if (flags.json) print_json(result);
    return;
  }
  if (flags.json) {
    result["velocity"] = nlohmann::json::array();
    for (int i = 0; i < velocity.n(); ++i) {
      nlohmann::json row = nlohmann::json::array();
      for (int k = 0; k < velocity.d(); ++k) row.push_back(velocity.at(i, k));
      result["velocity"].push_back(std::move(row));
    }
    print_text(json_text(result) + "\n");
    return;
  }
  for (int i = 0; i < velocity.n(); ++i) {
    std::string line;
    for (int k = 0; k < velocity.d(); ++k)
      line += fmt::format("{}{}", k > 0 ? "," : "", velocity.at(i, k));
    print_text(line + "\n");
  }
}

int velocity(const Flags& flags, const std::vector<std::string>& words) {
  Arguments arguments = parse_arguments(words);
  std::erase_if(arguments.positional, [&](const std::string& word) {  // the file of points
    const bool points = word.size() > 4 && word.ends_with(".npy");
    if (points) arguments.assignments.push_back("init=" + word);
    return points;
  });
  const Experiment e = make_experiment(settings_of(arguments));
  if (!flags.out.empty()) output_path(flags);
  const auto engine = make_engine(e.engine);
  const auto field = prepare_field(e, *engine);
  const auto x = engine->place(e.swarm);
  const auto v = x->like();
  field->velocity(0, *x, *v);
  const HostSwarm result = engine->fetch(*v);
  check_finite(result, e.engine.precision);
  const nlohmann::json error = error_of(*field, e);
  write_velocity(flags, result, e, engine->name(), error);
  if (!error.is_null())
    print_message(flags,
                  error_text(field->error_bound()->worst, error["kind"], error["tolerance"]));
  if (!flags.out.empty())
    print_message(flags, fmt::format("{} velocities in R^{} by {} -> {}", result.n(), result.d(),
                                     engine->name(), flags.out));
  return 0;
}

}  // namespace

Command velocity_command() {
  return {"velocity",
          "Evaluate the velocity of given points once.",
          "  murmur velocity x.npy beta=4 engine=simd -o v.npy\n"
          "  murmur velocity n=5 d=2 beta=9 dynamics=USA",
          nullptr,
          velocity,
          false,
          nullptr,
          parameters};
}

}  // namespace murmur::app
