// kernels.h: the sums over pairs and the small matrix products that the vector kernels compute.
#pragma once

#include <cstddef>

namespace murmur::simd {

// Targets are done in blocks of this many: a whole number of tiles of every kernel.
inline constexpr int kBlock = 64;
// Sources are packed for the tiles in groups of this many, the last one padded with zeros.
inline constexpr int kSources = 48;

//   Z_i = sum_j w_j 2^{s_ij},   N_i = sum_j w_j 2^{s_ij} y_j        over the j that row i attends
//   to
// In the scores, keys with other coordinates may replace y_j: tile_sums with k < d, or k > d.
// open:       s_ij = <u_i, y_j>, for scores that neither overflow nor underflow
// bounded:    s_ij = <u_i, y_j> - b_i, no less than about -126 (float), -1022 (double), and
//             no more than 0 where w_j > 0
// difference: s_ij = -|y_j - u_i|^2, and N_i sums y_j - u_i instead of y_j
enum class Form { open, bounded, difference };

template <class T>
struct PairSums {
  Form form = Form::open;
  int d = 0, k = 0, sources = 0;  // k: coordinates of the scores; d unless the head is narrow
  const T* y = nullptr;           // (sources, pitch): d coordinates, then the weight w_j
  std::size_t pitch = 0;          // > d, a whole number of four
  const T* packed = nullptr;  // (ceil(sources / kSources), k, kSources): the y_j again, or the keys
  bool weighted = false;      // false: every w_j is 1
  const T* u = nullptr;       // (k, stride): targets, padded to whole blocks
  const T* bound = nullptr;   // (stride) b_i; of the bounded form only
  const int* row = nullptr;   // (stride) the source that is target i; null: source i
  bool causal = false;        // row i attends to j <= i only
  bool self = true;           // row i attends to itself
  std::size_t stride = 0;
  double* z = nullptr;  // (stride)
  double* n = nullptr;  // (d, stride)
};

// Sums one block of targets, d = 2, 3, 4, with everything in registers. Float: open or difference;
// double: open or bounded. Targets are the sources (row is null).
void small_sums(const PairSums<float>& p, int block);
void small_sums(const PairSums<double>& p, int block);

// Computes the share of one strip in the open sums of all pairs, where u_i = g y_i, all weights are
// 1 and no pair is masked: totals (d + 1, stride), N then Z. d = 2, 3, 4. The sum of the strips in
// order is the same for any number of threads.
inline constexpr int kStrips = 16;
void symmetric_sums(const PairSums<float>& p, double g, int strip, double* totals);
void symmetric_sums(const PairSums<double>& p, double g, int strip, double* totals);

// Sums one block of targets, any d, by register-tiled products around the exponential. Open or
// bounded.
void tile_sums(const PairSums<float>& p, int block);
void tile_sums(const PairSums<double>& p, int block);

// b_i = max_j <u_i, y_j> over the j that row i attends to, into `bound` (stride).
void tile_bounds(const PairSums<double>& p, int block, double* bound);

}  // namespace murmur::simd
