// mean_field.cpp: infinitely many tokens: waves that grow out of the uniform density, and the order
// that noise leaves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/meanfield.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"
#include "theory/stationary.h"

namespace murmur {

namespace {

constexpr int kSeeded = 12;      // modes that start alike
constexpr double kLinear = 0.1;  // amplitude of the leader at the end of the linear phase
constexpr double kPeaks = 0.4;   // amplitude of the leader at which peaks are counted

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

// The flow from equal amplitudes until one of them is `level`, and the density there, over the
// uniform one.
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

// |m_k|^2 of mode k over the greatest of the other seeded modes.
double lead(const MeanFieldReading& r, int k) {
  double second = 0;
  for (int j = 1; j <= kSeeded; ++j)
    if (j != k) second = std::fmax(second, r.amplitude[j]);
  return std::pow(r.amplitude[k] / second, 2);
}
// The same at the end of the linear phase, where each mode has grown at its own rate:
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
  ColumnTable table{name, {"t", "mode", "predicted", "amplitude"}};
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
      {.name = figure::mean_field,
       .table = name,
       .title = fmt::format("USA, β = {:g}: waves of equal height", waves.beta),
       .x = {.label = "time t"},
       .y = {.label = "amplitude |m_{k}| of mode k", .log = true},
       .curves = {{"predicted", Curve::line, "linear law"},
                  {"amplitude", Curve::points, "mean-field flow"}},
       .by = "mode",
       .by_name = "k"});
}

void draw_density(const Waves& waves, const Rise& linear, const Rise& later, Reproduction& result) {
  const std::string name = fmt::format("density_beta{:g}", waves.beta);
  ColumnTable table{name, {"angle", "amplitude of the leader", "density"}};
  for (const Rise* rise : {&linear, &later}) {
    const std::size_t n = rise->density.size(), half = n / 2;
    const double level = rise->trajectory.steps.back().amplitude[waves.leader()];
    for (std::size_t i = 0; i <= n; ++i)  // from -pi on
      table.rows.push_back(
          {kTurn * (static_cast<double>(i) - static_cast<double>(half)) / static_cast<double>(n),
           fmt::format("{:.1f}", level), rise->density[(i + n - half) % n]});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = figure::mean_field,
                            .table = name,
                            .title = fmt::format("β = {:g}: {} peaks", waves.beta, waves.leader()),
                            .x = {.label = "angle θ", .angle = true},
                            .y = {.label = "density / uniform density", .from = 0},
                            .curves = {{"density", Curve::line}},
                            .by = "amplitude of the leader",
                            .by_name = fmt::format("|m_{{{}}}|", waves.leader())});
  result.captions[figure::mean_field] =
      "Twelve waves of equal height on the uniform density of infinitely many tokens grow as the "
      "linear law says (points on lines, five waves about the fastest) until strong ones drive "
      "slow ones off their lines. Mode 3 leads at β = 5, mode 4 at β = 7; then the density has as "
      "many peaks.";
}

void check_rates(const Waves& waves, const MeanFieldRegimes& regimes, Reproduction& result) {
  for (const ModeGrowth& g : regimes.growth)
    if (std::abs(g.k - waves.leader()) <= 1)
      result.checks.push_back(check_near_share(
          rule::mean_field_rate,
          {fmt::format("β = {:g}, waves of {:g}: rate of mode {}", waves.beta, waves.height, g.k),
           waves.rate(g.k), g.rate},
          1e-3));
}

void check_rise(const Waves& waves, Reproduction& result) {
  const Rise rise = rise_of(waves, kLinear);
  const MeanFieldRegimes regimes = regimes_of(rise.trajectory);
  const std::string what = fmt::format("β = {:g}, waves of {:g}: ", waves.beta, waves.height);
  result.checks.push_back(check_near(
      rule::mean_field_leader,
      {what + "mode that leads at the end of the linear phase", static_cast<double>(waves.leader()),
       regimes.linear ? static_cast<double>(regimes.linear->leader) : kNoNumber},
      0));
  result.checks.push_back(
      check_near_share(rule::mean_field_ratio,
                       {what + "its energy over the next one's", predicted_lead(waves),
                        lead(rise.trajectory.steps.back(), waves.leader())},
                       0.05));
  check_rates(waves, regimes, result);
  if (waves.height < 1e-6) return;
  const Rise later = rise_of(waves, kPeaks);
  result.checks.push_back(check_near(
      rule::mean_field_peaks,
      {what + fmt::format("peaks of the density when it is {:g}", kPeaks),
       static_cast<double>(waves.leader()), static_cast<double>(peaks_of(later.density))},
      0));
  draw_amplitudes(waves, rise.trajectory.steps, result);
  draw_density(waves, rise, later, result);
}

}  // namespace

std::optional<Reproduction> mean_field(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::mean_field);
  const double noise = control.values.number("noise");
  for (const double beta : control.values.numbers("betas"))
    for (const double height : control.values.numbers("heights")) {
      if (control.stopped()) return std::nullopt;
      check_rise({beta, height, noise, control.wrong}, result);
    }
  return result;
}

namespace {

struct Noisy {
  int d;
  double beta;
  WrongModel wrong{};
  MeanField field(double kappa) const {
    return under_null({.d = d,
                       .beta = beta * wrong.beta,
                       .weighting = Attention::unnormalised,
                       .noise = 1 / kappa},
                      wrong.null);
  }
  std::string name() const { return fmt::format("d = {}, β = {:g}", d, beta); }
};
// On the circle and on the sphere, below and above beta_*.
std::vector<Noisy> laws_of(const ReproductionControl& control) {
  std::vector<Noisy> laws;
  for (const double beta : control.values.numbers("circle_betas"))
    laws.push_back({2, beta, control.wrong});
  for (const double beta : control.values.numbers("sphere_betas"))
    laws.push_back({3, beta, control.wrong});
  return laws;
}

// The uniform law times 1 + eps cos theta, or the corresponding law on the sphere; a bump of order
// above 0.7.
Measure wave(double eps) {
  Measure start;
  start.waves = {{1, eps}};
  return start;
}
Measure bump(int d) {
  std::vector<double> centre(static_cast<std::size_t>(d));
  centre[0] = 1;
  Measure start;
  start.bumps = {{.kappa = 4, .centre = centre}};
  return start;
}

// The Fokker-Planck flow; a small order needs few modes, a bump more.
MeanFieldTrajectory flow_of(const MeanField& field, const Measure& start, double T) {
  const bool small = !start.waves.empty() && start.waves.front().eps < 0.01;
  const MeanFieldMethod method{.modes = small          ? 12
                                        : field.d == 2 ? 48
                                                       : 40,
                               .tolerance = {1e-8, 1e-12}};
  return carry(field, start, method, {.schedule = {.T = T}});
}

// The order after time T; NaN where the flow does not reach it.
double settled(const MeanField& field, const Measure& start, double T) {
  const MeanFieldTrajectory trajectory = flow_of(field, start, T);
  return trajectory.outcome.ok() ? trajectory.steps.back().order : kNoNumber;
}

// The order at rest: the flow runs until the order changes by less than kStill per unit of time.
// The rest of the change is kStill over the rate at which it settles. NaN where it is not at rest
// by kLongest.
constexpr double kStill = 1e-6, kLongest = 1000;
double order_at_rest(const MeanField& field, const Measure& start) {
  MeanFieldReading before;
  bool still = false;
  MeanFieldPlan plan{.schedule = {.T = kLongest}};
  plan.stop = [&](const MeanFieldReading& now) {
    if (now.t < before.t + 1) return false;
    still = before.t > 0 && std::fabs(now.order - before.order) < kStill * (now.t - before.t);
    before = now;
    return still;
  };
  const bool narrow = field.d == 2 || field.beta > 2;  // where the law above the fold is narrow
  const MeanFieldMethod method{.modes = narrow ? 24 : 16,
                               .tolerance = {1e-6, 1e-9},
                               .most_tail = 1e-4,
                               .most_negative = 1e-4};
  carry(field, start, method, plan);
  return still ? before.order : kNoNumber;
}

// ln of the order of a wave that stays small grows along a straight line; its slope.
double measured_rate(const MeanField& field) {
  const MeanFieldTrajectory trajectory = flow_of(field, wave(1e-5), 1);
  std::vector<double> t, log_order;
  for (const MeanFieldReading& r : trajectory.steps) {
    t.push_back(r.t);
    log_order.push_back(std::log(r.order));
  }
  return fit_line(t, log_order).slope;
}

// The kappa at which the flow neither strengthens nor weakens a small order: measured rates over
// noise, where their line crosses zero.
double measured_onset(const Noisy& law, ColumnTable& rates) {
  const double guess = theory::noise_threshold(law.d, law.beta);
  std::vector<double> noise, rate;
  for (const double factor : {0.7, 0.85, 1.0, 1.15, 1.3}) {
    noise.push_back(factor / guess);
    rate.push_back(measured_rate(law.field(guess / factor)));
    rates.rows.push_back({noise.back(), law.name(), rate.back()});
  }
  const Line line = fit_line(noise, rate);
  return -line.slope / line.intercept;
}

// Values of kappa at which the flow runs to rest: below and above the onset, and between fold and
// onset where they differ; not at these, where it is slow.
std::vector<double> places_of(const Bifurcation& b, double onset, bool few) {
  const auto inside = [&](double share) { return b.fold + share * (onset - b.fold); };
  if (few && b.hysteretic) return {0.84 * onset, inside(0.5), 1.25 * onset};
  if (few) return {0.84 * onset, 1.25 * onset};
  std::vector<double> places = {0.84 * onset};
  if (b.hysteretic)
    places.insert(places.end(), {0.96 * b.fold, inside(0.3), inside(0.6)});
  else
    places.push_back(0.92 * onset);
  places.insert(places.end(), {1.07 * onset, 1.13 * onset, 1.19 * onset, 1.25 * onset});
  return places;
}

// Stationary laws by their order: kappa(r) of the branch, stable above its fold; the uniform law,
// stable until the onset; and the order at which the flow ends from a bump and from a small wave.
void draw_branch(const Noisy& law, const Bifurcation& b, bool few, Reproduction& result) {
  const std::string name = fmt::format("noise_d{}_beta{:g}", law.d, law.beta);
  ColumnTable table{name, {"κ", "stable", "unstable", "from a bump", "from a small wave"}};
  const auto add = [&](double kappa, std::size_t column, double order) {
    add_point(table, kappa, column, order);
  };
  const theory::StationaryBranch branch(law.d, law.beta);
  const double from = b.kappa.front(), to = b.kappa.back();
  const double top = branch.order(to), fold = b.hysteretic ? branch.fold_order() : 0;
  constexpr int kPoints = 60;
  for (int i = 0; i <= kPoints; ++i) {
    const double r = fold + (top - fold) * i / kPoints;
    add(r > 0 ? branch.kappa(r) : branch.onset(), 1, r);
  }
  add(kNoNumber, 1, kNoNumber);
  add(from, 1, 0);
  add(branch.onset(), 1, 0);
  for (int i = 0; b.hysteretic && i <= kPoints; ++i) {
    const double r = fold * i / kPoints;
    add(r > 0 ? branch.kappa(r) : branch.onset(), 2, r);
  }
  add(kNoNumber, 2, kNoNumber);
  add(branch.onset(), 2, 0);
  add(to, 2, 0);
  for (const double kappa : places_of(b, branch.onset(), few)) {
    add(kappa, 3, order_at_rest(law.field(kappa), bump(law.d)));
    add(kappa, 4, order_at_rest(law.field(kappa), wave(0.05)));
  }
  TablePanel figure{
      .name = figure::noisy_bifurcation,
      .table = name,
      .title = law.name() + (b.hysteretic ? ": a jump" : ": continuous"),
      .x = {.label = "inverse noise κ"},
      .y = {.label = "order |∫ x dμ|"},
      .curves = {{"stable", Curve::line, "stable laws", 0},
                 {"unstable", Curve::dashes, "unstable laws", Curve::kQuiet},
                 {"from a bump", Curve::points, "flow from a bump", 0},
                 {"from a small wave", Curve::rings, "flow from a small wave", 1}},
      .guides = {{"onset κ_{c}", theory::noise_threshold(law.d, law.beta), kNoNumber}}};
  if (b.hysteretic) figure.guides.push_back({"fold", b.fold, kNoNumber});
  result.tables.push_back(std::move(table));
  result.figures.push_back(std::move(figure));
  result.captions[figure::noisy_bifurcation] =
      "Order of stationary laws over the inverse noise κ. Below β_* (left) order sets in "
      "continuously at κ_c; above it (right) with a jump: an unstable branch (dashes) leads back "
      "to a fold, and between fold and κ_c the flow keeps the order of a bump (points) and lets a "
      "small wave die (open marks); above κ_c both end on one branch. Marks are the mean-field "
      "flow at rest: the order changes by less than 1e-6 per unit of time; there is no mark where "
      "a law is too narrow for the modes of the flow.";
}

void check_branch(const Noisy& law, const ReproductionControl& control, Reproduction& result) {
  const double critical = theory::noise_threshold(law.d, law.beta);
  const bool jumps = law.beta > theory::continuous_until(law.d);
  const double beta = law.beta * law.wrong.beta;  // the sweep is centred at its own threshold
  const double onset = theory::noise_threshold(law.d, beta);
  const Bifurcation b = bifurcation(
      {law.d, beta},
      {.from = 0.8 * onset, .to = 1.3 * onset, .points = control.values.whole("points")});
  result.checks.push_back(
      check_holds(rule::noisy_bifurcation_jump,
                  {law.name() + (jumps ? ": order jumps" : ": order sets in continuously"), b.jump},
                  b.hysteretic == jumps, jumps ? "hysteresis" : "no hysteresis"));
  if (control.figures) draw_branch(law, b, control.quick, result);
  if (!jumps) return;
  // Half way between fold and onset the flow keeps a large order, and a small one decays.
  const MeanField between = law.field((b.fold + critical) / 2);
  const double kept = settled(between, bump(law.d), 12), lost = settled(between, wave(1e-3), 5);
  const std::string what =
      fmt::format("{}, κ = {:.4f}, below the onset: ", law.name(), 1 / between.noise);
  result.checks.push_back(
      check_near(rule::noisy_bifurcation_hysteresis,
                 {what + "order that the flow keeps",
                  stationary_order({law.d, law.beta}, 1 / between.noise, 1), kept},
                 1e-3));
  result.checks.push_back(check_holds(rule::noisy_bifurcation_hysteresis,
                                      {what + "a small order under the flow", lost}, lost < 5e-4,
                                      "smaller than at the start"));
}

void check_onsets(const ReproductionControl& control, Reproduction& result) {
  ColumnTable rates{"rates", {"noise", "law", "rate"}};
  for (const Noisy& law : laws_of(control)) {
    result.checks.push_back(
        check_near_share(rule::noisy_bifurcation_onset,
                         {law.name() + ": κ at which order sets in, from rates of the flow",
                          theory::noise_threshold(law.d, law.beta), measured_onset(law, rates)},
                         0.01));
  }
  result.tables.push_back(std::move(rates));
}

void check_settled(const WrongModel& wrong, Reproduction& result) {
  const Noisy circle{2, 1, wrong}, sphere{3, 1, wrong};
  for (const double kappa : {2.2, 3.0})
    result.checks.push_back(check_near(
        rule::noisy_bifurcation_order,
        {fmt::format("{}, κ = {:g}: order, flow until it settles", circle.name(), kappa),
         stationary_order({2, 1}, kappa, 1), settled(circle.field(kappa), wave(0.6), 50)},
        1e-3));
  result.checks.push_back(
      check_near(rule::noisy_bifurcation_order,
                 {sphere.name() + ", κ = 3.5: order, flow on the sphere",
                  stationary_order({3, 1}, 3.5, 1), settled(sphere.field(3.5), wave(0.6), 25)},
                 1e-3));
}

}  // namespace

std::optional<Reproduction> noisy_bifurcation(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::noisy_bifurcation);
  check_settled(control.wrong, result);
  if (control.stopped()) return std::nullopt;
  check_onsets(control, result);
  for (const Noisy& law : laws_of(control)) {
    if (control.stopped()) return std::nullopt;
    check_branch(law, control, result);
  }
  return result;
}

}  // namespace murmur
