// centres.cpp: expected numbers of Renyi centres, and the probability of a common hemisphere.
#include <boost/math/special_functions/beta.hpp>
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
  // The square of a uniform point's distance from the axis has the law Beta((d - 1)/2, 1/2).
  const double sine = std::sin(angle);
  const double half = boost::math::ibeta(0.5 * (d - 1), 0.5, sine * sine) / 2;
  return angle < std::numbers::pi / 2 ? half : 1 - half;
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
  // 2^{1-n} sum_{k<d} C(n - 1, k) (Wendel 1962): fewer than d heads in n - 1 throws of a coin.
  return d >= n ? 1 : boost::math::ibeta(n - d, d, 0.5);
}

}  // namespace murmur::theory
