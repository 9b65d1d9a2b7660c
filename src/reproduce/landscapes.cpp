// landscapes.cpp: swarms on circle and sphere beside random units, as energies and as flights.
#include "reproduce/landscapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/overloaded.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kTime = 20;  // by U2; tokens are e^beta times as fast by U1

const char* word_of(Perceptron::Activation activation) {
  return activation == Perceptron::gelu ? "gelu" : activation == Perceptron::tanh ? "tanh" : "relu";
}

// The kernel of the clock U2 is e^{beta (s - 1)}, that of U1 e^{beta s}.
Experiment experiment_beside(const Beside& b, Landscape::Direction direction, int n) {
  std::vector<std::string> words = {
      fmt::format("seed={}", b.seed),
      fmt::format("beta={}", b.beta),
      fmt::format("d={}", b.d),
      fmt::format("activation={}", word_of(b.activation)),
      b.kernel == Landscape::scaled ? "clock=U2" : "clock=U1",
      direction == Landscape::descent ? "direction=descent" : "direction=ascent"};
  words.emplace_back("threads=1");
  if (b.kernel == Landscape::plain) words.push_back(fmt::format("T={}", kTime * std::exp(-b.beta)));
  if (n > 0) words.push_back(fmt::format("n={}", n));
  return experiment_of(b.preset, words);
}

Atoms atoms_of(const HostSwarm& swarm) {
  const int n = swarm.n(), d = swarm.d();
  Atoms mu{.x = zeros(n, d), .mass = Vector(n, 1.0 / n)};
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < d; ++k) mu.x(i, k) = swarm.at(i, k);
  return mu;
}

// Tokens closer than 1e-6 become one, at the place of the first of them.
Atoms joined(const Atoms& mu) {
  std::vector<int> kept;
  Vector mass;
  for (int i = 0; i < mu.count(); ++i) {
    std::size_t k = 0;
    const auto square = [&](int j) {
      double sum = 0;
      for (int c = 0; c < mu.x.cols; ++c) sum += std::pow(mu.x(i, c) - mu.x(j, c), 2);
      return sum;
    };
    while (k < kept.size() && square(kept[k]) > 1e-12) ++k;
    if (k == kept.size()) kept.push_back(i);
    if (mass.size() < kept.size()) mass.push_back(0);
    mass[k] += mu.mass[i];
  }
  Atoms few{.x = zeros(static_cast<int>(kept.size()), mu.x.cols), .mass = mass};
  for (int i = 0; i < few.count(); ++i)
    for (int c = 0; c < mu.x.cols; ++c) few.x(i, c) = mu.x(kept[i], c);
  return few;
}

double largest_slope(const Landscape& l, const Atoms& mu) {
  const Matrix slopes = slope(l, mu);
  double largest = 0;
  for (int i = 0; i < slopes.rows; ++i) {
    double square = 0;
    for (int c = 0; c < slopes.cols; ++c) square += slopes(i, c) * slopes(i, c);
    largest = std::fmax(largest, std::sqrt(square));
  }
  return largest / energy_scale(l);
}

}  // namespace

Rest rest_of(const Landscape& l, const Atoms& start, const RestLimits& limits) {
  constexpr double kStill = 1e-8;
  constexpr int kSteps = 25;  // before tokens that have met are joined
  Rest rest{.mu = joined(start)};
  rest.gradient = largest_slope(l, rest.mu);
  double t = 0;
  for (int steps = 0; steps < limits.steps && t < limits.time; steps += kSteps) {
    const Climb path = climb(l, rest.mu,
                             {.tolerance = std::clamp(0.1 * rest.gradient, 1e-9, 1e-2),
                              .gradient = kStill,
                              .most_steps = kSteps,
                              .most_time = limits.time - t});
    t += path.times.back();
    rest.mu = joined(path.mu);
    rest.gradient = largest_slope(l, rest.mu);
    rest.reached = rest.gradient <= kStill;
    if (rest.reached) break;
  }
  return rest;
}

Landscape landscape_of(const Beside& b) {
  const Experiment e = experiment_beside(b, Landscape::ascent, 0);  // descent turns units round
  Landscape l{.d = e.swarm.d(), .beta = b.beta, .kernel = b.kernel};
  for (const Sublayer& sublayer : e.dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      std::visit(Overloaded{[](const Attention&) {},  // the kernel, which b names
                            [&](const Perceptron& p) { set_potential(p, l); }},
                 force);
  l.direction = b.direction;
  return l;
}

Atoms start_of(const Beside& b, int n) {
  return atoms_of(experiment_beside(b, b.direction, n).swarm);
}

EnergyCurve simulate_beside(const Beside& b) {
  const Landscape l = landscape_of(b);
  const Simulated simulated = simulate_in_memory(experiment_beside(b, b.direction, 0));
  EnergyCurve trajectory{.times = simulated.times};
  const double sign = b.direction == Landscape::descent ? 1 : -1;
  for (const HostSwarm& frame : simulated.frames) {
    const double now = energy(l, atoms_of(frame));
    if (!trajectory.energies.empty() &&
        sign * (now - trajectory.energies.back()) > 1e-9 * energy_scale(l))
      ++trajectory.reversals;
    trajectory.energies.push_back(now);
  }
  trajectory.end = atoms_of(simulated.last());
  return trajectory;
}

std::vector<double> angles_of(const Atoms& mu) {
  std::vector<double> angles;
  for (int i = 0; i < mu.count(); ++i) angles.push_back(std::atan2(mu.x(i, 1), mu.x(i, 0)));
  std::sort(angles.begin(), angles.end());
  return angles;
}

std::string name_of(Perceptron::Activation activation) {
  return activation == Perceptron::gelu ? "GELU" : activation == Perceptron::tanh ? "tanh" : "ReLU";
}

std::string name_of(Landscape::Kernel kernel) {
  return kernel == Landscape::scaled ? "scaled" : "plain";
}

}  // namespace murmur
