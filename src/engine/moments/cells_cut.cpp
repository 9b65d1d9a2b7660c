// cells_cut.cpp: bounds by the next term of an exponential series times e.
#include "engine/moments/cells_cut.h"

#include <cmath>

#include "engine/moments/cells_terms.h"

namespace murmur::moments {

Cut cut_of_sources(int p, double r, double fourth, double widest) {
  Cut cut;
  if (fourth == 0) return cut;
  cut.slope = fourth * std::exp(r * widest);
  for (int k = 1; k <= p; ++k) cut.slope *= r / k * (k > 3 ? widest : 1.0);
  cut.value = cut.slope * r / (p + 1);
  return cut;
}

Cut cut_of_product(const double* norms, int stride, int p, double r, double gamma) {
  Cut cut;
  if (r == 0 || gamma == 0) return cut;
  const double g = r * gamma;
  double tail[kMaxDegree + 2] = {1};  // g^m / m!
  for (int m = 1; m <= p + 1; ++m) tail[m] = tail[m - 1] * g / m;
  double power = std::exp(g);
  for (int k = 0; k <= p; ++k, power *= r) {
    const double h = norms[k * stride] * power;
    cut.value += h * tail[p - k + 1];
    cut.slope += h * (k * tail[p - k + 1] + g * tail[p - k]) / r;
  }
  return cut;
}

}  // namespace murmur::moments
