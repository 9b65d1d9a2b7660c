// sums.h: sums of exponentials over the particles of a swarm, each with a bound on its own error.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "murmur/swarm.h"

namespace murmur::moments {

// The ways to sum over all pairs: by harmonic moments, by harmonic moments and Fourier transforms,
// by cells of tilted moments, pair by pair. The last two work for any targets and sources.
enum class Way { harmonics, transform, cells, pairs };

// The folded targets of a head (head_sums.h): the scores of row i are <u_i, x_j> plus a constant of
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
  Targets u;                 // in any number and order
  double tolerance = 1e-12;  // of mean_bound / max_j |x_j|, and of weight_bound
  int threads = 0;           // 0: all cores; the result does not depend on it
  bool mean = true;          // false: weights only
};

// The arrays for the results of a request; row i is of target i. Bounds are on the difference to
// the exact sums over the doubles of the request, rounding included. A sum without a bound has an
// infinite bound.
//   Z_i = weight_i e^{shift_i},  |computed weight_i / true weight_i - 1| <= weight_bound_i
//   |computed M_i - true M_i| <= mean_bound_i in Euclidean norm
struct SumsResult {
  double* weight = nullptr;        // (n), scaled so that no digits are lost
  double* shift = nullptr;         // (n)
  double* mean = nullptr;          // (d, stride); null if the request asks for no means
  std::size_t stride = 0;          // of mean
  double* weight_bound = nullptr;  // (n)
  double* mean_bound = nullptr;    // (n); null if mean is
};

// The cost of a request.
struct SumsCost {
  std::int64_t cells = 0;  // of targets
  double pairs = 0;        // of a target and a source, summed one by one
};

// The sums at a target divided by e^rho: its weight and, for means, one sum per coordinate.
struct SeriesRow {
  const double* sums;  // weight first, then each `stride` apart
  std::size_t stride;
  int coordinates;  // 0: weights only
  double rho;       // |u| of the series
  double eps;       // bound on the error of each sum
  double scores;    // bound on the error of each score
  double off;       // largest | |x_j| - 1 |
};

// Writes the result of target i with its bounds: |N| <= Z, so that |N / Z - computed| <= 2 eps / Z,
// and an error of the scores scales every weight.
inline void store_row(const SeriesRow& row, int i, const SumsResult& out) {
  constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  const double weight = row.sums[0], eps = row.eps;
  const bool bounded = weight > 2 * eps;
  out.weight[i] = weight;
  out.shift[i] = row.rho;
  out.weight_bound[i] = bounded ? eps / (weight - eps) + 2 * row.scores : kUnbounded;
  if (row.coordinates == 0) return;
  for (int k = 0; k < row.coordinates; ++k)
    out.mean[k * out.stride + i] = row.sums[(1 + k) * row.stride] / weight;
  out.mean_bound[i] =
      bounded ? 2 * eps / weight + 4 * row.scores + 4 * kUnit + row.off : kUnbounded;
}

// Returns max_j |x_j|.
inline double largest_norm(const HostSwarm& x) {
  double most = 0;
  for (int j = 0; j < x.n(); ++j) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(j, k) * x.at(j, k);
    most = std::fmax(most, square);
  }
  return std::sqrt(most);
}

// Sums over blocks of particles become integers, whose addition is associative: the total has the
// same bits for every distribution of the blocks over threads and ranks. 96 bits after the point
// leave 31 before it, enough for masses that sum to less than 2^31 times the largest function.
__extension__ using Fixed = __int128;
inline constexpr int kFractionBits = 96;

inline Fixed to_fixed(double value) { return static_cast<Fixed>(std::ldexp(value, kFractionBits)); }
inline double from_fixed(Fixed value) {
  return std::ldexp(static_cast<double>(value), -kFractionBits);
}

// Adds up the sums of the ranks over their own particles. A run without it has one rank.
class Reduction {
 public:
  virtual ~Reduction() = default;
  virtual void sum(std::span<Fixed> parts) const = 0;     // over the ranks, on all of them
  virtual double largest(double of_this_rank) const = 0;  // over the ranks, on all of them
  // Returns all particles if some rank needs them for sums pair by pair, else those of this rank.
  virtual const HostSwarm& everybody(const HostSwarm& own, bool needed) const = 0;
  // Returns the numbers of all ranks, rank by rank; `first` becomes the begin of those of this
  // rank.
  virtual std::vector<double> gathered(std::span<const double> own, std::size_t& first) const = 0;
};

// How a request is divided. 0: chosen by cost.
struct CellsChoice {
  int degree = 0;
  int leaf_sources = 0, leaf_targets = 0;
  bool eager = false;  // moments wherever they are possible, even where pairs cost less
};

// Computes the sums at every target of the request and bounds on their errors, for any beta, query,
// key and signs of scores. The method is described in cells.cpp.
SumsCost cell_sums(const SumsRequest& request, const SumsResult& result,
                   const CellsChoice& choice = {});

// The properties of a request that cells_cost needs.
struct CellsLoad {
  double sources = 0, targets = 0;
  int d = 3;
  bool sphere = true;   // sources on the unit sphere; false: anywhere
  double exponent = 1;  // max_i |u_i| max_j |y_j|, or more
  double tolerance = 1e-12;
};

// Returns an estimate in nanoseconds of one core, from the times in bench/results/cells.md: right
// within a factor of about 3 for evenly spread points, and too large for others.
double cells_cost(const CellsLoad& load);

}  // namespace murmur::moments
