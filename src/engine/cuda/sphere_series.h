// sphere_series.h: the kernel e^{rho <x, y>} on S^2 as a series in Chebyshev polynomials of z and
// powers of x + iy, its remainder, and the kernels for its moments and sums.
#pragma once

#include <limits>
#include <vector>

#include "engine/cuda/pair_kernels.h"
#include "engine/cuda/swarm_kernels.h"

namespace murmur::cuda {

inline constexpr int kMostDegree = 31;

//   e^{rho <x, y>} = sum_l (2l+1) i_l(rho) P_l(<x, y>),
//   P_l(<x, y>) = sum_m q_lm(z) q_lm(z') Re[(x + iy)^m (x' - iy')^m]
// with q_lm(z) sin^m the associated Legendre functions, scaled. The polynomials q_lm are kept by
// their Chebyshev coefficients, so that moments are those of T_k(z) (x + iy)^m for all l.
class SphereSeries {
 public:
  // Takes the least degree p whose remainder of Z e^{-|rho|} is at most `remainder`, or 31.
  SphereSeries(double rho, double remainder);

  int degree() const { return p_; }
  int terms() const { return terms_; }     // 16 or 32: k and m run below it
  double bound() const { return bound_; }  // on the error of Z e^{-|rho|}, for masses of sum 1
  // Returns a bound on the relative error of a mean whose weights have the sum z = Z e^{-|rho|}.
  double mean_bound(double z) const {
    return z > 2 * bound_ ? 2 * bound_ / (z - bound_) : std::numeric_limits<double>::infinity();
  }

  // Returns the coefficients of an evaluation from moments (terms, 2 terms): row k, columns Re and
  // Im of m. Six numbers for every (m, k < terms - m), m after m: of Z (Re, Im), of its derivative
  // by z, and of the derivative of Z by rho, all times e^{-|rho|}.
  std::vector<double> coefficients(const std::vector<double>& moments) const;

  // Returns, for targets of any rho, four numbers for every (m, l = m, ..., p), m after m: a and b
  // of
  //   q_{l+1,m} = a z q_lm - b q_{l-1,m},
  // then Re and Im of q_mm times the moment of q_lm (x + iy)^m.
  std::vector<double> harmonics(const std::vector<double>& moments) const;

 private:
  // Returns sum_k q_lm,k times the moment of T_k (x + iy)^m: Re (part 0) or Im.
  double moment(const std::vector<double>& moments, int l, int m, int part) const;
  double polynomial(int l, int m, int k) const {
    return polynomials_[(static_cast<std::size_t>(m) * (p_ + 1) + l) * terms_ + k];
  }

  int p_ = 0, terms_ = 16;
  double bound_ = 0;
  std::vector<double> weight_{}, slope_{};  // (p + 1) (2l+1) i_l e^{-|rho|} and by rho
  std::vector<double> polynomials_{};       // (p + 1, p + 1, terms): q_lm by T_k
};

// Returns the scratch of `sphere_moments`, in numbers.
std::size_t moment_scratch(int terms);
// (terms, terms, 2) sum_j m_j T_k(z_j) (x_j + i y_j)^m, Re and Im, in a fixed order.
void sphere_moments(const ConstPlaces& x, const double* mass, int terms, double* scratch,
                    double* to);
// n_i = sum_j m_j e^{rho (<x_i, x_j> - 1)} x_j and z_i, from SphereSeries::coefficients.
void sphere_sums(const ConstPlaces& x, double rho, int terms, const double* coefficients,
                 const Sums& to);

// bound_i = |u_i|
void lengths(const ConstPlaces& u, double* bound);
// n_i = sum_j m_j e^{<v_i, x_j> - |v_i|} x_j and z_i, v = u log 2, from
// SphereSeries::harmonics up to degree p; no v_i may be 0. `bound` has the lengths of u.
void sums_at_targets(const ConstPlaces& u, const double* bound, int p, const double* harmonics,
                     const Sums& to);

}  // namespace murmur::cuda
