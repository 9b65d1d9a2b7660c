// random_weights.cpp: whether and when all tokens meet under random query, key and value matrices:
// fronts for entries of variance 1/d, and the maps of Fig. 5 of 2312.10794 in two normalisations.
#include <fmt/format.h>

#include <cmath>

#include "core/parallel.h"
#include "murmur/experiment.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

using Choice = MatrixChoice;

// How large random matrices are. The companion code of 2312.10794 (phase-diagrams.py) divides
// G1 G2 by sqrt(d): a score of two unit vectors is beta times a standard normal number, whatever d
// is. Entries of variance 1/d, as `query=gaussian` draws them, make it smaller by sqrt(d).
enum class RandomScale { companion, variance_1_over_d };

struct RandomEnsemble {
  const char* name;
  MatrixChoice::Kind query, key, value;
};

// One swarm with its own start and matrices, layers of 0.1 until t = 30.
struct RandomCell {
  RandomEnsemble ensemble;
  RandomScale scale = RandomScale::companion;
  double beta = 1;
  std::uint32_t replica = 0;
  bool only_end = false;  // else a frame every 0.5
};

// The choices of Q, K and V that phase-diagrams.py offers: randomKQ=1 with randomV=0, 1 and 2, and
// randomKQ=3 with randomV=2.
constexpr RandomEnsemble kEnsembles[] = {
    {"Q, K Gaussian, V = I", Choice::gaussian, Choice::gaussian, Choice::identity},
    {"Q, K Gaussian, V = GGᵀ", Choice::gaussian, Choice::gaussian, Choice::psd},
    {"Q, K Gaussian, V = QᵀK", Choice::gaussian, Choice::gaussian, Choice::query_key},
    {"QᵀK GOE, V = QᵀK", Choice::goe, Choice::identity, Choice::query_key},
};

// What scripts/published_random_weights.py printed for 512 swarms of the first ensemble.
constexpr double kCellBeta = 4;
struct NumpyCell {
  RandomScale scale;
  double share, error;
};
constexpr NumpyCell kNumpy[] = {{RandomScale::companion, 0.4904, 0.0085},
                                {RandomScale::variance_1_over_d, 1.0, 0}};

Attention& head_of(Dynamics& dynamics) {
  return std::get<Attention>(dynamics.sublayers.at(0).forces.at(0));
}

std::string_view name_of(RandomScale scale) {
  return scale == RandomScale::companion ? "scores β N(0, 1), as the authors"
                                         : "scores β N(0, 1/d)";
}

ExperimentSpec spec_of(const RandomCell& cell, const FigureValues& values) {
  ExperimentSpec spec = values.spec("random-weights");
  spec.dynamics.beta = cell.beta;
  spec.dynamics.query = {cell.ensemble.query};
  spec.dynamics.key = {cell.ensemble.key};
  spec.dynamics.value = {cell.ensemble.value};
  spec.random.replica = cell.replica;
  spec.save =
      cell.only_end ? SaveChoice{.kind = SaveChoice::final} : SaveChoice{SaveChoice::every, 0.5};
  spec.engine.threads = 1;
  return spec;
}

// phase-diagrams.py draws every matrix with entries of variance 1, and divides: V = GGᵀ by sqrt(d),
// V = QᵀK by sqrt(d), or sqrt(d + 1) of GOE. It keeps tokens in rows and multiplies V from the
// right, so that the transpose acts.
Experiment make_random(const RandomCell& cell, const ReproductionControl& control) {
  ExperimentSpec spec = spec_of(cell, control.values);
  control.wrong.apply(spec);
  Experiment e = make_experiment(spec);
  if (cell.scale == RandomScale::variance_1_over_d) return e;
  const double d = e.swarm.d();
  Attention& head = head_of(e.dynamics);
  head.beta *= std::sqrt(d);
  const Matrix drawn = head.value;
  for (int r = 0; r < drawn.rows; ++r)
    for (int c = 0; c < drawn.cols; ++c) {
      if (cell.ensemble.value == Choice::psd) head.value(r, c) = std::sqrt(d) * drawn(r, c);
      if (cell.ensemble.value != Choice::query_key) continue;
      head.value(r, c) =
          drawn(c, r) * (cell.ensemble.query == Choice::goe ? std::sqrt(d / (d + 1)) : 1);
    }
  return e;
}

// The share of pairs with cosine above 0.999.
double close_pairs(const HostSwarm& x) {
  int close = 0;
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j < i; ++j) {
      double dot = 0;
      for (int k = 0; k < x.d(); ++k) dot += x.at(i, k) * x.at(j, k);
      close += dot > 0.999 ? 1 : 0;
    }
  return 2.0 * close / (static_cast<double>(x.n()) * (x.n() - 1));
}

// The share of close pairs at the saved times; empty when a signal came.
std::vector<double> shares_of(const RandomCell& cell, const ReproductionControl& control,
                              std::vector<double>* times = nullptr) {
  if (control.stopped()) return {};
  const Simulated simulated = simulate_in_memory(make_random(cell, control), control.wrong.null);
  std::vector<double> shares;
  for (const HostSwarm& x : simulated.frames) shares.push_back(close_pairs(x));
  if (times) *times = simulated.times;
  return shares;
}

// The cell beta = 4, t = 30 of the first map in both scales, compared with numpy. False when a
// signal came.
bool check_random_cells(const ReproductionControl& control, Reproduction& result) {
  constexpr std::uint32_t kFirstReplica = 5000;  // apart from those of the maps
  const int swarms = control.values.whole("cell_replicas");
  const ExperimentSpec preset = control.values.spec("random-weights");
  for (const NumpyCell& cell : kNumpy) {
    std::vector<double> ends(swarms);
    for_blocks(swarms, control.threads, [&](int r) {
      const std::vector<double> shares =
          shares_of({kEnsembles[0], cell.scale, kCellBeta,
                     kFirstReplica + static_cast<std::uint32_t>(r), true},
                    control);
      if (!shares.empty()) ends[r] = shares.back();
    });
    if (control.stopped()) return false;
    const Spread spread = spread_of(ends);
    const double error = spread.error();
    Check check =
        check_near(rule::random_weights_cell,
                   {fmt::format("{}, {}, d = {}, β = {:g}: share of close pairs at t = {:g}",
                                name_of(cell.scale), kEnsembles[0].name,
                                preset.d.value_or(kDefaultCoordinates), kCellBeta, preset.T),
                    cell.share, spread.mean},
                   3 * std::hypot(error, cell.error) + 1e-9);
    check.more["standard error"] = error;
    check.more["swarms"] = swarms;
    result.checks.push_back(std::move(check));
  }
  return true;
}

struct Grid {
  int betas, swarms;
};

// Rows of one map: t, beta and the mean share; nothing when a signal came.
std::optional<ColumnTable> map_of(const RandomEnsemble& ensemble, RandomScale scale,
                                  const Grid& grid, const ReproductionControl& control) {
  ColumnTable table{"", {"t", "beta", "close_pairs"}};
  const int cells = grid.betas * grid.swarms;
  std::vector<std::vector<double>> shares(cells), times(cells);
  const auto beta_of = [&](int b) { return 0.1 + 8.9 * b / (grid.betas - 1); };
  for_blocks(cells, control.threads, [&](int c) {
    shares[c] =
        shares_of({ensemble, scale, beta_of(c / grid.swarms), static_cast<std::uint32_t>(c)},
                  control, &times[c]);
  });
  if (control.stopped()) return std::nullopt;
  for (int b = 0; b < grid.betas; ++b)
    for (std::size_t t = 1; t < times[0].size(); ++t) {
      double mean = 0;
      for (int r = 0; r < grid.swarms; ++r) mean += shares[b * grid.swarms + r][t] / grid.swarms;
      table.rows.push_back({times[0][t], beta_of(b), mean});
    }
  return table;
}

bool draw_random_maps(const ReproductionControl& control, Reproduction& result) {
  const Grid grid{control.values.whole("rows"), control.values.whole("map_replicas")};
  const ExperimentSpec preset = control.values.spec("random-weights");
  const int n = preset.n.value_or(kDefaultParticles), d = preset.d.value_or(kDefaultCoordinates);
  for (const RandomScale scale : {RandomScale::companion, RandomScale::variance_1_over_d})
    for (const RandomEnsemble& ensemble : kEnsembles) {
      std::optional<ColumnTable> table = map_of(ensemble, scale, grid, control);
      if (!table) return false;
      table->name = fmt::format("map_{}_{}",
                                scale == RandomScale::companion ? "authors" : "variance_1_over_d",
                                &ensemble - kEnsembles + 1);
      result.figures.push_back({.name = figure::random_weights,
                                .table = table->name,
                                .title = fmt::format("{}; {}", ensemble.name, name_of(scale)),
                                .x = {.label = "time t"},
                                .y = {.label = "inverse temperature β"},
                                .map = "close_pairs",
                                .map_label = "share of pairs with cosine > 0.999",
                                .columns = 4});
      result.tables.push_back(std::move(*table));
    }
  result.captions[figure::random_weights] = fmt::format(
      "Share of the pairs of {} tokens in {} dimensions that have met, over time and β, for random "
      "matrices, {} swarms per cell. First row: the normalisation of the authors, scores of β "
      "times a standard normal number: for β above 2 most maps come to rest between 0 and 1, in "
      "several clusters, the plateau of the published figure. Second row: entries of variance 1/d, "
      "scores smaller by √d: attention is nearly uniform, and with V = I all pairs meet at one "
      "time whatever β is, a flat front.",
      n, d, grid.swarms);
  return true;
}

struct Family {
  const char* name;
  MatrixChoice::Kind query, key, value;
  bool front;    // whether all pairs must meet at about one time
  bool uniform;  // V = I and scores of mean 0: attention to all tokens alike
};
constexpr Family kFamilies[] = {
    {"Q, K Gaussian, V = I", Choice::gaussian, Choice::gaussian, Choice::identity, true, true},
    {"Q GOE, K = I, V = I", Choice::goe, Choice::identity, Choice::identity, true, true},
    {"Q = K = I, V PSD", Choice::identity, Choice::identity, Choice::psd, true, false},
    {"Q = K = I, V Gaussian", Choice::identity, Choice::identity, Choice::gaussian, false, false},
    {"Q, K Gaussian, V = QᵀK", Choice::gaussian, Choice::gaussian, Choice::query_key, false, false},
};

// The share of close pairs over time, of one swarm or in the mean of several.
struct CloseShare {
  std::vector<double> times{}, close{};  // fraction of close pairs over the replicas
  std::vector<double> error{};           // standard errors; only of several swarms
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

CloseShare close_pairs(const ExperimentSpec& spec, NullModel null) {
  const Experiment e = make_experiment(spec);
  const std::size_t column = observable_column(e.dynamics, "close_pairs");
  const Simulated simulated = simulate_in_memory(e, null);
  CloseShare mean{simulated.times};
  for (const HostSwarm& x : simulated.frames)
    mean.close.push_back(observe(x, e.dynamics, observe_settings(e))[column]);
  return mean;
}

std::optional<CloseShare> simulate_family(const Family& family,
                                          const ReproductionControl& control) {
  const int replicas = control.values.whole("replicas");
  std::vector<CloseShare> each(replicas);
  for_blocks(replicas, control.threads, [&](int r) {
    if (control.stopped()) return;
    ExperimentSpec spec = spec_of(family, static_cast<std::uint32_t>(r), control.values);
    control.wrong.apply(spec);
    each[r] = close_pairs(spec, control.wrong.null);
  });
  if (control.stopped()) return std::nullopt;
  CloseShare mean{each[0].times};
  for (std::size_t t = 0; t < mean.times.size(); ++t) {
    std::vector<double> at;
    for (const CloseShare& one : each) at.push_back(one.close[t]);
    const Spread spread = spread_of(at);
    mean.close.push_back(spread.mean);
    mean.error.push_back(spread.error());
  }
  return mean;
}

// Draws of swarms under the exact flow at a large beta, of which the time is measured at which half
// of the pairs are close.
constexpr std::uint32_t kFirst =
    1000;  // replica; those below were seen before the rule was written

double half_time(const CloseShare& mean) {
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
      control.wrong.apply(spec);
      halves[r] = half_time(close_pairs(spec, control.wrong.null));
    });
    if (control.stopped()) return false;
    const Spread spread = spread_of(halves);
    const double error = spread.error();
    Check check = check_near(rule::random_weights_time,
                             {fmt::format("{}, entries of variance 1/d, d = {}, β = {:g}: time of "
                                          "half of the pairs, compared with t*(0)",
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

// The axis of times around the fronts of the published parameters, or over the range of the data.
FigureAxis times_of(const FigureValues& values) {
  if (values.any_changed()) return {.label = "time t"};
  return {.label = "time t", .from = 1.5, .to = 8.9, .mark_every = 1};
}

double first_above(const CloseShare& mean, double level) {
  for (std::size_t t = 0; t < mean.close.size(); ++t)
    if (mean.close[t] >= level) return mean.times[t];
  return INFINITY;
}

}  // namespace

std::optional<Reproduction> random_weights(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::random_weights);
  ColumnTable table{"fractions", {"t"}};
  ColumnTable ends{"ends", {"family", "t of 10 %", "t of 90 %", "close at the end"}};
  TablePanel figure{.name = "random-weights-fronts",
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
        {family.name, figure.curves.size() == 1 ? Curve::rings : Curve::points, family.name,
         Curve::kByPlace, error});
    if (table.rows.empty())
      for (const double t : mean->times) table.rows.push_back({t});
    for (std::size_t t = 0; t < mean->close.size(); ++t)
      table.rows[t].insert(table.rows[t].end(), {mean->close[t], mean->error[t]});
    const double ratio = first_above(*mean, 0.9) / first_above(*mean, 0.1);
    ends.rows.push_back(
        {family.name, first_above(*mean, 0.1), first_above(*mean, 0.9), mean->close.back()});
    if (family.front)
      result.checks.push_back(
          check_holds(rule::random_weights_front,
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
