// initial.h: where a swarm starts.
#pragma once

#include "murmur/experiment.h"

namespace murmur {

// The swarm that `init`, `masses`, `n`, `d`, `manifold` and `seed` describe. Points given by hand
// or by file set n and d; on the sphere norms within 1e-5 of 1 are made 1, others refused.
HostSwarm initial_swarm(const Settings& settings, Manifold manifold);

// The array behind init=points:... or init=FILE.npy, as given.
Array given_points(const Settings& settings);

}  // namespace murmur
