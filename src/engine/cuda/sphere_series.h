// sphere_series.h: the kernel e^{rho <x, y>} on S^2 as a series in Chebyshev polynomials of z and
// powers of x + iy, and what is left out.
#pragma once

#include <limits>
#include <vector>

namespace murmur::cuda {

inline constexpr int kMostDegree = 31;

//   e^{rho <x, y>} = sum_l (2l+1) i_l(rho) P_l(<x, y>),
//   P_l(<x, y>) = sum_m q_lm(z) q_lm(z') Re[(x + iy)^m (x' - iy')^m]
// with q_lm(z) sin^m the associated Legendre functions, scaled. The polynomials q_lm are kept by
// their Chebyshev coefficients, so that moments are of T_k(z) (x + iy)^m, whatever l.
class SphereSeries {
 public:
  // Degree p such that what is left out of Z e^{-|rho|} is at most `left_out`, or 31.
  SphereSeries(double rho, double left_out);

  int degree() const { return p_; }
  int terms() const { return terms_; }     // 16 or 32: k and m run below it
  double bound() const { return bound_; }  // of the error of Z e^{-|rho|}, for masses of sum 1
  // Of the relative error of a mean whose weights have the sum z = Z e^{-|rho|}.
  double of_mean(double z) const {
    return z > 2 * bound_ ? 2 * bound_ / (z - bound_) : std::numeric_limits<double>::infinity();
  }

  // Coefficients of an evaluation from moments (terms, 2 terms): row k, columns Re and Im of m.
  // Six numbers for every (m, k < terms - m), m after m: of Z (Re, Im), of its derivative by z, and
  // of the derivative of Z by rho, all times e^{-|rho|}.
  std::vector<double> coefficients(const std::vector<double>& moments) const;

  // For targets of any rho, four numbers for every (m, l = m, ..., p), m after m: a and b of
  //   q_{l+1,m} = a z q_lm - b q_{l-1,m},
  // then Re and Im of q_mm times the moment of q_lm (x + iy)^m.
  std::vector<double> harmonics(const std::vector<double>& moments) const;

 private:
  // sum_k q_lm,k of the moments of T_k (x + iy)^m: Re (part 0) or Im.
  double moment(const std::vector<double>& moments, int l, int m, int part) const;
  double polynomial(int l, int m, int k) const {
    return polynomials_[(static_cast<std::size_t>(m) * (p_ + 1) + l) * terms_ + k];
  }

  int p_ = 0, terms_ = 16;
  double bound_ = 0;
  std::vector<double> weight_{}, slope_{};  // (p + 1) (2l+1) i_l e^{-|rho|} and by rho
  std::vector<double> polynomials_{};       // (p + 1, p + 1, terms): q_lm by T_k
};

}  // namespace murmur::cuda
