// measures.h: optimising over measures whose masses move with their atoms.
#pragma once

#include "landscape/system.h"

namespace murmur::landscape {

// Conic particle steps, each no worse than the one before.
Cloud conic(const Terrain& terrain, Cloud mu, int steps);

// From mu to a measure at rest that no valley of F would better; false where none was reached.
bool best_measure(const Terrain& terrain, Cloud& mu, const SearchSettings& settings);

}  // namespace murmur::landscape
