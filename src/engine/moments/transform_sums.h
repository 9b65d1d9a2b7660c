// transform_sums.h: sums over the particles on S^2 and on the circle by non-uniform Fourier
// transforms.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engine/moments/harmonic_sums.h"
#include "engine/moments/sums.h"

namespace murmur::moments {

inline constexpr int kMostWindow = 16;  // cells of a grid under the window

// A wave e^{ikx} is replaced by its values on a grid of N cells of width h = 2 pi / N,
//   e^{ikx} = (1 / f_k) sum_g window((g h - x) 2 / (w h)) e^{ikgh} (1 + E_k(x)),
//   window(z) = e^{b (sqrt(1 - z^2) - 1)} for |z| <= 1,
// f_k its Fourier transform. E_k is small for waves much longer than a cell, and is computed here.
// A larger b makes it smaller for long waves and larger for short ones: b = 2.30 w is good for
// waves down to four cells, and a larger b for a series with small coefficients of short waves.
struct Window {
  int width = 0;                 // w
  double sharpness = 0;          // b
  std::vector<double> factor{};  // (orders + 1) f_k
  std::vector<double> error{};   // (orders + 1) max over x and over all k' <= k of |E_k'(x)|
};
Window window_of(int width, double sharpness, int cells, int orders);

// Returns the narrowest window with b = 2.65 w whose error is at most `cut`, or little more than
// rounding, in a sum of waves where share_l is the weight of those of order l; `error` becomes
//   sum_l share_l (2 e_{l+1} + e_{l+1}^2),   e the error: once up and once down.
Window window_for(std::span<const double> share, int cells, double cut, double& error);

inline constexpr int kMargin = kMostWindow / 2;  // cells around a grid, and around a tile
inline constexpr int kTileCells = 16;            // of a side of a tile

// A sphere's points in cells of a grid of `cells` by `cells` angles: theta from z, 0 .. cells / 2,
// and phi from x, 0 .. cells. Arrays are padded up to a multiple of 8.
struct AnglePoints {
  const double *x, *y, *z;
  double *theta, *phi;
  int count, cells;
};
void angles_of(const AnglePoints& points);

// One point in cells, relative to the corner of its tile: 0 <= theta, phi < kTileCells.
struct TilePoints {
  const double *theta, *phi, *mass;
  int count;
};
// tile (kTileSide, kTileSide) += m window(theta) window(phi), from kMargin cells before the corner.
inline constexpr int kTileSide = kTileCells + 2 * kMargin;
void spread_tile(const Window& window, const TilePoints& points, double* tile);

// out[f * stride + i] = sum over cells of window window grid_f, of `functions` grids side by side:
// cell (r, c) of grid f is at grid[(r * functions + f) * row + c]; points are in cells of it, from
// kMargin on. functions: 1 or 4.
struct GridSums {
  const double* grid;
  std::size_t row;
  int functions;
  const double *theta, *phi;
  int count;
  double* out;
  std::size_t stride;
};
void sum_grid(const Window& window, const GridSums& sums);

// Spreads points on the circle: line (cells and kMargin before and after) += m window(phi), phi in
// cells.
struct LinePoints {
  const double *phi, *mass;
  int count;
};
void spread_line(const Window& window, const LinePoints& points, double* line);
// out[f * stride + i] = sum over cells of window line_f, f = 0 .. functions - 1: 1 or 3.
struct LineSums {
  const double* line;
  std::size_t row;
  int functions;
  const double* phi;
  int count;
  double* out;
  std::size_t stride;
};
void sum_line(const Window& window, const LineSums& sums);

inline constexpr int kSpreadPoints = 1 << 16;  // of a block, which has a grid of its own

// Particles under the window of a transform, on a grid with kMargin cells around it.
struct SpreadGrid {
  std::vector<double> grid{};
  double off = 0;  // max_j | |x_j| - 1 |
};
// The grid of at most kSpreadPoints particles, and their lengths.
struct SpreadBlock {
  const double *grid, *length;  // (size), (n of the block)
};
struct Sharing {
  int threads;
  const Reduction* ranks;
};
// Returns the sum of the grids of all blocks. They are added as integers, so that the sum is the
// same for any number of threads and ranks.
SpreadGrid spread_blocks(
    const HostSwarm& x, std::size_t size, const Sharing& sharing,
    const std::function<SpreadBlock(const Targets& here, const double* mass)>& spread);

// Returns a bound on the error of a score: rho times a few units of an angle, and the errors of the
// lengths of targets and particles.
double score_error(double rho, double off, double length);

// Returns the least even number 2^a 3^b 5^c that is at least `least` and divisible by `by`.
int grid_size(int least, int by);

// On the doubled sphere, theta from 0 to 2 pi, a harmonic function of degree l is a trigonometric
// polynomial of degree l in both angles. So moments are computed from waves, waves from a grid that
// the particles are spread onto under a window, and the sums back on the same way. If all |u| are
// equal to rho, the cost of a particle does not depend on the degree.
//
// The bound is that of HarmonicSums plus that of the window, which multiplies a wave of order k by
// 1 + E_k. With e_l the largest of these up to l, the share of the functions
// of degree l in e^{rho} is at most (2l + 1) A_l e^{-rho}, their Fourier coefficients sum to at
// most sqrt(l + 1) times their length, and both angles contribute once each way:
//   sum_l (2l + 1) A_l e^{-rho} sqrt(l + 1) 2 (2 e_{l+1} + e_{l+1}^2)
class TransformSums {
 public:
  // The degree is the least whose remainder is at most `cut` of e^rho, and must not be above
  // kMostTransformDegree. The error of the window is about the same, or little more than rounding.
  TransformSums(double rho, double cut);

  int degree() const { return harmonic_.degree(); }
  int cells() const { return cells_; }
  int width() const { return window_.width; }

  struct Series {
    std::vector<double> grid{};  // (rows, outputs, row)
    int outputs = 0;             // 1: weights only; 4
    double mass = 0, off = 0;
  };
  Series series_of(const HostSwarm& x, int threads, const Reduction* ranks, bool mean) const;

  // For callers that spread particles and sum at targets on a GPU: the window, the series of a grid
  // of particles, and a bound on the error of a weight e^{-rho} of mass 1 if `adds` numbers are
  // added to the grid one by one.
  using Spread = SpreadGrid;  // (rows, row)
  const Window& window() const { return window_; }
  double rho() const { return rho_; }
  int rows() const { return cells_ / 2 + 2 * kMostWindow; }
  std::size_t row() const { return static_cast<std::size_t>(cells_) + 2 * kMostWindow; }
  Series series_of(const Spread& spread, int threads, bool mean) const;
  double error(int adds) const;
  // Sums at at most kTransformPoints targets.
  void evaluate(const Series& series, const Targets& u, const SumsResult& out) const;

 private:
  using Wave = std::vector<std::complex<double>>;
  Spread spread(const HostSwarm& x, int threads, const Reduction* ranks) const;
  Wave waves_of(const Spread& spread, int threads) const;
  HarmonicMoments moments_of(const Wave& waves, const Spread& spread, int threads) const;
  Wave waves_of(const HarmonicSums::Series& series, int first, int threads) const;
  void to_grid(const Wave& waves, int first, Series& series, int threads) const;

  double rho_;
  HarmonicSums harmonic_;
  int cells_ = 0, nodes_ = 0;  // of the grid, a multiple of 16; per angle, for the degree
  Window window_;
  double beyond_ = 0, window_error_ = 0;
};

inline constexpr int kMostTransformDegree = 800;
inline constexpr int kTransformPoints = 1 << 14;

// With angles theta of the particles and phi of a target, and A_k = e^{-rho} I_k(rho),
//   Z = sum_k A_|k| conj(m_k) e^{ik phi},   N_1 + i N_2 = sum_k A_|k| conj(m_{k-1}) e^{ik phi},
//   m_k = sum_j m_j e^{ik theta_j}, m_{-k} = conj(m_k),
// up to a degree p. Moments are computed from a grid that the particles are spread onto under a
// window, sums from grids of Z and N. The cost of a particle does not depend on p.
//
// The bound is made of the remainder T_p; an allowance for rounding; and that of the window, which
// multiplies a wave of order k by 1 + E_k once up and once down: with e_l the
// largest up to l,
//   sum_l (2 - [l = 0]) A_l (2 e_{l+1} + e_{l+1}^2);
// and an allowance for rounding.
class CircleTransform {
 public:
  // The degree is the least whose remainder is at most `cut` of e^rho, and must not be above
  // kMostCircleDegree.
  CircleTransform(double rho, double cut);

  int degree() const { return degree_; }
  int cells() const { return cells_; }

  struct Series {
    std::vector<double> grid{};  // (outputs, row)
    int outputs = 0;             // 1: weights only; 3
    double mass = 0, off = 0;    // sum_j m_j, max_j | |x_j| - 1 |
  };
  Series series_of(const HostSwarm& x, int threads, const Reduction* ranks, bool mean) const;
  // Sums at at most kCirclePoints targets.
  void evaluate(const Series& series, const Targets& u, const SumsResult& out) const;

 private:
  using Wave = std::vector<std::complex<double>>;
  std::size_t row() const { return static_cast<std::size_t>(cells_) + 2 * kMostWindow; }
  SpreadGrid spread(const HostSwarm& x, int threads, const Reduction* ranks) const;  // (row)
  Wave moments_of(const std::vector<double>& grid) const;                            // (p + 2)
  void to_grid(const Wave& waves, double* re, double* im) const;

  double rho_;
  int degree_, cells_;
  Window window_;
  std::vector<double> a_;  // (p + 1) A_k
  double beyond_ = 0, window_error_ = 0;
};

inline constexpr int kMostCircleDegree = 6000;
inline constexpr int kCirclePoints = 1 << 12;

}  // namespace murmur::moments
