// lifetimes.cpp: how long two clusters live apart, against quadrature and against e^beta.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct Case {
  Interaction law;
  double beta, angle, mass;
  double predicted;  // by quadrature, six digits; NaN: of the curve, not checked
};
constexpr double kRightAngle = std::numbers::pi / 2, kWide = 2 * std::numbers::pi / 3;
constexpr double kEnd = 0.1;  // the angle at which they count as merged
constexpr Case kCases[] = {
    {Interaction::SA, 4, kRightAngle, 0.5, 10.0219},
    {Interaction::USA, 4, kRightAngle, 0.5, 0.312261},
    {Interaction::SA, 9, kRightAngle, 0.5, 465.896},
    {Interaction::USA, 9, kRightAngle, 0.5, 0.114623},
    {Interaction::SA, 4, kWide, 0.5, 60.5123},
    {Interaction::SA, 9, kWide, 0.5, 48744},
    {Interaction::USA, 9, kWide, 0.5, 12.0305},
    {Interaction::SA, 6, 1.5, 0.25, 17.3207},
};

Experiment experiment_of(const Case& c, double t) {
  ExperimentSpec spec = preset_spec("lifetimes");
  spec.dynamics.interaction = c.law;
  spec.dynamics.beta = c.beta;
  spec.T = t;
  spec.init = InitialPoints{{2, 2, {1, 0, std::cos(c.angle), std::sin(c.angle)}}};
  Experiment e = make_experiment(spec);
  e.swarm.mass = {c.mass, 1 - c.mass};
  return e;
}

double angle_after(const Case& c, double t, NullModel null) {
  const HostSwarm x = simulate_in_memory(experiment_of(c, t), null).last();
  const double chord = std::hypot(x.at(0, 0) - x.at(1, 0), x.at(0, 1) - x.at(1, 1));
  return 2 * std::asin(chord / 2);
}

// The time at which two particles have come within kEnd, by doubling and halving. NaN where they
// have not by kLongest.
constexpr double kLongest = 1e15;
double lifetime_of(Case c, const WrongModel& wrong) {
  c.beta *= wrong.beta;
  double high = 0.01;
  while (angle_after(c, high, wrong.null) > kEnd)
    if ((high *= 2) > kLongest) return kNoNumber;
  double low = high / 2;
  for (int halving = 0; halving < 30; ++halving) {
    const double middle = (low + high) / 2;
    (angle_after(c, middle, wrong.null) > kEnd ? low : high) = middle;
  }
  return (low + high) / 2;
}

theory::TwoClusters theory_of(const Case& c) {
  const theory::Growth attention = theory::growth_of(experiment_of(c, 1).dynamics, 2);
  return {.beta = attention.beta, .law = attention.law, .mass = c.mass};
}

double quadrature(const Case& c) { return theory::lifetime(theory_of(c), c.angle, kEnd); }

}  // namespace

std::optional<Reproduction> lifetimes(const ReproductionControl& control) {
  Reproduction result = result_of(control, "lifetimes");
  for (const Case& c : kCases) {
    if (control.stopped()) return std::nullopt;
    Check check =
        nearly("lifetimes.particles",
               {fmt::format("{}, β = {:g}, from angle {:.4f}, mass {:g}",
                            c.law == Interaction::SA ? "SA" : "USA", c.beta, c.angle, c.mass),
                c.predicted, lifetime_of(c, control.wrong)},
               1e-5);
    check.more["quadrature"] = quadrature(c);
    result.checks.push_back(std::move(check));
  }
  ReproducedTable table{"lifetimes",
                        {"beta", "particles", "quadrature", "leading order",
                         "particles over leading order", "quadrature over leading order"}};
  const FigureValues& values = control.values;
  const double step = values.number("beta_step"), most = values.number("beta_max");
  const double angle = values.number("angle"), mass = values.number("mass");
  const bool usual = angle == kRightAngle && mass == 0.5;
  std::vector<double> betas, logs;
  for (double beta = control.quick ? 5 : 4; beta <= most; beta += step) {
    const Case c{Interaction::SA, beta, angle, mass, kNoNumber};
    const double ours = lifetime_of(c, control.wrong);
    const double leading = theory::asymptotic_lifetime(theory_of(c), c.angle);
    table.rows.push_back(
        {beta, ours, quadrature(c), leading, ours / leading, quadrature(c) / leading});
    if (beta < 9) continue;  // where corrections of order 1/beta still bend the line
    betas.push_back(beta);
    logs.push_back(std::log(beta * ours));
  }
  for (double beta = 4; beta <= most; beta += 0.25) {  // theory between what was measured
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [&](const auto& row) { return std::get<double>(row[0]) == beta; }))
      continue;
    const Case c{Interaction::SA, beta, angle, mass, kNoNumber};
    const double leading = theory::asymptotic_lifetime(theory_of(c), c.angle);
    table.rows.push_back(
        {beta, kNoNumber, quadrature(c), leading, kNoNumber, quadrature(c) / leading});
  }
  std::sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<double>(a[0]) < std::get<double>(b[0]);
  });
  const double slope = line_of(betas, logs).slope;
  result.checks.push_back(
      near("lifetimes.slope",
           {"slope of ln(β T) against β from 9 on, from a right angle", 1, slope}, 0.005));
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = "lifetimes",
       .table = "lifetimes",
       .title = usual ? "Two clusters at a right angle, SA"
                      : fmt::format("Two clusters at {:g}, mass {:g}, SA", angle, mass),
       .x = {.label = "inverse temperature β"},
       .y = {.label = "time until their angle is 0.1", .log = true},
       .curves = {{"quadrature", Drawn::line, "quadrature", 0},
                  {"leading order", Drawn::dashes,
                   usual ? "leading order e^{β}/(2β)" : "leading order", ReproducedCurve::kQuiet},
                  {"particles", Drawn::points, "two particles", 0}}});
  result.figures.push_back(
      {.name = "lifetimes",
       .table = "lifetimes",
       .title = "The same over the leading order",
       .x = {.label = "inverse temperature β"},
       .y = {.label = usual ? "time / (e^{β}/(2β))" : "time over the leading order"},
       .curves = {{"quadrature over leading order", Drawn::line, "quadrature", 0},
                  {"particles over leading order", Drawn::points, "two particles", 0}},
       .guides = {{"leading order", kNoNumber, 1}}});
  result.captions["lifetimes"] =
      "Two clusters at a right angle live for a time that grows as e^β / (2β): particles (points) "
      "lie on the quadrature of the equation of their angle (line), and both approach the leading "
      "order (dashes).";
  return result;
}

}  // namespace murmur
