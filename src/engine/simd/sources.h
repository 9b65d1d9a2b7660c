// sources.h: lays particles out as the sources of the pair kernels.
#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/simd/kernels.h"
#include "murmur/swarm.h"

namespace murmur::simd {

// Sources are y_j = scale (x_j - origin), weighing mass_j / heaviest.
struct Placing {
  const double* origin = nullptr;  // (d)
  double scale = 1;
  double heaviest = 1;
};

inline std::size_t source_pitch(int d) { return (static_cast<std::size_t>(d) + 4) / 4 * 4; }

inline std::size_t packed_size(int n, int d) {
  return (static_cast<std::size_t>(n) + kSources - 1) / kSources * kSources * d;
}

// y (n, source_pitch(d)): coordinates, weight, zeros. A few particles at a time: neighbours on an
// axis lie together in x, coordinates of one particle in y.
template <class T>
void place_sources(const HostSwarm& x, const Placing& at, T* y) {
  const std::size_t pitch = source_pitch(x.d());
  constexpr int kTogether = 16;
  for (int j0 = 0; j0 < x.n(); j0 += kTogether) {
    const int end = std::min(j0 + kTogether, x.n());
    for (int k = 0; k < x.d(); ++k)
      for (int j = j0; j < end; ++j)
        y[j * pitch + k] = static_cast<T>(at.scale * (x.at(j, k) - at.origin[k]));
    for (int j = j0; j < end; ++j) {
      T* to = y + j * pitch;
      to[x.d()] = static_cast<T>(x.mass[j] / at.heaviest);
      std::fill(to + x.d() + 1, to + pitch, T{0});
    }
  }
}

// packed (ceil(n / kSources), d, kSources) from y.
template <class T>
void pack_sources(const T* y, int n, int d, T* packed) {
  const std::size_t pitch = source_pitch(d);
  for (int j0 = 0; j0 < n; j0 += kSources)
    for (int k = 0; k < d; ++k)
      for (int j = j0; j < j0 + kSources; ++j) *packed++ = j < n ? y[j * pitch + k] : T{0};
}

}  // namespace murmur::simd
