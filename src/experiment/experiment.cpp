// experiment.cpp: the whole experiment out of its settings, and back into a config.toml.
#include "murmur/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/elementary.h"
#include "experiment/config.h"
#include "experiment/forces.h"
#include "experiment/given_model.h"
#include "experiment/initial.h"
#include "experiment/verify.h"
#include "experiment/words.h"
#include "murmur/error.h"

namespace murmur {

namespace {

// Fixed steps reach only whole multiples of dt; times are then k dt exactly.
bool whole_multiple(double time, double dt) {
  const double steps = time / dt;
  return std::fabs(steps - std::round(steps)) <= 1e-9 * std::max(1.0, steps) && steps < 9e15;
}

void check_stiff(const Settings& settings, const FlowSettings& flow) {
  if (flow.merge > 0)
    refuse(settings, "merge", "bdf does not merge", "use merge=0, or method=dopri5");
  if (choice(settings, "precision", {"f32", "f64"}) == 0)
    refuse(settings, "precision", "single precision is too coarse for the derivatives bdf takes",
           "use precision=f64, or method=dopri5");
}

void set_noise(const Settings& settings, FlowSettings& flow) {
  flow.noise = number(settings, "noise");
  flow.seed = seed_of(settings);
  flow.replica = replica_of(settings);
  if (flow.noise < 0) refuse(settings, "noise", "must be 0 or above", "use noise=0 for none");
  if (flow.noise == 0) return;
  if (!row_of(flow.method).takes_noise)
    refuse(settings, "noise", "is for method=strang, euler and layers only",
           "use method=strang, or noise=0");
  if (flow.merge > 0)
    refuse(settings, "merge", "particles that have met part again under noise",
           "use merge=0, or noise=0");
}

FlowSettings flow_of(const Settings& settings) {
  FlowSettings flow;
  flow.method = method_of(settings);
  flow.dt = positive(settings, "dt");
  flow.tolerance = {positive(settings, "rtol"), positive(settings, "atol")};
  if (flow.tolerance.rtol + flow.tolerance.atol < 1e-15)
    refuse(settings, "rtol", "with atol asks for more digits than doubles have",
           "use rtol=1e-14 or more");
  flow.merge = number(settings, "merge");
  flow.max_evaluations = whole(settings, "max_evaluations", 1, kMostWhole);
  if (flow.merge < 0) refuse(settings, "merge", "must be 0 or above", "use merge=0 for none");
  const double min = 10 * std::max(flow.tolerance.rtol, flow.tolerance.atol);
  if (flow.merge > 0 && !is_fixed(flow.method) && flow.merge < min * (1 - 1e-12))
    refuse(settings, "merge",
           fmt::format("is below 10 max(rtol, atol) = {:g}: groups would hover above it for ever",
                       min),
           fmt::format("use merge={:g} or more, or smaller rtol and atol", min));
  if (row_of(flow.method).stepping == Stepping::cvode) check_stiff(settings, flow);
  set_noise(settings, flow);
  return flow;
}

// every:T/100 rounds up to whole steps for the fixed-step methods when it was not asked for.
double every_of(const Settings& settings, const FlowSettings& flow, double T) {
  const std::string text = setting(settings, "save").text.substr(6);
  double every = 0;
  if (text.rfind("T/", 0) == 0) {
    double parts = 0;
    if (parse_number(text.substr(2), parts) && parts > 0) every = T / parts;
  } else if (!parse_number(text, every)) {
    every = 0;
  }
  if (!(every > 0))
    refuse(settings, "save", "has no positive interval", "write save=every:0.1 or save=every:T/50");
  if (is_fixed(flow.method) && !is_given(settings, "save"))
    every = flow.dt * std::max(1.0, std::ceil(every / flow.dt * (1 - 1e-9)));
  if (T / every > 1e8)
    refuse(settings, "save", "asks for more than 100 million frames", "keep fewer frames");
  return every;
}

// log:COUNT is COUNT times from dt to T in a constant ratio; log:FIRST:RATIO says them outright.
void set_log_times(const Settings& settings, const FlowSettings& flow, Schedule& schedule) {
  const std::vector<std::string> parts = split(setting(settings, "save").text, ':');
  double first = 0, second = 0;
  const bool numbers = parse_number(parts[1], first) &&
                       (parts.size() == 2 || (parts.size() == 3 && parse_number(parts[2], second)));
  if (numbers && parts.size() == 3 && first > 0 && second > 1 + 1e-7) {
    schedule.first = first;
    schedule.ratio = second;
    return;
  }
  if (!numbers || parts.size() == 3 || first < 2 || first > 1e7 || first != std::floor(first))
    refuse(settings, "save", "needs a whole number of times, 2 or more", "write save=log:200");
  schedule.first = std::min(flow.dt, schedule.T / 2);
  schedule.ratio = elementary::pow(schedule.T / schedule.first, 1 / (first - 1));
}

Schedule schedule_of(const Settings& settings, const FlowSettings& flow) {
  Schedule schedule;
  schedule.T = positive(settings, "T");
  const std::string& save = setting(settings, "save").text;
  if (is_fixed(flow.method) && !whole_multiple(schedule.T, flow.dt))
    refuse(settings, "T", fmt::format("is not a whole number of steps dt = {:g}", flow.dt),
           "choose T as a multiple of dt, or method=dopri5");
  if (save == "final") return schedule;
  if (save.rfind("every:", 0) == 0) {
    schedule.every = every_of(settings, flow, schedule.T);
    if (is_fixed(flow.method) && !whole_multiple(schedule.every, flow.dt))
      refuse(settings, "save", fmt::format("is not a whole number of steps dt = {:g}", flow.dt),
             "choose an interval that is a multiple of dt, or method=dopri5");
    return schedule;
  }
  if (save.rfind("log:", 0) == 0) {
    if (is_fixed(flow.method))
      refuse(settings, "save", "logarithmic times are not whole multiples of dt",
             "use method=dopri5, or save=every:...");
    set_log_times(settings, flow, schedule);
    return schedule;
  }
  refuse(settings, "save", "is not a schedule", "write every:0.1, log:200 or final");
}

void check_merging(const Settings& settings, const Experiment& e) {
  if (e.flow.merge == 0) return;
  if (const auto why = why_not_merge(e.dynamics))
    refuse(settings, "merge", why->reason, why->remedy);
}

EngineChoice engine_of(const Settings& settings, Shape shape, const Dynamics& dynamics) {
  EngineChoice engine;
  static const std::vector<std::string> names = {"auto", "reference", "simd", "moments"};
  engine.name = names[choice(settings, "engine", names)];
  engine.precision = static_cast<Precision>(choice(settings, "precision", {"f32", "f64"}));
  if (setting(settings, "threads").text != "all")
    engine.threads = static_cast<int>(whole(settings, "threads", 1, 4096));
  if (engine.name == "reference" && engine.precision == Precision::f32)
    refuse(settings, "precision", "the reference engine is always double",
           "use precision=f64, or engine=simd");
  engine.name = resolve_engine(engine, shape, dynamics);
  return engine;
}

std::string config_text(const Settings& settings, const Experiment& e) {
  Settings resolved = settings;
  resolved["n"].text = fmt::format("{}", e.swarm.n());
  resolved["d"].text = fmt::format("{}", e.swarm.d());
  resolved["engine"].text = e.engine.name;
  resolved["habitat"].text = manifold_name(settings);
  if (setting(settings, "dynamics").text == "causal") resolved["reach"].text = "past";
  if (!e.dynamics.gain_end.empty())
    resolved["gains_until"].text = fmt::format("{}", e.dynamics.gain_until);
  if (e.schedule.every > 0) resolved["save"].text = fmt::format("every:{}", e.schedule.every);
  if (e.schedule.ratio > 0)
    resolved["save"].text = fmt::format("log:{}:{}", e.schedule.first, e.schedule.ratio);
  std::size_t heads = 0;
  for (const Force& force : e.dynamics.sublayers.front().forces)
    heads += std::holds_alternative<Attention>(force) ? 1 : 0;
  if (heads > 0) resolved["heads"].text = fmt::format("{}", heads);
  const std::string& init = setting(settings, "init").text;
  for (const char* opening : {"points:", "test:", "train:"})
    if (init.rfind(opening, 0) == 0) resolved["init"].text = "inputs/points.npy";
  if (ends_with(init, ".npy") || ends_with(init, ".png"))
    resolved["init"].text = "inputs/points.npy";
  for (const char* key : {"masses", "query", "key", "value"})
    if (e.inputs.count(key) != 0) resolved[key].text = fmt::format("inputs/{}.npy", key);
  if (e.inputs.count("perceptron_in") != 0) resolved["perceptron"].text = "inputs/perceptron_*.npy";
  if (e.inputs.count("model") == 0) return config_of(parameters(), resolved);

  resolved["model"].text = "inputs/model.npy";
  std::vector<Parameter> table;
  for (const Parameter& p : parameters()) {
    const auto is_this = [&](const char* name) { return std::string_view(name) == p.name; };
    const auto settled = fixed_by_model();
    if (std::none_of(settled.begin(), settled.end(), is_this)) table.push_back(p);
  }
  return config_of(table, resolved);
}

// A value that this experiment happens not to use is still held to what it may be.
void check_unused(const Settings& settings) {
  number(settings, "beta");
  number(settings, "alibi");
  number(settings, "redraw");
  replica_of(settings);
  flag(settings, "self");
  choice(settings, "relative", {"auto", "true", "false"});
  choice(settings, "direction", {"ascent", "descent"});
  choice(settings, "reach", {"all", "past"});
  choice(settings, "activation", {"relu", "gelu", "tanh"});
  whole(settings, "heads", 1, 65'536);
  whole(settings, "n", 1, kMostParticles);
  whole(settings, "d", 2, kMostCoordinates);
}

Array points_of(const HostSwarm& x) {
  Array points = array_of(to_rows(x));
  points.shape = {static_cast<std::size_t>(x.n()), static_cast<std::size_t>(x.d())};
  return points;
}

}  // namespace

Experiment make_experiment(const Settings& given) {
  const std::optional<GivenModel> model = given_model(given);
  const Settings settings = model ? with_model(given, *model) : given;
  Experiment e;
  e.name = run_name(settings);
  e.seed = seed_of(settings);
  check_unused(settings);
  e.flow = flow_of(settings);
  e.schedule = schedule_of(settings, e.flow);
  const auto sample = model ? initial_sample(settings, *model) : std::nullopt;
  e.swarm = sample ? *sample : initial_swarm(settings, manifold_of(settings));
  if (model) {
    e.dynamics = dynamics_of(model->swarm.architecture, model->swarm.doubles());
    e.inputs["model"] = {{model->bytes.size()}, model->bytes};
  } else {
    e.dynamics = dynamics_of(settings, e.swarm.shape(), e.inputs);
  }
  e.dynamics.noise = e.flow.noise;
  check_merging(settings, e);
  e.engine = engine_of(settings, e.swarm.shape(), e.dynamics);
  e.observe.cluster_tol = positive(settings, "cluster_tol");
  e.observe.pair_threshold = number(settings, "pair_threshold");
  if (std::fabs(e.observe.pair_threshold) > 1)
    refuse(settings, "pair_threshold", "is not a cosine", "write a number from -1 to 1");
  e.observe.seed = e.seed;
  e.observe.threads = e.engine.threads;
  e.inputs["points"] = points_of(e.swarm);
  if (setting(settings, "masses").text != "equal") e.inputs["masses"] = array_of(e.swarm.mass);
  e.config = config_text(settings, e);
  return e;
}

}  // namespace murmur
