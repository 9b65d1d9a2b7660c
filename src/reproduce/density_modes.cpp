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
  double beta, published;
};
constexpr Row kRows[] = {{1e3, 40.2}, {1e4, 133.5}};

// Peaks of sum_i e^{-beta (y - y_i)^2 / 2} along the first axis, one number a start.
std::vector<double> count_modes(double beta, int starts, int threads) {
  std::vector<double> counts(starts);
  for_blocks(starts, threads, [&](int seed) {
    ExperimentSpec spec = preset_spec("density-modes");
    spec.random.seed = static_cast<std::uint64_t>(seed);
    const Experiment e = make_experiment(spec);
    counts[seed] =
        static_cast<double>(density_modes(e.swarm, e.dynamics.manifold, {.beta = beta}).size());
  });
  return counts;
}

}  // namespace

std::optional<Reproduction> density_modes(const ReproductionControl& control) {
  Reproduction result = result_of(control, "density-modes");
  const int starts = control.quick ? 10 : 40;
  for (const Row& row : kRows) {
    const Spread s = spread_of(count_modes(row.beta, starts, control.threads));
    Check check = nearly(fmt::format("n = 10,000, β = {:g}: mean number of modes", row.beta),
                         row.published, s.mean, 0.05);
    check.more["over sqrt(beta ln beta)"] = s.mean / theory::mode_scale(row.beta);
    check.more["starts"] = starts;
    result.checks.push_back(std::move(check));
    if (control.stopped()) return std::nullopt;
  }
  ReproducedTable table{"modes", {"beta", "mean", "0.45 sqrt(beta ln beta)"}};
  for (double beta = 100; beta < 3e4; beta *= 2)
    table.rows.push_back({beta, spread_of(count_modes(beta, 5, control.threads)).mean,
                          0.45 * theory::mode_scale(beta)});
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "density-modes",
                            .table = "modes",
                            .columns = {"mean", "0.45 sqrt(beta ln beta)"},
                            .x_label = "β",
                            .y_label = "modes of the density",
                            .log_y = true,
                            .title = "Peaks of a Gaussian kernel density, n = 10,000",
                            .log_x = true,
                            .dashed = {"0.45 sqrt(beta ln beta)"}});
  return result;
}

}  // namespace murmur
