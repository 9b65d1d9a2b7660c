// queues.h: which threads of a GPU do which samples.
#pragma once

#include <span>
#include <vector>

namespace murmur {

// Queue q is samples queue[first[q]] .. queue[first[q + 1] - 1]. A thread block has three: of the
// samples that all its teams do together, then one of each team's own.
struct Queues {
  std::vector<int> first{}, queue{};
};

// Shares samples of these costs out: the costliest first, each to the thread block with the least
// to do, there to the team with the least to do; ties go to the first. Of two teams with uneven
// loads the costliest samples are done together. One team or two.
Queues share_out(std::span<const double> cost, int thread_blocks, int teams_a_block);

}  // namespace murmur
