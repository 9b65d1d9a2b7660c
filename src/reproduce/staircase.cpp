// staircase.cpp: the energy of five close tokens climbs in steps, one a merger.
#include <fmt/format.h>

#include <cmath>

#include "murmur/observe.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kLevels[] = {0.20, 0.28, 0.44, 0.52, 1.00};

Series energy_of(double beta, const ReproductionControl& control) {
  ExperimentSpec spec = preset_spec("staircase");
  spec.dynamics.beta = beta;
  spec.T = control.values.number("T");
  spec.dt = control.values.number("dt");
  spec.save = SaveChoice{SaveChoice::every, 1e-5};
  spec.merge = 1.3e-4;
  spec.dynamics.beta *= control.wrong.beta;
  const Experiment e = make_experiment(spec);
  const Simulated simulated = simulate_in_memory(e, control.wrong.null);
  const std::size_t column = observable_column(e.dynamics, "energy_scaled");
  Series energy;
  for (std::size_t k = 0; k < simulated.times.size(); ++k) {
    energy.t.push_back(simulated.times[k]);
    energy.value.push_back(observe(simulated.frames[k], e.dynamics, observe_settings(e))[column]);
  }
  return energy;
}

// When the energy is half way up to each level in turn.
std::vector<double> half_heights(const Series& energy) {
  std::vector<double> times;
  for (int k = 0; k < 4; ++k)
    times.push_back(crossing_time(energy, (kLevels[k] + kLevels[k + 1]) / 2).value_or(kNoNumber));
  return times;
}

// The energy half way between two rises.
double level_between(const Series& energy, double from, double to) {
  const double middle = (from + to) / 2;
  const auto at = std::lower_bound(energy.t.begin(), energy.t.end(), middle) - energy.t.begin();
  return at < static_cast<std::ptrdiff_t>(energy.value.size()) ? energy.value[at] : kNoNumber;
}

// Where clusters are far enough apart for theory: at beta = 2000 and 4000.
void check_stairs(double beta, double T, const std::vector<theory::Stair>& predicted,
                  const Series& energy, Reproduction& result) {
  if (beta != 2000 && beta != 4000) return;
  const std::vector<double> halves = half_heights(energy);
  for (int k = 0; k < 4; ++k) {
    result.checks.push_back(near("staircase.half-heights",
                                 {fmt::format("β = {:g}: half-height of rise {}", beta, k + 1),
                                  predicted[k].half, halves[k]},
                                 1e-4));
    const double end = k < 3 ? halves[k + 1] : T - 0.001;
    result.checks.push_back(near("staircase.plateaus",
                                 {fmt::format("β = {:g}: plateau {}", beta, k + 2), kLevels[k + 1],
                                  level_between(energy, halves[k], end)},
                                 0.01));
  }
}

}  // namespace

std::optional<Reproduction> staircase(const ReproductionControl& control) {
  Reproduction result = result_of(control, "staircase");
  const std::vector<double>& betas = control.values.numbers("betas");
  ReproducedTable table{"energy", {"t", "beta", "energy_scaled", "half-height"}};
  ReproducedTable steps{"rises", {"beta", "rise", "predicted half", "measured half"}};
  const Experiment start = make_experiment(preset_spec("staircase"));
  std::vector<double> angles;
  for (int i = 0; i < start.swarm.n(); ++i)
    angles.push_back(std::atan2(start.swarm.at(i, 1), start.swarm.at(i, 0)));
  for (const double beta : betas) {
    if (control.stopped()) return std::nullopt;
    const Series energy = energy_of(beta, control);
    const std::vector<theory::Stair> predicted = theory::staircase(angles, {}, beta);
    check_stairs(beta, control.values.number("T"), predicted, energy, result);
    for (std::size_t k = 0; k < energy.t.size(); k += 20)
      table.rows.push_back({energy.t[k], beta, energy.value[k], kNoNumber});
    for (int k = 0; k < 4; ++k)
      table.rows.push_back({predicted[k].half, beta, kNoNumber, (kLevels[k] + kLevels[k + 1]) / 2});
    const std::vector<double> halves = half_heights(energy);
    for (int k = 0; k < 4; ++k)
      steps.rows.push_back({beta, static_cast<double>(k + 1), predicted[k].half, halves[k]});
  }
  result.tables = {std::move(table), std::move(steps)};
  ReproducedFigure figure{.name = "staircase",
                          .table = "energy",
                          .title = "The energy climbs one step a merger",
                          .x = {.label = "arc-length time t (clock U4)"},
                          .y = {.label = "scaled energy 2β e^{−β} E", .from = 0, .to = 1.06},
                          .curves = {{"energy_scaled", Drawn::line},
                                     {"half-height", Drawn::rings, "predicted half-height"}},
                          .by = "beta",
                          .by_name = "β"};
  for (const double level : kLevels)
    figure.guides.push_back({"predicted plateaus", kNoNumber, level});
  result.figures.push_back(std::move(figure));
  result.captions["staircase"] =
      "The scaled energy of five close tokens climbs one step a merger, from 1/5 to 1: the larger "
      "β, the flatter the plateaus at the predicted sums of squared masses (dashes), and the "
      "rises pass half their height at the predicted times (hollow marks).";
  return result;
}

}  // namespace murmur
