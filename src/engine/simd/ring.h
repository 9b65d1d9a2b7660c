// ring.h: the blocks of all ranks, as they pass by each of them.
#pragma once

#include <functional>

#include "core/host_field.h"

namespace murmur::simd {

// Calls `take` once with the block of every rank, its own first: while a block is looked at it is
// already on its way to the next rank.
void pass_around(Share& share, const HostSwarm& own,
                 const std::function<void(const HostSwarm& block)>& take);

}  // namespace murmur::simd
