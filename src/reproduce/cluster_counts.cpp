// cluster_counts.cpp: how many peaks a kernel density of Gaussian tokens has, and how many atoms
// hold 99 % of the output measure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct Row {
  double beta, before;  // the mean number of modes in our earlier runs
};
constexpr Row kRows[] = {{1e3, 40.2}, {1e4, 133.5}};

// Peaks of sum_i e^{-beta (y - y_i)^2 / 2} along the first axis, one number per start.
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
  return check_near(rule::density_modes_logarithm,
                    {"exponent of the number of modes from β = 1,000 to 10,000", law, ours},
                    (law - 0.5) / 2);
}

}  // namespace

std::optional<Reproduction> density_modes(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::density_modes);
  const int starts = control.values.whole("starts");
  const std::string n =
      group_digits(control.values.spec("density-modes").n.value_or(kDefaultParticles));
  std::vector<double> means;
  for (const Row& row : kRows) {
    const Spread s = spread_of(count_modes(row.beta * control.wrong.beta, starts, control));
    means.push_back(s.mean);
    Check check = check_near_share(
        rule::density_modes_count,
        {fmt::format("n = {}, β = {:g}: mean number of modes", n, row.beta), row.before, s.mean},
        0.05);
    check.more["over sqrt(beta ln beta)"] = s.mean / theory::mode_scale(row.beta);
    check.more["starts"] = starts;
    result.checks.push_back(std::move(check));
    if (control.stopped()) return std::nullopt;
  }
  result.checks.push_back(exponent_check(means));
  if (!control.figures) return result;
  ColumnTable table{"modes", {"beta", "mean", "standard error", "logarithm", "root"}};
  const int panel = control.values.whole("panel_starts");
  for (const double beta : control.values.numbers("betas")) {
    const Spread s = spread_of(count_modes(beta, panel, control));
    table.rows.push_back({beta, s.mean, s.error(), 0.45 * theory::mode_scale(beta),
                          means[0] * std::sqrt(beta / kRows[0].beta)});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = figure::density_modes,
       .table = "modes",
       .title = "Peaks of a Gaussian kernel density, n = " + n,
       .x = {.label = "inverse squared bandwidth β", .log = true},
       .y = {.label = "number of modes", .log = true},
       .curves = {
           {"logarithm", Curve::line, "0.45 √(β ln β)", 0},
           {"root", Curve::dashes, "√β through β = 1,000", Curve::kQuiet},
           {"mean", Curve::points, fmt::format("mean of {} starts", panel), 0, "standard error"}}});
  result.captions[figure::density_modes] =
      "The number of modes of the kernel density of 10,000 independent tokens grows with β; over "
      "the last decade it follows √β (dashes) more closely than √(β ln β) (line), the law of arXiv "
      "2412.09080 with a fitted factor. Bars: standard errors over starts.";
  return result;
}

namespace {

constexpr int kFirstSeed = 1000;  // those below were seen before the rules were written

// One series of counts per start, all over the same times.
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
  return spread_at(counts, frame).error();
}

}  // namespace

std::optional<Reproduction> next_token(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::next_token);
  const FigureValues& values = control.values;
  const int starts = values.whole("starts");
  const ExperimentSpec preset = values.spec("next-token");
  const int n = preset.n.value_or(kDefaultParticles), d = preset.d.value_or(kDefaultCoordinates);
  const std::string share = fmt::format("{:g} %", 100 * values.number("share"));
  ColumnTable table{"atoms", {"t", "beta", "atoms", "standard error"}};
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
    Check check =
        beta == 1
            ? check_near(rule::next_token_one, {what + ", the most of all starts", 1, left.high}, 0)
            : check_holds(rule::next_token_more, {what + ", on average", left.mean},
                          left.mean - before.mean > 3 * error,
                          "more than at the lower β, by 3 standard errors of the difference");
    check.more["standard error"] = left.error();
    check.more["starts"] = starts;
    result.checks.push_back(std::move(check));
    before = left;
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = figure::next_token,
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
  result.captions[figure::next_token] = fmt::format(
      "The number of atoms that hold 99 % of the output measure, mean of {} starts with standard "
      "errors: nearly all tokens until t is about 8, in the end one atom at β = 1, and the more of "
      "them the sharper attention is.",
      starts);
  return result;
}

}  // namespace murmur
