// settling.h: whether the tokens of a trained swarm come to rest, at its depth and past it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "murmur/training.h"

namespace murmur {

// Returns a swarm of another depth: shared blocks are repeated, or the last of free blocks.
TrainedSwarm with_blocks(const TrainedSwarm& swarm, int blocks);

// Spread is the root mean square distance of a sample's tokens from their mean. If numbers of a
// sample became infinite before, distances are infinite and the accuracy is NaN.
std::vector<Settling> settling_of(const TrainedSwarm& swarm, const SampleSet& samples,
                                  std::span<const std::size_t> watched, std::span<const int> blocks,
                                  int threads);
// The depths that a training with `settle` and a report use: the trained depth, twice and four
// times it; none for free blocks, in more than four dimensions, and above 100 blocks.
std::vector<int> settling_depths(const TrainedSwarm& swarm);
// Returns this many samples spread evenly over a set, or all.
std::vector<std::size_t> evenly_chosen(const SampleSet& samples, std::size_t most = 48);

}  // namespace murmur
