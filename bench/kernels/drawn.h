// drawn.h: the swarms and matrices that benches draw.
#pragma once

#include <cmath>

#include "murmur/matrix.h"
#include "murmur/random.h"
#include "murmur/swarm.h"

namespace murmur::bench {

// Normal coordinates, particle by particle.
inline HostSwarm in_space(Shape shape, std::uint64_t seed, std::int64_t replica = 0) {
  HostSwarm x(shape);
  for (int i = 0; i < shape.n; ++i) {
    const Draw draw{.seed = seed,
                    .particle = static_cast<std::uint32_t>(i),
                    .replica = static_cast<std::uint32_t>(replica)};
    for (int k = 0; k < shape.d; ++k) x.at(i, k) = draw.normal(static_cast<std::uint16_t>(k));
  }
  return x;
}

// The same, made unit vectors: uniform on the sphere.
inline HostSwarm on_sphere(Shape shape, std::uint64_t seed, std::int64_t replica = 0) {
  HostSwarm x = in_space(shape, seed, replica);
  for (int i = 0; i < shape.n; ++i) {
    double square = 0;
    for (int k = 0; k < shape.d; ++k) square += x.at(i, k) * x.at(i, k);
    for (int k = 0; k < shape.d; ++k) x.at(i, k) /= std::sqrt(square);
  }
  return x;
}

// Normal entries; `which` tells matrices of one seed apart.
inline Matrix drawn(int rows, int cols, std::uint32_t which, double deviation = 1) {
  Matrix m = zeros(rows, cols);
  for (std::size_t e = 0; e < m.data.size(); ++e)
    m.data[e] =
        deviation * Draw{5, Stream::parameters, static_cast<std::uint32_t>(e), which}.normal(0);
  return m;
}

}  // namespace murmur::bench
