// pair_adjoint.h: the adjoint of one head's sums over pairs, by vector kernels in double.
#pragma once

#include <cstddef>
#include <memory>

#include "core/force_adjoint.h"

namespace murmur::simd {

// Rows of vectors as the kernels read them: by axes for lanes, packed and in rows for broadcasts.
struct PackedRows {
  int width = 0;                   // coordinates
  std::size_t pitch = 0;           // width rounded up to four
  const double* axes = nullptr;    // (width, stride), zero beyond n
  const double* packed = nullptr;  // (ceil(n / kSources), width, kSources), zero beyond n
  const double* rows = nullptr;    // (n, pitch)
};

// With scores in powers of two, s_ij = <u_i, k_j> - bound_i, and g_ij = <w_i, v_j> - level_i:
// rows, p_ij = m_j 2^{s_ij}, over the j that i sees,
//   z_i = sum_j p_ij,  work_i = sum_j p_ij g_ij,  with_i = sum_j p_ij g_ij k_j,  of_i = sum_j p_ij
//   k_j
// columns, p_ij = rate_i 2^{s_ij}, over the i that see j,
//   d_value_j = sum_i p_ij w_i,  d_key_j = sum_i p_ij g_ij u_i,  d_mass_j = sum_i p_ij g_ij
struct AdjointSums {
  int n = 0;
  std::size_t stride = 0;  // n rounded up to whole blocks
  bool past = false, self = true;
  PackedRows query{}, key{}, value{}, cotangent{};          // u, k; v, w
  const double *mass = nullptr, *rate = nullptr;            // (stride), zero beyond n
  const double *bound = nullptr, *level = nullptr;          // (stride)
  double *z = nullptr, *work = nullptr, *d_mass = nullptr;  // (stride)
  double *with = nullptr, *of = nullptr, *d_key = nullptr;  // (k padded to fours, stride)
  double *d_value = nullptr, *said = nullptr;               // (d padded to fours, stride)
};

// One block of kBlock rows or columns (kernels.h).
void adjoint_bounds(const AdjointSums& p, int block, double* bound);  // max_j <u_i, k_j> of mass
void adjoint_rows(const AdjointSums& p, int block);
void adjoint_columns(const AdjointSums& p, int block);

// Softmax and plain attention without alibi. The same bits for any number of threads: rows and
// columns are summed by themselves, each in the order of the particles. nullptr on the page, which
// goes back through nothing (no_adjoint.cpp).
std::unique_ptr<PairAdjoint> make_pair_adjoint(int threads);

}  // namespace murmur::simd
