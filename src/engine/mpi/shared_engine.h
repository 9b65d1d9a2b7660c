// shared_engine.h: an engine whose swarms are distributed over the ranks.
#pragma once

#include <memory>

#include "murmur/engine.h"
#include "murmur/ranks.h"

namespace murmur {

// Makes an engine where each rank has fixed blocks of the particles and computes their forces by
// the kernels of `engine`. `place` keeps the blocks of this rank; `fetch` returns all particles on
// every rank. `ranks` must outlive the engine. Only the sums of an engine on a GPU are used
// (DeviceEngine::in_host_memory). Throws Error(input) for other engines whose swarms are not in
// host memory.
std::unique_ptr<Engine> share_engine(std::unique_ptr<Engine> engine, Ranks& ranks);

// Returns the field of `engine` that a field of the shared engine uses. It computes whole swarms,
// in this process only.
Field& whole_field(Field& shared);

}  // namespace murmur
