// wide_pairs.h: sums over pairs in many dimensions, by tensor cores.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/cuda/seen.h"
#include "engine/cuda/small_pairs.h"

namespace murmur::cuda {

// The largest dimension that one kernel takes from scores to sums without leaving the chip.
inline constexpr int kFusedMost = 128;
int padded_dimension(int d);  // 16, 32, 64 or 128

// (n, from) and (n, to) of one set of vectors as halves, high + low = scale (at - origin) to 22
// bits: as rows (rows, pitch), or as columns (pitch, rows); zero behind the end.
struct HalvesFrom {
  int n = 0, d = 0;
  std::size_t stride = 0;
  const double* at = nullptr;      // (d, stride)
  const double* origin = nullptr;  // (d); nullptr: 0
  double scale = 1;
};
struct Halves {
  std::uint16_t *high = nullptr, *low = nullptr;
};
void split_rows(const HalvesFrom& from, std::size_t rows, int pitch, const Halves& to);
void split_columns(const HalvesFrom& from, std::size_t rows, const Halves& to);
// (rows) w_j = m_j / heaviest, 0 behind the end
void split_weights(const double* mass, double heaviest, int n, std::size_t rows, float* to);

// Sums of stretches in one kernel; u, keys and values are rows of pitch padded_dimension.
struct Fused {
  int n = 0, pitch = 0, d = 0;  // d: components of the values that are wanted
  std::size_t rows = 0;
  Halves u{}, key{}, value{};
  const float* weight = nullptr;
  float unscale = 1;       // scores are the products times this
  float* bound = nullptr;  // (rows) taken off a row's scores
};
int fused_stretches(int n, int pitch);
// bound_i: the largest score of a row as its high halves know it; `scratch` has (stretches, rows).
void fused_bounds(const Fused& f, const Seen& seen, float* scratch);
void fused_own_bounds(const Fused& f);  // where nobody's score is above a particle's own
void fused_sums(const Fused& f, const Seen& seen, const Stretches& to);
// Values were scaled by `scale`.
void add_fused(const Stretches& from, int n, int d, double scale, const Sums& to);
void widen(const float* from, int n, double* to);

// A strip of rows of scores, (count, pitch), row after row; becomes weights.
struct Strip {
  int first = 0, count = 0;  // rows
  int n = 0;
  std::size_t pitch = 0;
};
//   s_ij <- m_j 2^{s_ij - max_j s_ij},  z_i their sum, bound_i the maximum
void weigh_double(const Strip& strip, const Seen& seen, const double* mass, double* s, double* z,
                  double* bound);
//   the same of floats: weights w_j 2^{...} times 2^10 as halves
void weigh_halves(const Strip& strip, const Seen& seen, const float* weight, float unscale,
                  const float* s, const Halves& to, double* z, double* bound);
// to_k,first+i = the sum of `parts` of from (parts, d, count), over `scale`
void keep_strip(const Strip& strip, int d, int parts, const float* from, double scale, double* to,
                std::size_t stride);

}  // namespace murmur::cuda
