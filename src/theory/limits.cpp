// limits.cpp: sharp attention in closed form: hardmax steps, and how many modes a density has.
#include <cmath>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {

double mode_scale(double beta) {
  demand(beta >= 1, "ln(beta) is negative", "beta", "give beta of at least 1");
  return std::sqrt(beta * std::log(beta));
}

double hardmax(const Towards& towards, double alpha, int steps) {
  const double kept = std::pow(1 + alpha, -steps);  // 1 - g = 1/(1 + alpha)
  return kept * towards.x + (1 - kept) * towards.vertex;
}

double hardmax_flow(const Towards& towards, double t) {
  return std::exp(-t) * towards.x - std::expm1(-t) * towards.vertex;
}

}  // namespace murmur::theory
