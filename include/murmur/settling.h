// settling.h: whether the tokens of a trained swarm come to rest, at its depth and past it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "murmur/training.h"

namespace murmur {

// Returns the swarm with another depth: shared blocks continue; of free ones the last is repeated.
TrainedSwarm with_blocks(const TrainedSwarm& swarm, int blocks);

// Spread is the root of the mean square distance of a sample's tokens to their mean. A sample that
// is no longer finite counts as infinitely far; the accuracy is then NaN.
std::vector<Settling> settling_of(const TrainedSwarm& swarm, const SampleSet& samples,
                                  std::span<const std::size_t> watched, std::span<const int> blocks,
                                  int threads);
// Returns the depths that a training with `settle` and a report examine: the trained depth, twice
// and four times it; none for free blocks, more than four dimensions, or more than 100 blocks.
std::vector<int> settling_depths(const TrainedSwarm& swarm);
// Returns at most `most` samples spread evenly over a set.
std::vector<std::size_t> evenly_chosen(const SampleSet& samples, std::size_t most = 48);

}  // namespace murmur
