// queues.h: which team of threads does which samples.
#pragma once

#include <span>
#include <vector>

namespace murmur {

// Team t does samples queue[first[t]] .. queue[first[t + 1] - 1].
struct Queues {
  std::vector<int> first{}, queue{};
};

// Shares samples of these costs out: the costliest first, each to the thread block with the least
// to do, there to the team with the least to do; ties go to the first.
Queues share_out(std::span<const double> cost, int thread_blocks, int teams_a_block);

}  // namespace murmur
