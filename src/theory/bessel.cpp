// bessel.cpp: modified Bessel functions, and the eigenvalues of e^{beta x.y} on the sphere.
#include <cmath>
#include <limits>
#include <numbers>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {
namespace {

void check_bessel(double order, double x) {
  demand(order >= 0 && 2 * order == std::floor(2 * order) && order <= 1e6, "a Bessel order is off",
         "order", "give an integer or half-integer of at least 0");
  demand(x >= 0 && std::isfinite(x), "a Bessel argument is off", "x", "give a finite x >= 0");
}

// Miller's backward recurrence (DLMF 10.74(iv)), in ratios so that nothing overflows:
//   r_k = I_{k+1}/I_k = 1 / (2 (k+1)/x + r_{k+1})
// Started at N with r_N = 0, the error at k is (I_N/K_N) (K_k/I_k), which is below rounding for
// N - k >= 40 + sqrt(80 x).
double start_above(double order, double x) { return order + std::ceil(40 + std::sqrt(80 * x)); }

// e^{-x} I_0(x) by e^x = I_0 + 2 (I_1 + I_2 + ...), the sum nested in ratios (DLMF 10.35.5).
double scaled_zero(double x) {
  double ratio = 0, tail = 0;  // tail = (I_{k+1} + I_{k+2} + ...) / I_k
  for (double k = start_above(0, x); k >= 0; --k) {
    ratio = 1 / (2 * (k + 1) / x + ratio);
    tail = ratio * (1 + tail);
  }
  return 1 / (1 + 2 * tail);
}

struct Scaled {  // e^log factor: the factor has the digits, the log the range
  double log, factor;
};

// e^{-x} I_order(x)
Scaled scaled(double order, double x) {
  if (x == 0) return {0, order == 0 ? 1.0 : 0.0};
  const double lowest = order - std::floor(order);  // 0 or 1/2
  double ratio = 0;
  Scaled result{0, 1};  // grows into I_order / I_lowest
  for (double k = start_above(order, x); k >= lowest; --k) {
    ratio = 1 / (2 * (k + 1) / x + ratio);
    if (k < order) result.factor *= ratio;
    if (result.factor < 1e-200) {
      result.log += std::log(result.factor);
      result.factor = 1;
    }
  }
  // I_{1/2}(x) = sqrt(2/(pi x)) sinh x
  result.factor *=
      lowest == 0 ? scaled_zero(x) : -std::expm1(-2 * x) / std::sqrt(2 * std::numbers::pi * x);
  return result;
}

}  // namespace

double bessel_ratio(double order, double x) {
  check_bessel(order, x);
  if (x == 0) return 0;
  double ratio = 0;
  for (double k = start_above(order, x); k >= order; --k) ratio = 1 / (2 * (k + 1) / x + ratio);
  return ratio;
}

double log_bessel(double order, double x) {
  check_bessel(order, x);
  const Scaled value = scaled(order, x);
  return x + value.log + std::log(value.factor);
}

double scaled_bessel(double order, double x) {
  check_bessel(order, x);
  const Scaled value = scaled(order, x);
  return std::exp(value.log) * value.factor;
}

double log_eigenvalue(int d, double beta, int k) {
  demand(d >= 2, "there is no sphere of so few coordinates", "d", "give d of at least 2");
  demand(k >= 0, "a harmonic has a negative degree", "k", "give k of at least 0");
  demand(beta >= 0, "beta is negative", "beta", "give beta of at least 0");
  if (beta == 0) return k == 0 ? 0 : -std::numeric_limits<double>::infinity();
  const double half = d / 2.0;
  return std::lgamma(half) + (half - 1) * std::log(2 / beta) + log_bessel(k + half - 1, beta);
}

double eigenvalue(int d, double beta, int k) { return std::exp(log_eigenvalue(d, beta, k)); }

double uniform_energy(int d, double beta) {
  demand(beta > 0, "the energy is divided by beta", "beta", "give beta above 0");
  return eigenvalue(d, beta, 0) / (2 * beta);
}

}  // namespace murmur::theory
