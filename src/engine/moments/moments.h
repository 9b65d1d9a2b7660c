// moments.h: the engine that sums attention by moments of the swarm, and bounds its error.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/moments/sums.h"
#include "murmur/engine.h"

namespace murmur {

// By Jacobi and Anger, e^{beta cos t} = I_0(beta) + 2 sum_k I_k(beta) cos kt, so that sums over
// particles become sums over the moments m_k = sum_j m_j e^{i k theta_j}, k = 0 .. p: n p terms
// instead of n^2. e^{-beta} I_k(beta) is the law of the difference of two Poisson(beta / 2)
// variables; Chernoff's bound gives for what the series leaves out, over its largest value e^beta,
//   T_p <= 2 exp(-beta h((p + 1) / beta)),   h(s) = s asinh s - sqrt(1 + s^2) + 1.
// p is the least for which that is a thousandth of `tolerance`.
struct MomentsChoice {
  double tolerance = 1e-12;
  // A particle is summed pair by pair if the bound on the error of a softmax head with |V| = 1 is
  // larger than this. 2: only particles that are so isolated that the series gives no bound.
  double pairs_above = 2;
  int threads = 0;  // 0: all cores; the result does not depend on it
  // The first way to try for heads that are no series on the circle; nothing: the cheapest.
  std::optional<moments::Way> way{};
};

// The pairs_above that make_engine uses: the error bound of a softmax head in a simulation.
inline constexpr double kMomentsPromise = 1e-10;

std::unique_ptr<Engine> make_moments_engine(const MomentsChoice& choice = {});

// The engine computes perceptrons, and softmax and unnormalised heads without a mask in up to five
// coordinates, on spheres, ellipsoids and in space, with any matrices, biases and beta. Its fields
// bound the error of their drift (Field::error_bound). docs/engines.md describes the sums.

// Returns the cost of one evaluation in nanoseconds of one core, each head by its cheapest way.
double moments_cost(const Dynamics& dynamics, Shape shape);

// Returns a bound on the error of the drift of a particle, at any time and for any positions of the
// n - 1 others: the sum over the unnormalised heads that are one series on the circle (Q = K = I),
// their addition to the other forces included, and without the rounding inside perceptrons. It is
// proportional to e^beta in clock u1. In a slower clock it is that of u1, since the orbits are the
// same and take longer. All other heads are bounded particle by particle, relative to their
// weights.
double moments_bound(const Dynamics& dynamics, int n);

// Returns m_k for k = 0 .. orders of a swarm with d = 2 and |x| = 1.
std::vector<std::complex<double>> circle_moments(const HostSwarm& x, int orders, int threads = 0);

}  // namespace murmur
