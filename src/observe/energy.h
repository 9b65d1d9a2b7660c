// energy.h: which dynamics climb or descend an interaction energy, and in which matrix.
#pragma once

#include <optional>

#include "murmur/dynamics.h"

namespace murmur {

// The first attention among all forces, or none.
const Attention* first_attention(const Dynamics& dynamics);

// e^{beta <x, D y>} is the energy's kernel. D empty means identity.
struct Interaction {
  double beta;
  Matrix matrix;  // D (d, d), symmetric
};

// One head alone, all seeing all, with V = D or V = -D for a symmetric D = Q^T K (relative 1e-12),
// no biases and beta != 0, moves along the gradient of
//   E = (1 / 2 beta) sum_ij m_i m_j e^{beta <x_i, D x_j>}
// up to a positive factor for each particle. Anything else has no energy here.
std::optional<Interaction> interaction(const Dynamics& dynamics);

}  // namespace murmur
