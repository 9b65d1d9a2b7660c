// circle_sums.h: the sums that every particle of a swarm on the circle needs, through the moments
// of the swarm.
#pragma once

#include <array>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "engine/moments/sums.h"
#include "murmur/swarm.h"

namespace murmur::moments {

using Moments = std::vector<std::complex<double>>;  // m_0 .. m_p

// Returns the least p with 2 exp(-beta h((p + 1) / beta)) <= tail.
int orders_for(double beta, double tail);

// Returns m_k = sum_j m_j e^{i k theta_j}. The sums of blocks are added as integers (Fixed).
Moments moments_of(const HostSwarm& x, int orders, int threads, const Reduction* ranks);

// Of the particles first .. first + count - 1, with w_ij = e^{beta (cos(theta_j - theta_i) - 1)}:
//   weight_i = sum_j m_j w_ij,   along_i + i across_i = sum_j m_j w_ij e^{i (theta_j - theta_i)}
struct BlockSums {
  int first = 0, count = 0;
  const double *weight = nullptr, *along = nullptr, *across = nullptr;  // null: not requested
};

class CircleSums {
 public:
  CircleSums(double beta, double tail, const Reduction* ranks);

  int orders() const { return orders_; }
  // Returns a bound on the error of each of the three sums over n particles: cut and rounding.
  double error(int n) const;
  // The same for sum_j m_j e^{s - beta} x_j, which is made of two of the sums.
  double plain_error(int n) const { return 2 * error(n); }

  enum Want { only_across, weight_and_across, everything };
  // Calls `done` once for each block, from several threads.
  void evaluate(const HostSwarm& x, Want want, int threads,
                const std::function<void(const BlockSums&)>& done) const;
  // Returns the same sums of one particle, pair by pair: {weight, along, across}.
  std::array<double, 3> evaluate_pairs(const HostSwarm& x, std::array<double, 2> at) const;
  double pairs_error(int n) const;  // bound on the error of each, as a share of the weight

 private:
  std::vector<double> series_terms(const Moments& m, Want want) const;

  double beta_;
  const Reduction* ranks_;
  int orders_;
  double tail_ = 0;
  std::vector<double> a_;  // (orders + 2) e^{-beta} I_k(beta)
};

std::string target_name();  // of the instruction set in use: "AVX3"

// The arguments of the kernels in circle_sums.cpp follow.
inline constexpr int kBlock = 2048;  // particles; arrays of a block are padded up to it
inline constexpr int kTogether = 4;  // vectors of particles that are added up first

// One block in aligned memory. Padding has mass 0 and position (1, 0).
struct CircleBlock {
  const double *x, *y, *mass;  // (kBlock)
  int count;                   // particles in it, the rest is padding
};

// out[s] = Re sum_k c_sk z^k for s = 0 .. series - 1, series 1, 2 or 3.
struct CircleSeries {
  int series, orders;
  const double* terms;  // (orders + 1, series, 2): Re and Im of c_sk
  double* out[3];       // (kBlock) each
};

}  // namespace murmur::moments
