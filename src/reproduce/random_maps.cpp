// random_maps.cpp: Fig. 5 of 2312.10794, close pairs over time and beta for random matrices, in the
// normalisation of its authors and with entries of variance 1/d.
#include <fmt/format.h>

#include <cmath>

#include "core/parallel.h"
#include "reproduce/random_weights.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

using Choice = MatrixChoice;

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

}  // namespace

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
  control.wrong.spoil(spec);
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
    const double error = spread.sd / std::sqrt(static_cast<double>(swarms));
    Check check = near("random-weights.cell",
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

namespace {

struct Grid {
  int betas, swarms;
};

// Rows of one map: t, beta and the mean share; nothing when a signal came.
std::optional<ReproducedTable> map_of(const RandomEnsemble& ensemble, RandomScale scale,
                                      const Grid& grid, const ReproductionControl& control) {
  ReproducedTable table{"", {"t", "beta", "close_pairs"}};
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

}  // namespace

bool draw_random_maps(const ReproductionControl& control, Reproduction& result) {
  const Grid grid{control.values.whole("rows"), control.values.whole("map_replicas")};
  const ExperimentSpec preset = control.values.spec("random-weights");
  const int n = preset.n.value_or(kDefaultParticles), d = preset.d.value_or(kDefaultCoordinates);
  for (const RandomScale scale : {RandomScale::companion, RandomScale::variance_1_over_d})
    for (const RandomEnsemble& ensemble : kEnsembles) {
      std::optional<ReproducedTable> table = map_of(ensemble, scale, grid, control);
      if (!table) return false;
      table->name = fmt::format("map_{}_{}",
                                scale == RandomScale::companion ? "authors" : "variance_1_over_d",
                                &ensemble - kEnsembles + 1);
      result.figures.push_back({.name = "random-weights",
                                .table = table->name,
                                .title = fmt::format("{}; {}", ensemble.name, name_of(scale)),
                                .x = {.label = "time t"},
                                .y = {.label = "inverse temperature β"},
                                .map = "close_pairs",
                                .map_label = "share of pairs with cosine > 0.999",
                                .columns = 4});
      result.tables.push_back(std::move(*table));
    }
  result.captions["random-weights"] = fmt::format(
      "Share of the pairs of {} tokens in {} dimensions that have met, over time and β, for "
      "random "
      "matrices, {} swarms a cell. First row: the normalisation of the authors, scores of β times "
      "a standard normal number: for β above 2 most maps come to rest between 0 and 1, in several "
      "clusters, the plateau of the published figure. Second row: entries of variance 1/d, scores "
      "smaller "
      "by √d: attention is nearly uniform, and with V = I all pairs meet at one time "
      "whatever β is, a flat front.",
      n, d, grid.swarms);
  return true;
}

}  // namespace murmur
