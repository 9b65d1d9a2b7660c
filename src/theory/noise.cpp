// noise.cpp: thresholds below which noise keeps the uniform law stable, and the order at beta = 0.
#include <cmath>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {

double noise_threshold(int d, double beta, int k) {
  if (beta == 0 && k == 1) return d;  // lambda_1 / beta -> 1/d
  return std::exp(std::log(beta) - log_eigenvalue(d, beta, k));
}

double continuous_until(int d) {
  demand(d >= 2, "there is no sphere of so few coordinates", "d", "give d of at least 2");
  return root([d](double beta) { return bessel_ratio(d / 2.0, beta) - 1.0 / d; }, 0, 8);
}

double kuramoto_order(double kappa) {
  if (kappa <= 2) return 0;
  // I_1/I_0 is concave: besides r = 0 there is one root, and between them the ratio is above r.
  const auto excess = [kappa](double r) { return bessel_ratio(0, kappa * r) - r; };
  const double low = std::sqrt((kappa - 2) / kappa) / 4;
  return root(excess, low, 1);
}

}  // namespace murmur::theory
