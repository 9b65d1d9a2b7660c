// predictions.cpp: predictions of theory for a stored run, compared with the run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ensemble/ensemble.h"
#include "murmur/error.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"

namespace murmur {

namespace {

constexpr int kModes = 5;

bool has(const RunReader& run, const std::string& column) {
  const auto& names = run.columns();
  return std::find(names.begin(), names.end(), column) != names.end();
}

// The law of a dynamics with closed forms: SA or USA with Q = K = V = I on the sphere, without
// noise.
std::optional<theory::Growth> known_growth(const Experiment& e) {
  if (!replicas_know(e.dynamics, Method::layers) || e.dynamics.clock != Clock::u1)
    return std::nullopt;
  return theory::growth_of(e.dynamics, e.swarm.d());
}

std::string label_of(const std::string& observable) {
  return observable == "energy_scaled" ? "scaled energy 2β e^{−β} E"
         : observable == "clusters"    ? "number of clusters"
         : observable == "order"       ? "order |mean of x|"
         : observable == "radius"      ? "mean radius r"
                                       : observable;
}

// Observables against time, one panel each.
void add_curves(const RunReader& run, Reproduction& result) {
  ColumnTable table{"courses", {"t"}};
  for (const char* name : {"energy_scaled", "clusters", "order", "radius"})
    if (has(run, name)) table.columns.emplace_back(name);
  for (std::size_t k = 0; k < run.times().size(); ++k) table.rows.push_back({run.times()[k]});
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    const std::vector<double> values = run.column(table.columns[c]);
    for (std::size_t k = 0; k < values.size(); ++k) table.rows[k].push_back(values[k]);
    const std::string& name = table.columns[c];
    result.figures.push_back({.name = "laboratory",
                              .table = "courses",
                              .x = {.label = "time t"},
                              .y = {.label = label_of(name)},
                              .curves = {{name, name == "clusters" ? Curve::steps : Curve::line}}});
  }
  result.tables.push_back(std::move(table));
}

//   1 - <cos> ~ e^{-rate t} late, for d >= n: 2312.10794
void add_late_rate(const RunReader& run, const Experiment& e, Reproduction& result) {
  Series gap;
  const std::vector<double> cosines = run.column("mean_cos");
  for (std::size_t k = 0; k < cosines.size(); ++k) {
    gap.t.push_back(run.times()[k]);
    const double value = 1 - cosines[k];
    gap.value.push_back(value > 1e-15 ? value : kNoNumber);  // rounding below
  }
  ColumnTable table{"gap", {"t", "1 - mean cosine", "predicted rate"}};
  const auto swarm = known_growth(e);
  const bool known = swarm && e.swarm.d() >= e.swarm.n();
  const double rate = known ? theory::late_rate(swarm->law, swarm->beta) : kNoNumber;
  double anchor = kNoNumber, height = kNoNumber;  // the line starts where the gap is 0.1
  for (std::size_t k = 0; k < gap.t.size(); ++k) {
    if (known && std::isnan(anchor) && gap.value[k] < 0.1) {
      anchor = gap.t[k];
      height = gap.value[k];
    }
    const double line = height * std::exp(-rate * (gap.t[k] - anchor));
    table.rows.push_back({gap.t[k], gap.value[k], line > 1e-15 ? line : kNoNumber});
  }
  if (known) try {
      const Growth late = growth_rate(gap, {.low = 1e-10, .high = 1e-2});
      Check check = check_near_share(rule::report_late_rate,
                                     {"late rate of 1 - mean cosine", -rate, late.rate}, 0.02);
      check.more["standard error"] = late.error;
      result.checks.push_back(std::move(check));
    } catch (const Error&) {
      // the simulation ends too early, or frames are too far apart: there is no rate to measure
    }
  result.tables.push_back(std::move(table));
  constexpr double kShown = 1e-12;
  const bool deep =
      std::any_of(gap.value.begin(), gap.value.end(), [](double value) { return value < kShown; });
  TablePanel figure{
      .name = "laboratory",
      .table = "gap",
      .x = {.label = "time t"},
      .y = {.label = "1 − mean cosine", .log = true, .from = deep ? kShown : kNoNumber}};
  figure.curves = {{"1 - mean cosine", Curve::line, known ? "swarm" : "", 0}};
  if (known)
    figure.curves.push_back({"predicted rate", Curve::dashes, "predicted rate", Curve::kInk});
  result.figures.push_back(std::move(figure));
}

// Histograms of cosines at the start, half way and at the end.
void add_histogram(const RunReader& run, const Experiment& e, Reproduction& result) {
  ColumnTable table{"cosines", {"cosine", "t", "share of pairs"}};
  const std::int64_t last = run.frames() - 1;
  for (const std::int64_t frame : {std::int64_t{0}, last / 2, last}) {
    const CosineHistogram h = cosine_histogram(run.frame(frame), 40, observe_settings(e));
    for (std::size_t b = 0; b < h.count.size(); ++b)
      table.rows.push_back({(h.edge[b] + h.edge[b + 1]) / 2, run.times()[frame],
                            static_cast<double>(h.count[b]) / static_cast<double>(h.pairs)});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "laboratory",
                            .table = "cosines",
                            .x = {.label = "cosine of a pair"},
                            .y = {.label = "share of pairs", .from = 0},
                            .curves = {{"share of pairs", Curve::histogram}},
                            .by = "t",
                            .by_name = "t"});
}

// Amplitudes of modes on the circle, and the growth of the fastest one out of the uniform swarm.
void add_modes(const RunReader& run, const Experiment& e, Reproduction& result) {
  const auto known = known_growth(e);
  ColumnTable table{"modes", {"t"}};
  for (int k = 1; k <= kModes; ++k) table.columns.push_back(fmt::format("mode {}", k));
  table.columns.emplace_back("predicted growth");
  const int fastest = known ? std::min(theory::fastest_mode(2, known->beta), kModes) : 1;
  const double rate = known ? theory::growth_rate(*known, fastest) : kNoNumber;
  double start = kNoNumber;
  for (std::int64_t frame = 0; frame < run.frames(); ++frame) {
    const std::vector<double> a = mode_amplitudes(run.frame(frame), kModes);
    if (frame == 0) start = a[fastest];
    const double grown = start * std::exp(rate * run.times()[frame]);
    table.rows.push_back({run.times()[frame]});
    for (int k = 1; k <= kModes; ++k) table.rows.back().push_back(a[k]);
    table.rows.back().push_back(grown < 1 ? grown : kNoNumber);
  }
  result.tables.push_back(std::move(table));
  TablePanel figure{.name = "laboratory",
                    .table = "modes",
                    .title = known ? fmt::format("mode {} grows fastest", fastest) : "",
                    .x = {.label = "time t"},
                    .y = {.label = "amplitude |m_{k}|", .log = true}};
  for (int k = 1; k <= kModes; ++k)
    figure.curves.push_back({fmt::format("mode {}", k), Curve::line, fmt::format("k = {}", k)});
  if (known)
    figure.curves.push_back({"predicted growth", Curve::dashes, "predicted growth", Curve::kInk});
  result.figures.push_back(std::move(figure));
}

}  // namespace

Reproduction predictions_of(const RunReader& run, const Experiment& experiment) {
  Reproduction result;
  result.name = "laboratory";
  result.folder = run.directory() / "figures";
  add_curves(run, result);
  if (experiment.swarm.n() < 2) return result;
  add_late_rate(run, experiment, result);
  add_histogram(run, experiment, result);
  if (experiment.swarm.d() == 2 && experiment.dynamics.manifold == Manifold::sphere)
    add_modes(run, experiment, result);
  return result;
}

}  // namespace murmur
