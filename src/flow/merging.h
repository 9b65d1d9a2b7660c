// merging.h: particles that have met become one, with their mass.
#pragma once

#include <vector>

#include "murmur/dynamics.h"
#include "murmur/flow.h"

namespace murmur {

// Joins pairs closer than `delta` (chord), nearest first, until none is left. The joint particle
// sits at the mass-weighted mean, retracted. Updates state.x and state.group.
std::vector<Merge> merge_close(FlowState& state, double delta, Manifold manifold);

}  // namespace murmur
