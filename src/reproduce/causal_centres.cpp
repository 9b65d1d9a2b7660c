// causal_centres.cpp: tokens that nobody before them is near stay where they are, and gather
// others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/observe.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

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
  const int starts = control.quick ? 200 : 2000;
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
    Check parking = nearly(
        "causal-centres.renyi",
        {fmt::format("d = 2, δ = {:g}, n = {}: mean number of Rényi centres", right.delta, c.n),
         theory::renyi_centres(right.delta), parked.mean},
        0.05);
    result.checks.push_back(std::move(parking));
  }
}

double turn(double from, double to) {
  return std::fabs(std::remainder(to - from, 6.283185307179586));
}

}  // namespace

std::optional<Reproduction> causal_centres(const ReproductionControl& control) {
  Reproduction result = result_of(control, "causal-centres");
  check_counts(control, result);
  ReproducedTable table{"flight", {"t", "angle", "strong centre"}};
  for (int seed = 0; seed < (control.quick ? 1 : 5); ++seed) {
    if (control.stopped()) return std::nullopt;
    ExperimentSpec spec = preset_spec("causal-centres");
    spec.random.seed = static_cast<std::uint64_t>(seed);
    control.wrong.spoil(spec);
    const Experiment e = make_experiment(spec);
    const double delta = 4 / std::sqrt(64.0);
    const std::vector<int> strong =
        renyi_centres(e.swarm, e.dynamics.manifold, delta, Centres::strong);
    const Simulated simulated = simulate_in_memory(e);
    double moved = 0;
    for (const int i : strong)
      moved = std::max(moved, turn(angle_of(e.swarm, i), angle_of(simulated.last(), i)));
    result.checks.push_back(holds(
        "causal-centres.stay",
        {fmt::format("seed {}: largest turn of a strong centre by t = {:g}", seed, e.schedule.T),
         moved},
        moved < 0.01, "below 0.01"));
    for (std::size_t t = 0; seed == 0 && t < simulated.times.size(); ++t)
      for (int i = 0; i < e.swarm.n(); ++i) {
        const bool centre = std::find(strong.begin(), strong.end(), i) != strong.end();
        const double at = angle_of(simulated.frames[t], i);
        table.rows.push_back(
            {simulated.times[t], centre ? kNoNumber : at, centre ? at : kNoNumber});
      }
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "causal-centres",
                            .table = "flight",
                            .columns = {"angle", "strong centre"},
                            .x_label = "t",
                            .y_label = "angle of the token",
                            .title = "Causal attention: strong centres stay",
                            .log_x = true,
                            .points = {"angle", "strong centre"}});
  return result;
}

}  // namespace murmur
