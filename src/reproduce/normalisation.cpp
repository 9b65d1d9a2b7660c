// normalisation.cpp: how fast layer normalisations let equiangular swarms collapse.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

// How 1 - rho falls in the end: a straight line in ln(1 - rho) over this clock.
enum class LateClock { time, logarithm, root };

struct Scheme {
  const char* name;
  LayerNorm scheme;
  LateClock clock;
  double slope;     // what 2510.22026 says of it
  double from, to;  // where the slope is read off
};
constexpr double kMixUntil = 2;
constexpr Scheme kSchemes[] = {
    {"post", LayerNorm::post, LateClock::time, -2, 5, 8},
    {"pre", LayerNorm::pre, LateClock::logarithm, -2, 300, 1000},
    {"peri", LayerNorm::peri, LateClock::logarithm, -2, 300, 1000},
    {"mix", LayerNorm::mix, LateClock::logarithm, -2, 300, 1000},
    {"ngpt", LayerNorm::ngpt, LateClock::time, -2, 5, 8},
    {"sqrt", LayerNorm::sqrt, LateClock::root, -4, 9, 25},
};

double read_clock(LateClock clock, double t) {
  switch (clock) {
    case LateClock::logarithm:
      return std::log(t);
    case LateClock::root:
      return std::sqrt(t + 1);
    case LateClock::time:
      break;
  }
  return t;
}

const char* clock_name(LateClock clock) {
  return clock == LateClock::logarithm ? "ln t" : clock == LateClock::root ? "sqrt(t + 1)" : "t";
}

// 1 - rho of directions and r, means over the swarm. 1 - <u, v> = |u - v|^2 / 2 keeps its digits.
struct Shell {
  double gap = 0, r = 0;
};
Shell shell_of(const HostSwarm& x) {
  std::vector<double> length(x.n());
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    length[i] = std::sqrt(square);
  }
  Shell shell;
  for (int i = 0; i < x.n(); ++i) {
    shell.r += length[i] / x.n();
    for (int j = 0; j < i; ++j)
      for (int k = 0; k < x.d(); ++k) {
        const double apart = x.at(i, k) / length[i] - x.at(j, k) / length[j];
        shell.gap += apart * apart / x.n() / (x.n() - 1.0);
      }
  }
  return shell;
}

// The mean slope of ln(1 - rho) over the clock, by least squares over the frames of the window.
double measured_slope(const Scheme& scheme, const Simulated& simulated) {
  std::vector<double> clock, logs;
  for (std::size_t f = 0; f < simulated.frames.size(); ++f) {
    if (simulated.times[f] < scheme.from || simulated.times[f] > scheme.to) continue;
    clock.push_back(read_clock(scheme.clock, simulated.times[f]));
    logs.push_back(std::log(shell_of(simulated.frames[f]).gap));
  }
  return line_of(clock, logs).slope;
}

theory::Normalised theory_of(const Experiment& e) {
  return {.scheme = e.dynamics.normalisation,
          .n = e.swarm.n(),
          .beta = by_kind(e.dynamics).heads.front()->beta,
          .mix_until = e.dynamics.mix_until,
          .speed = e.dynamics.speed};
}

constexpr double kFloor = 1e-7;  // below it 1 - rho is not shown
constexpr double kReadAt = 6;    // the time of the numbers
constexpr double kSlopeShare = 0.01;

struct SchemeCurve {
  std::vector<double> t{}, gap{}, predicted{};
};

// Particles against the equation of rho and r, at kReadAt and along the curve.
SchemeCurve judge(const Scheme& scheme, const WrongModel& wrong, Reproduction& result,
                  ReproducedTable& numbers) {
  ExperimentSpec spec = preset_spec("normalisation");
  spec.dynamics.normalisation.kind = scheme.scheme;
  spec.dynamics.normalisation.argument.reset();
  if (scheme.scheme == LayerNorm::mix) spec.dynamics.normalisation.argument = kMixUntil;
  const theory::Normalised theory = theory_of(make_experiment(spec));
  wrong.spoil(spec);
  const auto until = [&spec](double T, std::optional<SaveChoice> save) {
    ExperimentSpec own = spec;
    own.T = T;
    if (save) own.save = save;
    return make_experiment(own);
  };
  const Experiment at = until(kReadAt, SaveChoice{.kind = SaveChoice::final});
  const Shell ours = shell_of(simulate_in_memory(at).last());
  const theory::Shells predicted = theory::normalised(theory, kReadAt);
  const Simulated simulated = simulate_in_memory(until(scheme.to, std::nullopt));
  const double slope = measured_slope(scheme, simulated);
  result.checks.push_back(near(
      "normalisation.cosine",
      {fmt::format("rho({:g}), {}", kReadAt, scheme.name), predicted.rho, 1 - ours.gap}, 1e-6));
  result.checks.push_back(
      near("normalisation.radius",
           {fmt::format("r({:g}), {}", kReadAt, scheme.name), predicted.r, ours.r}, 1e-6));
  result.checks.push_back(nearly(
      "normalisation.slope",
      {fmt::format("late slope of ln(1 - rho) over {}, {}", clock_name(scheme.clock), scheme.name),
       scheme.slope, slope},
      kSlopeShare));
  numbers.rows.push_back({scheme.name, 1 - ours.gap, predicted.rho, ours.r, predicted.r, slope,
                          scheme.slope, scheme.from, scheme.to});
  SchemeCurve curve;
  for (std::size_t f = 1; f < simulated.frames.size(); ++f) {
    const double gap = shell_of(simulated.frames[f]).gap;
    if (gap < kFloor) break;
    curve.t.push_back(simulated.times[f]);
    curve.gap.push_back(gap);
    curve.predicted.push_back(1 - theory::normalised(theory, simulated.times[f]).rho);
  }
  return curve;
}

}  // namespace

std::optional<Reproduction> normalisation(const ReproductionControl& control) {
  Reproduction result = result_of(control, "normalisation");
  ReproducedTable numbers{"schemes",
                          {"scheme", "rho_6", "rho_6_theory", "r_6", "r_6_theory", "late_slope",
                           "late_slope_theory", "slope_from", "slope_to"}};
  ReproducedTable curves{"curves", {"t"}};
  ReproducedFigure figure{.name = "normalisation",
                          .table = "curves",
                          .x_label = "t",
                          .y_label = "1 - rho",
                          .log_y = true,
                          .y_min = kFloor,
                          .title = "n = d = 16, beta = 1, from orthonormal directions",
                          .log_x = true};
  const std::size_t width = 1 + 2 * std::size(kSchemes);
  for (std::size_t s = 0; s < std::size(kSchemes); ++s) {
    const SchemeCurve curve = judge(kSchemes[s], control.wrong, result, numbers);
    const std::string theory = fmt::format("{}, theory", kSchemes[s].name);
    curves.columns.insert(curves.columns.end(), {kSchemes[s].name, theory});
    figure.columns.insert(figure.columns.end(), {kSchemes[s].name, theory});
    figure.points.emplace_back(kSchemes[s].name);
    figure.dashed.push_back(theory);
    for (std::size_t k = 0; k < curve.t.size(); ++k) {
      std::vector<ReproducedTable::Cell> row(width, kNoNumber);
      row[0] = curve.t[k];
      row[1 + 2 * s] = curve.gap[k];
      row[2 + 2 * s] = curve.predicted[k];
      curves.rows.push_back(std::move(row));
    }
  }
  result.tables = {std::move(numbers), std::move(curves)};
  result.figures = {std::move(figure)};
  return result;
}

}  // namespace murmur
