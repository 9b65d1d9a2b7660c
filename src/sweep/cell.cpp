// cell.cpp: simulates the replicas of one cell and keeps means and standard errors over them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "ensemble/cuda/replicas.h"
#include "ensemble/ensemble.h"
#include "experiment/initial.h"
#include "experiment/words.h"
#include "sweep/cells.h"

namespace murmur {

namespace {

constexpr int kMostTogether = 1024;    // particles: the kernel of many holds n^2 numbers a replica
constexpr std::int64_t kAtOnce = 512;  // replicas in memory; a multiple of any register

using Readings = std::vector<double>;  // (times, kKept)

struct Simulations {
  Outcome outcome{};
  std::int64_t replica = 0;          // where the outcome is not finished
  std::vector<Readings> readings{};  // one a replica
};

// What the cell's replicas have in common.
struct Common {
  const Sweep& sweep;
  const Cell& cell;
  const CellControl& control;
  WordedSpec worded;      // of replica 0, on one thread
  Experiment experiment;  // of replica 0
  std::vector<double> times;

  WordedSpec of(std::int64_t replica) const {
    WordedSpec own = worded;
    own.spec.random.replica = static_cast<std::uint32_t>(replica);
    return own;
  }
  bool interrupted() const { return control.signal != nullptr && *control.signal != 0; }
};

bool on_gpu(const Common& c) { return c.experiment.engine.name == "cuda"; }

bool runs_as_replicas(const Common& c) {
  const Experiment& e = c.experiment;
  return (c.worded.spec.engine.name == "auto" || on_gpu(c)) && !c.worded.spec.masses &&
         e.engine.precision == Precision::f64 && e.flow.merge == 0 && e.swarm.n() >= 2 &&
         e.swarm.n() <= kMostTogether && e.flow.max_evaluations == FlowSettings{}.max_evaluations &&
         replicas_know(e.dynamics, e.flow.method) &&
         (!on_gpu(c) || gpu_replicas_know(replicas_of(e.dynamics, e.flow, e.swarm.shape())));
}

Simulations simulate_together(const Common& c, std::int64_t first, std::int64_t count) {
  const Experiment& e = c.experiment;
  ReplicasSetting setting = replicas_of(e.dynamics, e.flow, e.swarm.shape());
  setting.pair_threshold = e.observe.pair_threshold;
  setting.cluster_tol = e.observe.cluster_tol;
  const auto advance_all = on_gpu(c) ? advance_replicas_on_gpu : advance_replicas;
  const ReplicasResult result = advance_all(
      setting,
      {.first = first,
       .count = count,
       .times = c.times,
       .start =
           [&](std::int64_t replica) { return initial_swarm(c.of(replica), e.dynamics.manifold); },
       .threads = c.control.threads,
       .signal = c.control.signal,
       .keep_last = false});
  Simulations simulations{.outcome = result.outcome, .replica = first};
  if (!result.outcome.ok()) return simulations;
  for (std::int64_t r = 0; r < count; ++r) {
    Readings& row = simulations.readings.emplace_back();
    for (std::size_t k = 0; k < c.times.size(); ++k) {
      const ReplicaReading& reading =
          result.readings[static_cast<std::size_t>(r) * c.times.size() + k];
      row.insert(row.end(), {reading.close_pairs, reading.mean_cos, reading.order,
                             static_cast<double>(reading.clusters)});
    }
  }
  return simulations;
}

std::vector<std::size_t> columns_kept(const Dynamics& dynamics) {
  std::vector<std::size_t> columns;
  for (const std::string& name : kept_observables())
    columns.push_back(observable_column(dynamics, name));
  return columns;
}

// Frames at every step, or at the times themselves, of which the wanted ones are read.
Outcome simulate_one(const Common& c, std::int64_t replica, Readings& readings) {
  const Experiment e = make_experiment(c.of(replica));
  const auto engine = make_engine(e.engine);
  const auto field = prepare_field(e, *engine);
  const std::vector<std::size_t> columns = columns_kept(e.dynamics);
  Schedule schedule{.T = e.schedule.T};
  if (is_fixed(e.flow.method))
    schedule.every = e.flow.dt;
  else if (c.times.size() > 1)
    schedule.every = c.times[1];
  std::size_t next = 0;
  FlowWatch watch;
  watch.frame = [&](double t, const Frame& frame) {
    const double slack = 1e-6 * (schedule.every > 0 ? schedule.every : schedule.T);
    if (next == c.times.size() || t < c.times[next] - slack) return;
    const std::vector<double> row =
        observe(*field, frame.swarm, frame.host, observe_settings(e, t));
    for (const std::size_t column : columns) readings.push_back(row[column]);
    ++next;
  };
  watch.pause = [&](const FlowState&, const std::function<FlowState&()>&) {
    return c.interrupted();
  };
  FlowState state = start(e.swarm);
  return advance({*engine, *field, e.flow, e.random}, schedule, state, watch);
}

Simulations simulate_apart(const Common& c, std::int64_t first, std::int64_t count) {
  Simulations simulations;
  simulations.readings.resize(static_cast<std::size_t>(count));
  std::vector<Outcome> outcomes(static_cast<std::size_t>(count));
  for_blocks(static_cast<int>(count), c.control.threads, [&](int r) {
    if (c.interrupted()) {
      outcomes[r].ending = Ending::interrupted;
      return;
    }
    outcomes[r] = simulate_one(c, first + r, simulations.readings[r]);
  });
  for (std::size_t r = 0; r < outcomes.size(); ++r)
    if (!outcomes[r].ok()) {
      simulations.outcome = outcomes[r];
      simulations.replica = first + static_cast<std::int64_t>(r);
      break;
    }
  return simulations;
}

void add_up(const Simulations& simulations, CellTable& table) {
  for (const Readings& row : simulations.readings) {
    for (std::size_t k = 0; k < row.size(); ++k) table.tally[k].add(row[k]);
    if (std::isfinite(row.back())) ++table.cluster_counts[static_cast<int>(row.back())];
  }
}

}  // namespace

const std::vector<std::string>& kept_observables() {
  static const std::vector<std::string> names = {"close_pairs", "mean_cos", "order", "clusters"};
  return names;
}

void Tally::add(double value) {
  ++count;
  const double step = value - mean;
  mean += step / static_cast<double>(count);
  squares += step * (value - mean);
}

double Tally::error() const {
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(count);
  return std::sqrt(squares / (n - 1) / n);
}

std::vector<double> sweep_times(const FlowSettings& flow, double T, int count) {
  std::vector<double> times;
  if (count == 1) return {T};
  if (!is_fixed(flow.method)) {
    for (int k = 0; k + 1 < count; ++k) times.push_back(k * (T / (count - 1)));
    times.push_back(T);
    return times;
  }
  const double steps = std::round(T / flow.dt);
  double last = -1;
  for (int k = 0; k < count; ++k) {
    const double step = std::round(steps * k / (count - 1));
    if (step > last) times.push_back(step * flow.dt);
    last = step;
  }
  return times;
}

std::optional<CellTable> simulate_cell(const Sweep& sweep, const Cell& cell,
                                       const CellControl& control) {
  WordedSpec worded = spec_of_cell(sweep, cell);
  worded.spec.engine.threads = 1;
  Experiment first = make_experiment(worded);
  Common c{sweep, cell, control, std::move(worded), std::move(first), {}};
  c.times = sweep_times(c.experiment.flow, c.experiment.schedule.T, sweep.times);
  const bool together = runs_as_replicas(c);
  CellTable table{.t = c.times};
  table.tally.resize(c.times.size() * kKept);
  for (std::int64_t first = 0; first < sweep.replicas; first += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, sweep.replicas - first);
    const Simulations simulations =
        together ? simulate_together(c, first, count) : simulate_apart(c, first, count);
    if (simulations.outcome.ending == Ending::interrupted) return std::nullopt;
    if (!simulations.outcome.ok())
      throw Error(
          Fault::numerical, simulations.outcome.what,
          fmt::format("the cell {}: t = {:g}, {} {}", name_of(sweep, cell), simulations.outcome.t,
                      together ? "replicas from" : "replica", simulations.replica),
          simulations.outcome.remedy);
    add_up(simulations, table);
  }
  return table;
}

}  // namespace murmur
