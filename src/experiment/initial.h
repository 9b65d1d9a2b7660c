// initial.h: where a swarm starts.
#pragma once

#include "murmur/experiment.h"

namespace murmur {

// The swarm that a spec starts with. Points given by hand or by file set n and d; on the sphere
// norms within 1e-5 of 1 are made 1, others refused.
HostSwarm initial_swarm(const WordedSpec& worded, Manifold manifold);

bool is_picture(const InitialFile& file);  // a png

// (n, d) the array behind init=points:... or init=FILE.npy, as given; nothing for other starts.
std::optional<Array> given_points(const Initial& init);

}  // namespace murmur
