// transform_sums.h: sums over the particles on S^2 and on the circle by non-uniform Fourier
// transforms.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "engine/moments/harmonic_sums.h"
#include "engine/moments/sums.h"
#include "engine/moments/transform_kernels.h"

namespace murmur::moments {

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
// 1 + E_k (transform_kernels.h). With e_l the largest of these up to l, the share of the functions
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
// multiplies a wave of order k by 1 + E_k (transform_kernels.h) once up and once down: with e_l the
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
