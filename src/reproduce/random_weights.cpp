// random_weights.cpp: whether and when the sharp front comes under random query, key and value
// matrices with entries of variance 1/d. The maps of Fig. 5 are in random_maps.cpp.
#include "reproduce/random_weights.h"

#include <fmt/format.h>

#include <cmath>

#include "core/parallel.h"
#include "murmur/theory.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct Family {
  const char* name;
  MatrixChoice::Kind query, key, value;
  bool front;    // all pairs are to meet, at once
  bool uniform;  // V = I and scores without a sign: attention to all alike
};
using Choice = MatrixChoice;
constexpr Family kFamilies[] = {
    {"Q, K Gaussian, V = I", Choice::gaussian, Choice::gaussian, Choice::identity, true, true},
    {"Q GOE, K = I, V = I", Choice::goe, Choice::identity, Choice::identity, true, true},
    {"Q = K = I, V PSD", Choice::identity, Choice::identity, Choice::psd, true, false},
    {"Q = K = I, V Gaussian", Choice::identity, Choice::identity, Choice::gaussian, false, false},
    {"Q, K Gaussian, V = QᵀK", Choice::gaussian, Choice::gaussian, Choice::query_key, false, false},
};

// The share of close pairs over time, of one swarm or in the mean of several.
struct Mean {
  std::vector<double> times{}, close{};  // fraction of close pairs over the replicas
  std::vector<double> error{};           // standard errors; of several alone
};

// Each replica has its own start and its own matrices.
ExperimentSpec spec_of(const Family& family, std::uint32_t replica, const FigureValues& values) {
  ExperimentSpec spec = values.spec("random-weights");
  spec.dynamics.query = {family.query};
  spec.dynamics.key = {family.key};
  spec.dynamics.value = {family.value};
  spec.random.replica = replica;
  spec.engine.threads = 1;
  return spec;
}

Mean close_pairs(const ExperimentSpec& spec, NullModel null) {
  const Experiment e = make_experiment(spec);
  const std::size_t column = observable_column(e.dynamics, "close_pairs");
  const Simulated simulated = simulate_in_memory(e, null);
  Mean mean{simulated.times};
  for (const HostSwarm& x : simulated.frames)
    mean.close.push_back(observe(x, e.dynamics, observe_settings(e))[column]);
  return mean;
}

std::optional<Mean> simulate_family(const Family& family, const ReproductionControl& control) {
  const int replicas = control.values.whole("replicas");
  std::vector<Mean> each(replicas);
  for_blocks(replicas, control.threads, [&](int r) {
    if (control.stopped()) return;
    ExperimentSpec spec = spec_of(family, static_cast<std::uint32_t>(r), control.values);
    control.wrong.spoil(spec);
    each[r] = close_pairs(spec, control.wrong.null);
  });
  if (control.stopped()) return std::nullopt;
  Mean mean{each[0].times};
  for (std::size_t t = 0; t < mean.times.size(); ++t) {
    std::vector<double> at;
    for (const Mean& one : each) at.push_back(one.close[t]);
    const Spread spread = spread_of(at);
    mean.close.push_back(spread.mean);
    mean.error.push_back(spread.sd / std::sqrt(static_cast<double>(replicas)));
  }
  return mean;
}

// Swarms of the exact flow at a sharp beta, when half of their pairs are close.
constexpr std::uint32_t kFirst =
    1000;  // replica; those below were seen before the rule was written

double half_time(const Mean& mean) {
  for (std::size_t t = 1; t < mean.close.size(); ++t)
    if (mean.close[t] >= 0.5)
      return mean.times[t - 1] + (mean.times[t] - mean.times[t - 1]) * (0.5 - mean.close[t - 1]) /
                                     (mean.close[t] - mean.close[t - 1]);
  return kNoNumber;
}

// With random Q and K the score beta <Q x, K y> of any two unit vectors, equal ones too, is of mean
// 0 and variance beta^2 / d (twice that of equal ones under GOE): attention is the mean, up to the
// second order beta^2 / d, and tokens meet as they do at beta = 0, whatever beta is.
bool check_times(const ReproductionControl& control, Reproduction& result) {
  const int replicas = control.values.whole("time_replicas");
  const int wide = control.values.whole("wide");
  const double sharp = control.values.number("sharp");
  const int n = control.values.spec("random-weights").n.value_or(kDefaultParticles);
  const double predicted = theory::clustering_time({.n = n, .beta = 0}, 1e-3);
  for (const Family& family : kFamilies) {
    if (!family.uniform) continue;
    std::vector<double> halves(replicas);
    for_blocks(replicas, control.threads, [&](int r) {
      if (control.stopped()) return;
      ExperimentSpec spec = spec_of(family, kFirst + static_cast<std::uint32_t>(r), control.values);
      spec.d = wide;
      spec.dynamics.beta = sharp;
      spec.method = Method::dopri5;
      spec.T = 1.6 * predicted;
      spec.save = SaveChoice{SaveChoice::every, 0.02 * predicted};
      control.wrong.spoil(spec);
      halves[r] = half_time(close_pairs(spec, control.wrong.null));
    });
    if (control.stopped()) return false;
    const Spread spread = spread_of(halves);
    const double error = spread.sd / std::sqrt(static_cast<double>(replicas));
    Check check = near("random-weights.time",
                       {fmt::format("{}, entries of variance 1/d, d = {}, β = {:g}: time of half "
                                    "of the pairs, beside t*(0)",
                                    family.name, wide, sharp),
                        predicted, spread.mean},
                       3 * error + sharp * sharp / wide * predicted);
    check.more["standard error"] = error;
    check.more["swarms"] = replicas;
    result.checks.push_back(std::move(check));
  }
  return true;
}

std::string title_of(const ExperimentSpec& spec) {
  return fmt::format("n = {}, d = {}, β = {:g}: matrices with entries of variance 1/d",
                     spec.n.value_or(kDefaultParticles), spec.d.value_or(kDefaultCoordinates),
                     spec.dynamics.beta);
}

// The axis of times about the fronts of the published parameters, or as far as the data go.
ReproducedAxis times_of(const FigureValues& values) {
  if (values.any_changed()) return {.label = "time t"};
  return {.label = "time t", .from = 1.5, .to = 8.9, .every = 1};
}

double first_above(const Mean& mean, double level) {
  for (std::size_t t = 0; t < mean.close.size(); ++t)
    if (mean.close[t] >= level) return mean.times[t];
  return INFINITY;
}

}  // namespace

std::optional<Reproduction> random_weights(const ReproductionControl& control) {
  Reproduction result = result_of(control, "random-weights");
  ReproducedTable table{"fractions", {"t"}};
  ReproducedTable ends{"ends", {"family", "t of 10 %", "t of 90 %", "close at the end"}};
  ReproducedFigure figure{.name = "random-weights-fronts",
                          .table = "fractions",
                          .title = title_of(control.values.spec("random-weights")),
                          .x = times_of(control.values),
                          .y = {.label = "share of pairs with cosine > 0.999"}};
  for (const Family& family : kFamilies) {
    const auto mean = simulate_family(family, control);
    if (!mean) return std::nullopt;
    const std::string error = fmt::format("{}, standard error", family.name);
    table.columns.insert(table.columns.end(), {family.name, error});
    figure.curves.push_back(  // the second front lies on the first
        {family.name, figure.curves.size() == 1 ? Drawn::rings : Drawn::points, family.name,
         ReproducedCurve::kNextColour, error});
    if (table.rows.empty())
      for (const double t : mean->times) table.rows.push_back({t});
    for (std::size_t t = 0; t < mean->close.size(); ++t)
      table.rows[t].insert(table.rows[t].end(), {mean->close[t], mean->error[t]});
    const double ratio = first_above(*mean, 0.9) / first_above(*mean, 0.1);
    ends.rows.push_back(
        {family.name, first_above(*mean, 0.1), first_above(*mean, 0.9), mean->close.back()});
    if (family.front)
      result.checks.push_back(
          holds("random-weights.front",
                {fmt::format("{}: time of 90 % close pairs over that of 10 %", family.name),
                 std::isfinite(first_above(*mean, 0.1)) ? ratio : INFINITY},
                ratio < 2, "below 2: a front"));
  }
  if (!check_times(control, result) || !check_random_cells(control, result)) return std::nullopt;
  result.tables.push_back(std::move(ends));
  result.tables.push_back(std::move(table));
  result.figures.push_back(std::move(figure));
  result.captions["random-weights-fronts"] =
      "With entries of variance 1/d all pairs of 32 tokens meet at about one time, a front, "
      "whichever weights are drawn: with random query and key where V = I puts it, earlier with a "
      "positive semi-definite V, later and less sharply with a Gaussian V or V = QᵀK. Means over "
      "draws of start and matrices, with standard errors.";
  if (control.figures && !draw_random_maps(control, result)) return std::nullopt;
  return result;
}

}  // namespace murmur
