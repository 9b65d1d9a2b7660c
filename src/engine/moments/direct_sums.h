// direct_sums.h: the sums of a request pair by pair, with a bound on their rounding.
#pragma once

#include <cstddef>

#include "engine/moments/sums.h"

namespace murmur::moments {

inline constexpr int kMostDirectCoordinates = 16;  // whose sums stay in registers or near them

// Finds the largest score of every target first, then the sums relative to it. The bound holds for
// any positions and masses: sums of positive terms keep their relative error.
SumsCost direct_sums(const SumsRequest& request, const SumsResult& result);

// The arguments of the kernels in direct_sums.cpp follow.
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

}  // namespace murmur::moments
