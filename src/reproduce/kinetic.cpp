// kinetic.cpp: five tokens that merge one by one, and how far the papers' layers fall behind them.
#include <fmt/format.h>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

// Times at which the number of clusters falls to 4, 3, 2 and 1, read off frames `every` apart.
std::vector<double> merge_times(Method method, double every, const WrongModel& wrong) {
  ExperimentSpec spec = preset_spec("kinetic");
  spec.method = method;
  spec.dt = every;
  spec.T = 400;
  spec.save = SaveChoice{SaveChoice::every, every};
  spec.dynamics.beta *= wrong.beta;
  if (wrong.method) {  // layers at their own step, a flow at 0.1
    spec.method = *wrong.method;
    if (method != Method::layers) spec.dt = 0.1;
    spec.save = SaveChoice{SaveChoice::every, spec.dt};
  }
  const Experiment e = make_experiment(spec);
  const Simulated simulated = simulate_in_memory(e);
  std::vector<double> times;
  for (const Regrouping& event :
       genealogy(history_of(simulated.times, simulated.frames), e.dynamics, e.observe.cluster_tol)
           .events)
    if (event.kind == Regrouping::merge) times.push_back(event.by);
  return times;
}

double last_merge(Method method, double every, const WrongModel& wrong) {
  const std::vector<double> times = merge_times(method, every, wrong);
  return times.empty() ? kNoNumber : times.back();
}

struct Scheme {
  const char* name;
  Method method;
  double step;  // of layers; between frames of the exact flow
  const char* rule;
  double times[4];  // of the merges
};
constexpr Scheme kSchemes[] = {
    {"exact flow", Method::dopri5, 0.01, "kinetic.flow", {1.27, 2.41, 5.20, 328.37}},
    {"exact flow, stiff", Method::bdf, 0.01, "kinetic.flow", {1.27, 2.41, 5.20, 328.37}},
    {"layers, dt = 0.1", Method::layers, 0.1, "kinetic.layers", {1.4, 2.6, 5.7, 364.1}},
    {"layers, dt = 0.01", Method::layers, 0.01, "kinetic.fine-layers", {1.28, 2.43, 5.24, 331.93}},
};

}  // namespace

// A merge is seen at the first frame after it: a step late at most, and rounded in print. Across
// mergers the exact flow is believed when two families of methods, explicit and stiff, agree.
std::optional<Reproduction> kinetic(const ReproductionControl& control) {
  Reproduction result = result_of(control, "kinetic");
  ReproducedTable table{"merges", {"clusters"}};
  for (int left = 4; left >= 1; --left) table.rows.push_back({{static_cast<double>(left)}});
  for (const Scheme& scheme : kSchemes) {
    std::vector<double> times;
    try {
      times = merge_times(scheme.method, scheme.step, control.wrong);
    } catch (const Error& error) {
      if (error.fault != Fault::tool) throw;
      if (control.tell) control.tell(fmt::format("{} stays open: {}", scheme.name, error.summary));
    }
    table.columns.emplace_back(scheme.name);
    for (int k = 0; k < 4; ++k) {
      const double ours = k < static_cast<int>(times.size()) ? times[k] : kNoNumber;
      result.checks.push_back(
          near(scheme.rule,
               {fmt::format("{}: time of {} clusters", scheme.name, 4 - k), scheme.times[k], ours},
               0.011));
      table.rows[k].push_back(ours);
    }
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "kinetic",
                            .table = "merges",
                            .columns = {"exact flow", "layers, dt = 0.1", "layers, dt = 0.01"},
                            .x_label = "clusters left",
                            .y_label = "time of the merge",
                            .log_y = true,
                            .title = "Five tokens merge one by one, β = 4"});
  return result;
}

// x <- N(x + eta A) turns by eta |P A| / (1 + eta <x, A>): near clusters, where <x, A> is 1, its
// clock runs slow by 1 + eta.
std::optional<Reproduction> layers_clock(const ReproductionControl& control) {
  Reproduction result = result_of(control, "layers-clock");
  const double exact = last_merge(Method::dopri5, 0.01, {});
  ReproducedTable table{"stretch", {"step", "last merge", "stretch", "1 + step"}};
  for (const double step : {0.2, 0.1, 0.05, 0.01}) {
    const double last = last_merge(Method::layers, step, control.wrong);
    result.checks.push_back(near(
        "layers-clock.stretch",
        {fmt::format("stretch of time at step {:g}", step), 1 + step, last / exact}, 0.1 * step));
    table.rows.push_back({step, last, last / exact, 1 + step});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "layers-clock",
                            .table = "stretch",
                            .columns = {"stretch", "1 + step"},
                            .x_label = "step of the layers",
                            .y_label = "last merge, over that of the exact flow",
                            .title = "The clock of the papers' scheme runs slow",
                            .dashed = {"1 + step"}});
  return result;
}

}  // namespace murmur
