// merging_clusters.cpp: tokens that merge one by one: their merge times, the clock of the papers'
// layers, the steps of the energy, and how long two clusters live.
#include <fmt/format.h>

#include <algorithm>
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

// The five tokens by `method`, with frames `every` apart and the wrong model applied.
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

// Times of the frames at which the number of clusters has fallen.
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
    {"exact flow", Method::dopri5, 0.01, rule::kinetic_flow, {1.27, 2.41, 5.20, 328.37}},
    {"exact flow, stiff", Method::bdf, 0.01, rule::kinetic_flow, {1.27, 2.41, 5.20, 328.37}},
    {"layers, dt = 0.1", Method::layers, 0.1, rule::kinetic_layers, {1.4, 2.6, 5.7, 364.1}},
    {"layers, dt = 0.01",
     Method::layers,
     0.01,
     rule::kinetic_fine_layers,
     {1.28, 2.43, 5.24, 331.93}},
};

// The number of clusters over time, and how late each merge of the layers is. Reads the table
// `merges`.
void draw_merges(const FigureValues& values, Reproduction& result) {
  const ColumnTable merges = result.tables.back();  // rows: 4, 3, 2, 1 clusters are left
  const auto time = [&](int merge, int scheme) {
    return std::get<double>(merges.rows[merge][1 + scheme]);
  };
  ColumnTable counts{"clusters", {"t", "exact flow", "layers 0.1", "published"}};
  ColumnTable late{"lateness", {"merge", "layers 0.1", "layers 0.01"}};
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
      {.name = figure::kinetic,
       .table = counts.name,
       .title = fmt::format("Five tokens on the circle, β = {:g}", beta),
       .x = {.label = "time t", .log = true},
       .y = {.label = "number of clusters", .from = 0.5, .to = 5.5, .mark_every = 1},
       .curves = {{"exact flow", Curve::steps, "exact flow", 0},
                  {"layers 0.1", Curve::points, "layers of 0.1", 1},
                  {"published", Curve::rings, "layers of 0.1, published", Curve::kInk}}});
  result.figures.push_back(
      {.name = figure::kinetic,
       .table = late.name,
       .title = "How late the layers are",
       .x = {.label = "merge, in order of time", .from = 0.5, .to = 4.5, .mark_every = 1},
       .y = {.label = "time beyond the exact flow's, %", .from = 0, .to = 13},
       .curves = {{"layers 0.1", Curve::points, "layers of 0.1", 1},
                  {"layers 0.01", Curve::points, "layers of 0.01", 2}},
       .guides = {{"step η, in %", kNoNumber, 10}, {"step η, in %", kNoNumber, 1}}});
  result.tables.push_back(std::move(counts));
  result.tables.push_back(std::move(late));
  result.captions[figure::kinetic] =
      "Five tokens merge one by one, the last two only after hundreds of time units. Left: "
      "clusters left under the exact flow (line) and merge times of the papers' layers, as "
      "published (rings) and as computed again (points). Right: layers of step η come late by "
      "about η.";
}

}  // namespace

// A merge is seen at the first frame after it: at most one step late, and rounded in print. Across
// mergers the exact flow counts as known when two families of methods, explicit and stiff, agree;
// the check is open where this program has no stiff method.
std::optional<Reproduction> kinetic(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::kinetic);
  std::map<Method, std::vector<double>> flow;
  ColumnTable table{"merges", {"clusters"}};
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
      result.checks.push_back(check_near(
          scheme.rule,
          {fmt::format("{}: time of {} clusters", scheme.name, 4 - k), scheme.times[k], ours},
          0.011));
      table.rows[k].push_back(ours);
    }
  }
  for (int k = 0; k < 4; ++k)
    result.checks.push_back(check_near(
        rule::kinetic_families,
        {fmt::format("exact flow, explicit compared with stiff: time of {} clusters", 4 - k),
         flow[Method::bdf][k], flow[Method::dopri5][k]},
        0.011));
  result.tables.push_back(std::move(table));
  draw_merges(control.values, result);
  return result;
}

namespace {

// Two clusters under layers of step eta. Cluster 1 turns towards cluster 2 by
//   delta = atan(eta p sin theta / (1 + eta (1 - p (1 - cos theta)))),   p = m2 c / (m1 + m2 c),
// c = e^(-beta (1 - cos theta)): where p is small, this is a clock that is too slow by 1 + eta.
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
  // The time that the layers take. Layers follow theta' = g - eta g g' / 2 to second order in eta,
  // so
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
constexpr double kStartAngle = 2.3;  // the angle from which two clusters start
constexpr double kHeavier = 0.6;     // three tokens of five

double angle_between(const HostSwarm& x, int i, int j) {
  return std::fabs(std::remainder(angle_of(x, i) - angle_of(x, j), 2 * std::numbers::pi));
}

// The last merge of five tokens, and the angle between two clusters at the time kFormed of their
// clock.
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

// The merge time of a swarm of only two clusters, of two and three tokens.
double two_clusters(double step, const FigureValues& values, const WrongModel& wrong) {
  ExperimentSpec spec = five_tokens(Method::layers, step, values, wrong);
  spec.init = InitialPoints{{2, 2, {1, 0, std::cos(kStartAngle), std::sin(kStartAngle)}}};
  Experiment e = make_experiment(spec);
  e.swarm.mass = {kHeavier, 1 - kHeavier};
  return last_of(merges_of(e, simulate_in_memory(e, wrong.null)));
}

}  // namespace

// x <- N(x + eta A) turns by eta |P A| / (1 + eta <x, A>): near clusters, where <x, A> is 1, its
// clock runs slow by 1 + eta. For only two clusters this is the whole effect; five tokens have also
// come to other places by the time that two clusters are left.
std::optional<Reproduction> layers_clock(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::layers_clock);
  const Experiment preset = make_experiment(control.values.spec("kinetic"));
  const theory::Growth attention = theory::growth_of(preset.dynamics, 2);
  const theory::TwoClusters pair{.beta = attention.beta, .law = attention.law, .mass = kHeavier};
  const double met = std::acos(1 - preset.observe.cluster_tol);
  const FiveTokens exact = five_of(Method::dopri5, 0.01, control.values, {});
  const double exact_pair = theory::lifetime(pair, kStartAngle, met);
  ColumnTable table{"stretch",
                    {"step", "last merge", "stretch", "1 + step", "of the clock",
                     "of the early path", "two clusters"}};
  for (const double step : control.values.numbers("steps")) {
    const LayeredPair layered{pair, step};
    const double two = two_clusters(step, control.values, control.wrong);
    const FiveTokens five = five_of(Method::layers, step, control.values, control.wrong);
    Check clusters =
        check_near(rule::layers_clock_clusters,
                   {fmt::format("only two clusters, step {:g}: stretch of their lifetime", step),
                    layered.lifetime(kStartAngle, met) / exact_pair, two / exact_pair},
                   step / exact_pair);
    clusters.rule = "within one step";
    const double rest = layered.lifetime(five.angle, met);
    Check path = check_near(rule::layers_clock_path,
                            {fmt::format("five tokens, step {:g}: stretch of the last merge", step),
                             ((1 + step) * kFormed + rest) / exact.last, five.last / exact.last},
                            (step + 0.01) / exact.last);
    path.rule = "within one step, and one frame of the flow";
    for (Check* check : {&clusters, &path}) result.checks.push_back(std::move(*check));
    // The effect of the angle at kFormed, under the exact flow from there on: no error of the
    // clock.
    const double early = (kFormed + theory::lifetime(pair, five.angle, met)) / exact.last - 1;
    table.rows.push_back({step, five.last, five.last / exact.last, 1 + step,
                          (five.last / exact.last - 1 - early) / step, early / step,
                          two / exact_pair});
  }
  table.rows.push_back({0.0, exact.last, kNoNumber, 1.0, kNoNumber, kNoNumber, kNoNumber});
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = figure::layers_clock,
                            .table = "stretch",
                            .title = "The clock of the papers' layers runs slow",
                            .x = {.label = "step η of the layers"},
                            .y = {.label = "last merge, over that of the exact flow"},
                            .curves = {{"1 + step", Curve::line, "1 + η", 0},
                                       {"two clusters", Curve::points, "only two clusters", 0},
                                       {"stretch", Curve::points,
                                        fmt::format("five tokens, β = {:g}", attention.beta), 1}}});
  result.captions[figure::layers_clock] =
      "The papers' layers x ← N(x + ηA) are later than the exact flow. Two clusters merge later by "
      "the factor 1 + η: near clusters ⟨x, A⟩ is 1, and the normalisation takes that part of every "
      "step away. Five tokens are a little later still: their early path has left the last two "
      "clusters farther apart.";
  return result;
}

namespace {

constexpr double kLevels[] = {0.20, 0.28, 0.44, 0.52, 1.00};

Series energy_of(double beta, const ReproductionControl& control) {
  ExperimentSpec spec = preset_spec("staircase");
  spec.dynamics.beta = beta;
  spec.T = control.values.number("T");
  spec.dt = control.values.number("dt");
  spec.save = SaveChoice{SaveChoice::every, 1e-5};
  spec.merge = 1.3e-4;
  spec.dynamics.beta *= control.wrong.beta;
  const Experiment e = make_experiment(spec);
  const Simulated simulated = simulate_in_memory(e, control.wrong.null);
  const std::size_t column = observable_column(e.dynamics, "energy_scaled");
  Series energy;
  for (std::size_t k = 0; k < simulated.times.size(); ++k) {
    energy.t.push_back(simulated.times[k]);
    energy.value.push_back(observe(simulated.frames[k], e.dynamics, observe_settings(e))[column]);
  }
  return energy;
}

// The times at which the energy is half way up to each level.
std::vector<double> half_heights(const Series& energy) {
  std::vector<double> times;
  for (int k = 0; k < 4; ++k)
    times.push_back(crossing_time(energy, (kLevels[k] + kLevels[k + 1]) / 2).value_or(kNoNumber));
  return times;
}

// The energy at the middle of the time between two rises.
double level_between(const Series& energy, double from, double to) {
  const double middle = (from + to) / 2;
  const auto at = std::lower_bound(energy.t.begin(), energy.t.end(), middle) - energy.t.begin();
  return at < static_cast<std::ptrdiff_t>(energy.value.size()) ? energy.value[at] : kNoNumber;
}

// Checks beta = 2000 and 4000, where clusters are far enough apart for theory.
void check_stairs(double beta, double T, const std::vector<theory::Stair>& predicted,
                  const Series& energy, Reproduction& result) {
  if (beta != 2000 && beta != 4000) return;
  const std::vector<double> halves = half_heights(energy);
  for (int k = 0; k < 4; ++k) {
    result.checks.push_back(
        check_near(rule::staircase_half_heights,
                   {fmt::format("β = {:g}: half-height of rise {}", beta, k + 1), predicted[k].half,
                    halves[k]},
                   1e-4));
    const double end = k < 3 ? halves[k + 1] : T - 0.001;
    result.checks.push_back(check_near(rule::staircase_plateaus,
                                       {fmt::format("β = {:g}: plateau {}", beta, k + 2),
                                        kLevels[k + 1], level_between(energy, halves[k], end)},
                                       0.01));
  }
}

}  // namespace

std::optional<Reproduction> staircase(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::staircase);
  const std::vector<double>& betas = control.values.numbers("betas");
  ColumnTable table{"energy", {"t", "beta", "energy_scaled", "half-height"}};
  ColumnTable steps{"rises", {"beta", "rise", "predicted half", "measured half"}};
  const Experiment start = make_experiment(preset_spec("staircase"));
  std::vector<double> angles;
  for (int i = 0; i < start.swarm.n(); ++i)
    angles.push_back(std::atan2(start.swarm.at(i, 1), start.swarm.at(i, 0)));
  for (const double beta : betas) {
    if (control.stopped()) return std::nullopt;
    const Series energy = energy_of(beta, control);
    const std::vector<theory::Stair> predicted = theory::staircase(angles, {}, beta);
    check_stairs(beta, control.values.number("T"), predicted, energy, result);
    for (std::size_t k = 0; k < energy.t.size(); k += 20)
      table.rows.push_back({energy.t[k], beta, energy.value[k], kNoNumber});
    for (int k = 0; k < 4; ++k)
      table.rows.push_back({predicted[k].half, beta, kNoNumber, (kLevels[k] + kLevels[k + 1]) / 2});
    const std::vector<double> halves = half_heights(energy);
    for (int k = 0; k < 4; ++k)
      steps.rows.push_back({beta, static_cast<double>(k + 1), predicted[k].half, halves[k]});
  }
  result.tables = {std::move(table), std::move(steps)};
  TablePanel figure{.name = figure::staircase,
                    .table = "energy",
                    .title = "The energy climbs one step per merger",
                    .x = {.label = "arc-length time t (clock U4)"},
                    .y = {.label = "scaled energy 2β e^{−β} E", .from = 0, .to = 1.06},
                    .curves = {{"energy_scaled", Curve::line},
                               {"half-height", Curve::rings, "predicted half-height"}},
                    .by = "beta",
                    .by_name = "β"};
  for (const double level : kLevels)
    figure.guides.push_back({"predicted plateaus", kNoNumber, level});
  result.figures.push_back(std::move(figure));
  result.captions[figure::staircase] =
      "The scaled energy of five close tokens climbs one step per merger, from 1/5 to 1: the "
      "larger β, the flatter the plateaus at the predicted sums of squared masses (dashes), and "
      "the rises pass half their height at the predicted times (hollow marks).";
  return result;
}

namespace {

struct PairCase {
  Interaction law;
  double beta, angle, mass;
  double predicted;  // by quadrature, six digits; NaN: of the curve, not checked
};
constexpr double kRightAngle = std::numbers::pi / 2, kWide = 2 * std::numbers::pi / 3;
constexpr double kEnd = 0.1;  // the angle at which they count as merged
constexpr PairCase kCases[] = {
    {Interaction::SA, 4, kRightAngle, 0.5, 10.0219},
    {Interaction::USA, 4, kRightAngle, 0.5, 0.312261},
    {Interaction::SA, 9, kRightAngle, 0.5, 465.896},
    {Interaction::USA, 9, kRightAngle, 0.5, 0.114623},
    {Interaction::SA, 4, kWide, 0.5, 60.5123},
    {Interaction::SA, 9, kWide, 0.5, 48744},
    {Interaction::USA, 9, kWide, 0.5, 12.0305},
    {Interaction::SA, 6, 1.5, 0.25, 17.3207},
};

Experiment experiment_of(const PairCase& c, double t) {
  ExperimentSpec spec = preset_spec("lifetimes");
  spec.dynamics.interaction = c.law;
  spec.dynamics.beta = c.beta;
  spec.T = t;
  spec.init = InitialPoints{{2, 2, {1, 0, std::cos(c.angle), std::sin(c.angle)}}};
  Experiment e = make_experiment(spec);
  e.swarm.mass = {c.mass, 1 - c.mass};
  return e;
}

double angle_after(const PairCase& c, double t, NullModel null) {
  const HostSwarm x = simulate_in_memory(experiment_of(c, t), null).last();
  const double chord = std::hypot(x.at(0, 0) - x.at(1, 0), x.at(0, 1) - x.at(1, 1));
  return 2 * std::asin(chord / 2);
}

// The time at which the angle of two particles is kEnd, by doubling and halving. NaN where it is
// larger at kLongest.
constexpr double kLongest = 1e15;
double lifetime_of(PairCase c, const WrongModel& wrong) {
  c.beta *= wrong.beta;
  double high = 0.01;
  while (angle_after(c, high, wrong.null) > kEnd)
    if ((high *= 2) > kLongest) return kNoNumber;
  double low = high / 2;
  for (int halving = 0; halving < 30; ++halving) {
    const double middle = (low + high) / 2;
    (angle_after(c, middle, wrong.null) > kEnd ? low : high) = middle;
  }
  return (low + high) / 2;
}

theory::TwoClusters theory_of(const PairCase& c) {
  const theory::Growth attention = theory::growth_of(experiment_of(c, 1).dynamics, 2);
  return {.beta = attention.beta, .law = attention.law, .mass = c.mass};
}

double quadrature(const PairCase& c) { return theory::lifetime(theory_of(c), c.angle, kEnd); }

}  // namespace

std::optional<Reproduction> lifetimes(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::lifetimes);
  for (const PairCase& c : kCases) {
    if (control.stopped()) return std::nullopt;
    Check check = check_near_share(
        rule::lifetimes_particles,
        {fmt::format("{}, β = {:g}, from angle {:.4f}, mass {:g}",
                     c.law == Interaction::SA ? "SA" : "USA", c.beta, c.angle, c.mass),
         c.predicted, lifetime_of(c, control.wrong)},
        1e-5);
    check.more["quadrature"] = quadrature(c);
    result.checks.push_back(std::move(check));
  }
  ColumnTable table{"lifetimes",
                    {"beta", "particles", "quadrature", "leading order",
                     "particles over leading order", "quadrature over leading order"}};
  const FigureValues& values = control.values;
  const double step = values.number("beta_step"), most = values.number("beta_max");
  const double angle = values.number("angle"), mass = values.number("mass");
  const bool usual = angle == kRightAngle && mass == 0.5;
  std::vector<double> betas, logs;
  for (double beta = control.quick ? 5 : 4; beta <= most; beta += step) {
    const PairCase c{Interaction::SA, beta, angle, mass, kNoNumber};
    const double ours = lifetime_of(c, control.wrong);
    const double leading = theory::asymptotic_lifetime(theory_of(c), c.angle);
    table.rows.push_back(
        {beta, ours, quadrature(c), leading, ours / leading, quadrature(c) / leading});
    if (beta < 9) continue;  // there the correction of order 1/beta still bends the line
    betas.push_back(beta);
    logs.push_back(std::log(beta * ours));
  }
  for (double beta = 4; beta <= most; beta += 0.25) {  // theory between the measured points
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [&](const auto& row) { return std::get<double>(row[0]) == beta; }))
      continue;
    const PairCase c{Interaction::SA, beta, angle, mass, kNoNumber};
    const double leading = theory::asymptotic_lifetime(theory_of(c), c.angle);
    table.rows.push_back(
        {beta, kNoNumber, quadrature(c), leading, kNoNumber, quadrature(c) / leading});
  }
  std::sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<double>(a[0]) < std::get<double>(b[0]);
  });
  const double slope = fit_line(betas, logs).slope;
  result.checks.push_back(
      check_near(rule::lifetimes_slope,
                 {"slope of ln(β T) against β from 9 on, from a right angle", 1, slope}, 0.005));
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = figure::lifetimes,
       .table = "lifetimes",
       .title = usual ? "Two clusters at a right angle, SA"
                      : fmt::format("Two clusters at {:g}, mass {:g}, SA", angle, mass),
       .x = {.label = "inverse temperature β"},
       .y = {.label = "time until their angle is 0.1", .log = true},
       .curves = {{"quadrature", Curve::line, "quadrature", 0},
                  {"leading order", Curve::dashes,
                   usual ? "leading order e^{β}/(2β)" : "leading order", Curve::kQuiet},
                  {"particles", Curve::points, "two particles", 0}}});
  result.figures.push_back(
      {.name = figure::lifetimes,
       .table = "lifetimes",
       .title = "The same over the leading order",
       .x = {.label = "inverse temperature β"},
       .y = {.label = usual ? "time / (e^{β}/(2β))" : "time over the leading order"},
       .curves = {{"quadrature over leading order", Curve::line, "quadrature", 0},
                  {"particles over leading order", Curve::points, "two particles", 0}},
       .guides = {{"leading order", kNoNumber, 1}}});
  result.captions[figure::lifetimes] =
      "Two clusters at a right angle live for a time that grows as e^β / (2β): particles (points) "
      "lie on the quadrature of the equation of their angle (line), and both approach the leading "
      "order (dashes).";
  return result;
}

}  // namespace murmur
