// perceptron_ascent.cpp: attracting tokens beside two units end in few atoms, where F is greatest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.h"
#include "reproduce/landscapes.h"
#include "reproduce/reproductions.h"

namespace murmur {

namespace {

constexpr const char* kPreset = "perceptron-ascent";
constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kBetas[] = {1, 2, 5, 10};

double variation_at(const Landscape& l, const Atoms& mu, double angle) {
  const double x[] = {std::cos(angle), std::sin(angle)};
  return first_variation(l, mu, x);
}

// The derivative of F along the circle, by differences: so short that they seldom reach over the
// edge of a ReLU unit, where F'' jumps.
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

// Neighbours closer than 1e-6 become one atom.
Atoms joined(const Atoms& mu) {
  std::vector<std::pair<double, double>> tokens, atoms;  // angle, mass
  for (int i = 0; i < mu.count(); ++i)
    tokens.emplace_back(std::atan2(mu.x(i, 1), mu.x(i, 0)), mu.mass[i]);
  std::sort(tokens.begin(), tokens.end());
  for (const auto& [angle, mass] : tokens) {
    if (atoms.empty() || angle - atoms.back().first > 1e-6) atoms.emplace_back(angle, 0);
    atoms.back().second += mass;
  }
  if (atoms.size() > 1 && atoms.front().first + kTurn - atoms.back().first < 1e-6) {
    atoms.front().second += atoms.back().second;
    atoms.pop_back();
  }
  Atoms result{.x = zeros(static_cast<int>(atoms.size()), 2)};
  for (int i = 0; i < result.x.rows; ++i) {
    result.x(i, 0) = std::cos(atoms[i].first);
    result.x(i, 1) = std::sin(atoms[i].first);
    result.mass.push_back(atoms[i].second);
  }
  return result;
}

struct Ascent {
  Beside beside;
  EnergyCourse flight;
  Atoms atoms;
  bool rests = false;          // no more steps to take; else still on its way
  std::vector<double> maxima;  // of F
  double apart = 0;            // the greatest angle from an atom to the nearest of them
};

// The flight, then the gradient flow from where it ended until nothing moves.
Ascent ascent_of(const Beside& beside) {
  const Landscape l = landscape_of(beside);
  Ascent a{.beside = beside, .flight = fly_beside(beside)};
  a.atoms = joined(a.flight.end);
  for (int turn = 0; turn < 20 && !a.rests; ++turn)
    for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-9})  // far steps first, then fine ones
      for (int round = 0; round < 10; ++round) {
        const Climb rise =
            climb(l, a.atoms, {.tolerance = tolerance, .gradient = 1e-8, .most_steps = 100});
        a.atoms = joined(rise.mu);
        a.rests = rise.times.size() <= 100;
        if (a.rests) break;
      }
  a.maxima = maxima_of(l, a.atoms);
  for (const double angle : angles_of(a.atoms)) {
    double nearest = INFINITY;
    for (const double maximum : a.maxima)
      nearest = std::fmin(nearest, std::fabs(std::remainder(angle - maximum, kTurn)));
    a.apart = std::fmax(a.apart, nearest);
  }
  return a;
}

void check_ascents(const std::vector<Ascent>& ascents, Reproduction& result) {
  ReproducedTable table{
      "ascents",
      {"seed", "activation", "beta", "atoms", "heaviest", "maxima", "apart", "rests", "reversals"}};
  double reversals = 0, most = 0, apart = 0, moving = 0;
  for (const Ascent& a : ascents) {
    reversals += a.flight.reversals;
    most = std::max(most, static_cast<double>(a.atoms.count()));
    moving += a.rests ? 0 : 1;
    if (a.rests) apart = std::max(apart, a.apart);
    table.rows.push_back({static_cast<double>(a.beside.seed), name_of(a.beside.activation),
                          a.beside.beta, static_cast<double>(a.atoms.count()),
                          *std::max_element(a.atoms.mass.begin(), a.atoms.mass.end()),
                          static_cast<double>(a.maxima.size()), a.apart, a.rests ? 1.0 : 0.0,
                          static_cast<double>(a.flight.reversals)});
  }
  const std::string cases = fmt::format("{} ascents of 200 tokens: ", ascents.size());
  result.checks.push_back(
      holds(cases + "frames at which the energy falls", reversals, reversals == 0, "none"));
  result.checks.push_back(
      holds(cases + "greatest angle from an atom at rest to a local maximum of F", apart,
            apart < 1e-6, "below 1e-6"));
  result.checks.push_back(holds(cases + "most atoms at the end", most, most <= 4, "at most 4"));
  result.checks.push_back(holds(cases + "still on their way after 80,000 steps", moving,
                                moving <= 0.05 * static_cast<double>(ascents.size()),
                                "at most 5 %"));
  result.tables.push_back(std::move(table));
}

// The first variation around the circle with the atoms on it, and the energy over time.
void draw_one(const Ascent& a, Reproduction& result) {
  const Landscape l = landscape_of(a.beside);
  ReproducedTable around{"variation", {"angle", "F", "atoms"}}, course{"energy", {"t", "energy"}};
  for (int k = 0; k <= 360; ++k) {
    const double angle = kTurn * (k - 180) / 360;
    around.rows.push_back({angle, variation_at(l, a.atoms, angle), kNoNumber});
  }
  for (const double angle : angles_of(a.atoms))
    around.rows.push_back({angle, kNoNumber, variation_at(l, a.atoms, angle)});
  for (std::size_t k = 0; k < a.flight.times.size(); ++k)
    course.rows.push_back({a.flight.times[k], a.flight.energies[k]});
  result.tables.push_back(std::move(around));
  result.tables.push_back(std::move(course));
  const std::string title =
      fmt::format("{}, β = {:g}", name_of(a.beside.activation), a.beside.beta);
  result.figures.push_back({.name = kPreset,
                            .table = "variation",
                            .columns = {"F", "atoms"},
                            .x_label = "angle",
                            .y_label = "first variation F",
                            .title = title + ": where tokens ended",
                            .points = {"atoms"}});
  result.figures.push_back({.name = kPreset,
                            .table = "energy",
                            .columns = {"energy"},
                            .x_label = "t",
                            .y_label = "energy",
                            .title = title + ": the way up",
                            .log_x = true});
}

}  // namespace

std::optional<Reproduction> perceptron_ascent(const ReproductionControl& control) {
  Reproduction result = result_of(control, kPreset);
  const int seeds = control.quick ? 3 : 12;
  std::vector<Ascent> ascents;
  for (const auto activation : {Perceptron::relu, Perceptron::gelu})
    for (const double beta : kBetas)
      for (int seed = 0; seed < seeds; ++seed)
        ascents.push_back({.beside = {.preset = kPreset,
                                      .seed = seed,
                                      .activation = activation,
                                      .beta = beta,
                                      .direction = Landscape::ascent}});
  for_blocks(static_cast<int>(ascents.size()), control.threads, [&](int k) {
    if (!control.stopped()) ascents[k] = ascent_of(ascents[k].beside);
  });
  if (control.stopped()) return std::nullopt;
  check_ascents(ascents, result);
  draw_one(ascents[2 * seeds + seeds - 1], result);  // the last seed at beta = 5
  return result;
}

}  // namespace murmur
