// density_modes.cpp: how many peaks the kernel density of Gaussian tokens has.
#include <fmt/format.h>

#include <cmath>

#include "core/parallel.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct Row {
  double beta, before;  // the mean number of modes of our earlier runs
};
constexpr Row kRows[] = {{1e3, 40.2}, {1e4, 133.5}};

// Peaks of sum_i e^{-beta (y - y_i)^2 / 2} along the first axis, one number a start.
std::vector<double> count_modes(double beta, int starts, const ReproductionControl& control) {
  std::vector<double> counts(starts);
  for_blocks(starts, control.threads, [&](int seed) {
    ExperimentSpec spec = control.values.spec("density-modes");
    spec.random.seed = static_cast<std::uint64_t>(seed);
    const Experiment e = make_experiment(spec);
    counts[seed] =
        static_cast<double>(density_modes(e.swarm, e.dynamics.manifold, {.beta = beta}).size());
  });
  return counts;
}

// Over the decade of kRows: the exponent of sqrt(beta ln beta) is 0.56, that of sqrt(beta) 0.5.
Check exponent_check(const std::vector<double>& means) {
  const double decade = std::log(kRows[1].beta / kRows[0].beta);
  const double ours = std::log(means[1] / means[0]) / decade;
  const double law =
      std::log(theory::mode_scale(kRows[1].beta) / theory::mode_scale(kRows[0].beta)) / decade;
  return near("density-modes.logarithm",
              {"exponent of the number of modes from β = 1,000 to 10,000", law, ours},
              (law - 0.5) / 2);
}

}  // namespace

std::optional<Reproduction> density_modes(const ReproductionControl& control) {
  Reproduction result = result_of(control, "density-modes");
  const int starts = control.values.whole("starts");
  const std::string n = grouped(control.values.spec("density-modes").n.value_or(kDefaultParticles));
  std::vector<double> means;
  for (const Row& row : kRows) {
    const Spread s = spread_of(count_modes(row.beta * control.wrong.beta, starts, control));
    means.push_back(s.mean);
    Check check = nearly(
        "density-modes.count",
        {fmt::format("n = {}, β = {:g}: mean number of modes", n, row.beta), row.before, s.mean},
        0.05);
    check.more["over sqrt(beta ln beta)"] = s.mean / theory::mode_scale(row.beta);
    check.more["starts"] = starts;
    result.checks.push_back(std::move(check));
    if (control.stopped()) return std::nullopt;
  }
  result.checks.push_back(exponent_check(means));
  if (!control.figures) return result;
  ReproducedTable table{"modes", {"beta", "mean", "standard error", "logarithm", "root"}};
  const int panel = control.values.whole("panel_starts");
  for (const double beta : control.values.numbers("betas")) {
    const Spread s = spread_of(count_modes(beta, panel, control));
    table.rows.push_back({beta, s.mean, s.sd / std::sqrt(panel), 0.45 * theory::mode_scale(beta),
                          means[0] * std::sqrt(beta / kRows[0].beta)});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = "density-modes",
       .table = "modes",
       .title = "Peaks of a Gaussian kernel density, n = " + n,
       .x = {.label = "inverse squared bandwidth β", .log = true},
       .y = {.label = "number of modes", .log = true},
       .curves = {
           {"logarithm", Drawn::line, "0.45 √(β ln β)", 0},
           {"root", Drawn::dashes, "√β through β = 1,000", ReproducedCurve::kQuiet},
           {"mean", Drawn::points, fmt::format("mean of {} starts", panel), 0, "standard error"}}});
  result.captions["density-modes"] =
      "The number of modes of the kernel density of 10,000 independent tokens grows with β; over "
      "the last decade it follows √β (dashes) more closely than √(β ln β) (line), the law of arXiv "
      "2412.09080 with a fitted factor. Bars: standard errors over starts.";
  return result;
}

}  // namespace murmur
