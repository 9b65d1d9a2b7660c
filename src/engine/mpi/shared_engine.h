// shared_engine.h: an engine whose swarms the ranks share.
#pragma once

#include <memory>

#include "murmur/engine.h"
#include "murmur/ranks.h"

namespace murmur {

// Each rank has fixed blocks of the particles and computes their forces by the kernels of `engine`.
// What it places is a rank's own share; what it fetches is all of them, on every rank. `ranks`
// outlive it. Of an engine on a GPU the sums alone are used (DeviceEngine::in_host_memory);
// Error(input) for any other whose swarms are not in host memory.
std::unique_ptr<Engine> share_engine(std::unique_ptr<Engine> engine, Ranks& ranks);

// The field behind one of that engine: it computes whole swarms, in this process alone.
Field& whole_field(Field& shared);

}  // namespace murmur
