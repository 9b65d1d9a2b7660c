// kinetic.cpp: five tokens that merge one by one, and how far the papers' layers fall behind them.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

// The five tokens by `method`, frames `every` apart; what is wrong is laid over it.
ExperimentSpec five_tokens(Method method, double every, const FigureValues& values,
                           const WrongModel& wrong) {
  ExperimentSpec spec = values.spec("kinetic");
  spec.method = method;
  spec.dt = every;
  spec.save = SaveChoice{SaveChoice::every, every};
  spec.dynamics.beta *= wrong.beta;
  if (wrong.method) {  // layers at their own step, a flow at 0.1
    spec.method = *wrong.method;
    if (method != Method::layers) spec.dt = 0.1;
    spec.save = SaveChoice{SaveChoice::every, spec.dt};
  }
  return spec;
}

// Times at which the number of clusters falls, read off frames.
std::vector<double> merges_of(const Experiment& e, const Simulated& simulated) {
  std::vector<double> times;
  for (const Regrouping& event :
       genealogy(history_of(simulated.times, simulated.frames), e.dynamics, e.observe.cluster_tol)
           .events)
    if (event.kind == Regrouping::merge) times.push_back(event.by);
  return times;
}

std::vector<double> merge_times(Method method, double every, const FigureValues& values,
                                const WrongModel& wrong) {
  const Experiment e = make_experiment(five_tokens(method, every, values, wrong));
  return merges_of(e, simulate_in_memory(e, wrong.null));
}

double last_of(const std::vector<double>& times) {
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
void draw_merges(const FigureValues& values, Reproduction& result) {
  const ReproducedTable merges = result.tables.back();  // rows: 4, 3, 2, 1 clusters are left
  const auto time = [&](int merge, int scheme) {
    return std::get<double>(merges.rows[merge][1 + scheme]);
  };
  ReproducedTable counts{"clusters", {"t", "exact flow", "layers 0.1", "published"}};
  ReproducedTable late{"lateness", {"merge", "layers 0.1", "layers 0.01"}};
  constexpr double kFirst = 0.5;
  const ExperimentSpec preset = values.spec("kinetic");
  const double beta = preset.dynamics.beta, last = 1.5 * preset.T;
  counts.rows.push_back({kFirst, 5.0, kNoNumber, kNoNumber});
  for (int k = 0; k < 4; ++k) {
    const double left = 4 - k;
    counts.rows.push_back({time(k, 0), left, kNoNumber, kNoNumber});
    counts.rows.push_back({time(k, 2), kNoNumber, left, kNoNumber});
    if (!values.any_changed())
      counts.rows.push_back({kSchemes[2].times[k], kNoNumber, kNoNumber, left});
    late.rows.push_back(
        {k + 1.0, 100 * (time(k, 2) / time(k, 0) - 1), 100 * (time(k, 3) / time(k, 0) - 1)});
  }
  counts.rows.push_back({last, 1.0, kNoNumber, kNoNumber});
  result.figures.push_back(
      {.name = "kinetic",
       .table = counts.name,
       .title = fmt::format("Five tokens on the circle, β = {:g}", beta),
       .x = {.label = "time t", .log = true},
       .y = {.label = "number of clusters", .from = 0.5, .to = 5.5, .every = 1},
       .curves = {{"exact flow", Drawn::steps, "exact flow", 0},
                  {"layers 0.1", Drawn::points, "layers of 0.1", 1},
                  {"published", Drawn::rings, "layers of 0.1, published", ReproducedCurve::kInk}}});
  result.figures.push_back(
      {.name = "kinetic",
       .table = late.name,
       .title = "How late the layers are",
       .x = {.label = "merge, in order of time", .from = 0.5, .to = 4.5, .every = 1},
       .y = {.label = "time beyond the exact flow's, %", .from = 0, .to = 13},
       .curves = {{"layers 0.1", Drawn::points, "layers of 0.1", 1},
                  {"layers 0.01", Drawn::points, "layers of 0.01", 2}},
       .guides = {{"step η, in %", kNoNumber, 10}, {"step η, in %", kNoNumber, 1}}});
  result.tables.push_back(std::move(counts));
  result.tables.push_back(std::move(late));
  result.captions["kinetic"] =
      "Five tokens merge one by one, the last two only after hundreds of time units. Left: "
      "clusters left under the exact flow (line) and merge times of the papers' layers, as "
      "published (rings) and as computed again (points). Right: layers of step η come late by "
      "about η.";
}

}  // namespace

// A merge is seen at the first frame after it: a step late at most, and rounded in print. Across
// mergers the exact flow is believed when two families of methods, explicit and stiff, agree: open
// where this program has no stiff one.
std::optional<Reproduction> kinetic(const ReproductionControl& control) {
  Reproduction result = result_of(control, "kinetic");
  std::map<Method, std::vector<double>> flow;
  ReproducedTable table{"merges", {"clusters"}};
  for (int left = 4; left >= 1; --left) table.rows.push_back({{static_cast<double>(left)}});
  for (const Scheme& scheme : kSchemes) {
    std::vector<double> times;
    try {
      times = merge_times(
          scheme.method, scheme.step, control.values,
          scheme.method == Method::bdf ? WrongModel{.null = control.wrong.null} : control.wrong);
    } catch (const Error& error) {
      if (error.fault != Fault::tool) throw;
      if (control.tell) control.tell(fmt::format("{} stays open: {}", scheme.name, error.summary));
    }
    table.columns.emplace_back(scheme.name);
    times.resize(4, kNoNumber);
    flow[scheme.method] = times;
    for (int k = 0; k < 4; ++k) {
      const double ours = times[k];
      result.checks.push_back(
          near(scheme.rule,
               {fmt::format("{}: time of {} clusters", scheme.name, 4 - k), scheme.times[k], ours},
               0.011));
      table.rows[k].push_back(ours);
    }
  }
  for (int k = 0; k < 4; ++k)
    result.checks.push_back(
        near("kinetic.families",
             {fmt::format("exact flow, explicit beside stiff: time of {} clusters", 4 - k),
              flow[Method::bdf][k], flow[Method::dopri5][k]},
             0.011));
  result.tables.push_back(std::move(table));
  draw_merges(control.values, result);
  return result;
}

namespace {

// Two clusters under layers of step eta. Cluster 1 turns towards cluster 2 by
//   delta = atan(eta p sin theta / (1 + eta (1 - p (1 - cos theta)))),   p = m2 c / (m1 + m2 c),
// c = e^(-beta (1 - cos theta)): where p is small a clock that is 1 + eta too slow.
struct LayeredPair {
  theory::TwoClusters pair;
  double step;

  double turn(double own, double theta) const {
    const double c = std::exp(-pair.beta * (1 - std::cos(theta))), other = 1 - own;
    const double p = other * c / (own + other * c);
    return std::atan(step * p * std::sin(theta) / (1 + step * (1 - p * (1 - std::cos(theta)))));
  }
  double velocity(double theta) const {  // -(delta_1 + delta_2) / eta
    return -(turn(pair.mass, theta) + turn(1 - pair.mass, theta)) / step;
  }
  // The time of so many steps. Layers follow theta' = g - eta g g' / 2 to second order in eta, so
  //   T = int d theta / g + (eta / 2) ln(g(to) / g(from)),
  // the integral over v = ln tan(theta / 2) by Simpson's rule.
  double lifetime(double from, double to) const {
    constexpr int kPanels = 20'000;
    const double low = std::log(std::tan(to / 2)), high = std::log(std::tan(from / 2));
    double sum = 0;
    for (int k = 0; k <= kPanels; ++k) {
      const double theta = 2 * std::atan(std::exp(low + (high - low) * k / kPanels));
      const double weight = k == 0 || k == kPanels ? 1 : k % 2 == 1 ? 4 : 2;
      sum -= weight * std::sin(theta) / velocity(theta);
    }
    return sum * (high - low) / (3 * kPanels) + step / 2 * std::log(velocity(to) / velocity(from));
  }
};

constexpr double kFormed = 40;  // by then two clusters are left, of width e^(-30); the flow's time
constexpr double kApart = 2.3;  // the angle from which the two clusters alone start
constexpr double kHeavier = 0.6;  // three tokens of five

double angle_between(const HostSwarm& x, int i, int j) {
  return std::fabs(std::remainder(angle_of(x, i) - angle_of(x, j), 2 * std::numbers::pi));
}

// The last merge of five tokens, and the angle between two clusters at kFormed on their own clock.
struct FiveTokens {
  double angle = kNoNumber, last = kNoNumber;
};
FiveTokens five_of(Method method, double every, const FigureValues& values,
                   const WrongModel& wrong) {
  const double formed = kFormed * (method == Method::layers ? 1 + every : 1);
  const Experiment e = make_experiment(five_tokens(method, every, values, wrong));
  const Simulated simulated = simulate_in_memory(e, wrong.null);
  FiveTokens five{.last = last_of(merges_of(e, simulated))};
  for (std::size_t k = 0; k < simulated.times.size() && std::isnan(five.angle); ++k)
    if (simulated.times[k] > formed - 1e-6) five.angle = angle_between(simulated.frames[k], 0, 4);
  return five;
}

// The merge of two clusters alone, of two and three tokens.
double two_clusters(double step, const FigureValues& values, const WrongModel& wrong) {
  ExperimentSpec spec = five_tokens(Method::layers, step, values, wrong);
  spec.init = InitialPoints{{2, 2, {1, 0, std::cos(kApart), std::sin(kApart)}}};
  Experiment e = make_experiment(spec);
  e.swarm.mass = {kHeavier, 1 - kHeavier};
  return last_of(merges_of(e, simulate_in_memory(e, wrong.null)));
}

}  // namespace

// x <- N(x + eta A) turns by eta |P A| / (1 + eta <x, A>): near clusters, where <x, A> is 1, its
// clock runs slow by 1 + eta. Of two clusters alone that is all; five tokens have also come to
// other places by the time that two clusters are left.
std::optional<Reproduction> layers_clock(const ReproductionControl& control) {
  Reproduction result = result_of(control, "layers-clock");
  const Experiment preset = make_experiment(control.values.spec("kinetic"));
  const theory::Growth attention = theory::growth_of(preset.dynamics, 2);
  const theory::TwoClusters pair{.beta = attention.beta, .law = attention.law, .mass = kHeavier};
  const double met = std::acos(1 - preset.observe.cluster_tol);
  const FiveTokens exact = five_of(Method::dopri5, 0.01, control.values, {});
  const double alone = theory::lifetime(pair, kApart, met);
  ReproducedTable table{"stretch",
                        {"step", "last merge", "stretch", "1 + step", "of the clock",
                         "of the early path", "two clusters"}};
  for (const double step : control.values.numbers("steps")) {
    const LayeredPair layered{pair, step};
    const double two = two_clusters(step, control.values, control.wrong);
    const FiveTokens five = five_of(Method::layers, step, control.values, control.wrong);
    Check clusters =
        near("layers-clock.clusters",
             {fmt::format("two clusters alone, step {:g}: stretch of their lifetime", step),
              layered.lifetime(kApart, met) / alone, two / alone},
             step / alone);
    clusters.rule = "within one step";
    const double rest = layered.lifetime(five.angle, met);
    Check path = near("layers-clock.path",
                      {fmt::format("five tokens, step {:g}: stretch of the last merge", step),
                       ((1 + step) * kFormed + rest) / exact.last, five.last / exact.last},
                      (step + 0.01) / exact.last);
    path.rule = "within one step, and one frame of the flow";
    for (Check* check : {&clusters, &path}) result.checks.push_back(std::move(*check));
    // What the angle at kFormed changes, under the exact flow from there on: no error of a clock.
    const double early = (kFormed + theory::lifetime(pair, five.angle, met)) / exact.last - 1;
    table.rows.push_back({step, five.last, five.last / exact.last, 1 + step,
                          (five.last / exact.last - 1 - early) / step, early / step, two / alone});
  }
  table.rows.push_back({0.0, exact.last, kNoNumber, 1.0, kNoNumber, kNoNumber, kNoNumber});
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "layers-clock",
                            .table = "stretch",
                            .title = "The clock of the papers' layers runs slow",
                            .x = {.label = "step η of the layers"},
                            .y = {.label = "last merge, over that of the exact flow"},
                            .curves = {{"1 + step", Drawn::line, "1 + η", 0},
                                       {"two clusters", Drawn::points, "two clusters alone", 0},
                                       {"stretch", Drawn::points,
                                        fmt::format("five tokens, β = {:g}", attention.beta), 1}}});
  result.captions["layers-clock"] =
      "The papers' layers x ← N(x + ηA) are later than the exact flow. Two clusters merge later by "
      "the factor 1 + η: near clusters ⟨x, A⟩ is 1, and the normalisation takes that part of every "
      "step away. Five tokens are a little later still: their early path has left the last two "
      "clusters farther apart.";
  return result;
}

}  // namespace murmur
