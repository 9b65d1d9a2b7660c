// close_pairs.h: finds the nearest two particles of a swarm in host memory; defined in
// host_field.cpp.
#pragma once

#include "murmur/engine.h"

namespace murmur {

// The nearest pair with chord below delta; i < 0 when there is none. Ties go to the lower rows.
ClosePair nearest_pair(const HostSwarm& x, double delta);

}  // namespace murmur
