// kernels.h: the vector kernels for a block of eight swarms, one lane per swarm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "murmur/engine.h"
#include "murmur/swarm.h"

namespace murmur::ensemble {

inline constexpr int kSwarms = 8;  // of a block, on every instruction set
inline constexpr int kTile = 4;    // particles, or coordinates, whose sums stay in registers

// Arrays of a block are (rows, d, kSwarms). rows is n up to a whole tile, d is 2, 3, 4 or a whole
// number of tiles; padding rows and coordinates are zero and stay zero.
inline int whole_tiles(int count) { return (count + kTile - 1) / kTile * kTile; }
inline int stored_dimension(int d) { return d <= 2 ? 2 : d <= 4 ? d : whole_tiles(d); }
inline std::size_t block_size(Shape s) {
  return static_cast<std::size_t>(whole_tiles(s.n)) * s.d * kSwarms;
}

// Inputs and results of sums over pairs of particles:
//   w_ij = 2^{slope <x_i, x_j> - offset},   N_i = sum_{j != i} w_ij x_j,   Z_i = sum_{j != i} w_ij
struct LanePairSums {
  Shape shape{};
  double slope = 0, offset = 0;  // such that w <= 1
  bool deep = false;             // some w may be below 2^-980: they become 0
  double self = 1;               // w_ii, for |x_i| = 1
  bool softmax = true;           // sums are divided by Z_i + self; else multiplied by factor
  double factor = 1;
  double* sums = nullptr;     // (rows, d, kSwarms): N
  double* totals = nullptr;   // (rows, kSwarms): Z
  double* weights = nullptr;  // (rows or kTile, rows, kSwarms): w of all pairs or of one strip
  bool strips = false;        // one strip at a time
};

// x_i <- normalise(x_i + dt A_i). lengths (kSwarms): not finite if a number of the swarm is not.
void layer(const LanePairSums& pairs, double dt, double* x, double* lengths);

// v_i = A_i - <x_i, A_i> x_i
void velocity(const LanePairSums& pairs, const double* x, double* v);

// The same two on the circle by Fourier sums. With x' = (-x_1, x_0) and theta the angle of x,
//   along_i  = along_0  + sum_{k=1}^{orders} along_k  (C_k cos k theta_i + S_k sin k theta_i)
//   across_i =            sum_{k=1}^{orders} across_k (S_k cos k theta_i - C_k sin k theta_i)
//   C_k = sum_j cos k theta_j,   S_k = sum_j sin k theta_j
struct WaveSums {
  Shape shape{};  // d = 2
  int orders = 0;
  bool divided = true;  // velocities are divided by along; else along is not summed for them
  const double *along = nullptr, *across = nullptr;  // (orders + 1)
  double* terms = nullptr;                           // (orders + 1, 4, kSwarms)
};
void layer(const WaveSums& waves, double* x, double* lengths);  // along x + across x', normalised
void velocity(const WaveSums& waves, const double* x, double* v);  // (across / along) x'

struct LaneTerm {  // one term scale * along of a step
  double scale;
  const double* along;  // (rows, d, kSwarms)
};

// y_i = normalise(x_i + sum of terms); y may be x. lengths as of `layer`.
struct Retract {
  Shape shape{};
  const double* x = nullptr;
  std::span<const LaneTerm> terms{};
  double* y = nullptr;
  double* lengths = nullptr;
};
void retract(const Retract& retract);

// (kSwarms) sqrt( mean_i ( |a_i - b_i| / (atol + rtol max(|a_i|, |b_i|)) )^2 )
struct ErrorNorm {
  Shape shape{};
  const double *a = nullptr, *b = nullptr;
  Tolerance tolerance{};
  double* error_norm = nullptr;
};
void error_norm(const ErrorNorm& error_norm);

// Pairs i < j of every swarm, and the mean of its particles.
struct PairSummary {
  Shape shape{};
  const double* x = nullptr;
  double close = 0;               // cosine above which a pair is counted
  double linked = 0;              // cosine above which a pair is linked
  double* cosines = nullptr;      // (kSwarms) sum over pairs
  double* closes = nullptr;       // (kSwarms) how many pairs
  double* mean = nullptr;         // (kSwarms) |sum_i x_i| / n
  std::uint64_t* link = nullptr;  // (rows, words, kSwarms) bit j of row i: linked
};
inline int link_words(int n) { return (n + 63) / 64; }
void summarise_pairs(const PairSummary& summarise_pairs);

// Rows x_i = sum_k c_ik q_k with q_k orthonormal, or zero if x_k adds no new direction.
struct Span {
  Shape shape{};                  // n < d
  double* rows = nullptr;         // (n, d)
  double* basis = nullptr;        // (n, d): q
  double* coordinates = nullptr;  // (n, n): c
};
void project_to_span(const Span& span);   // basis and coordinates from rows
void expand_from_span(const Span& span);  // rows from basis and coordinates

}  // namespace murmur::ensemble
