// causal_centres.cpp: tokens that nobody before them is near stay where they are, and gather
// others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/observe.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"
#include "theory/parked.h"

namespace murmur {

namespace {

struct Count {
  double beta;
  int n, d;
  double delta;
  double strong;  // expected of the strong centres; of an endless sequence where n is large
};

// Mean number of centres over independent starts, with its standard error.
Spread count_centres(const Count& c, Centres kind, int starts) {
  std::vector<double> counts;
  for (int seed = 0; seed < starts; ++seed) {
    ExperimentSpec spec = preset_spec("causal-centres");
    spec.dynamics.beta = c.beta;
    spec.n = c.n;
    spec.d = c.d;
    spec.random.seed = static_cast<std::uint64_t>(seed);
    const Experiment e = make_experiment(spec);
    counts.push_back(
        static_cast<double>(renyi_centres(e.swarm, e.dynamics.manifold, c.delta, kind).size()));
  }
  return spread_of(counts);
}

void check_counts(const ReproductionControl& control, Reproduction& result) {
  const Count cases[] = {{64, 200, 2, 4 / std::sqrt(64.0), 6.283},
                         {256, 400, 2, 4 / std::sqrt(256.0), 12.57},
                         {64, 400, 3, 0.5, 16.34}};
  const int starts = control.values.whole("starts");
  for (const Count& right : cases) {
    Count c = right;
    c.delta /= std::sqrt(control.wrong.beta);
    const Spread strong = count_centres(c, Centres::strong, starts);
    Check check = near("causal-centres.strong",
                       {fmt::format("d = {}, δ = {:g}, n = {}: mean number of strong centres", c.d,
                                    right.delta, c.n),
                        c.strong, strong.mean},
                       3 * strong.sd / std::sqrt(starts) + 5e-3);
    check.rule = "within 3 standard errors and the rounding of the print";
    check.more["finite n"] = theory::strong_centres(c.d, right.delta, c.n);
    result.checks.push_back(std::move(check));
    if (c.d != 2) continue;
    const Spread parked = count_centres(c, Centres::ordinary, starts);
    Check parking = near(
        "causal-centres.renyi",
        {fmt::format("d = 2, δ = {:g}, n = {}: mean number of Rényi centres", right.delta, c.n),
         theory::parked_centres(right.delta, c.n), parked.mean},
        3 * parked.sd / std::sqrt(starts));
    parking.rule = "within 3 standard errors";
    parking.more["endless sequence"] = theory::renyi_centres(right.delta);
    result.checks.push_back(std::move(parking));
  }
}

double turn(double from, double to) {
  return std::fabs(std::remainder(to - from, 6.283185307179586));
}

// Mean angles of the groups that gaps wider than `gap` part on the circle.
std::vector<double> groups_of(const HostSwarm& x, double gap) {
  std::vector<double> angles(static_cast<std::size_t>(x.n()));
  for (int i = 0; i < x.n(); ++i) angles[i] = angle_of(x, i);
  std::sort(angles.begin(), angles.end());
  constexpr double kTurn = 6.283185307179586;
  std::size_t first = 0;
  for (std::size_t k = 1; k < angles.size(); ++k)
    if (angles[k] - angles[k - 1] > gap) first = k;
  std::rotate(angles.begin(), angles.begin() + static_cast<std::ptrdiff_t>(first), angles.end());
  std::vector<double> groups;
  double sum = 0, count = 0;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    if (k > 0 && angles[k] < angles[k - 1]) angles[k] += kTurn;
    if (k > 0 && angles[k] - angles[k - 1] > gap) {
      groups.push_back(std::remainder(sum / count, kTurn));
      sum = count = 0;
    }
    sum += angles[k];
    ++count;
  }
  groups.push_back(std::remainder(sum / count, kTurn));
  return groups;
}

struct Flight {
  const Experiment& experiment;
  double beta;
};

// Angles of all tokens over time, broken where they pass from one end of the axis to the other.
void draw_flight(const Flight& flight, const std::vector<int>& strong, const Simulated& simulated,
                 Reproduction& result) {
  const Experiment& e = flight.experiment;
  ReproducedTable table{"flight", {"t", "token", "angle", "strong centre", "cluster"}};
  for (const bool centres : {false, true})
    for (int i = 0; i < e.swarm.n(); ++i) {
      if ((std::find(strong.begin(), strong.end(), i) != strong.end()) != centres) continue;
      double before = angle_of(simulated.frames.front(), i);
      int piece = 0;
      for (std::size_t t = 0; t < simulated.times.size(); ++t) {
        const double at = angle_of(simulated.frames[t], i);
        piece += std::fabs(at - before) > 3 ? 1 : 0;
        before = at;
        table.rows.push_back({simulated.times[t], fmt::format("{}.{}", i, piece),
                              centres ? kNoNumber : at, centres ? at : kNoNumber, kNoNumber});
      }
    }
  for (const double at : groups_of(simulated.last(), 0.1))
    table.rows.push_back({simulated.times.back(), "cluster", kNoNumber, kNoNumber, at});
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = "causal-centres",
       .table = "flight",
       .title = fmt::format("{} tokens on the circle, causal attention, β = {:g}", e.swarm.n(),
                            flight.beta),
       .x = {.label = "time t", .log = true},
       .y = {.label = "angle of the token", .from = -3.3, .to = 3.3, .angle = true},
       .curves = {{"angle", Drawn::path, "tokens", ReproducedCurve::kQuiet},
                  {"strong centre", Drawn::line, "strong centres", 1},
                  {"cluster", Drawn::rings, "clusters that remain", 0}},
       .apart = "token"});
}

// Mean numbers of centres over delta beside pi / delta and Renyi's constant.
void draw_counts(const ReproductionControl& control, Reproduction& result) {
  ReproducedTable table{"centres",
                        {"delta", "strong theory", "parked theory", "strong", "strong error",
                         "parked", "parked error"}};
  for (int k = 0; k <= 60; ++k) {
    const double delta = 0.2 * std::pow(5.5, k / 60.0);
    table.rows.push_back({delta, 3.141592653589793 / delta, theory::renyi_centres(delta), kNoNumber,
                          kNoNumber, kNoNumber, kNoNumber});
  }
  const int starts = control.values.whole("panel_starts");
  for (const double delta : control.values.numbers("deltas")) {
    const Count c{64, 400, 2, delta, kNoNumber};
    const Spread strong = count_centres(c, Centres::strong, starts);
    const Spread parked = count_centres(c, Centres::ordinary, starts);
    table.rows.push_back({delta, kNoNumber, kNoNumber, strong.mean, strong.sd / std::sqrt(starts),
                          parked.mean, parked.sd / std::sqrt(starts)});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = "causal-centres",
       .table = "centres",
       .title = "Numbers of centres, n = 400",
       .x = {.label = "distance δ between centres", .log = true},
       .y = {.label = "mean number of centres", .log = true},
       .curves = {{"strong theory", Drawn::line, "π/δ", 1},
                  {"parked theory", Drawn::line, "0.7476 · 2π/δ", 2},
                  {"strong", Drawn::points, "strong centres", 1, "strong error"},
                  {"parked", Drawn::points, "Rényi centres", 2, "parked error"}}});
  result.captions["causal-centres"] =
      "Left: strong centres, tokens that no earlier token is near, keep their angle until t = 150 "
      "and gather the others; rings mark the clusters that remain, those without an orange line at "
      "other Rényi centres. Right: mean numbers of centres over independent starts, with standard "
      "errors, on the laws that hold for an endless sequence.";
}

}  // namespace

std::optional<Reproduction> causal_centres(const ReproductionControl& control) {
  Reproduction result = result_of(control, "causal-centres");
  check_counts(control, result);
  for (int seed = 0; seed < control.values.whole("seeds"); ++seed) {
    if (control.stopped()) return std::nullopt;
    ExperimentSpec spec = control.values.spec("causal-centres");
    const double beta = spec.dynamics.beta;
    spec.random.seed = static_cast<std::uint64_t>(seed);
    control.wrong.spoil(spec);
    const Experiment e = make_experiment(spec);
    const double delta = 4 / std::sqrt(beta);
    const std::vector<int> strong =
        renyi_centres(e.swarm, e.dynamics.manifold, delta, Centres::strong);
    const Simulated simulated = simulate_in_memory(e, control.wrong.null);
    double moved = 0, others = 0;
    for (int i = 0; i < e.swarm.n(); ++i) {
      const double by = turn(angle_of(e.swarm, i), angle_of(simulated.last(), i));
      if (std::find(strong.begin(), strong.end(), i) != strong.end())
        moved = std::max(moved, by);
      else
        others += by / (e.swarm.n() - static_cast<double>(strong.size()));
    }
    Check stay = holds(
        "causal-centres.stay",
        {fmt::format("seed {}: largest turn of a strong centre by t = {:g}", seed, e.schedule.T),
         moved},
        moved < 0.01 && others > 0.1, "below 0.01, where the others turn by more than 0.1");
    stay.more["mean turn of the others"] = others;
    result.checks.push_back(std::move(stay));
    if (seed == 0) draw_flight({e, beta}, strong, simulated, result);
  }
  if (control.figures) draw_counts(control, result);
  return result;
}

}  // namespace murmur
