// moments.h: the engine that sums attention on the circle through the moments of the swarm.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "murmur/engine.h"

namespace murmur {

// Every particle feels the moments m_k = sum_j m_j e^{i k theta_j}, k = 0 .. p, in place of every
// other particle: n p terms instead of n^2. p is the least for which the cut of the kernel's series
//   T_p <= 2 exp(-beta h((p + 1) / beta)),   h(s) = s asinh s - sqrt(1 + s^2) + 1,
// (of the largest weight e^beta) is a thousandth of `tolerance`.
struct MomentsChoice {
  double tolerance = 1e-12;
  // A particle with a larger bound on what a softmax head of norm 1 does to it is summed pair by
  // pair. 2: only who is so lonely that the series says nothing.
  double pairs_above = 2;
  int threads = 0;  // 0: all cores; never shows in the result
};

// What make_engine asks for, and so what a softmax head of a flight is held to.
inline constexpr double kMomentsPromise = 1e-10;

std::unique_ptr<Engine> make_moments_engine(const MomentsChoice& choice = {});

// It knows softmax and unnormalised heads on the circle with Q = K = I, beta >= 0, everybody seen,
// and perceptrons; its fields certify their drift (Field::certificate).

// m_k for k = 0 .. orders of a swarm with d = 2 and |x| = 1.
std::vector<std::complex<double>> circle_moments(const HostSwarm& x, int orders, int threads = 0);

}  // namespace murmur
