// sums.h: sums of exponentials over the particles of a swarm, each with a bound on its own error.
#pragma once

#include <cstddef>
#include <cstdint>

#include "murmur/swarm.h"

namespace murmur::moments {

// The ways to sum over all pairs: through harmonic moments; through these by Fourier transforms;
// through cells of tilted moments; pair by pair. The last two are right for anything.
enum class Way { harmonics, transform, cells, pairs };

// The folded targets of a head (head.h): the scores of row i are <u_i, x_j> but for a constant of
// the row. Struct of arrays, as HostSwarm: coordinate k of target i is u[k * stride + i].
struct Targets {
  const double* u = nullptr;  // (d, stride)
  std::size_t stride = 0;
  int n = 0, d = 0;
  const double* axis(int k) const { return u + static_cast<std::size_t>(k) * stride; }
  double at(int i, int k) const { return axis(k)[i]; }
};

//   Z_i = sum_j m_j e^{<u_i, x_j>},   M_i = sum_j m_j e^{<u_i, x_j>} x_j / Z_i
struct SumsRequest {
  const HostSwarm& x;        // the sources and their masses m_j >= 0
  Targets u;                 // as many as are wanted, in any number and order
  double tolerance = 1e-12;  // wanted of mean_bound / max_j |x_j|, and of weight_bound
  int threads = 0;           // 0: all cores; never shows in the result
  bool mean = true;          // false: weights alone
};

// Where the results of a request go; row i of each is of target i. Bounds are on the difference to
// the sums of real numbers over the doubles of the request, rounding included. A sum that cannot be
// bounded has an infinite bound.
//   Z_i = weight_i e^{shift_i},  |computed weight_i / true weight_i - 1| <= weight_bound_i
//   |computed M_i - true M_i| <= mean_bound_i in Euclidean norm
struct SumsResult {
  double* weight = nullptr;        // (n), neither so small nor so large that digits are lost
  double* shift = nullptr;         // (n)
  double* mean = nullptr;          // (d, stride); null where the request wants no means
  std::size_t stride = 0;          // of mean
  double* weight_bound = nullptr;  // (n)
  double* mean_bound = nullptr;    // (n); null where mean is
};

// What a request has cost, for bench and for the choice among the ways to sum.
struct SumsCost {
  std::int64_t cells = 0;  // of targets
  double pairs = 0;        // of a target and a source that were summed one by one
};

}  // namespace murmur::moments
