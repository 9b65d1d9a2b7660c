// pair_adjoint.h: the adjoint of one head's sums over pairs, by vector kernels in double.
#pragma once

#include <cstddef>
#include <memory>

#include "core/force_adjoint.h"

namespace murmur::simd {

// Rows of vectors in the layouts of the kernels: by axes for lanes, packed and by rows for
// broadcasts.
struct PackedRows {
  int width = 0;                   // coordinates
  std::size_t pitch = 0;           // width rounded up to four
  const double* axes = nullptr;    // (width, stride), zero beyond n
  const double* packed = nullptr;  // (ceil(n / kSources), width, kSources), zero beyond n
  const double* rows = nullptr;    // (n, pitch)
};

// With scores in powers of two, s_ij = <u_i, k_j> - bound_i, and g_ij = <w_i, v_j> - level_i:
// rows, p_ij = m_j 2^{s_ij}, over the j that i attends to,
//   z_i = sum_j p_ij,  g_sum_i = sum_j p_ij g_ij,  g_key_i = sum_j p_ij g_ij k_j,
//   key_sum_i = sum_j p_ij k_j,  value_sum_i = sum_j p_ij v_j
// columns, p_ij = rate_i 2^{s_ij}, over the i that attend to j,
//   d_value_j = sum_i p_ij w_i,  d_key_j = sum_i p_ij g_ij u_i,  d_mass_j = sum_i p_ij g_ij
struct AdjointSums {
  int n = 0;
  std::size_t stride = 0;  // n rounded up to whole blocks
  bool causal = false, self = true;
  PackedRows query{}, key{}, value{}, cotangent{};                // u, k; v, w
  const double *mass = nullptr, *rate = nullptr;                  // (stride), zero beyond n
  const double *bound = nullptr, *level = nullptr;                // (stride)
  double *z = nullptr, *g_sum = nullptr, *d_mass = nullptr;       // (stride)
  double *g_key = nullptr, *key_sum = nullptr, *d_key = nullptr;  // (k padded to fours, stride)
  double *d_value = nullptr, *value_sum = nullptr;                // (d padded to fours, stride)
};

// Returns the adjoint of softmax and plain attention without alibi. Its bits are the same for any
// number of threads: every row and every column is summed on its own, in the order of the
// particles. Returns nullptr on the page, which computes no gradients (no_adjoint.cpp).
std::unique_ptr<PairAdjoint> make_pair_adjoint(int threads);

}  // namespace murmur::simd
