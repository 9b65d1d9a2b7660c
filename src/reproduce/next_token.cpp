// next_token.cpp: how many atoms hold 99 % of the measure that a swarm puts out, over time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "murmur/observe.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr int kFirstSeed = 1000;  // those below were seen before the rules were written

// One series of counts a start, all over the same times.
std::vector<Series> count_atoms(double beta, int starts, const ReproductionControl& control) {
  std::vector<Series> counts(static_cast<std::size_t>(starts));
  for_blocks(starts, control.threads, [&](int seed) {
    ExperimentSpec spec = control.values.spec("next-token");
    spec.dynamics.beta = beta * control.wrong.beta;
    spec.random.seed = static_cast<std::uint64_t>(kFirstSeed + seed);
    spec.engine.threads = 1;
    const Experiment e = make_experiment(spec);
    const Simulated simulated = simulate_in_memory(e, control.wrong.null);
    counts[seed] =
        atoms_over_time(history_of(simulated.times, simulated.frames), e.dynamics,
                        {.share = control.values.number("share"), .tol = e.observe.cluster_tol});
  });
  return counts;
}

Spread spread_at(const std::vector<Series>& counts, std::size_t frame) {
  std::vector<double> values;
  for (const Series& series : counts) values.push_back(series.value[frame]);
  return spread_of(values);
}

double error_at(const std::vector<Series>& counts, std::size_t frame) {
  return spread_at(counts, frame).sd / std::sqrt(static_cast<double>(counts.size()));
}

}  // namespace

std::optional<Reproduction> next_token(const ReproductionControl& control) {
  Reproduction result = result_of(control, "next-token");
  const FigureValues& values = control.values;
  const int starts = values.whole("starts");
  const ExperimentSpec preset = values.spec("next-token");
  const int n = preset.n.value_or(kDefaultParticles), d = preset.d.value_or(kDefaultCoordinates);
  const std::string share = fmt::format("{:g} %", 100 * values.number("share"));
  ReproducedTable table{"atoms", {"t", "beta", "atoms", "standard error"}};
  Spread before{.mean = 0, .sd = 0};
  for (const double beta : values.numbers("betas")) {
    const std::vector<Series> counts = count_atoms(beta, starts, control);
    if (control.stopped()) return std::nullopt;
    const std::vector<double>& t = counts.front().t;
    for (std::size_t k = 0; k < t.size(); ++k)
      table.rows.push_back({t[k], beta, spread_at(counts, k).mean, error_at(counts, k)});
    const Spread left = spread_at(counts, t.size() - 1);
    const std::string what = fmt::format("β = {:g}: atoms at t = {:g}", beta, t.back());
    const double error = std::hypot(left.sd, before.sd) / std::sqrt(static_cast<double>(starts));
    Check check = beta == 1
                      ? near("next-token.one", {what + ", the most of all starts", 1, left.high}, 0)
                      : holds("next-token.more", {what + ", on average", left.mean},
                              left.mean - before.mean > 3 * error,
                              "more than at the lower β, by 3 standard errors of the difference");
    check.more["standard error"] = left.sd / std::sqrt(static_cast<double>(starts));
    check.more["starts"] = starts;
    result.checks.push_back(std::move(check));
    before = left;
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = "next-token",
       .table = "atoms",
       .title = d == 3 ? fmt::format("{} tokens on the sphere S² become few", n)
                       : fmt::format("{} tokens, d = {}, become few", n, d),
       .x = {.label = "time t",
             .log = true,
             .from = values.any_changed() ? kNoNumber : 2.9,
             .to = values.any_changed() ? kNoNumber : 115},
       .y = {.label = "number of atoms with " + share + " of the mass", .log = true},
       .curves = {{.column = "atoms", .error = "standard error"}},
       .by = "beta",
       .by_name = "β",
       .guides = {{"one atom", kNoNumber, 1}}});
  result.captions["next-token"] = fmt::format(
      "The number of atoms that hold 99 % of the output measure, mean of {} starts with standard "
      "errors: nearly all tokens until t is about 8, in the end one atom at β = 1, and the more of "
      "them the sharper attention is.",
      starts);
  return result;
}

}  // namespace murmur
