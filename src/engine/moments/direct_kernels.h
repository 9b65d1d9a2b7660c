// direct_kernels.h: sums over pairs in double, for the targets whose bound is too large for series.
#pragma once

#include <cstddef>

namespace murmur::moments {

inline constexpr int kTile = 512;         // sources of a tile; its arrays are padded up to it
inline constexpr int kDirectTargets = 4;  // targets at once

// Sources in aligned memory; padding has mass 0.
struct SourceTile {
  const double* x;  // (d, kTile)
  const double* mass;
  int d, count;
};
// One group of targets: u[k * kDirectTargets + t].
struct DirectTargets {
  const double* u;
  double* top;   // (kDirectTargets) the largest score of a source with mass
  double* sums;  // (kDirectTargets, d + 1): Z e^{-top} and N e^{-top}
};

// top becomes the larger of itself and what the tile has.
void raise_top(const SourceTile& tile, const DirectTargets& targets);
// sums += those of the tile.
void add_pairs(const SourceTile& tile, const DirectTargets& targets);

}  // namespace murmur::moments
