// noisy_bifurcation.cpp: what noise leaves of the order of infinitely many tokens.
#include <fmt/format.h>

#include <cmath>

#include "murmur/meanfield.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"

namespace murmur {

namespace {

struct Noisy {
  int d;
  double beta;
  WrongModel wrong{};
  MeanField field(double kappa) const {
    return {.d = d,
            .beta = beta * wrong.beta,
            .weighting = Attention::unnormalised,
            .noise = 1 / kappa};
  }
  std::string name() const { return fmt::format("d = {}, β = {:g}", d, beta); }
};
constexpr struct {
  int d;
  double beta;
} kNoisy[] = {{2, 1}, {2, 4}, {3, 1}, {3, 3}};  // below and above beta_*

// The uniform law times 1 + eps cos theta, or its like on the sphere; a bump of order above 0.7.
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

// The Fokker-Planck flow; a small order needs few modes, a bump on the sphere more.
MeanFieldTrajectory flow_of(const MeanField& field, const Measure& start, double T) {
  const bool small = !start.waves.empty() && start.waves.front().eps < 0.01;
  const MeanFieldMethod method{.modes = small          ? 12
                                        : field.d == 2 ? 48
                                                       : 40,
                               .tolerance = {1e-8, 1e-12}};
  return carry(field, start, method, {.schedule = {.T = T}});
}

// The order to which it settles; NaN where it does not get there.
double settled(const MeanField& field, const Measure& start, double T) {
  const MeanFieldTrajectory trajectory = flow_of(field, start, T);
  return trajectory.outcome.ok() ? trajectory.steps.back().order : kNoNumber;
}

// ln of the order of a wave that stays small grows along a straight line; its slope.
double measured_rate(const MeanField& field) {
  const MeanFieldTrajectory trajectory = flow_of(field, wave(1e-5), 1);
  std::vector<double> t, log_order;
  for (const MeanFieldReading& r : trajectory.steps) {
    t.push_back(r.t);
    log_order.push_back(std::log(r.order));
  }
  return line_of(t, log_order).slope;
}

// The kappa at which the flow neither strengthens nor weakens a small order: measured rates over
// noise, where their line crosses zero.
double measured_onset(const Noisy& law, ReproducedTable& rates) {
  const double guess = theory::noise_threshold(law.d, law.beta);
  std::vector<double> noise, rate;
  for (const double factor : {0.7, 0.85, 1.0, 1.15, 1.3}) {
    noise.push_back(factor / guess);
    rate.push_back(measured_rate(law.field(guess / factor)));
    rates.rows.push_back({noise.back(), law.name(), rate.back()});
  }
  const Line line = line_of(noise, rate);
  return -line.slope / line.intercept;
}

// Both sweeps; where there is a jump, the line of falling kappa is broken.
void add_sweeps(const Bifurcation& b, ReproducedTable& table) {
  for (std::size_t i = 0; i < b.kappa.size(); ++i) {
    if (b.hysteretic && i > 0 && b.kappa[i - 1] < b.fold && b.kappa[i] >= b.fold)
      table.rows.push_back({kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber});
    table.rows.push_back({b.kappa[i], b.down[i], b.up[i], kNoNumber, kNoNumber});
  }
}

void draw_branch(const Noisy& law, const Bifurcation& b, Reproduction& result) {
  const std::string name = fmt::format("noise_d{}_beta{:g}", law.d, law.beta);
  ReproducedTable table{name, {"κ", "κ falls", "κ rises", "κ_c", "fold"}};
  add_sweeps(b, table);
  const double critical = theory::noise_threshold(law.d, law.beta);
  for (const double height : {0.0, b.down.back()})
    table.rows.push_back({critical, kNoNumber, kNoNumber, height, kNoNumber});
  ReproducedFigure figure{.name = "noisy-bifurcation",
                          .table = name,
                          .columns = {"κ falls", "κ rises", "κ_c"},
                          .x_label = "κ",
                          .y_label = "order |∫ x dμ|",
                          .title = law.name(),
                          .dashed = {"κ_c", "fold"},
                          .rings = {"κ rises"}};
  if (b.hysteretic) {
    for (const double height : {0.0, b.down.back()})
      table.rows.push_back({b.fold, kNoNumber, kNoNumber, kNoNumber, height});
    figure.columns.emplace_back("fold");
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(std::move(figure));
}

void check_branch(const Noisy& law, int points, Reproduction& result) {
  const double critical = theory::noise_threshold(law.d, law.beta);
  const bool jumps = law.beta > theory::continuous_until(law.d);
  const double beta = law.beta * law.wrong.beta;  // the sweep is about its own threshold
  const double onset = theory::noise_threshold(law.d, beta);
  const Bifurcation b =
      bifurcation({law.d, beta}, {.from = 0.8 * onset, .to = 1.3 * onset, .points = points});
  result.checks.push_back(
      holds("noisy-bifurcation.jump",
            {law.name() + (jumps ? ": order jumps" : ": order sets in continuously"), b.jump},
            b.hysteretic == jumps, jumps ? "hysteresis" : "no hysteresis"));
  draw_branch(law, b, result);
  if (!jumps) return;
  // Half way between fold and onset the flow keeps order that is there and lets a small one die.
  const MeanField between = law.field((b.fold + critical) / 2);
  const double kept = settled(between, bump(law.d), 12), lost = settled(between, wave(1e-3), 5);
  const std::string what =
      fmt::format("{}, κ = {:.4f}, below the onset: ", law.name(), 1 / between.noise);
  result.checks.push_back(near("noisy-bifurcation.hysteresis",
                               {what + "order that the flow keeps",
                                stationary_order({law.d, law.beta}, 1 / between.noise, 1), kept},
                               1e-3));
  result.checks.push_back(holds("noisy-bifurcation.hysteresis",
                                {what + "a small order under the flow", lost}, lost < 5e-4,
                                "smaller than at the start"));
}

void check_onsets(const WrongModel& wrong, Reproduction& result) {
  ReproducedTable rates{"rates", {"noise", "law", "rate"}};
  for (const auto& [d, beta] : kNoisy) {
    const Noisy law{d, beta, wrong};
    result.checks.push_back(
        nearly("noisy-bifurcation.onset",
               {law.name() + ": κ at which order sets in, from rates of the flow",
                theory::noise_threshold(d, beta), measured_onset(law, rates)},
               0.01));
  }
  result.tables.push_back(std::move(rates));
}

void check_settled(const WrongModel& wrong, Reproduction& result) {
  const Noisy circle{2, 1, wrong}, sphere{3, 1, wrong};
  for (const double kappa : {2.2, 3.0})
    result.checks.push_back(
        near("noisy-bifurcation.order",
             {fmt::format("{}, κ = {:g}: order, flow until it settles", circle.name(), kappa),
              stationary_order({2, 1}, kappa, 1), settled(circle.field(kappa), wave(0.6), 50)},
             1e-3));
  result.checks.push_back(
      near("noisy-bifurcation.order",
           {sphere.name() + ", κ = 3.5: order, flow on the sphere",
            stationary_order({3, 1}, 3.5, 1), settled(sphere.field(3.5), wave(0.6), 25)},
           1e-3));
}

}  // namespace

std::optional<Reproduction> noisy_bifurcation(const ReproductionControl& control) {
  Reproduction result = result_of(control, "noisy-bifurcation");
  check_settled(control.wrong, result);
  if (control.stopped()) return std::nullopt;
  check_onsets(control.wrong, result);
  for (const auto& [d, beta] : kNoisy) {
    if (control.stopped()) return std::nullopt;
    check_branch({d, beta, control.wrong}, control.quick ? 26 : 101, result);
  }
  return result;
}

}  // namespace murmur
