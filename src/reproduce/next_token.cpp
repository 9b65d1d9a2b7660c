// next_token.cpp: how many atoms hold 99 % of the measure that a swarm puts out, over time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "murmur/observe.h"
#include "murmur/transport.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kBetas[] = {1, 4, 9};
constexpr double kShare = 0.99;

// One series of counts a start, all over the same times.
std::vector<Series> count_atoms(double beta, int starts, int threads) {
  std::vector<Series> counts(static_cast<std::size_t>(starts));
  for_blocks(starts, threads, [&](int seed) {
    ExperimentSpec spec = preset_spec("next-token");
    spec.dynamics.beta = beta;
    spec.random.seed = static_cast<std::uint64_t>(seed);
    spec.engine.threads = 1;
    const Experiment e = make_experiment(spec);
    const Simulated simulated = simulate_in_memory(e);
    counts[seed] = atoms_over_time(history_of(simulated.times, simulated.frames), e.dynamics,
                                   {.share = kShare, .tol = e.observe.cluster_tol});
  });
  return counts;
}

double mean_at(const std::vector<Series>& counts, std::size_t frame) {
  double sum = 0;
  for (const Series& series : counts) sum += series.value[frame];
  return sum / static_cast<double>(counts.size());
}

// Of all steps from frame to frame, those that show more atoms than before.
double rises(const std::vector<Series>& counts) {
  double up = 0;
  for (const Series& series : counts)
    for (std::size_t k = 1; k < series.value.size(); ++k)
      up += series.value[k] > series.value[k - 1] ? 1 : 0;
  return up;
}

// W2 between what a swarm puts out at time t and what it puts out with its tokens in reverse.
double change_by_order(double t) {
  ExperimentSpec spec = preset_spec("next-token");
  spec.T = t;
  spec.save = SaveChoice{.kind = SaveChoice::final};
  Experiment e = make_experiment(spec);
  const HostSwarm out = simulate_in_memory(e).last(), in = e.swarm;
  for (int i = 0; i < in.n(); ++i)
    for (int k = 0; k < in.d(); ++k) e.swarm.at(i, k) = in.at(in.n() - 1 - i, k);
  return assignment_distance(out, simulate_in_memory(e).last(), Ground::arc).distance;
}

}  // namespace

std::optional<Reproduction> next_token(const ReproductionControl& control) {
  Reproduction result = result_of(control, "next-token");
  const int starts = control.quick ? 6 : 40;
  ReproducedTable table{"atoms", {"t", "beta", "atoms"}};
  double before = 0;
  for (const double beta : kBetas) {
    const std::vector<Series> counts = count_atoms(beta, starts, control.threads);
    if (control.stopped()) return std::nullopt;
    const std::vector<double>& t = counts.front().t;
    for (std::size_t k = 0; k < t.size(); ++k)
      table.rows.push_back({t[k], beta, mean_at(counts, k)});
    const std::string name = fmt::format("β = {:g}: ", beta);
    result.checks.push_back(
        near(name + "atoms at the start", std::ceil(kShare * 200), mean_at(counts, 0), 0));
    result.checks.push_back(
        holds(name + "times that atoms become more", rises(counts), rises(counts) == 0, "none"));
    const double left = mean_at(counts, t.size() - 1);
    result.checks.push_back(
        beta == 1 ? near(name + "atoms at the end", 1, left, 0)
                  : holds(name + "atoms at the end", left, left > before, "more than at lower β"));
    before = left;
  }
  const double change = change_by_order(2);
  result.checks.push_back(holds("β = 4, t = 2: W2 by which the order of tokens changes the output",
                                change, change < 1e-6, "below 1e-6"));
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "next-token",
                            .table = "atoms",
                            .columns = {"atoms"},
                            .x_label = "t",
                            .y_label = "atoms with 99 % of the mass",
                            .log_y = true,
                            .title = "200 tokens on the sphere become few",
                            .log_x = true,
                            .by = "beta"});
  return result;
}

}  // namespace murmur
