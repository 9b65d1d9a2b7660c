// perceptron_ascent.cpp: attracting tokens with two perceptron units end in atoms where F is
// greatest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "reproduce/perceptron_swarms.h"
#include "reproduce/reproductions.h"

namespace murmur {

namespace {

constexpr const char* kPreset = figure::perceptron_ascent;
constexpr Perceptron::Activation kActivations[] = {Perceptron::relu, Perceptron::gelu,
                                                   Perceptron::tanh};
constexpr int kMostSteps = 40'000;  // of the gradient flow after the simulation

double variation_at(const Landscape& l, const Atoms& mu, double angle) {
  const double x[] = {std::cos(angle), std::sin(angle)};
  return first_variation(l, mu, x);
}

// The derivative of F along the circle, by differences: so short that they seldom cross the edge of
// a ReLU unit, where F'' jumps.
double variation_slope(const Landscape& l, const Atoms& mu, double angle) {
  constexpr double h = 1e-6;
  return (variation_at(l, mu, angle + h) - variation_at(l, mu, angle - h)) / (2 * h);
}

// Local maxima of F: on a grid, then by halving where the slope changes its sign.
std::vector<double> maxima_of(const Landscape& l, const Atoms& mu) {
  constexpr int kGrid = 2048;
  std::vector<double> f(kGrid), maxima;
  for (int k = 0; k < kGrid; ++k) f[k] = variation_at(l, mu, kTurn * k / kGrid);
  for (int k = 0; k < kGrid; ++k) {
    if (!(f[k] > f[(k + kGrid - 1) % kGrid] && f[k] >= f[(k + 1) % kGrid])) continue;
    double low = kTurn * (k - 1) / kGrid, high = kTurn * (k + 1) / kGrid;
    for (int halving = 0; halving < 40; ++halving) {
      const double middle = (low + high) / 2;
      (variation_slope(l, mu, middle) > 0 ? low : high) = middle;
    }
    maxima.push_back((low + high) / 2);
  }
  return maxima;
}

struct Ascent {
  PerceptronCase setting;
  EnergyCurve trajectory;
  Rest rest;
  int maxima = 0;        // of F, found around the circle without the atoms; d = 2
  double apart = 0;      // the greatest angle from an atom to the nearest of them; d = 2
  double curvature = 0;  // the greatest second derivative of F at an atom, over energy_scale
  bool at_rest() const { return rest.reached; }
};

void find_maxima(const Landscape& l, Ascent& a) {
  const std::vector<double> maxima = maxima_of(l, a.rest.mu);
  a.maxima = static_cast<int>(maxima.size());
  for (const double angle : angles_of(a.rest.mu)) {
    double nearest = INFINITY;
    for (const double maximum : maxima)
      nearest = std::fmin(nearest, std::fabs(std::remainder(angle - maximum, kTurn)));
    a.apart = std::fmax(a.apart, nearest);
  }
}

// The simulation, then the gradient flow from where it ended until nothing moves.
Ascent ascent_of(const PerceptronCase& one, const WrongModel& wrong) {
  const Landscape l = landscape_of(one);
  Ascent a{.setting = one, .trajectory = simulate_case(one, wrong)};
  a.rest = rest_of(landscape_of(with_wrong_model(one, wrong)), a.trajectory.end,
                   {.steps = wrong.null == NullModel::none ? kMostSteps : 0});
  const CriticalPoint point = describe(l, a.rest.mu, 0);
  a.curvature =
      *std::max_element(point.splitting.data.begin(), point.splitting.data.end()) / energy_scale(l);
  if (one.d == 2) find_maxima(l, a);
  return a;
}

ColumnTable table_of(const std::vector<Ascent>& ascents) {
  ColumnTable table{"ascents",
                    {"seed", "d", "activation", "beta", "atoms", "heaviest", "maxima", "apart",
                     "curvature", "gradient", "at rest", "reversals"}};
  for (const Ascent& a : ascents) {
    const PerceptronCase& b = a.setting;
    const Atoms& mu = a.rest.mu;
    table.rows.push_back({static_cast<double>(b.seed), static_cast<double>(b.d),
                          name_of(b.activation), b.beta, static_cast<double>(mu.count()),
                          *std::max_element(mu.mass.begin(), mu.mass.end()),
                          b.d == 2 ? static_cast<double>(a.maxima) : kNoNumber,
                          b.d == 2 ? a.apart : kNoNumber, a.curvature, a.rest.gradient,
                          a.at_rest() ? 1.0 : 0.0, static_cast<double>(a.trajectory.reversals)});
  }
  return table;
}

// The numbers of atoms, and of swarms that still move: no rule asks about them.
ColumnTable counts_of(const std::vector<Ascent>& ascents, const std::vector<double>& betas) {
  ColumnTable table{"counts",
                    {"d", "activation", "beta", "swarms", "at rest", "mean atoms", "most atoms"}};
  for (const int d : {2, 3})
    for (const auto activation : kActivations)
      for (const double beta : betas) {
        std::vector<double> atoms;  // of those at rest
        double swarms = 0;
        for (const Ascent& a : ascents) {
          if (a.setting.d != d || a.setting.activation != activation || a.setting.beta != beta)
            continue;
          ++swarms;
          if (a.at_rest()) atoms.push_back(a.rest.mu.count());
        }
        const Spread spread =
            atoms.empty() ? Spread{kNoNumber, kNoNumber, kNoNumber, kNoNumber} : spread_of(atoms);
        const auto rest = static_cast<double>(atoms.size());
        if (swarms > 0)
          table.rows.push_back({static_cast<double>(d), name_of(activation), beta, swarms, rest,
                                spread.mean, spread.high});
      }
  return table;
}

void check_ascents(const std::vector<Ascent>& ascents, int d, Reproduction& result) {
  double swarms = 0, reversals = 0, rest = 0, apart = 0, curvature = -INFINITY, gained = INFINITY;
  for (const Ascent& a : ascents) {
    if (a.setting.d != d) continue;
    ++swarms;
    reversals += a.trajectory.reversals;
    gained = std::min(gained, a.trajectory.gained);
    if (!a.at_rest()) continue;
    ++rest;
    apart = std::max(apart, a.apart);
    curvature = std::max(curvature, a.curvature);
  }
  const std::string what = fmt::format("d = {}, {} ascents of 200 tokens: ", d, swarms);
  result.checks.push_back(check_holds(
      rule::perceptron_ascent_energy, {what + "frames at which the energy falls", reversals},
      reversals == 0 && gained > kGained,
      fmt::format("none, and each ends {:g} of the scale higher", kGained)));
  result.checks.back().more["least gain"] = gained;
  if (d == 2) {
    Check check = check_holds(rule::perceptron_ascent_maxima,
                              {what + "greatest angle from an atom at rest to a local maximum of F",
                               rest > 0 ? apart : kNoNumber},
                              apart < 1e-6, "below 1e-6");
    check.more["at rest"] = rest;
    result.checks.push_back(check);
  }
  Check bent = check_holds(rule::perceptron_ascent_curvature,
                           {what + "greatest second derivative of F at an atom at rest, as a share",
                            rest > 0 ? curvature : kNoNumber},
                           curvature <= 1e-9, "no more than 0: a maximum");
  bent.more["at rest"] = rest;
  result.checks.push_back(bent);
}

const char* title_of(Perceptron::Activation activation) {
  return activation == Perceptron::relu ? "ReLU" : activation == Perceptron::gelu ? "GELU" : "tanh";
}

// The first variation around the circle with the atoms on it.
void draw_around(const Ascent& a, Reproduction& result) {
  const Landscape l = landscape_of(a.setting);
  const std::string name = "variation_" + name_of(a.setting.activation);
  ColumnTable around{name, {"angle", "F", "atoms"}};
  for (int k = 0; k <= 360; ++k) {
    const double angle = kTurn * (k - 180) / 360;
    around.rows.push_back({angle, variation_at(l, a.rest.mu, angle), kNoNumber});
  }
  for (const double angle : angles_of(a.rest.mu))
    around.rows.push_back({angle, kNoNumber, variation_at(l, a.rest.mu, angle)});
  result.tables.push_back(std::move(around));
  result.figures.push_back(
      {.name = kPreset,
       .table = name,
       .title = fmt::format("{} units, β = {:g}", title_of(a.setting.activation), a.setting.beta),
       .x = {.label = "angle θ", .angle = true},
       .y = {.label = "first variation F = δE/δμ"},
       .curves = {{"F", Curve::line, "F of the final measure", 0},
                  {"atoms", Curve::points, "its atoms", 1}}});
}

// The energy of each, scaled from 0 at the start to 1 at the end of the simulation.
void draw_energies(const std::vector<const Ascent*>& shown, Reproduction& result) {
  ColumnTable trajectory{"energy", {"t", "units", "energy"}};
  for (const Ascent* a : shown) {
    const std::vector<double>& e = a->trajectory.energies;
    for (std::size_t k = 0; k < e.size(); ++k)
      trajectory.rows.push_back({a->trajectory.times[k], title_of(a->setting.activation),
                                 (e[k] - e.front()) / (e.back() - e.front())});
  }
  result.tables.push_back(std::move(trajectory));
  result.figures.push_back({.name = kPreset,
                            .table = "energy",
                            .title = "The energy never falls",
                            .x = {.label = "time t", .log = true},
                            .y = {.label = "energy, from start 0 to end 1"},
                            .curves = {{"energy", Curve::line}},
                            .by = "units"});
  result.captions[kPreset] =
      "200 attracting tokens with two perceptron units end in few atoms (points), each at a local "
      "maximum of the first variation F of the energy (lines); on the way the energy never falls "
      "(last panel).";
}

}  // namespace

std::optional<Reproduction> perceptron_ascent(const ReproductionControl& control) {
  Reproduction result = new_result(control, kPreset);
  const int seeds = control.values.whole("seeds");
  const std::vector<double>& betas = control.values.numbers("betas");
  const double shown_beta = control.values.number("drawn");
  std::vector<Ascent> ascents;
  for (const int d : {2, 3})
    for (const auto activation : kActivations)
      for (const double beta : betas)
        for (int seed = 0; seed < (d == 2 ? seeds : (seeds + 2) / 3); ++seed)
          ascents.push_back({.setting = {.preset = kPreset,
                                         .d = d,
                                         .seed = seed,
                                         .activation = activation,
                                         .beta = beta,
                                         .direction = Landscape::ascent}});
  for_blocks(static_cast<int>(ascents.size()), control.threads, [&](int k) {
    if (!control.stopped()) ascents[k] = ascent_of(ascents[k].setting, control.wrong);
  });
  if (control.stopped()) return std::nullopt;
  for (const int d : {2, 3}) check_ascents(ascents, d, result);
  result.tables.push_back(counts_of(ascents, betas));
  result.tables.push_back(table_of(ascents));
  std::vector<const Ascent*> shown;  // the last seed at one beta
  for (const Ascent& a : ascents)
    if (a.setting.d == 2 && a.setting.beta == shown_beta && a.setting.seed == seeds - 1)
      shown.push_back(&a);
  for (const Ascent* a : shown) draw_around(*a, result);
  draw_energies(shown, result);
  return result;
}

}  // namespace murmur
