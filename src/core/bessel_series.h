// bessel_series.h: e^{-beta} I_k(beta), the Fourier series of the kernel on the circle; defined in
// elementary.cpp.
#pragma once

#include <vector>

namespace murmur {

//   e^{beta (cos t - 1)} = a_0 + 2 sum_k a_k cos k t,   a_k = e^{-beta} I_k(beta),   beta >= 0
struct BesselSeries {
  std::vector<double> a;       // (count)
  std::vector<double> beyond;  // (count): a_{k+1} + a_{k+2} + ...
};
BesselSeries bessel_series(double beta, int count);

}  // namespace murmur
