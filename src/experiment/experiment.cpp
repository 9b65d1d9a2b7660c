// experiment.cpp: makes an experiment from its spec, and writes it as a config.toml.
#include "murmur/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/elementary.h"
#include "experiment/config.h"
#include "experiment/forces.h"
#include "experiment/given_model.h"
#include "experiment/initial.h"
#include "experiment/rows.h"
#include "experiment/verify.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/forces.h"

namespace murmur {

namespace {

// Fixed steps reach only whole multiples of dt; times are then k dt exactly.
bool whole_multiple(double time, double dt) {
  const double steps = time / dt;
  return std::fabs(steps - std::round(steps)) <= 1e-9 * std::max(1.0, steps) && steps < 9e15 &&
         std::round(steps) >= 1;
}

// Beyond this step x + dt v keeps fewer than half of the digits of x, for any v of length 1.
constexpr double kLongestStep = 1e8;

void check_step(const WordedSpec& worded) {
  const auto& [spec, words] = worded;
  if (spec.dt > spec.T * (1 + 1e-9))
    refuse(words, "dt", fmt::format("is longer than T = {:g}: no step would be taken", spec.T),
           "choose a dt that divides T, or method=dopri5");
  if (spec.dt > kLongestStep)
    refuse(words, "dt",
           fmt::format("is a step that loses the digits of its start: {:g} is the longest",
                       kLongestStep),
           "choose a smaller dt, or method=dopri5");
  if (!whole_multiple(spec.T, spec.dt))
    refuse(words, "T", fmt::format("is not a whole number of steps dt = {:g}", spec.dt),
           "choose T as a multiple of dt, or method=dopri5");
}

void check_stiff(const WordedSpec& worded) {
  if (worded.spec.merge > 0)
    refuse(worded.words, "merge", "bdf does not merge", "use merge=0, or method=dopri5");
  if (worded.spec.engine.precision == Precision::f32)
    refuse(worded.words, "precision",
           "single precision is too coarse for the derivatives bdf takes",
           "use precision=f64, or method=dopri5");
}

void check_noise(const WordedSpec& worded) {
  const auto& [spec, words] = worded;
  const double noise = spec.dynamics.noise;
  if (noise < 0) refuse(words, "noise", "must be 0 or above", "use noise=0 for none");
  if (noise == 0) return;
  if (!row_of(spec.method).takes_noise)
    refuse(words, "noise", "needs method=strang, euler or layers", "use method=strang, or noise=0");
  if (spec.merge > 0)
    refuse(words, "merge", "particles that have met separate again under noise",
           "use merge=0, or noise=0");
}

FlowSettings flow_of(const WordedSpec& worded) {
  const auto& [spec, words] = worded;
  if (spec.tolerance.rtol + spec.tolerance.atol < 1e-15)
    refuse(words, "rtol", "with atol asks for more digits than doubles have",
           "use rtol=1e-14 or more");
  if (spec.merge < 0) refuse(words, "merge", "must be 0 or above", "use merge=0 for none");
  const double min = 10 * std::max(spec.tolerance.rtol, spec.tolerance.atol);
  if (spec.merge > 0 && !is_fixed(spec.method) && spec.merge < min * (1 - 1e-12))
    refuse(
        words, "merge",
        fmt::format("is below 10 max(rtol, atol) = {:g}: groups would stay above it forever", min),
        fmt::format("use merge={:g} or more, or smaller rtol and atol", min));
  if (row_of(spec.method).stepping == Stepping::cvode) check_stiff(worded);
  check_noise(worded);
  return {.method = spec.method,
          .dt = spec.dt,
          .tolerance = spec.tolerance,
          .merge = spec.merge,
          .max_evaluations = spec.max_evaluations};
}

// Default intervals are rounded up to whole steps of a fixed-step method.
double every_of(const WordedSpec& worded, const SaveChoice& save) {
  const auto& [spec, words] = worded;
  double every = save.kind == SaveChoice::share ? spec.T / save.first : save.first;
  if (is_fixed(spec.method) && !spec.save)
    every = spec.dt * std::max(1.0, std::ceil(every / spec.dt * (1 - 1e-9)));
  if (spec.T / every > 1e8)
    refuse(words, "save", "asks for more than 100 million frames", "keep fewer frames");
  if (is_fixed(spec.method) && !whole_multiple(every, spec.dt))
    refuse(words, "save", fmt::format("is not a whole number of steps dt = {:g}", spec.dt),
           "choose an interval that is a multiple of dt, or method=dopri5");
  return every;
}

Schedule schedule_of(const WordedSpec& worded) {
  const auto& [spec, words] = worded;
  const SaveChoice save = spec.save.value_or(SaveChoice{});
  Schedule schedule{.T = spec.T};
  if (is_fixed(spec.method)) check_step(worded);
  const bool log = save.kind == SaveChoice::log || save.kind == SaveChoice::log_from;
  if (log && is_fixed(spec.method))
    refuse(words, "save", "logarithmic times are not whole multiples of dt",
           "use method=dopri5, or save=every:...");
  switch (save.kind) {
    case SaveChoice::final:
      break;
    case SaveChoice::every:
    case SaveChoice::share:
      schedule.every = every_of(worded, save);
      break;
    case SaveChoice::log:
      schedule.first = std::min(spec.dt, spec.T / 2);
      schedule.ratio = elementary::pow(spec.T / schedule.first, 1 / (save.first - 1));
      break;
    case SaveChoice::log_from:
      schedule.first = save.first;
      schedule.ratio = save.second;
      break;
  }
  return schedule;
}

void check_merging(const Settings& words, const Experiment& e) {
  if (e.flow.merge == 0) return;
  if (!external_of(words).empty())
    refuse(words, "merge", "external forces may act differently on particles that have met",
           "use merge=0");
  if (const auto why = why_not_merge(e.dynamics)) refuse(words, "merge", why->reason, why->remedy);
}

// Layers that act one after another for equal times: each needs a whole number of fixed steps.
void check_jumps(const WordedSpec& worded, const Experiment& e) {
  if (e.dynamics.jump_times.empty()) return;
  const double each = e.dynamics.jump_times.front();
  if (row_of(e.flow.method).stepping == Stepping::cvode)
    refuse(worded.words, "method", "bdf takes long steps across the jumps of the weights",
           "use method=dopri5, or weights_in_time=linear");
  if (is_fixed(e.flow.method) && !whole_multiple(each, e.flow.dt))
    refuse(worded.words, "dt",
           fmt::format("does not divide the time {:g} of each of the {} layers", each,
                       e.dynamics.jump_times.size() + 1),
           "choose a dt that does, another weights_until, or method=dopri5");
}

EngineChoice engine_of(const WordedSpec& worded, Shape shape, const Dynamics& dynamics) {
  EngineChoice engine = worded.spec.engine;
  if (engine.name == "reference" && engine.precision == Precision::f32)
    refuse(worded.words, "precision", "the reference engine is always double",
           "use precision=f64, or engine=simd");
  if (!external_of(worded.words).empty()) {  // called by the reference engine, in double
    if (engine.name != "auto" && engine.name != "reference")
      refuse(worded.words, "engine", "functions of the calling program need the reference engine",
             "use engine=reference");
    engine.name = "reference";
    if (engine.precision == Precision::f32)
      refuse(worded.words, "precision", "the reference engine is always double",
             "use precision=f64");
  }
  engine.name = resolve_engine(engine, shape, dynamics);
  return engine;
}

std::span<const Force> first_forces(const Dynamics& dynamics) {
  if (dynamics.sublayers.empty()) return {};
  return dynamics.sublayers.front().forces;
}

// Every parameter as it was given or resolved; arrays from files are named inputs/NAME.npy.
std::string config_text(const WordedSpec& worded, const Experiment& e) {
  const auto& [spec, words] = worded;
  Settings resolved = words;
  const auto set = [&](const char* key, std::string text) { resolved[key].text = std::move(text); };
  set("n", fmt::format("{}", e.swarm.n()));
  set("d", fmt::format("{}", e.swarm.d()));
  set("engine", e.engine.name);
  set("habitat", codec::write(resolved_manifold(spec.dynamics)));
  if (spec.dynamics.interaction == Interaction::causal)
    set("reach", codec::write(Attention::causal));
  if (!e.dynamics.gain_end.empty()) set("gains_until", codec::write(e.dynamics.gain_until));
  if (spec.dynamics.weights_in_time != WeightsInTime::constant)
    set("weights_until", codec::write(spec.dynamics.weights_until.value_or(spec.T)));
  if (e.schedule.every > 0)
    set("save", codec::write(SaveChoice{SaveChoice::every, e.schedule.every, 0}));
  if (e.schedule.ratio > 0)
    set("save", codec::write(SaveChoice{SaveChoice::log_from, e.schedule.first, e.schedule.ratio}));
  std::size_t heads = 0;
  for (const Force& force : first_forces(e.dynamics)) heads += head_of(force) != nullptr ? 1 : 0;
  if (heads > 0) set("heads", fmt::format("{}", heads));
  if (!std::holds_alternative<InitialLaw>(spec.init)) set("init", "inputs/points.npy");
  for (const char* key : {"masses", "query", "key", "value"})
    if (e.inputs.count(key) != 0) set(key, fmt::format("inputs/{}.npy", key));
  if (e.inputs.count("perceptron_in") != 0) set("perceptron", "inputs/perceptron_*.npy");
  if (e.inputs.count("model") == 0) return config_of(parameters(), resolved);

  set("model", "inputs/model.npy");
  std::vector<Parameter> table;
  for (const Parameter& p : parameters())
    if (!fixed_by_model(p.name)) table.push_back(p);
  return config_of(table, resolved);
}

Array points_of(const HostSwarm& x) {
  Array points = array_of(to_rows(x));
  points.shape = {static_cast<std::size_t>(x.n()), static_cast<std::size_t>(x.d())};
  return points;
}

}  // namespace

namespace {

// Makes an experiment from settings, or with `forces` instead of those in the settings.
Experiment made(const WordedSpec& given, const Dynamics* forces) {
  const std::optional<GivenModel> model = given_model(given);
  WordedSpec worded = model ? with_model(given, *model) : given;
  if (forces != nullptr) worded.spec.dynamics.noise = forces->noise;
  const auto& [spec, words] = worded;
  Experiment e;
  e.name = spec.name;
  e.random = spec.random;
  e.flow = flow_of(worded);
  e.schedule = schedule_of(worded);
  const auto sample = model ? initial_sample(worded, *model) : std::nullopt;
  const Manifold manifold = forces != nullptr ? forces->manifold : manifold_of(spec.dynamics);
  e.swarm = sample ? *sample : initial_swarm(worded, manifold);
  if (forces != nullptr) {
    e.dynamics = *forces;
    check(e.dynamics, e.swarm.d());
  } else if (model) {
    e.dynamics = dynamics_of(model->swarm.architecture, model->swarm.doubles());
    e.dynamics.noise = spec.dynamics.noise;
    e.inputs["model"] = {{model->bytes.size()}, model->bytes};
  } else {
    e.dynamics =
        dynamics_of({spec.dynamics, spec.random, spec.T, words}, e.swarm.shape(), e.inputs);
  }
  check_jumps(worded, e);
  check_merging(words, e);
  e.engine = engine_of(worded, e.swarm.shape(), e.dynamics);
  e.observe = {spec.cluster_tol, spec.pair_threshold};
  if (std::fabs(spec.pair_threshold) > 1)
    refuse(words, "pair_threshold", "is not a cosine", "write a number from -1 to 1");
  e.inputs["points"] = points_of(e.swarm);
  if (spec.masses) e.inputs["masses"] = array_of(e.swarm.mass);
  e.config = config_text(worded, e);
  return e;
}

}  // namespace

Experiment make_experiment(const WordedSpec& worded) { return made(worded, nullptr); }

Experiment make_experiment(const WordedSpec& worded, const Dynamics& dynamics) {
  return made(worded, &dynamics);
}

std::unique_ptr<Field> prepare_field(const Experiment& e, Engine& engine) {
  return engine.prepare_known(e.dynamics, e.swarm.shape());
}

ObserveSettings observe_settings(const Experiment& e, double t) {
  return {.cluster_tol = e.observe.cluster_tol,
          .pair_threshold = e.observe.pair_threshold,
          .seed = e.random.seed,
          .threads = e.engine.threads,
          .t = t};
}

Experiment make_experiment(const ExperimentSpec& spec) {
  return make_experiment(WordedSpec{spec, words_of(spec)});
}

Experiment make_experiment(const Settings& settings) {
  return make_experiment(WordedSpec{spec_of(settings), settings});
}

}  // namespace murmur
