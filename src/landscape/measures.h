// measures.h: optimisation over measures with free masses.
#pragma once

#include "landscape/system.h"

namespace murmur::landscape {

// Conic particle gradient steps; the energy never gets worse.
Cloud conic(const Terrain& terrain, Cloud mu, int steps);

// From mu to a critical measure at which F has its extreme value; false where none was reached.
bool best_measure(const Terrain& terrain, Cloud& mu, const SearchSettings& settings,
                  const Stop& stopped);

// The public best_measure; worth nothing once `stopped` said so.
CriticalPoint best_point(const Landscape& landscape, const SearchSettings& settings,
                         const Stop& stopped);

}  // namespace murmur::landscape
