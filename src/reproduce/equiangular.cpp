// equiangular.cpp: tokens of one common cosine, which have closed forms: the flow, one layer over
// many tokens, and layer normalisations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct CosineCase {
  Interaction interaction;
  int n;
  double beta, t, predicted;
};
constexpr CosineCase kCases[] = {{Interaction::SA, 8, 1, 3, 0.970493827},
                                 {Interaction::USA, 8, 1, 0.8, 0.416079473},
                                 {Interaction::SA, 32, 4, 3, 0.332986702},
                                 {Interaction::USA, 32, 4, 0.12, 0.008560837}};

struct Cosines {
  double mean, spread;  // mean over all pairs; greatest minus smallest
};

Cosines cosines(const HostSwarm& x) {
  double low = 1, high = -1, sum = 0;
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j < i; ++j) {
      double dot = 0;
      for (int k = 0; k < x.d(); ++k) dot += x.at(i, k) * x.at(j, k);
      low = std::min(low, dot);
      high = std::max(high, dot);
      sum += dot;
    }
  return {sum / (x.n() * (x.n() - 1) / 2), high - low};
}

ExperimentSpec spec_of(const CosineCase& c, const SaveChoice& save) {
  ExperimentSpec spec = preset_spec("orthonormal");
  spec.dynamics.interaction = c.interaction;
  spec.dynamics.beta = c.beta;
  spec.n = spec.d = c.n;
  spec.T = c.t;
  spec.save = save;
  spec.init = InitialLaw{InitialLaw::orthonormal};
  spec.tolerance = {1e-12, 1e-13};
  return spec;
}

void check_cosines(const ReproductionControl& control, Reproduction& result) {
  for (const CosineCase& c : kCases) {
    ExperimentSpec spec = spec_of(c, {.kind = SaveChoice::final});
    control.wrong.apply(spec);
    const Cosines at =
        cosines(simulate_in_memory(make_experiment(spec), control.wrong.null).last());
    Check check =
        check_near(rule::equiangular_cosine,
                   {fmt::format("{}, n = {}, β = {:g}: common cosine at t = {:g}",
                                c.interaction == Interaction::SA ? "SA" : "USA", c.n, c.beta, c.t),
                    c.predicted, at.mean},
                   1e-9);
    check.more["spread over pairs"] = at.spread;
    if (at.spread >= 1e-9) check.answer = Answer::disagrees;
    result.checks.push_back(std::move(check));
  }
}

// The time at which 1 - cos of n orthonormal tokens has fallen to delta; its logarithm is
// interpolated between frames.
double measured_time(int n, double beta, double delta) {
  const double predicted = theory::clustering_time({.n = n, .beta = beta}, delta);
  ExperimentSpec spec =
      spec_of({Interaction::SA, n, beta, 1.1 * predicted, 0}, {SaveChoice::every, predicted / 100});
  spec.tolerance = {1e-8, 1e-10};
  const Simulated simulated = simulate_in_memory(make_experiment(spec));
  double before = 1, t = 0;
  for (std::size_t k = 0; k < simulated.times.size(); ++k) {
    const double gap = 1 - cosines(simulated.frames[k]).mean;
    if (gap <= delta)
      return t + (simulated.times[k] - t) * std::log(before / delta) / std::log(before / gap);
    before = gap;
    t = simulated.times[k];
  }
  return kNoNumber;
}

// The phase curve, by the closed form and by particles.
void draw_phase(const ReproductionControl& control, Reproduction& result) {
  const double delta = control.values.number("delta");
  const bool coarse = control.quick;
  ColumnTable phase{"phase", {"beta", "n", "theory", "particles"}};
  for (const int n : control.values.wholes("sizes")) {
    for (int k = 1; k <= 90; ++k)
      phase.rows.push_back({0.1 * k, static_cast<double>(n),
                            theory::clustering_time({.n = n, .beta = 0.1 * k}, delta), kNoNumber});
    for (double beta = 1; beta <= (n <= 32 ? 9 : 8); beta += n <= 32 || !coarse ? 1 : 3.5)
      phase.rows.push_back(
          {beta, static_cast<double>(n), kNoNumber, measured_time(n, beta, delta)});
  }
  result.tables.push_back(std::move(phase));
  result.figures.push_back(
      {.name = figure::equiangular,
       .table = "phase",
       .title = "The phase curve t*(β)",
       .x = {.label = "inverse temperature β"},
       .y = {.label = fmt::format("time at which 1 − ρ = {:g}", delta), .log = true},
       .curves = {{"theory", Curve::line, "closed form"},
                  {"particles", Curve::points, "particles"}},
       .by = "n",
       .by_name = "n"});
}

}  // namespace

std::optional<Reproduction> equiangular(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::equiangular);
  check_cosines(control, result);
  if (!control.figures) return result;
  ColumnTable curves{"courses", {"t", "beta", "particles", "closed form"}};
  const int n = control.values.whole("n");
  const double T = control.values.number("T");
  for (const double beta : control.values.numbers("betas")) {
    const Experiment e =
        make_experiment(spec_of({Interaction::SA, n, beta, T, 0}, {SaveChoice::every, 0.1}));
    const Simulated simulated = simulate_in_memory(e);
    const theory::Equiangular swarm = theory::equiangular_of(e.dynamics, e.swarm.n());
    for (std::size_t k = 0; k < simulated.times.size(); ++k)
      curves.rows.push_back({simulated.times[k], beta,
                             k % 10 == 0 ? cosines(simulated.frames[k]).mean : kNoNumber,
                             theory::cosine(swarm, simulated.times[k])});
  }
  result.tables = {std::move(curves)};
  result.figures.push_back({.name = figure::equiangular,
                            .table = "courses",
                            .title = fmt::format("{} orthonormal tokens, SA", n),
                            .x = {.label = "time t"},
                            .y = {.label = "common cosine ρ(t)"},
                            .curves = {{"closed form", Curve::line, "closed form"},
                                       {"particles", Curve::points, "particles"}},
                            .by = "beta",
                            .by_name = "β"});
  draw_phase(control, result);
  result.captions[figure::equiangular] =
      "Orthonormal tokens keep one common cosine. Left: it rises along the closed form (lines) at "
      "every β, particles are points. Right: the time at which 1 − ρ is 0.001, from the closed "
      "form and from particles.";
  return result;
}

namespace {

// Cosine between the outputs A_1 and A_2 of one softmax layer over n equiangular tokens.
double output_cosine(int n, double gamma, const FigureValues& values, const WrongModel& wrong) {
  ExperimentSpec spec = preset_spec("long-context");
  if (values.is_changed("rho"))
    spec.init = InitialLaw{InitialLaw::equiangular, {values.number("rho")}};
  spec.n = spec.d = n;
  spec.dynamics.beta = gamma * std::log(n);
  spec.engine.name = "simd";
  wrong.apply(spec);
  const Experiment e = make_experiment(spec);
  const auto engine = make_engine(e.engine, wrong.null);
  const auto field = engine->prepare(e.dynamics, e.swarm.shape());
  const auto x = engine->place(e.swarm), a = engine->place(e.swarm);
  field->drift(0, 0, *x, *a);
  const HostSwarm out = engine->fetch(*a);
  double dot = 0, first = 0, second = 0;
  for (int k = 0; k < out.d(); ++k) {
    dot += out.at(0, k) * out.at(1, k);
    first += out.at(0, k) * out.at(0, k);
    second += out.at(1, k) * out.at(1, k);
  }
  return dot / std::sqrt(first * second);
}

// The closed form for several n, layers of particles, and the value of gamma at which its branches
// part.
void draw_branches(const ReproductionControl& control, Reproduction& result) {
  ColumnTable table{"branches", {"gamma", "n", "closed form", "particles"}};
  const double rho = control.values.number("rho"), most = control.values.number("gamma_max");
  const auto points = static_cast<int>(std::lround(most / 0.0125));
  for (const double size : control.values.numbers("sizes")) {
    const std::string name =
        size > 1e3 ? fmt::format("10^{{{:g}}}", std::log10(size)) : fmt::format("{:g}", size);
    for (int k = 0; k <= points; ++k) {
      const double gamma = 0.0125 * k;
      table.rows.push_back({gamma, name, theory::context_cosine(rho, gamma, size), kNoNumber});
    }
    if (size > 1e3) continue;  // more tokens than a layer holds
    const double step = size > 100 && control.quick ? 0.5 : 0.25;
    for (double gamma = step; gamma <= most; gamma += step)
      table.rows.push_back({gamma, name, kNoNumber,
                            output_cosine(static_cast<int>(size), gamma, control.values, {})});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = figure::long_context,
       .table = "branches",
       .title = fmt::format("One layer over n tokens of common cosine ρ = {:g}", rho),
       .x = {.label = "γ,  where β = γ ln n"},
       .y = {.label = "cosine between two outputs"},
       .curves = {{"closed form", Curve::line, "closed form"},
                  {"particles", Curve::points, "layer of particles"}},
       .by = "n",
       .by_name = "n",
       .guides = {{"γ_{c} = 1/(1 − ρ)", 1 / (1 - rho), kNoNumber}}});
  result.captions[figure::long_context] =
      "The cosine between two outputs of one layer over n tokens of common cosine 0.3. As n grows "
      "three branches part at γ_c = 1/(1 − ρ): below it outputs collapse to one, above it they "
      "keep the cosine of the inputs, and at γ_c itself it is 4ρ/(1 + 3ρ) = 0.63. Points: layers "
      "of 100 and 1,000 particles.";
}

}  // namespace

std::optional<Reproduction> long_context(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::long_context);
  const int n = control.values.whole("n");
  const double rho = control.values.number("rho"), critical = 1 / (1 - rho);
  for (const double share : {0.8, 1.0, 1.2}) {
    const double predicted = theory::context_cosine(rho, share * critical, n);
    result.checks.push_back(check_near(
        rule::long_context_layer,
        {fmt::format("γ = {:g} critical, n = {}: output cosine of a layer of particles", share, n),
         predicted, output_cosine(n, share * critical, control.values, control.wrong)},
        1e-8));
  }
  if (control.figures) draw_branches(control, result);
  return result;
}

namespace {

// How 1 - rho falls late: ln(1 - rho) is a straight line over this clock.
enum class LateClock { time, logarithm, root };

struct Scheme {
  const char* name;
  LayerNorm scheme;
  LateClock clock;
  double slope;     // predicted by 2510.22026
  double from, to;  // the times between which the slope is measured
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

// 1 - rho of directions and r, means over the swarm. 1 - <u, v> = |u - v|^2 / 2 loses no digits.
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
  return fit_line(clock, logs).slope;
}

theory::Normalised theory_of(const Experiment& e) {
  return {.scheme = e.dynamics.normalisation,
          .n = e.swarm.n(),
          .beta = by_kind(e.dynamics).heads.front()->beta,
          .mix_until = e.dynamics.mix_until,
          .speed = e.dynamics.speed};
}

constexpr double kFloor = 1e-7;  // below it 1 - rho is not shown
constexpr double kReadAt = 6;    // the time at which cosine and radius are compared
constexpr double kSlopeShare = 0.01;

struct SchemeCurve {
  std::vector<double> t{}, gap{}, predicted{};
};

// Compares particles with the equation of rho and r, at kReadAt and along the curve.
SchemeCurve check_scheme(const Scheme& scheme, const ReproductionControl& control,
                         Reproduction& result, ColumnTable& numbers) {
  const WrongModel& wrong = control.wrong;
  ExperimentSpec spec = control.values.spec("normalisation");
  spec.dynamics.normalisation.kind = scheme.scheme;
  spec.dynamics.normalisation.argument.reset();
  if (scheme.scheme == LayerNorm::mix)
    spec.dynamics.normalisation.argument = control.values.number("mix");
  const theory::Normalised theory = theory_of(make_experiment(spec));
  wrong.apply(spec);
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
  result.checks.push_back(check_near(
      rule::normalisation_cosine,
      {fmt::format("rho({:g}), {}", kReadAt, scheme.name), predicted.rho, 1 - ours.gap}, 1e-6));
  result.checks.push_back(
      check_near(rule::normalisation_radius,
                 {fmt::format("r({:g}), {}", kReadAt, scheme.name), predicted.r, ours.r}, 1e-6));
  result.checks.push_back(check_near_share(
      rule::normalisation_slope,
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
  Reproduction result = new_result(control, figure::normalisation);
  ColumnTable numbers{"schemes",
                      {"scheme", "rho_6", "rho_6_theory", "r_6", "r_6_theory", "late_slope",
                       "late_slope_theory", "slope_from", "slope_to"}};
  ColumnTable curves{"curves", {"t", "scheme", "theory", "particles"}};
  const double mix = control.values.number("mix");
  const ExperimentSpec preset = control.values.spec("normalisation");
  for (const Scheme& scheme : kSchemes) {
    const SchemeCurve curve = check_scheme(scheme, control, result, numbers);
    for (std::size_t k = 0; k < curve.t.size(); ++k)
      if (curve.t[k] > 0.1)
        curves.rows.push_back({curve.t[k], title_of(scheme.scheme, mix), curve.predicted[k],
                               k % 2 == 0 ? curve.gap[k] : kNoNumber});
  }
  result.tables = {std::move(numbers), std::move(curves)};
  result.figures = {{.name = figure::normalisation,
                     .table = "curves",
                     .title = title_of(preset),
                     .x = {.label = "time t", .log = true},
                     .y = {.label = "1 − common cosine ρ(t)", .log = true, .from = kFloor},
                     .curves = {{"theory", Curve::line, "equation of ρ and r"},
                                {"particles", Curve::points, "particles"}},
                     .by = "scheme"}};
  result.captions[figure::normalisation] =
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
                   ColumnTable& curves) {
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

// Query and key are random, and independent tokens need not be equiangular. Two predictions remain:
// which schemes are fast early, and the late laws.
std::optional<Reproduction> normalisation_weights(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::normalisation_weights);
  ColumnTable curves{"curves", {"t", "scheme", "late law", "particles"}};
  ColumnTable numbers{"schemes", {"scheme", "cosine at t = 1", "late slope", "late slope, theory"}};
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
    control.wrong.apply(spec);
    const Simulated simulated = simulate_in_memory(make_experiment(spec), control.wrong.null);
    const double slope = draw_scheme(scheme, title_of(scheme.scheme, mix), simulated, curves);
    const double early = early_cosine(simulated);
    const bool leads = scheme.scheme == LayerNorm::peri || scheme.scheme == LayerNorm::ngpt;
    (leads ? first : others) = leads ? std::fmin(first, early) : std::fmax(others, early);
    result.checks.push_back(check_near_share(rule::normalisation_weights_late,
                                             {fmt::format("late slope of ln(1 - rho) over {}, {}",
                                                          clock_name(scheme.clock), scheme.name),
                                              scheme.slope, slope},
                                             0.05));
    numbers.rows.push_back({scheme.name, early, slope, scheme.slope});
  }
  result.checks.push_back(check_holds(
      rule::normalisation_weights_early,
      {"t = 1: least cosine of peri and ngpt over the greatest of others", first / others},
      first > others, "above 1"));
  result.tables = {std::move(numbers), std::move(curves)};
  result.figures = {{.name = figure::normalisation_weights,
                     .table = "curves",
                     .title = fmt::format("n = {}, d = {}, β = {}, random Q and K, V = I", n, d,
                                          beta == std::sqrt(d) ? "√d" : fmt::format("{:g}", beta)),
                     .x = {.label = "time t", .log = true},
                     .y = {.label = "1 − mean cosine", .log = true, .from = kFloor},
                     .curves = {{"late law", Curve::line, "e^{−2t}, e^{−4√t}, t^{−2}"},
                                {"particles", Curve::points, "particles"}},
                     .by = "scheme"}};
  result.captions[figure::normalisation_weights] =
      "The same six layer norms with random query and key matrices at β = √d and tokens that start "
      "independent: Peri-LN and nGPT are ahead early, Post-LN and nGPT late, and each ends on the "
      "law of the equiangular model (lines, through one point each).";
  return result;
}

}  // namespace murmur
