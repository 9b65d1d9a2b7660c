// particle_vectors.h: products and lengths of the vectors of single particles, axis by axis.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "murmur/swarm.h"

namespace murmur {

// (n) <a_i, b_i>, axis by axis, in the order of memory.
inline std::vector<double> dots(const HostSwarm& a, const HostSwarm& b) {
  std::vector<double> dot(a.n());
  for (int k = 0; k < a.d(); ++k)
    for (int i = 0; i < a.n(); ++i) dot[i] += a.axis(k)[i] * b.axis(k)[i];
  return dot;
}

// (n) |x_i|
inline std::vector<double> lengths(const HostSwarm& x) {
  std::vector<double> length = dots(x, x);
  for (double& l : length) l = std::sqrt(l);
  return length;
}

inline void clear(HostSwarm& a) {
  for (int k = 0; k < a.d(); ++k) std::fill_n(a.axis(k), a.n(), 0.0);
}

//   a_i <- a_i - <x_i, a_i> x_i
inline void project(const HostSwarm& x, HostSwarm& a) {
  const std::vector<double> dot = dots(x, a);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) a.axis(k)[i] -= dot[i] * x.axis(k)[i];
}

}  // namespace murmur
