// mean_field.cpp: densities of infinitely many tokens: which waves win, and what noise leaves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/meanfield.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"

namespace murmur {

namespace {

constexpr int kSeeded = 12;       // modes that start alike,
constexpr double kHeight = 1e-8;  // of this amplitude
constexpr double kNoise = 0.01;   // 1 / kappa

// From equal amplitudes until one of them is 0.1.
MeanFieldCourse rise_of(const MeanField& field) {
  Measure start;
  for (int k = 1; k <= kSeeded; ++k) start.waves.push_back({k, 2 * kHeight});
  MeanFieldPlan plan{.schedule = {.T = 1e3}};
  plan.stop = [](const MeanFieldReading& r) {
    return *std::max_element(r.amplitude.begin() + 1, r.amplitude.end()) >= 0.1;
  };
  return carry(field, start, {.modes = 192, .tolerance = {1e-9, 1e-14}}, plan);
}

// |m_k|^2 of the leader over the greatest of the other seeded modes.
double lead(const MeanFieldReading& r, int k) {
  double second = 0;
  for (int j = 1; j <= kSeeded; ++j)
    if (j != k) second = std::fmax(second, r.amplitude[j]);
  return std::pow(r.amplitude[k] / second, 2);
}

void check_rise(double beta, Reproduction& result) {
  const MeanField field{.beta = beta, .scale = Attention::plain, .noise = kNoise};
  const MeanFieldCourse course = rise_of(field);
  const MeanFieldPhases phases = phases_of(course);
  const int k = theory::fastest_mode(2, beta);
  result.checks.push_back(
      near(fmt::format("β = {:g}: mode that leads at the end of the linear phase", beta), k,
           phases.leader, 0));
  const double ratio = lead(course.steps.back(), k);
  result.checks.push_back(holds(fmt::format("β = {:g}: its energy over the next one's", beta),
                                ratio, ratio > 5, "above 5"));
  for (const ModeGrowth& g : phases.growth)
    if (std::abs(g.k - k) <= 1)
      result.checks.push_back(
          nearly(fmt::format("β = {:g}: rate of mode {}", beta, g.k),
                 theory::growth_rate(
                     {.law = theory::Law::usa, .d = 2, .beta = beta, .noise = kNoise}, g.k),
                 g.rate, 1e-3));
  const std::string name = fmt::format("amplitudes_beta{:g}", beta);
  ReproducedTable table{name, {"t", "mode", "amplitude"}};
  const auto& steps = course.steps;
  for (std::size_t i = 0; i < steps.size(); i += 1 + steps.size() / 100)
    for (int mode = 1; mode <= 6; ++mode)
      table.rows.push_back({steps[i].t, static_cast<double>(mode), steps[i].amplitude[mode]});
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "mean-field",
                            .table = name,
                            .columns = {"amplitude"},
                            .x_label = "t",
                            .y_label = "amplitude of mode k",
                            .log_y = true,
                            .title = fmt::format("Equal waves on the circle, USA, β = {:g}", beta),
                            .by = "mode"});
}

struct Noisy {
  int d;
  double beta;
};
constexpr Noisy kNoisy[] = {{2, 1}, {2, 4}, {3, 1}, {3, 3}};

void check_branch(const Noisy& law, int points, Reproduction& result) {
  const double critical = theory::noise_threshold(law.d, law.beta);
  const bool jumps = law.beta > theory::continuous_until(law.d);
  const Bifurcation b = bifurcation(
      {law.d, law.beta}, {.from = 0.8 * critical, .to = 1.3 * critical, .points = points});
  const std::string what = fmt::format("d = {}, β = {:g}", law.d, law.beta);
  result.checks.push_back(nearly(what + ": κ at which order sets in", critical, b.onset, 0.01));
  result.checks.push_back(holds(what + (jumps ? ": order jumps" : ": order sets in continuously"),
                                b.jump, b.hysteretic == jumps,
                                jumps ? "hysteresis" : "no hysteresis"));
  if (jumps) {
    result.checks.push_back(holds(what + ": κ down to which order lives", b.fold,
                                  b.fold < 0.99 * critical, "clearly below the onset"));
  }
  const std::string name = fmt::format("noise_d{}_beta{:g}", law.d, law.beta);
  ReproducedTable table{name, {"kappa", "up", "down"}};
  for (std::size_t i = 0; i < b.kappa.size(); ++i)
    table.rows.push_back({b.kappa[i], b.up[i], b.down[i]});
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "noisy-bifurcation",
                            .table = name,
                            .columns = {"up", "down"},
                            .x_label = "κ",
                            .y_label = "order |∫ x dμ|",
                            .title = what});
}

// The order to which the Fokker-Planck flow of USA settles.
double settled(const MeanField& field, int modes, double T) {
  Measure start;
  start.waves = {{1, 0.6}};
  const MeanFieldMethod method{.modes = modes, .tolerance = {1e-7, 1e-10}};
  const MeanFieldCourse course = carry(field, start, method, {.schedule = {.T = T}});
  return course.outcome.ok() ? course.steps.back().order : kNoNumber;
}

struct Settled {
  double kappa, order;
};
constexpr Settled kSettled[] = {{2.2, 0.6766}, {3.0, 0.8640}};

}  // namespace

std::optional<Reproduction> mean_field(const ReproductionControl& control) {
  Reproduction result = result_of(control, "mean-field");
  for (const double beta : {5.0, 7.0}) {
    if (control.stopped()) return std::nullopt;
    check_rise(beta, result);
  }
  return result;
}

std::optional<Reproduction> noisy_bifurcation(const ReproductionControl& control) {
  Reproduction result = result_of(control, "noisy-bifurcation");
  for (const Settled& row : kSettled) {
    if (control.stopped()) return std::nullopt;
    result.checks.push_back(
        near(fmt::format("d = 2, β = 1, κ = {:g}: order, stationary law", row.kappa), row.order,
             stationary_order({2, 1}, row.kappa, 1), 1e-3));
    result.checks.push_back(near(
        fmt::format("d = 2, β = 1, κ = {:g}: order, flow until it settles", row.kappa), row.order,
        settled({.beta = 1, .scale = Attention::plain, .noise = 1 / row.kappa}, 48, 50), 1e-3));
  }
  result.checks.push_back(near(
      "d = 3, β = 1, κ = 3.5: order, flow on the sphere", stationary_order({3, 1}, 3.5, 1),
      settled({.d = 3, .beta = 1, .scale = Attention::plain, .noise = 1 / 3.5}, 24, 25), 1e-3));
  for (const Noisy& law : kNoisy) {
    if (control.stopped()) return std::nullopt;
    check_branch(law, control.quick ? 26 : 101, result);
  }
  return result;
}

}  // namespace murmur
