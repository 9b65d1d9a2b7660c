// heads.h: readings of attention heads, and a trained swarm without one of its heads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/swarm.h"
#include "murmur/training.h"

namespace murmur {

// Means over the particles i of quantities of the weights a_ij of one head (attention_weights,
// observe.h):
//   entropy   -sum_j a_ij ln a_ij, in nats: 0 if i attends to one j, ln n if it attends to all
//   equally distance  sum_j a_ij |x_i - x_j| over the mean of |x_i - x_j| over j: 1 for equal
//   weights near      sum of a_ij over the tenth of the particles, one at least, that are nearest
//   to i,
//             including itself: about 0.1 for equal weights
struct HeadSummary {
  double entropy = 0, distance = 0, near = 0;
};
// One for each of heads_of(dynamics, t). Error(input) for n > 8,192.
std::vector<HeadSummary> summaries_of_heads(const HostSwarm& x, const Dynamics& dynamics, double t);

// The same for a trained swarm, averaged over the chosen samples: (blocks, heads). Empty if its
// interaction is not attention.
std::vector<HeadSummary> summaries_of_heads(const TrainedSwarm& swarm, const SampleSet& samples,
                                            std::span<const std::size_t> chosen);

// Returns the swarm without the output of a head: its columns of the mix are zero, in one block or,
// if `block` is -1 or the blocks are shared, in all. Error(input) without such a head or block.
TrainedSwarm without_head(const TrainedSwarm& swarm, int head, int block = -1);

}  // namespace murmur
