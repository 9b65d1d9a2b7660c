// circle_sums.h: what every particle of a swarm on the circle feels, through the swarm's moments.
#pragma once

#include <array>
#include <complex>
#include <functional>
#include <vector>

#include "engine/moments/fixed_point.h"
#include "murmur/swarm.h"

namespace murmur::moments {

using Moments = std::vector<std::complex<double>>;  // m_0 .. m_p

// The least p with 2 exp(-beta h((p + 1) / beta)) <= tail.
int orders_for(double beta, double tail);

// m_k = sum_j m_j e^{i k theta_j}, block by block, and blocks added as integers (fixed_point.h).
Moments moments_of(const HostSwarm& x, int orders, int threads, const Reduction* ranks);

// Of the particles first .. first + count - 1, with w_ij = e^{beta (cos(theta_j - theta_i) - 1)}:
//   weight_i = sum_j m_j w_ij,   along_i + i across_i = sum_j m_j w_ij e^{i (theta_j - theta_i)}
struct BlockSums {
  int first = 0, count = 0;
  const double *weight = nullptr, *along = nullptr, *across = nullptr;  // null: not asked for
};

class CircleSums {
 public:
  CircleSums(double beta, double tail, const Reduction* ranks);

  int orders() const { return orders_; }
  // Bound on the error of each of the three sums over n particles: cut and rounding.
  double error(int n) const;
  // Of sum_j m_j e^{s - beta} x_j, whose two parts are bounded each.
  double plain_error(int n) const { return 2 * error(n); }

  enum Want { only_across, weight_and_across, everything };
  // Calls done once for each block, on several threads.
  void evaluate(const HostSwarm& x, Want want, int threads,
                const std::function<void(const BlockSums&)>& done) const;
  // The same sums of a particle alone, pair by pair: {weight, along, across}.
  std::array<double, 3> evaluate_pairs(const HostSwarm& x, std::array<double, 2> at) const;
  double pairs_error(int n) const;  // bound on the error of each, as a share of the weight

 private:
  std::vector<double> weigh(const Moments& m, Want want) const;

  double beta_;
  const Reduction* ranks_;
  int orders_;
  double tail_ = 0;
  std::vector<double> a_;  // (orders + 2) e^{-beta} I_k(beta)
};

}  // namespace murmur::moments
