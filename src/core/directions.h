// directions.h: the directions x / |x| of the particles of a swarm.
#pragma once

#include <cmath>

#include "murmur/swarm.h"

namespace murmur {

// x_i / |x_i|; a particle at the origin stays there and has cosine 0 with all others.
inline HostSwarm directions_of(HostSwarm x) {
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    const double length = std::sqrt(square);
    for (int k = 0; k < x.d() && length > 0; ++k) x.at(i, k) /= length;
  }
  return x;
}

}  // namespace murmur
