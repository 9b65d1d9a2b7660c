// axes.h: directions of particles, and the leading axes of a cloud of them.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "murmur/swarm.h"

namespace murmur {

// (d, d): sum of x x^T over the particles of several swarms of one d, about the origin or, when
// centred, about the mean of them all.
std::vector<double> second_moment(std::span<const HostSwarm> swarms, bool centred);

// Leading directions of a symmetric positive (d, d) matrix: `count` rows of length d, orthonormal,
// each with its largest entry positive; by orthogonal iteration.
std::vector<double> leading_axes(const std::vector<double>& matrix, int d, int count);

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
