// merging.h: merges particles that have met.
#pragma once

#include <vector>

#include "murmur/dynamics.h"
#include "murmur/flow.h"

namespace murmur {

// Merges pairs closer than `delta` (chord), nearest first, until none is left. The merged particle
// is at the mass-weighted mean, retracted. Updates state.x and state.group.
std::vector<Merge> merge_close(FlowState& state, double delta, Manifold manifold);

}  // namespace murmur
