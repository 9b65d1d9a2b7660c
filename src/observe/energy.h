// energy.h: which dynamics are gradient flows of an energy, and the terms of that energy.
#pragma once

#include <optional>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/swarm.h"

namespace murmur {

// Returns the first attention among all forces, or nullptr.
const Attention* first_attention(const Dynamics& dynamics);

// V(x) = sum_m omega_m phi(a_m . x), phi' = s: the potential of a perceptron in gradient form.
struct Potential {
  Matrix a;      // (h, d) rows a_m
  Vector omega;  // (h)
  Perceptron::Activation activation;
};

// e^{beta <x, D y>} is the energy's kernel. D empty means identity.
struct EnergyForm {
  double beta;
  Matrix matrix;  // D (d, d), symmetric
  // Of the pair energy relative to potentials: e^{-beta} in clock u2, beta in u3
  double weight = 1;
  std::vector<Potential> potentials{};
};

// Returns 1 if V = D and -1 if V = -D, for a symmetric D = Q^T K (relative 1e-12) and no biases.
std::optional<double> value_sign(const Attention& head);

// One head without mask, with V = D or V = -D as above and beta != 0, follows the gradient
// (2312.10794; D: 2501.03096) of
//   E = (1 / 2 beta) sum_ij m_i m_j e^{beta <x_i, D x_j>}
// up to a positive factor for each particle. With an unnormalised head, perceptrons without biases
// and with W_out = +-W_in^T diag(omega), the sign being that of V = +-D, add (2601.21366)
//   sum_i m_i V(x_i),   V(x) = sum_m omega_m phi(a_m . x)
// and E then has the kernel of the clock (u1 to u3). Other dynamics have no energy here, such as
// those with a normalisation other than post, with gains, or with forces that act for a limited
// time.
std::optional<EnergyForm> interaction(const Dynamics& dynamics);

// Returns sign times a perceptron's potential; nothing if it is not in gradient form.
std::optional<Potential> potential_of(const Perceptron& perceptron, double sign);

//   sum_i m_i V(x_i)
double energy_of(const Potential& potential, const HostSwarm& x);
// (points) V at x (points, d), row by row.
std::vector<double> values_of(const Potential& potential, const std::vector<double>& x);

}  // namespace murmur
