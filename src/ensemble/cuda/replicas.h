// replicas.h: simulates many small swarms on a GPU, one warp per swarm.
#pragma once

#include "ensemble/ensemble.h"

namespace murmur {

// Whether the GPU's kernel supports this setting: d = 2, 3, 4, up to 128 particles, fixed steps.
bool gpu_replicas_know(const ReplicasSetting& setting);

// As advance_replicas, within rounding; a swarm's numbers do not depend on first, count or times.
// Error(tool) where there is no GPU.
ReplicasResult advance_replicas_on_gpu(const ReplicasSetting& setting, const ReplicasWork& work);

}  // namespace murmur
