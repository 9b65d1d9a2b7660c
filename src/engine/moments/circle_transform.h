// circle_transform.h: sums over the particles on the circle by non-uniform Fourier transforms.
#pragma once

#include <complex>
#include <vector>

#include "engine/moments/spread.h"
#include "engine/moments/window.h"

namespace murmur::moments {

// With angles theta of the particles and phi of a target, and A_k = e^{-rho} I_k(rho),
//   Z = sum_k A_|k| conj(m_k) e^{ik phi},   N_1 + i N_2 = sum_k A_|k| conj(m_{k-1}) e^{ik phi},
//   m_k = sum_j m_j e^{ik theta_j}, m_{-k} = conj(m_k),
// up to a degree p. Moments come from a grid of cells that the particles are spread onto under a
// window, sums from grids of Z and N: the cost of a particle does not depend on p.
//
// The bound: what is cut, T_p; the window's, which replaces a wave of order k by itself times 1 +
// E_k (window.h) once up and once down; with e_l the largest up to l that is
//   sum_l (2 - [l = 0]) A_l (2 e_{l+1} + e_{l+1}^2);
// and an allowance for rounding.
class CircleTransform {
 public:
  // The degree is that for which at most `cut` of e^rho is left out, which must not be above
  // kMostCircleDegree.
  CircleTransform(double rho, double cut);

  int degree() const { return degree_; }
  int cells() const { return cells_; }

  struct Series {
    std::vector<double> grid{};  // (outputs, row)
    int outputs = 0;             // 1: weights alone; 3
    double mass = 0, off = 0;    // sum_j m_j, max_j | |x_j| - 1 |
  };
  Series series_of(const HostSwarm& x, int threads, const Reduction* ranks, bool mean) const;
  // At most kCirclePoints targets.
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
