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

// Clusters left over time, and how late each merge of the layers comes. Reads the table `merges`.
void draw_merges(Reproduction& result) {
  const ReproducedTable merges = result.tables.back();  // rows: 4, 3, 2, 1 clusters are left
  const auto time = [&](int merge, int scheme) {
    return std::get<double>(merges.rows[merge][1 + scheme]);
  };
  ReproducedTable counts{"clusters", {"t", "exact flow", "layers 0.1", "published"}};
  ReproducedTable late{"lateness", {"merge", "layers 0.1", "layers 0.01"}};
  constexpr double kFirst = 0.5, kLast = 600;
  counts.rows.push_back({kFirst, 5.0, kNoNumber, kNoNumber});
  for (int k = 0; k < 4; ++k) {
    const double left = 4 - k;
    counts.rows.push_back({time(k, 0), left, kNoNumber, kNoNumber});
    counts.rows.push_back({time(k, 2), kNoNumber, left, kNoNumber});
    counts.rows.push_back({kSchemes[2].times[k], kNoNumber, kNoNumber, left});
    late.rows.push_back(
        {k + 1.0, 100 * (time(k, 2) / time(k, 0) - 1), 100 * (time(k, 3) / time(k, 0) - 1)});
  }
  counts.rows.push_back({kLast, 1.0, kNoNumber, kNoNumber});
  result.figures.push_back(
      {.name = "kinetic",
       .table = counts.name,
       .title = "Five tokens on the circle, β = 4",
       .x = {.label = "time t", .log = true},
       .y = {.label = "number of clusters", .from = 0.5, .to = 5.5, .every = 1},
       .curves = {{"exact flow", Drawn::steps, "exact flow", 0},
                  {"layers 0.1", Drawn::points, "layers of 0.1", 1},
                  {"published", Drawn::rings, "layers of 0.1, published", ReproducedCurve::kInk}}});
  result.figures.push_back(
      {.name = "kinetic",
       .table = late.name,
       .title = "How late the layers are",
       .x = {.label = "merge", .from = 0.5, .to = 4.5, .every = 1},
       .y = {.label = "time beyond the exact flow's, %", .from = 0, .to = 13},
       .curves = {{"layers 0.1", Drawn::points, "layers of 0.1", 1},
                  {"layers 0.01", Drawn::points, "layers of 0.01", 2}},
       .guides = {{"step η, in %", kNoNumber, 10}, {"step η, in %", kNoNumber, 1}}});
  result.tables.push_back(std::move(counts));
  result.tables.push_back(std::move(late));
  result.captions["kinetic"] =
      "Five tokens merge one by one, the last two only after hundreds of time units. Left: "
      "clusters "
      "left under the exact flow (line) and merge times of the papers' layers, as published "
      "(rings) "
      "and as computed again (points). Right: layers of step η come late by about η.";
}

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
  draw_merges(result);
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
  table.rows.push_back({0.0, exact, kNoNumber, 1.0});
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "layers-clock",
                            .table = "stretch",
                            .title = "The clock of the papers' layers runs slow",
                            .x = {.label = "step η of the layers"},
                            .y = {.label = "last merge, over that of the exact flow"},
                            .curves = {{"1 + step", Drawn::line, "1 + η", 0},
                                       {"stretch", Drawn::points, "five tokens, β = 4", 0}}});
  result.captions["layers-clock"] =
      "The papers' layers x ← N(x + ηA) reach the last merge of five tokens later than the exact "
      "flow by the factor 1 + η: near clusters ⟨x, A⟩ is 1, and the normalisation takes that part "
      "of every step away.";
  return result;
}

}  // namespace murmur
