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
constexpr Scheme kSchemes[] = {
    {"post", LayerNorm::post, LateClock::time, -2, 5, 8},
    {"pre", LayerNorm::pre, LateClock::logarithm, -2, 300, 1000},
    {"peri", LayerNorm::peri, LateClock::logarithm, -2, 300, 1000},
    {"mix", LayerNorm::mix, LateClock::logarithm, -2, 300, 1000},
    {"ngpt", LayerNorm::ngpt, LateClock::time, -2, 5, 8},
    {"sqrt", LayerNorm::sqrt, LateClock::root, -4, 9, 25},
};

std::string title_of(LayerNorm scheme, double mix_until) {
  switch (scheme) {
    case LayerNorm::post:
      return "Post-LN";
    case LayerNorm::pre:
      return "Pre-LN";
    case LayerNorm::peri:
      return "Peri-LN";
    case LayerNorm::mix:
      return fmt::format("Mix-LN, τ = {:g}", mix_until);
    case LayerNorm::ngpt:
      return "nGPT";
    default:
      return "1/√(t + 1)";
  }
}

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
SchemeCurve judge(const Scheme& scheme, const ReproductionControl& control, Reproduction& result,
                  ReproducedTable& numbers) {
  const WrongModel& wrong = control.wrong;
  ExperimentSpec spec = control.values.spec("normalisation");
  spec.dynamics.normalisation.kind = scheme.scheme;
  spec.dynamics.normalisation.argument.reset();
  if (scheme.scheme == LayerNorm::mix)
    spec.dynamics.normalisation.argument = control.values.number("mix");
  const theory::Normalised theory = theory_of(make_experiment(spec));
  wrong.spoil(spec);
  const auto until = [&spec](double T, std::optional<SaveChoice> save) {
    ExperimentSpec own = spec;
    own.T = T;
    if (save) own.save = save;
    return make_experiment(own);
  };
  const Experiment at = until(kReadAt, SaveChoice{.kind = SaveChoice::final});
  const Shell ours = shell_of(simulate_in_memory(at, wrong.null).last());
  const theory::Shells predicted = theory::normalised(theory, kReadAt);
  const Simulated simulated = simulate_in_memory(until(scheme.to, std::nullopt), wrong.null);
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

std::string title_of(const ExperimentSpec& spec) {
  const int n = spec.n.value_or(kDefaultParticles), d = spec.d.value_or(kDefaultCoordinates);
  const std::string size =
      n == d ? fmt::format("n = d = {}", n) : fmt::format("n = {}, d = {}", n, d);
  return fmt::format("{}, β = {:g}, from orthonormal directions", size, spec.dynamics.beta);
}

}  // namespace

std::optional<Reproduction> normalisation(const ReproductionControl& control) {
  Reproduction result = result_of(control, "normalisation");
  ReproducedTable numbers{"schemes",
                          {"scheme", "rho_6", "rho_6_theory", "r_6", "r_6_theory", "late_slope",
                           "late_slope_theory", "slope_from", "slope_to"}};
  ReproducedTable curves{"curves", {"t", "scheme", "theory", "particles"}};
  const double mix = control.values.number("mix");
  const ExperimentSpec preset = control.values.spec("normalisation");
  for (const Scheme& scheme : kSchemes) {
    const SchemeCurve curve = judge(scheme, control, result, numbers);
    for (std::size_t k = 0; k < curve.t.size(); ++k)
      if (curve.t[k] > 0.1)
        curves.rows.push_back({curve.t[k], title_of(scheme.scheme, mix), curve.predicted[k],
                               k % 2 == 0 ? curve.gap[k] : kNoNumber});
  }
  result.tables = {std::move(numbers), std::move(curves)};
  result.figures = {{.name = "normalisation",
                     .table = "curves",
                     .title = title_of(preset),
                     .x = {.label = "time t", .log = true},
                     .y = {.label = "1 − common cosine ρ(t)", .log = true, .from = kFloor},
                     .curves = {{"theory", Drawn::line, "equation of ρ and r"},
                                {"particles", Drawn::points, "particles"}},
                     .by = "scheme"}};
  result.captions["normalisation"] =
      "How fast directions of 16 tokens collapse under six layer norms. Peri-LN and nGPT lead "
      "early; late, Post-LN and nGPT fall as e^(−2t), the square-root scaling as e^(−4√t), and "
      "Pre-, Peri- and Mix-LN only as t^(−2). Lines: the equation of the common cosine; points: "
      "particles.";
  return result;
}

namespace {

// 1 - rho of one scheme with random query and key over time, and the late law through the middle of
// the window in which its slope is read.
double draw_scheme(const Scheme& scheme, const std::string& title, const Simulated& simulated,
                   ReproducedTable& curves) {
  const double slope = measured_slope(scheme, simulated);
  std::vector<double> gaps;
  double middle = 0, height = 0;
  for (std::size_t f = 0; f < simulated.frames.size(); ++f) {
    gaps.push_back(shell_of(simulated.frames[f]).gap);
    if (simulated.times[f] > std::sqrt(scheme.from * scheme.to) && middle == 0) {
      middle = simulated.times[f];
      height = gaps.back();
    }
  }
  for (std::size_t f = 1; f < gaps.size(); ++f) {
    const double t = simulated.times[f];
    const double law =
        height *
        std::exp(scheme.slope * (read_clock(scheme.clock, t) - read_clock(scheme.clock, middle)));
    if (t > 0.1 && gaps[f] > kFloor)
      curves.rows.push_back({t, title, 2 * t > scheme.from ? law : kNoNumber, gaps[f]});
  }
  return slope;
}

// The mean cosine at about time 1.
double early_cosine(const Simulated& simulated) {
  for (std::size_t f = 0; f < simulated.frames.size(); ++f)
    if (simulated.times[f] >= 1) return 1 - shell_of(simulated.frames[f]).gap;
  return kNoNumber;
}

}  // namespace

// Query and key are random, and independent tokens need not be equiangular: what is left of the
// theory are the order of the beginnings and the laws of the ends.
std::optional<Reproduction> normalisation_weights(const ReproductionControl& control) {
  Reproduction result = result_of(control, "normalisation-weights");
  ReproducedTable curves{"curves", {"t", "scheme", "late law", "particles"}};
  ReproducedTable numbers{"schemes",
                          {"scheme", "cosine at t = 1", "late slope", "late slope, theory"}};
  const FigureValues& values = control.values;
  const int n = values.whole("n"), d = values.whole("d");
  const double beta = values.number("beta"), mix = values.number("mix");
  double first = INFINITY, others = -INFINITY;
  for (const Scheme& scheme : kSchemes) {
    if (control.stopped()) return std::nullopt;
    ExperimentSpec spec = values.spec("normalisation-weights");
    spec.n = n;
    spec.d = d;
    spec.dynamics.beta = beta;
    spec.dynamics.normalisation.kind = scheme.scheme;
    spec.dynamics.normalisation.argument.reset();
    if (scheme.scheme == LayerNorm::mix) spec.dynamics.normalisation.argument = mix;
    spec.T = scheme.to;
    spec.engine.threads = std::max(control.threads, 0);
    control.wrong.spoil(spec);
    const Simulated simulated = simulate_in_memory(make_experiment(spec), control.wrong.null);
    const double slope = draw_scheme(scheme, title_of(scheme.scheme, mix), simulated, curves);
    const double early = early_cosine(simulated);
    const bool leads = scheme.scheme == LayerNorm::peri || scheme.scheme == LayerNorm::ngpt;
    (leads ? first : others) = leads ? std::fmin(first, early) : std::fmax(others, early);
    result.checks.push_back(nearly("normalisation-weights.late",
                                   {fmt::format("late slope of ln(1 - rho) over {}, {}",
                                                clock_name(scheme.clock), scheme.name),
                                    scheme.slope, slope},
                                   0.05));
    numbers.rows.push_back({scheme.name, early, slope, scheme.slope});
  }
  result.checks.push_back(
      holds("normalisation-weights.early",
            {"t = 1: least cosine of peri and ngpt over the greatest of others", first / others},
            first > others, "above 1"));
  result.tables = {std::move(numbers), std::move(curves)};
  result.figures = {{.name = "normalisation-weights",
                     .table = "curves",
                     .title = fmt::format("n = {}, d = {}, β = {}, random Q and K, V = I", n, d,
                                          beta == std::sqrt(d) ? "√d" : fmt::format("{:g}", beta)),
                     .x = {.label = "time t", .log = true},
                     .y = {.label = "1 − mean cosine", .log = true, .from = kFloor},
                     .curves = {{"late law", Drawn::line, "e^{−2t}, e^{−4√t}, t^{−2}"},
                                {"particles", Drawn::points, "particles"}},
                     .by = "scheme"}};
  result.captions["normalisation-weights"] =
      "The same six layer norms with random query and key matrices at β = √d and tokens that start "
      "independent: Peri-LN and nGPT are ahead early, Post-LN and nGPT late, and each ends on the "
      "law of the equiangular model (lines, through one point each).";
  return result;
}

}  // namespace murmur
