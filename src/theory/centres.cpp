// centres.cpp: expected numbers of centres.
#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numbers>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {

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

double parked_centres(double delta, int n) {
  demand(delta > 0, "every token is a centre", "delta", "give delta above 0");
  demand(n >= 1, "there is no such swarm", "n", "give n >= 1");
  const double tau = n * delta / (2 * std::numbers::pi);
  // From kTail on (1 - e^{-v})/v is 1/v in double precision, and e^{-2g} decreases as 1/u^2.
  constexpr double kTail = 40;
  constexpr int kPanels = 4'000;
  const auto rate = [](double v) { return v > 0 ? -std::expm1(-v) / v : 1.0; };
  const double last = std::min(tau, kTail), h = last / kPanels;
  const auto simpson = [&](double from, double step) {  // of g
    return step / 6 * (rate(from) + 4 * rate(from + step / 2) + rate(from + step));
  };
  double g = 0, sum = 0;
  for (int k = 0; k < kPanels; ++k) {
    const double u = k * h, middle = g + simpson(u, h / 2);
    const double end = middle + simpson(u + h / 2, h / 2);
    sum += h / 6 * (std::exp(-2 * g) + 4 * std::exp(-2 * middle) + std::exp(-2 * end));
    g = end;
  }
  const double free = std::exp(-2 * g) * std::pow(last / tau, 2);  // e^{-2 g(tau)}
  sum += std::exp(-2 * g) * last * (1 - last / tau);
  return 2 * std::numbers::pi / delta * sum + tau * rate(tau) * free;
}

}  // namespace murmur::theory
