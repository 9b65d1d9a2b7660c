// small_pairs.h: sums over pairs in two, three and four dimensions, where a particle fits in
// registers.
#pragma once

#include <vector_types.h>

#include <cstddef>

#include "engine/cuda/seen.h"
#include "engine/cuda/tiles.h"

namespace murmur::cuda {

// Particles as the kernels of single precision read them; made by `pack`.
//   aim     (rows / 16, 8, 4) of sixteen bytes: what a lane multiplies, coordinate k of the rows g
//           and g + 8 of sixteen as halves (high, high), (high, high), (low, low), (low, low);
//           high + low = u_i s to 22 bits
//   key     (rows, 4) of eight bytes: (y_j - origin) / s as (high, low, high, low)
//   value   (rows, 4) floats: w_j (y_j - origin), and w_j where d < 4
//   feature in place of value where each exponential is used twice, (rows / 16, 8, 4) of eight
//           bytes: number g of those four, as high halves (g < 4) or low ones (number g - 4), of
//           the rows 2t, 2t + 1, 2t + 8 and 2t + 9 of sixteen
//   weight  (rows) w_j = m_j / heaviest; 0 behind the end
struct Packed {
  std::size_t rows = 0;
  void *aim = nullptr, *key = nullptr, *feature = nullptr;
  float *value = nullptr, *weight = nullptr;
};
std::size_t packed_bytes(int n);
Packed lay_out(void* room, int n);

// What is packed: u (d, stride) and x (d, stride), both of n particles.
struct Unpacked {
  int n = 0, d = 0;
  std::size_t stride = 0;
  const double *u = nullptr, *x = nullptr, *mass = nullptr;
  const double* origin = nullptr;  // (d), on the GPU
  double heaviest = 1;
  double balance = 1;   // s: u s and y / s are of like size, so that halves hold both
  bool mutual = false;  // each exponential is used twice
  int shift = 0;        // then added to every score
};
void pack(const Unpacked& from, const Packed& to);

// Sums of a stretch of sources, (stretches, d + 1, rows): the last is Z. Added up in order by
// `add_stretches`, so that the bits depend on n alone.
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

// Large swarms are summed some stretches at a time, from stretch `first` on.
int plain_stretches(int n);
void plain_sums(const Packed& p, int n, int d, const Seen& seen, const RowTiles& rows, int first,
                const Stretches& to);

// Each exponential used twice: needs u = g y with one number g, w = 1, origin 0 and nobody unseen;
// d = 2 or 3. Weights are halves: those above 2^-3 have the digits of single precision, smaller
// ones are off by 2^-25 at most, and none may be above 2^15. The sums are those of 2^{s_ij +
// shift}.
int mutual_stretches(int n);
void mutual_sums(const Packed& p, int n, int d, const Stretches& to);

// Times `scale`; where `more`, to what is there already.
void add_stretches(const Stretches& from, int n, int d, const RowTiles& rows, bool more,
                   double scale, const Sums& to);

// Single precision where scores are large: 2^{-|y_j - t_i|^2}, and sums of y_j - t_i.
struct Difference {
  int n = 0, d = 0;
  const float4* source = nullptr;  // (rows): y, coordinates behind d are 0
  const float4* target = nullptr;  // (rows): t
  const float* weight = nullptr;   // (rows)
};
void pack_difference(const Unpacked& from, double scale, double gaze, float4* source,
                     float4* target, float* weight);
void difference_sums(const Difference& p, const Seen& seen, const RowTiles& rows, int first,
                     const Stretches& to);

// Double precision, one row of threads a stretch of sources. `bound` (stride) is taken off the
// scores of a row; nullptr: nothing is.
struct DoublePairs {
  int n = 0, d = 0;
  std::size_t stride = 0;
  const double *u = nullptr, *x = nullptr, *mass = nullptr;
  double heaviest = 1;
  const double* bound = nullptr;
};
struct DoubleStretches {  // as Stretches
  int count = 0;
  std::size_t rows = 0;
  double* at = nullptr;
};
int double_stretches(int n);  // of double sums and of differences
void double_sums(const DoublePairs& p, const Seen& seen, const RowTiles& rows, int first,
                 const DoubleStretches& to);
void add_double_stretches(const DoubleStretches& from, int n, int d, const RowTiles& rows,
                          bool more, const Sums& to);
// bound_i = the largest score of a row, of those seen; -inf where nobody is. Of stretches from
// `first` on, and of what bound says already where first > 0.
void largest_scores(const DoublePairs& p, const Seen& seen, const RowTiles& rows, int first,
                    const DoubleStretches& scratch, double* bound);

}  // namespace murmur::cuda
