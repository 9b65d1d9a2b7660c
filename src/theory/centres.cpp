// centres.cpp: expected numbers of Renyi centres, and the probability of a common hemisphere.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {

double kernel_peak(double beta) {
  demand(beta >= 0, "beta is negative", "beta", "give beta of at least 0");
  // 1 - cos tau = (1 + s - 2 beta)/(1 + s), s = sqrt(4 beta^2 + 1), free of cancellation.
  const double s = std::hypot(2 * beta, 1.0);
  return 2 * std::asin(std::sqrt((1 + 1 / (s + 2 * beta)) / (1 + s) / 2));
}

double cap_measure(int d, double angle) {
  demand(d >= 2, "there is no sphere of so few coordinates", "d", "give d of at least 2");
  demand(angle >= 0 && angle <= std::numbers::pi, "no cap has this radius", "angle",
         "give one of 0 to pi");
  if (angle == 0) return 0;
  const auto ring = [d](double x) { return std::pow(std::sin(x), d - 2); };
  return quadrature(ring, 0, angle) / quadrature(ring, 0, std::numbers::pi);
}

double strong_centres(int d, double delta, double n) {
  const double p = cap_measure(d, delta);
  demand(p > 0, "every token is a centre", "delta", "give delta above 0");
  if (p >= 1) return 1;
  return -std::expm1(n * std::log1p(-p)) / p;
}

double renyi_centres(double delta) {
  demand(delta > 0, "every token is a centre", "delta", "give delta above 0");
  return renyi_constant * 2 * std::numbers::pi / delta;
}

double hemisphere_probability(int n, int d) {
  demand(n >= 1 && d >= 1, "there is no such swarm", "n, d", "give n >= 1 and d >= 1");
  double sum = 0;
  for (int k = 0; k < std::min(n, d); ++k)
    sum += std::exp(std::lgamma(n) - std::lgamma(k + 1.0) - std::lgamma(n - k) -
                    (n - 1) * std::numbers::ln2);
  return std::fmin(sum, 1);
}

}  // namespace murmur::theory
