// mean_field.cpp: equal waves on the uniform density of infinitely many tokens: the predicted one
// leads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/meanfield.h"
#include "murmur/theory.h"
#include "reproduce/null_engine.h"
#include "reproduce/reproductions.h"

namespace murmur {

namespace {

constexpr int kSeeded = 12;      // modes that start alike
constexpr double kLinear = 0.1;  // amplitude of the leader at the end of the linear phase,
constexpr double kPeaks = 0.4;   // and where its peaks are looked at
constexpr double kTurn = 2 * std::numbers::pi;

// Equal waves of one height at one temperature.
struct Waves {
  double beta, height, noise;  // noise: 1 / kappa
  WrongModel wrong{};
  MeanField field() const {
    return under_null(
        {.beta = beta * wrong.beta, .weighting = Attention::unnormalised, .noise = noise},
        wrong.null);
  }
  double rate(int k) const {
    return theory::growth_rate({.law = theory::Law::usa, .d = 2, .beta = beta, .noise = noise}, k);
  }
  int leader() const {
    int best = 1;
    for (int k = 2; k <= kSeeded; ++k)
      if (rate(k) > rate(best)) best = k;
    return best;
  }
};

const MeanFieldMethod kMethod{.modes = 384, .tolerance = {1e-9, 1e-14}};

// From equal amplitudes until one of them is `level`; the density there, over the uniform one.
struct Rise {
  MeanFieldTrajectory trajectory;
  std::vector<double> density;
};
Rise rise_of(const Waves& waves, double level) {
  Measure start;
  for (int k = 1; k <= kSeeded; ++k) start.waves.push_back({k, 2 * waves.height});
  const double longest = waves.wrong.null == NullModel::none ? 1e3 : 1;
  MeanFieldPlan plan{.schedule = {.T = longest}};
  plan.stop = [&](const MeanFieldReading& r) {
    return *std::max_element(r.amplitude.begin() + 1, r.amplitude.end()) >= level;
  };
  Rise rise{carry(waves.field(), start, kMethod, plan), {}};
  plan = {.schedule = {.T = rise.trajectory.steps.back().t}};
  plan.frame = [&](const MeanFieldFrame& frame) { rise.density = frame.density; };
  carry(waves.field(), start, kMethod, plan);
  return rise;
}

// |m_k|^2 of mode k over the greatest of the other seeded modes,
double lead(const MeanFieldReading& r, int k) {
  double second = 0;
  for (int j = 1; j <= kSeeded; ++j)
    if (j != k) second = std::fmax(second, r.amplitude[j]);
  return std::pow(r.amplitude[k] / second, 2);
}
// and what it is at the end of the linear phase if each mode grows at its own rate:
//   e^{2 (s_max - s_next) t},   height e^{s_max t} = kLinear
double predicted_lead(const Waves& waves) {
  const int k = waves.leader();
  double next = -INFINITY;
  for (int j = 1; j <= kSeeded; ++j)
    if (j != k) next = std::fmax(next, waves.rate(j));
  const double t = std::log(kLinear / waves.height) / waves.rate(k);
  return std::exp(2 * (waves.rate(k) - next) * t);
}

int peaks_of(const std::vector<double>& density) {
  const std::size_t n = density.size();
  int peaks = 0;
  for (std::size_t i = 0; i < n; ++i)
    peaks += density[i] > density[(i + n - 1) % n] && density[i] >= density[(i + 1) % n] ? 1 : 0;
  return peaks;
}

// Amplitudes of the leader and its neighbours, with straight lines of the predicted slopes.
void draw_amplitudes(const Waves& waves, const std::vector<MeanFieldReading>& steps,
                     Reproduction& result) {
  const std::string name = fmt::format("amplitudes_beta{:g}_height{:g}", waves.beta, waves.height);
  ReproducedTable table{name, {"t", "mode", "predicted", "amplitude"}};
  const std::size_t between = 1 + steps.size() / 100;
  for (int k = 1; k < waves.leader() - 2; ++k)  // not drawn: each mode has one colour in all panels
    table.rows.push_back({steps[0].t, static_cast<double>(k), kNoNumber, kNoNumber});
  for (std::size_t i = 0; i < steps.size(); i += between)
    for (int k = waves.leader() - 2; k <= waves.leader() + 2; ++k)
      table.rows.push_back({steps[i].t, static_cast<double>(k),
                            waves.height * std::exp(waves.rate(k) * steps[i].t),
                            i / between % 5 == 0 ? steps[i].amplitude[k] : kNoNumber});
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = "mean-field",
       .table = name,
       .title = fmt::format("USA, β = {:g}: waves of equal height", waves.beta),
       .x = {.label = "time t"},
       .y = {.label = "amplitude |m_{k}| of mode k", .log = true},
       .curves = {{"predicted", Drawn::line, "linear law"},
                  {"amplitude", Drawn::points, "mean-field flow"}},
       .by = "mode",
       .by_name = "k"});
}

void draw_density(const Waves& waves, const Rise& linear, const Rise& later, Reproduction& result) {
  const std::string name = fmt::format("density_beta{:g}", waves.beta);
  ReproducedTable table{name, {"angle", "amplitude of the leader", "density"}};
  for (const Rise* rise : {&linear, &later}) {
    const std::size_t n = rise->density.size(), half = n / 2;
    const double level = rise->trajectory.steps.back().amplitude[waves.leader()];
    for (std::size_t i = 0; i <= n; ++i)  // from -pi on
      table.rows.push_back(
          {kTurn * (static_cast<double>(i) - static_cast<double>(half)) / static_cast<double>(n),
           fmt::format("{:.1f}", level), rise->density[(i + n - half) % n]});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "mean-field",
                            .table = name,
                            .title = fmt::format("β = {:g}: {} peaks", waves.beta, waves.leader()),
                            .x = {.label = "angle θ", .angle = true},
                            .y = {.label = "density / uniform density", .from = 0},
                            .curves = {{"density", Drawn::line}},
                            .by = "amplitude of the leader",
                            .by_name = fmt::format("|m_{{{}}}|", waves.leader())});
  result.captions["mean-field"] =
      "Twelve waves of equal height on the uniform density of infinitely many tokens grow as the "
      "linear law says (points on lines, five waves about the fastest) until strong ones drive "
      "slow ones off their lines. Mode 3 leads at β = 5, mode 4 at β = 7; then the density has as "
      "many peaks.";
}

void check_rates(const Waves& waves, const MeanFieldRegimes& regimes, Reproduction& result) {
  for (const ModeGrowth& g : regimes.growth)
    if (std::abs(g.k - waves.leader()) <= 1)
      result.checks.push_back(nearly(
          "mean-field.rate",
          {fmt::format("β = {:g}, waves of {:g}: rate of mode {}", waves.beta, waves.height, g.k),
           waves.rate(g.k), g.rate},
          1e-3));
}

void check_rise(const Waves& waves, Reproduction& result) {
  const Rise rise = rise_of(waves, kLinear);
  const MeanFieldRegimes regimes = regimes_of(rise.trajectory);
  const std::string what = fmt::format("β = {:g}, waves of {:g}: ", waves.beta, waves.height);
  result.checks.push_back(near(
      "mean-field.leader",
      {what + "mode that leads at the end of the linear phase", static_cast<double>(waves.leader()),
       regimes.linear ? static_cast<double>(regimes.linear->leader) : kNoNumber},
      0));
  result.checks.push_back(nearly("mean-field.ratio",
                                 {what + "its energy over the next one's", predicted_lead(waves),
                                  lead(rise.trajectory.steps.back(), waves.leader())},
                                 0.05));
  check_rates(waves, regimes, result);
  if (waves.height < 1e-6) return;
  const Rise later = rise_of(waves, kPeaks);
  result.checks.push_back(
      near("mean-field.peaks",
           {what + fmt::format("peaks of the density when it is {:g}", kPeaks),
            static_cast<double>(waves.leader()), static_cast<double>(peaks_of(later.density))},
           0));
  draw_amplitudes(waves, rise.trajectory.steps, result);
  draw_density(waves, rise, later, result);
}

}  // namespace

std::optional<Reproduction> mean_field(const ReproductionControl& control) {
  Reproduction result = result_of(control, "mean-field");
  const double noise = control.values.number("noise");
  for (const double beta : control.values.numbers("betas"))
    for (const double height : control.values.numbers("heights")) {
      if (control.stopped()) return std::nullopt;
      check_rise({beta, height, noise, control.wrong}, result);
    }
  return result;
}

}  // namespace murmur
