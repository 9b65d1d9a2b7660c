// dynamics.h: what moves a swarm, as data: habitat, forces, and the clock they are told in.
#pragma once

#include <limits>
#include <variant>
#include <vector>

#include "murmur/attention.h"
#include "murmur/perceptron.h"

namespace murmur {

enum class Habitat {
  sphere,  // S^{d-1}: velocities are projected, x -> x - <x, .> x; retraction x / |x|
  space,   // R^d: velocities as they are, no retraction
};

using Force = std::variant<Attention, Perceptron>;

// The four clocks in which USA is published (plain attention only; softmax knows u1 alone):
enum class Clock {
  u1,  // kernel e^{s}
  u2,  // kernel e^{s - beta}
  u3,  // kernel beta e^{s}
  u4,  // u2 divided by its own norm sqrt(n sum_i m_i |v_i|^2), times ln(beta): arc length
};

// Phases are done in turn by the method `layers` (attention, then feed-forward); every other method
// adds them all. Within a phase the forces add.
struct Phase {
  std::vector<Force> forces{};
  double from = -std::numeric_limits<double>::infinity();  // active for from <= t < until
  double until = std::numeric_limits<double>::infinity();
  bool active(double t) const { return from <= t && t < until; }
};

struct Dynamics {
  Habitat habitat = Habitat::sphere;
  std::vector<Phase> phases{};
  Clock clock = Clock::u1;
};

// Throws Error(input) unless every shape in `dynamics` fits particles of d coordinates.
void check(const Dynamics& dynamics, int d);

}  // namespace murmur
