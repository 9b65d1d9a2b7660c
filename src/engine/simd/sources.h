// sources.h: lays particles out as the sources of the pair kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "engine/simd/kernels.h"
#include "engine/simd/panels.h"

namespace murmur::simd {

// What pairs are summed over, as columns: u (k, stride), padded with zeros; keys (k, stride), which
// the scores see; values (d, stride), which are gathered into mean (d, stride). Keys and values are
// the particles, but for heads of few coordinates.
struct Sources {
  ConstColumns u{}, keys{}, values{};
  double* mean = nullptr;
  int n = 0, k = 0, d = 0;
  std::span<const double> mass{};  // (n)
};

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

// y (n, source_pitch(d)): values, weight, zeros. A few particles at a time: neighbours on an
// axis lie together in columns, coordinates of one particle in y.
template <class T>
void place_sources(const Sources& s, const Placing& at, T* y) {
  const std::size_t pitch = source_pitch(s.d);
  constexpr int kTogether = 16;
  for (int j0 = 0; j0 < s.n; j0 += kTogether) {
    const int end = std::min(j0 + kTogether, s.n);
    for (int k = 0; k < s.d; ++k)
      for (int j = j0; j < end; ++j)
        y[j * pitch + k] =
            static_cast<T>(at.scale * (s.values.data[k * s.values.stride + j] - at.origin[k]));
    for (int j = j0; j < end; ++j) {
      T* to = y + j * pitch;
      to[s.d] = static_cast<T>(s.mass[j] / at.heaviest);
      std::fill(to + s.d + 1, to + pitch, T{0});
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

// packed (ceil(n / kSources), k, kSources) from keys less their origin (k).
template <class T>
void pack_keys(const Sources& s, const double* origin, T* packed) {
  for (int j0 = 0; j0 < s.n; j0 += kSources)
    for (int k = 0; k < s.k; ++k)
      for (int j = j0; j < j0 + kSources; ++j)
        *packed++ = j < s.n ? static_cast<T>(s.keys.data[k * s.keys.stride + j] - origin[k]) : T{0};
}

}  // namespace murmur::simd
