// plain_forces.h: the one head and perceptron of a swarm that a measure on the sphere can stand
// for.
#pragma once

#include <optional>
#include <string>

#include "murmur/dynamics.h"

namespace murmur {

// One head on the round sphere, and a perceptron if there is one.
struct PlainForces {
  Attention head{};
  bool repulsive = false;  // V = -I, of `plain_forces`
  std::optional<Perceptron> perceptron{};
};

// Error(input) with a reason for R^d, gains, layer norms but post, several heads or perceptrons,
// other forces, biases, relative or rescaled values, masks, alibi, self = false, and weights that
// change with time.
PlainForces forces_with_matrices(const Dynamics& dynamics);

// The same with Q = K = I and V = +-I; Error(input) for any other matrices.
PlainForces plain_forces(const Dynamics& dynamics);

// The same, and Error(input) unless attention is softmax or unnormalised in the clocks U1 to U3:
// what has a mean field here.
PlainForces mean_field_forces(const Dynamics& dynamics);

// Error(input): why a dynamics has no counterpart among measures, and what to use instead.
[[noreturn]] void refuse_dynamics(const std::string& reason, const std::string& remedy);

}  // namespace murmur
