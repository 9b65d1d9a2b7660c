// perceptron_swarms.cpp: simulates swarms with random perceptrons and follows their gradient flow
// to rest.
#include "reproduce/perceptron_swarms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/landscape.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kTime = 20;  // by U2; tokens are e^beta times as fast by U1

// The kernel of the clock U2 is e^{beta (s - 1)}, that of U1 e^{beta s}.
ExperimentSpec spec_of(const PerceptronCase& b) {
  ExperimentSpec spec = preset_spec(b.preset);
  spec.random.seed = static_cast<std::uint64_t>(b.seed);
  spec.d = b.d;
  spec.dynamics.beta = b.beta;
  spec.dynamics.activation = b.activation;
  spec.dynamics.clock = b.kernel == Landscape::scaled ? Clock::u2 : Clock::u1;
  spec.dynamics.direction =
      b.direction == Landscape::descent ? Direction::descent : Direction::ascent;
  spec.engine.threads = 1;
  if (b.kernel == Landscape::plain) spec.T = kTime * std::exp(-b.beta);
  return spec;
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

PerceptronCase with_wrong_model(PerceptronCase b, const WrongModel& wrong) {
  b.beta *= wrong.beta;
  if (wrong.activation) b.activation = *wrong.activation;
  if (wrong.reversed)
    b.direction = b.direction == Landscape::descent ? Landscape::ascent : Landscape::descent;
  return b;
}

Atoms atoms_of(const HostSwarm& swarm) {
  const int n = swarm.n(), d = swarm.d();
  Atoms mu{.x = zeros(n, d), .mass = Vector(n, 1.0 / n)};
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < d; ++k) mu.x(i, k) = swarm.at(i, k);
  return mu;
}

Landscape landscape_of(const PerceptronCase& b) {
  return landscape_of(make_experiment(spec_of(b)).dynamics, b.d);
}

Atoms start_of(const PerceptronCase& b, int n) {
  ExperimentSpec spec = spec_of(b);
  if (n > 0) spec.n = n;
  return atoms_of(make_experiment(spec).swarm);
}

EnergyCurve simulate_case(const PerceptronCase& b, const WrongModel& wrong) {
  const Landscape l = landscape_of(b);
  const Simulated simulated =
      simulate_in_memory(make_experiment(spec_of(with_wrong_model(b, wrong))), wrong.null);
  EnergyCurve trajectory{.times = simulated.times};
  const double sign = b.direction == Landscape::descent ? 1 : -1;
  for (const HostSwarm& frame : simulated.frames) {
    const double now = energy(l, atoms_of(frame));
    if (!trajectory.energies.empty() &&
        sign * (now - trajectory.energies.back()) > 1e-9 * energy_scale(l))
      ++trajectory.reversals;
    trajectory.energies.push_back(now);
  }
  trajectory.gained =
      sign * (trajectory.energies.front() - trajectory.energies.back()) / energy_scale(l);
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
