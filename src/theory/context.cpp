// context.cpp: one layer in long contexts (2512.01868), and retrieval profiles (2605.09213).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {
namespace {

double width_weight(const Retrieval& retrieval, int n) {
  return std::exp(-std::pow(std::numbers::pi * n / retrieval.width, 2) / 2);
}

}  // namespace

double context_cosine(double rho, double gamma, double n) {
  demand(n >= 2 && rho < 1 && (n - 1) * rho >= -1, "there is no such swarm", "rho, n",
         "give n >= 2 and rho in [-1/(n-1), 1)");
  // With b = (a - 1)/n and q = <x_i, sum_j x_j>/n, all terms are divided by n^2, and by b^2 if b
  // may be large.
  const double b = std::expm1(gamma * (1 - rho) * std::log(n)) / n, q = (1 + (n - 1) * rho) / n;
  if (b <= 1) return (b * b * rho + (2 * b + 1) * q) / (b * b + (2 * b + 1) * q);
  const double shared = (2 + 1 / b) / b * q;
  return (rho + shared) / (1 + shared);
}

double retrieval_rate(double beta, int n) {
  return static_cast<double>(n) * n * std::exp(log_bessel(n, beta));
}

double retrieval_series(double c, double y) {
  double term = c, sum = 0;
  for (int k = 0; std::fabs(term) > 1e-18 * std::fabs(sum); ++k) {
    sum += term;
    term *= c * y / ((k + 1.0) * (k + 2.0));
  }
  return sum;
}

double retrieval_profile(const Retrieval& retrieval, double t, double s) {
  demand(s > 0 && s <= 1, "the place in the prompt is out of range", "s", "give one in (0, 1]");
  const double lambda = retrieval.lambda, all = std::expm1(lambda);
  const double y = std::log(all / std::expm1(lambda * s));
  double sum = 0;
  for (int n = 1; n <= retrieval.modes; ++n)
    sum += width_weight(retrieval, n) * retrieval_series(retrieval_rate(retrieval.beta, n) * t, y);
  return lambda * std::exp(lambda * s) / all * sum;
}

double retrieval_critical_time(const Retrieval& retrieval) {
  double first = 0, second = 0;
  for (int n = 1; n <= retrieval.modes; ++n) {
    const double w = width_weight(retrieval, n), a = retrieval_rate(retrieval.beta, n);
    first += w * a;
    second += w * a * a;
  }
  return -2 * std::expm1(-retrieval.lambda) * first / second;
}

double retrieval_certain_until(const Retrieval& retrieval) {
  double most = 0;
  for (int n = 1; n <= retrieval.modes; ++n)
    most = std::max(most, retrieval_rate(retrieval.beta, n));
  return std::min(3 - std::numbers::sqrt3, -2 * std::expm1(-retrieval.lambda)) / most;
}

}  // namespace murmur::theory
