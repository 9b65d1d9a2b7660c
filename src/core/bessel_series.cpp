// bessel_series.cpp: Miller's recurrence for e^{-beta} I_k(beta).
#include "core/bessel_series.h"

#include <cmath>
#include <utility>

namespace murmur {

// Downwards in ratios I_{k+1} / I_k, and e^beta = I_0 + 2 (I_1 + I_2 + ...).
BesselSeries bessel_series(double beta, int count) {
  BesselSeries s{std::vector<double>(count), std::vector<double>(count)};
  double ratio = 0, tail = 0;  // tail = (I_{k+1} + I_{k+2} + ...) / I_k
  for (int k = count + static_cast<int>(40 + std::sqrt(80 * beta)); k >= 0; --k) {
    ratio = 1 / (2 * (k + 1) / beta + ratio);
    tail = ratio * (1 + tail);
    if (k < count) {
      s.a[k] = ratio;
      s.beyond[k] = tail;
    }
  }
  double a = 1 / (1 + 2 * tail);
  for (int k = 0; k < count; ++k) {
    s.beyond[k] *= a;
    a *= std::exchange(s.a[k], a);
  }
  return s;
}

}  // namespace murmur
