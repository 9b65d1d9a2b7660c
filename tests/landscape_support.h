// landscape_support.h: landscapes and atoms drawn at random for the tests.
#pragma once

#include <cmath>

#include "murmur/landscape.h"
#include "murmur/random.h"

namespace murmur::testing {

// Units a_m uniform on the sphere, omega_m standard normal.
inline Landscape random_landscape(Landscape l, int units, std::uint64_t seed) {
  l.a = zeros(units, l.d);
  l.omega.assign(units, 0);
  for (int m = 0; m < units; ++m) {
    const Draw draw{seed, Stream::perceptron, static_cast<std::uint32_t>(m)};
    double square = 0;
    for (int k = 0; k < l.d; ++k) {
      l.a(m, k) = draw.normal(static_cast<std::uint16_t>(k));
      square += l.a(m, k) * l.a(m, k);
    }
    for (int k = 0; k < l.d; ++k) l.a(m, k) /= std::sqrt(square);
    l.omega[m] = draw.normal(1000);
  }
  return l;
}

// At uniform places, with masses between a third of and three times each other.
inline Atoms random_atoms(int d, int count, std::uint64_t seed) {
  Atoms mu{zeros(count, d), Vector(count)};
  double total = 0;
  for (int i = 0; i < count; ++i) {
    const Draw draw{seed, Stream::position, static_cast<std::uint32_t>(i)};
    double square = 0;
    for (int k = 0; k < d; ++k) {
      mu.x(i, k) = draw.normal(static_cast<std::uint16_t>(k));
      square += mu.x(i, k) * mu.x(i, k);
    }
    for (int k = 0; k < d; ++k) mu.x(i, k) /= std::sqrt(square);
    total += mu.mass[i] = 0.5 + draw.uniform(1000);
  }
  for (double& m : mu.mass) m /= total;
  return mu;
}

inline Atoms equal_atoms(int d, int count, std::uint64_t seed) {
  Atoms mu = random_atoms(d, count, seed);
  mu.mass.assign(count, 1.0 / count);
  return mu;
}

inline Atoms polygon(int k) {
  Atoms mu{zeros(k, 2), Vector(k, 1.0 / k)};
  for (int i = 0; i < k; ++i) {
    mu.x(i, 0) = std::cos(2 * M_PI * i / k);
    mu.x(i, 1) = std::sin(2 * M_PI * i / k);
  }
  return mu;
}

}  // namespace murmur::testing
