// transform_sums.h: sums over the particles on S^2 by non-uniform Fourier transforms.
#pragma once

#include <complex>
#include <vector>

#include "engine/moments/harmonic_sums.h"
#include "engine/moments/spread.h"
#include "engine/moments/window.h"

namespace murmur::moments {

// On the doubled sphere, theta from 0 to 2 pi, a harmonic function of degree l is a trigonometric
// polynomial of degree l in both angles. So moments come from waves, waves from a grid that the
// particles are spread onto under a window, and back. Where all |u| are one length rho the cost of
// a particle does not depend on the degree.
//
// The bound is that of HarmonicSums, and for the window: a wave of order k is replaced by itself
// times 1 + E_k (window.h). With e_l the largest of these up to l, the functions of degree l take
// part with at most (2l + 1) A_l e^{-rho} of e^{rho}, their Fourier coefficients sum to at most
// sqrt(l + 1) times their length, and both angles and both ways err once:
//   sum_l (2l + 1) A_l e^{-rho} sqrt(l + 1) 2 (2 e_{l+1} + e_{l+1}^2)
class TransformSums {
 public:
  // The degree is that for which at most `cut` of e^rho is left out, which must not be above
  // kMostTransformDegree; the window errs by as much, or by little over rounding.
  TransformSums(double rho, double cut);

  int degree() const { return harmonic_.degree(); }
  int cells() const { return cells_; }
  int width() const { return window_.width; }

  struct Series {
    std::vector<double> grid{};  // (rows, outputs, row)
    int outputs = 0;             // 1: weights alone; 4
    double mass = 0, off = 0;
  };
  Series series_of(const HostSwarm& x, int threads, const Reduction* ranks, bool mean) const;

  // For who spreads particles and sums at targets elsewhere: the window, the grid of the particles,
  // and the bound on a weight e^{-rho} of mass 1 where the grid adds `adds` numbers one by one.
  using Spread = SpreadGrid;  // (rows, row)
  const Window& window() const { return window_; }
  double rho() const { return rho_; }
  int rows() const { return cells_ / 2 + 2 * kMostWindow; }
  std::size_t row() const { return static_cast<std::size_t>(cells_) + 2 * kMostWindow; }
  Series series_of(const Spread& spread, int threads, bool mean) const;
  double error(int adds) const;
  // At most kTransformPoints targets.
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
  int cells_ = 0, nodes_ = 0;  // of the grid, a multiple of 16; of the degree alone, per angle
  Window window_;
  double beyond_ = 0, window_error_ = 0;
};

inline constexpr int kMostTransformDegree = 800;
inline constexpr int kTransformPoints = 1 << 14;

}  // namespace murmur::moments
