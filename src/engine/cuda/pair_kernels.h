// pair_kernels.h: sums over pairs on the GPU: in two, three and four dimensions, where a particle
// fits in registers, and in many dimensions, by tensor cores.
#pragma once

#include <vector_types.h>

#include <cstddef>
#include <cstdint>

#include "engine/cuda/tiles.h"

namespace murmur::cuda {

// Particles as the kernels of single precision read them; made by `pack`.
//   target  (rows / 16, 8, 4) of sixteen bytes: the operands of a lane, coordinate k of the rows g
//           and g + 8 of sixteen as halves (high, high), (high, high), (low, low), (low, low);
//           high + low = u_i s to 22 bits
//   key     (rows, 4) of eight bytes: (y_j - origin) / s as (high, low, high, low)
//   value   (rows, 4) floats: w_j (y_j - origin), and w_j where d < 4
//   feature instead of value if each exponential is used twice, (rows / 16, 8, 4) of eight
//           bytes: number g of those four, as high halves (g < 4) or low ones (number g - 4), of
//           the rows 2t, 2t + 1, 2t + 8 and 2t + 9 of sixteen
//   weight  (rows) w_j = m_j / largest_mass; 0 after the end
struct Packed {
  std::size_t rows = 0;
  void *target = nullptr, *key = nullptr, *feature = nullptr;
  float *value = nullptr, *weight = nullptr;
};
std::size_t packed_bytes(int n);
Packed lay_out(void* room, int n);

// The input of `pack`: u (d, stride) and x (d, stride), both of n particles.
struct Unpacked {
  int n = 0, d = 0;
  std::size_t stride = 0;
  const double *u = nullptr, *x = nullptr, *mass = nullptr;
  const double* origin = nullptr;  // (d), on the GPU
  double largest_mass = 1;
  double balance = 1;      // s: u s and y / s have similar sizes, so that both fit into halves
  bool symmetric = false;  // each exponential is used twice
  int shift = 0;           // added to every score if so
};
void pack(const Unpacked& from, const Packed& to);

// Sums of a stretch of sources, (stretches, d + 1, rows): the last is Z. `add_stretches` adds
// them up in order, so that the bits depend only on n.
//   n_ki = sum_j w_j 2^{s_ij} y_jk,   z_i = sum_j w_j 2^{s_ij}
struct Stretches {
  int count = 0;
  std::size_t rows = 0;
  float* at = nullptr;
};
struct Sums {
  double* n = nullptr;  // (d, stride)
  double* z = nullptr;  // (stride)
  std::size_t stride = 0;
};

// Sums some stretches, from stretch `first` on: a large swarm needs several calls.
int plain_stretches(int n);
void plain_sums(const Packed& p, int n, int d, const PairMask& mask, const RowTiles& rows,
                int first, const Stretches& to);

// Uses each exponential twice. Requires u = g y with one number g, w = 1, origin 0 and no mask; d =
// 2 or 3. Weights are halves: those above 2^-3 have the digits of single precision, smaller ones
// are off by 2^-25 at most, and none may be above 2^15. The sums are those of 2^{s_ij + shift}.
int symmetric_stretches(int n);
void symmetric_sums(const Packed& p, int n, int d, const Stretches& to);

// Writes the sum of the stretches times `scale`, or adds it if `more`.
void add_stretches(const Stretches& from, int n, int d, const RowTiles& rows, bool more,
                   double scale, const Sums& to);

// Single precision for large scores: 2^{-|y_j - t_i|^2}, and sums of y_j - t_i.
struct Difference {
  int n = 0, d = 0;
  const float4* source = nullptr;  // (rows): y, coordinates after d are 0
  const float4* target = nullptr;  // (rows): t
  const float* weight = nullptr;   // (rows)
};
void pack_difference(const Unpacked& from, double scale, double target_scale, float4* source,
                     float4* target, float* weight);
void difference_sums(const Difference& p, const PairMask& mask, const RowTiles& rows, int first,
                     const Stretches& to);

// Double precision, one row of threads per stretch of sources. `bound` (stride) is subtracted from
// the scores of a row; nullptr: 0.
struct DoublePairs {
  int n = 0, d = 0;
  std::size_t stride = 0;
  const double *u = nullptr, *x = nullptr, *mass = nullptr;
  double largest_mass = 1;
  const double* bound = nullptr;
};
struct DoubleStretches {  // as Stretches
  int count = 0;
  std::size_t rows = 0;
  double* at = nullptr;
};
int double_stretches(int n);  // of double sums and of differences
void double_sums(const DoublePairs& p, const PairMask& mask, const RowTiles& rows, int first,
                 const DoubleStretches& to);
void add_double_stretches(const DoubleStretches& from, int n, int d, const RowTiles& rows,
                          bool more, const Sums& to);
// bound_i = the largest score of a row without the masked ones; -inf if the row is empty. Of the
// stretches from `first` on and, if first > 0, of bound_i itself.
void largest_scores(const DoublePairs& p, const PairMask& mask, const RowTiles& rows, int first,
                    const DoubleStretches& scratch, double* bound);

// The largest dimension for which one kernel goes from scores to sums without leaving the chip.
inline constexpr int kFusedMost = 128;
int padded_dimension(int d);  // 16, 32, 64 or 128

// (n, from) and (n, to) of one set of vectors as halves, high + low = scale (at - origin) to 22
// bits: as rows (rows, pitch), or as columns (pitch, rows); zero after the end.
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
// (rows) w_j = m_j / largest_mass, 0 after the end
void split_weights(const double* mass, double largest_mass, int n, std::size_t rows, float* to);

// The input of the kernel for sums of stretches; u, keys and values are rows of pitch
// padded_dimension.
struct Fused {
  int n = 0, pitch = 0, d = 0;  // d: components of the values to be summed
  std::size_t rows = 0;
  Halves u{}, key{}, value{};
  const float* weight = nullptr;
  float unscale = 1;       // scores are the products times this
  float* bound = nullptr;  // (rows) subtracted from the scores of a row
};
int fused_stretches(int n, int pitch);
// bound_i: the largest score of a row, computed from the high halves; `scratch` has (stretches,
// rows).
void fused_bounds(const Fused& f, const PairMask& mask, float* scratch);
// bound_i: the score of a particle with itself, for heads where it is the largest.
void fused_own_bounds(const Fused& f);
void fused_sums(const Fused& f, const PairMask& mask, const Stretches& to);
// Values were scaled by `scale`.
void add_fused(const Stretches& from, int n, int d, double scale, const Sums& to);
void to_double(const float* from, int n, double* to);

// A strip of rows of scores, (count, pitch), which become weights.
struct Strip {
  int first = 0, count = 0;  // rows
  int n = 0;
  std::size_t pitch = 0;
};
//   s_ij <- m_j 2^{s_ij - max_j s_ij},  z_i their sum, bound_i the maximum
void compute_double_weights(const Strip& strip, const PairMask& mask, const double* mass, double* s,
                            double* z, double* bound);
//   the same of floats: weights w_j 2^{...} times 2^10 as halves
void compute_half_weights(const Strip& strip, const PairMask& mask, const float* weight,
                          float unscale, const float* s, const Halves& to, double* z,
                          double* bound);
// to_k,first+i = the sum of `parts` of from (parts, d, count), over `scale`
void write_strip(const Strip& strip, int d, int parts, const float* from, double scale, double* to,
                 std::size_t stride);

}  // namespace murmur::cuda
