// landscapes.cpp: swarms on the circle beside random units, as energies and as flights.
#include "reproduce/landscapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/flights.h"

namespace murmur {

namespace {

constexpr double kTime = 20;  // by U2; tokens are e^beta times as fast by U1

// The kernel of the clock U2 is e^{beta (s - 1)}, that of U1 e^{beta s}.
Experiment experiment_beside(const Beside& b, Landscape::Direction direction, int n) {
  std::vector<std::string> words = {
      fmt::format("seed={}", b.seed), fmt::format("beta={}", b.beta),
      b.activation == Perceptron::gelu ? "activation=gelu" : "activation=relu",
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

}  // namespace

Landscape landscape_of(const Beside& b) {
  const Experiment e = experiment_beside(b, Landscape::ascent, 0);  // descent turns units round
  Landscape l{.d = e.swarm.d(), .beta = b.beta, .kernel = b.kernel};
  for (const Phase& phase : e.dynamics.phases)
    for (const Force& force : phase.forces)
      if (const auto* perceptron = std::get_if<Perceptron>(&force)) set_potential(*perceptron, l);
  l.direction = b.direction;
  return l;
}

Atoms start_of(const Beside& b, int n) {
  return atoms_of(experiment_beside(b, b.direction, n).swarm);
}

EnergyCourse fly_beside(const Beside& b) {
  const Landscape l = landscape_of(b);
  const Flown flown = fly_in_memory(experiment_beside(b, b.direction, 0));
  EnergyCourse course{.times = flown.times};
  const double sign = b.direction == Landscape::descent ? 1 : -1;
  for (const HostSwarm& frame : flown.frames) {
    const double now = energy(l, atoms_of(frame));
    if (!course.energies.empty() && sign * (now - course.energies.back()) > 1e-9 * energy_scale(l))
      ++course.reversals;
    course.energies.push_back(now);
  }
  course.end = atoms_of(flown.last());
  return course;
}

std::vector<double> angles_of(const Atoms& mu) {
  std::vector<double> angles;
  for (int i = 0; i < mu.count(); ++i) angles.push_back(std::atan2(mu.x(i, 1), mu.x(i, 0)));
  std::sort(angles.begin(), angles.end());
  return angles;
}

std::string name_of(Perceptron::Activation activation) {
  return activation == Perceptron::gelu ? "GELU" : "ReLU";
}

std::string name_of(Landscape::Kernel kernel) {
  return kernel == Landscape::scaled ? "scaled" : "plain";
}

}  // namespace murmur
