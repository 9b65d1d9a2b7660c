// plain_forces.h: the head and perceptron of a dynamics that also applies to measures on the
// sphere; defined in dynamics.cpp.
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

// Throws Error(input) with a reason for R^d, gains, layer norms other than post, several heads or
// perceptrons, other forces, biases, relative or rescaled values, masks, alibi, self = false, and
// weights that change with time.
PlainForces forces_with_matrices(const Dynamics& dynamics);

// The same with Q = K = I and V = +-I; Error(input) for any other matrices.
PlainForces plain_forces(const Dynamics& dynamics);

// The same, and Error(input) unless attention is softmax or unnormalised in the clocks U1 to U3:
// these have a mean field here.
PlainForces mean_field_forces(const Dynamics& dynamics);

// Throws Error(input): why a dynamics does not apply to measures, and what to use instead.
[[noreturn]] void refuse_dynamics(const std::string& reason, const std::string& remedy);

}  // namespace murmur
