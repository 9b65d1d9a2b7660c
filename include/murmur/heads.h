// heads.h: statistics of each attention head, and a trained swarm without one of its heads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/swarm.h"
#include "murmur/training.h"

namespace murmur {

// Means over the particles i of numbers of one head's weights a_ij (attention_weights, observe.h):
//   entropy   -sum_j a_ij ln a_ij, in nats: 0 where i attends to one j, ln n if it attends equally
//   to all distance  sum_j a_ij |x_i - x_j| over the mean of |x_i - x_j| over j: 1 for all alike
//   near      sum of a_ij over the tenth of the particles, one at least, that are nearest to i,
//             itself among them: about 0.1 for all alike
struct HeadSummary {
  double entropy = 0, distance = 0, near = 0;
};
// Returns one row for each of heads_of(dynamics, t). Error(input) for n > 8,192.
std::vector<HeadSummary> summaries_of_heads(const HostSwarm& x, const Dynamics& dynamics, double t);

// Of a trained swarm, averaged over the chosen samples: (blocks, heads), heads of a block together.
// Empty if its interaction is not attention.
std::vector<HeadSummary> summaries_of_heads(const TrainedSwarm& swarm, const SampleSet& samples,
                                            std::span<const std::size_t> chosen);

// Returns the swarm with one head removed: its columns of the mix are zero, in one block or, if
// `block` is -1 or the blocks are shared, in all. Throws Error(input) if there is no such head or
// block.
TrainedSwarm without_head(const TrainedSwarm& swarm, int head, int block = -1);

}  // namespace murmur
