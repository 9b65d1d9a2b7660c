// contraction.cpp: how fast measures contract to a point, boosts at beta = 0, and hard attention.
#include <cmath>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {

namespace {

void check_sphere(int d) {
  demand(d >= 2, "there is no sphere of so few coordinates", "d", "give d of at least 2");
}

// 1 - r(b). Along x = ln tan(theta_0 / 2) a boost is a translation, and the uniform law sech^{d-1}:
//   1 - r = int (1 + tanh(x - b)) sech(x)^{d-1} dx / int sech(x)^{d-1} dx.
// The trapezoidal rule with step h has an error of order e^{-pi^2/h}, or e^{-2 pi^2/(d h^2)}.
double missing_order(int d, double b) {
  constexpr double kReach = 40;
  const double step = std::fmin(0.2, 0.8 / std::sqrt(d));
  double sum = 0, all = 0;
  const int most = static_cast<int>((kReach + std::fmax(b, 0)) / step);
  for (int k = -static_cast<int>(kReach / step); k <= most; ++k) {
    const double x = k * step;
    const double weight =
        std::exp((d - 1) * (-std::fabs(x) - std::log1p(std::exp(-2 * std::fabs(x)))));
    sum += weight * 2 / (1 + std::exp(-2 * (x - b)));
    all += weight;
  }
  return sum / all;
}

}  // namespace

Contraction contraction(Law law, double beta, int d, double z) {
  check_sphere(d);
  demand(z >= 0, "the exponent z is out of range", "z", "give z of at least 0");
  const double near = law == Law::sa ? 1 : std::exp(beta);
  const double opposite = law == Law::sa ? 1 : std::exp(-beta);
  return {near, opposite, std::fmin(near, (d - 1 + z) * opposite / 2)};
}

double boosted_spread(int d, double b) {
  check_sphere(d);
  return std::sqrt(2 * missing_order(d, b));
}

double boost_of_order(int d, double order) {
  check_sphere(d);
  demand(order >= 0 && order < 1, "no boost has this order", "order", "give one in [0, 1)");
  if (order == 0) return 0;
  double high = 1;
  while (1 - missing_order(d, high) < order) high *= 2;
  return root([&](double b) { return 1 - missing_order(d, b) - order; }, 0, high);
}

double boost_at(int d, double start, double t) {
  check_sphere(d);
  demand(start >= 0 && t >= 0 && std::isfinite(t), "the time is out of range", "t",
         "give a finite t and a start of at least 0");
  if (start == 0) return 0;  // the uniform law does not move
  const auto slope = [&](double, const State& b) { return State{1 - missing_order(d, b[0]), 0}; };
  return carry(slope, {start, 0}, 0, t)[0];
}

double mode_scale(double beta) {
  demand(beta >= 1, "ln(beta) is negative", "beta", "give beta of at least 1");
  return std::sqrt(beta * std::log(beta));
}

double hardmax(const Towards& towards, double alpha, int steps) {
  const double kept = std::pow(1 + alpha, -steps);  // 1 - g = 1/(1 + alpha)
  return kept * towards.x + (1 - kept) * towards.vertex;
}

}  // namespace murmur::theory
