// measures.h: optimisation over measures with free masses.
#pragma once

#include "landscape/system.h"

namespace murmur::landscape {

// Conic particle gradient steps; the energy never gets worse.
Cloud conic(const Terrain& terrain, Cloud mu, int steps);

// How the optimisation of a measure ended.
enum class Optimised {
  reached,  // critical, and F is nowhere better than on the atoms
  stalled,  // no more is gained
  spread,   // it has more than kMostOptimised / d atoms
};

// From mu to a critical measure at which F has its extreme value.
Optimised best_measure(const Terrain& terrain, Cloud& mu, const SearchSettings& settings,
                       const Stop& stopped);

// The public best_measure; worth nothing once `stopped` said so.
CriticalPoint best_point(const Landscape& landscape, const SearchSettings& settings,
                         const Stop& stopped);

}  // namespace murmur::landscape
