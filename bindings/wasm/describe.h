// describe.h: recordings, frames and trained swarms as the page reads them.
#pragma once

#include <cstdint>

#include "murmur/recording.h"
#include "reply.h"

namespace murmur::facade {

inline constexpr int kCosineBins = 40;

Json about();
Json describe(const Recording& trajectory, int id);
Json describe(const TrainedSwarm& swarm, int id);

// Frames first .. kept - 1: times, positions (f4), observables, cosines, chances, verdicts (i1).
void add_frames(const Recording& trajectory, std::int64_t first, Reply& reply);

}  // namespace murmur::facade
