// random_weights.cpp: whether the sharp front survives random query, key and value matrices.
#include <fmt/format.h>

#include <cmath>

#include "core/parallel.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct Family {
  const char* name;
  MatrixChoice::Kind query, key, value;
  bool front;  // all pairs are to meet, at once
};
using Choice = MatrixChoice;
constexpr Family kFamilies[] = {
    {"Q, K Gaussian, V = I", Choice::gaussian, Choice::gaussian, Choice::identity, true},
    {"Q GOE, K = I, V = I", Choice::goe, Choice::identity, Choice::identity, true},
    {"Q = K = I, V PSD", Choice::identity, Choice::identity, Choice::psd, true},
    {"Q = K = I, V Gaussian", Choice::identity, Choice::identity, Choice::gaussian, false},
    {"Q, K Gaussian, V = QᵀK", Choice::gaussian, Choice::gaussian, Choice::query_key, false},
};

struct Mean {
  std::vector<double> times{}, close{};  // fraction of close pairs over the replicas
};

// Each replica has its own start and its own matrices.
std::optional<Mean> simulate_family(const Family& family, const ReproductionControl& control) {
  const int replicas = control.quick ? 2 : 8;
  std::vector<Mean> each(replicas);
  for_blocks(replicas, control.threads, [&](int r) {
    if (control.stopped()) return;
    ExperimentSpec spec = preset_spec("random-weights");
    spec.dynamics.query = {family.query};
    spec.dynamics.key = {family.key};
    spec.dynamics.value = {family.value};
    spec.random.replica = static_cast<std::uint32_t>(r);
    control.wrong.spoil(spec);
    spec.engine.threads = 1;
    const Experiment e = make_experiment(spec);
    const std::size_t column = observable_column(e.dynamics, "close_pairs");
    const Simulated simulated = simulate_in_memory(e);
    each[r].times = simulated.times;
    for (const HostSwarm& x : simulated.frames)
      each[r].close.push_back(observe(x, e.dynamics, observe_settings(e))[column]);
  });
  if (control.stopped()) return std::nullopt;
  Mean mean{each[0].times, std::vector<double>(each[0].times.size())};
  for (const Mean& one : each)
    for (std::size_t t = 0; t < mean.close.size(); ++t) mean.close[t] += one.close[t] / replicas;
  return mean;
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
  std::vector<std::string> curves;
  for (const Family& family : kFamilies) {
    const auto mean = simulate_family(family, control);
    if (!mean) return std::nullopt;
    table.columns.push_back(family.name);
    curves.push_back(family.name);
    if (table.rows.empty())
      for (const double t : mean->times) table.rows.push_back({t});
    for (std::size_t t = 0; t < mean->close.size(); ++t) table.rows[t].push_back(mean->close[t]);
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
  result.tables.push_back(std::move(ends));
  result.tables.push_back(std::move(table));
  ReproducedFigure figure{.name = "random-weights",
                          .table = "fractions",
                          .title = "n = 32, d = 128, β = 1: random query, key and value",
                          .x = {.label = "time t", .log = true, .from = 1},
                          .y = {.label = "share of pairs with cosine > 0.999"}};
  for (const std::string& curve : curves)  // the second front lies on the first
    figure.curves.push_back(
        {curve, figure.curves.size() == 1 ? Drawn::dashes : Drawn::line, curve});
  result.figures.push_back(std::move(figure));
  result.captions["random-weights"] =
      "All pairs of 32 tokens meet at about one time, a front, whichever weights are drawn: with "
      "random query and key where V = I puts it, earlier with a positive semi-definite V, later "
      "and "
      "less sharply with a Gaussian V or V = QᵀK. Means over draws of start and matrices.";
  return result;
}

}  // namespace murmur
