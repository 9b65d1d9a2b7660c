// settling.h: whether the tokens of a trained swarm come to rest, at its depth and past it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "murmur/training.h"

namespace murmur {

// A swarm of another depth: shared blocks go on, of free ones the last is repeated.
TrainedSwarm with_blocks(const TrainedSwarm& swarm, int blocks);

// Behind some number of blocks.
struct Settling {
  int blocks = 0;
  double accuracy = 0;  // of the verdicts read there, 0 to 1, over all samples
  // Means over the samples that are watched:
  double spread = 0;    // of their tokens around their mean token, over that at the start
  double speed = 0;     // how far a token moves in the last block, where targets are 10 from 0
  double distance = 0;  // of a token to its sample's target
};
// Spread is the root of the mean square distance of a sample's tokens to their mean. What left the
// finite numbers before is infinitely far, and its verdict wrong.
std::vector<Settling> settling_of(const TrainedSwarm& swarm, const SampleSet& samples,
                                  std::span<const std::size_t> watched, std::span<const int> blocks,
                                  int threads);
// So many samples spread evenly over a set, or all.
std::vector<std::size_t> evenly_chosen(const SampleSet& samples, std::size_t most);

}  // namespace murmur
