// queues.cpp: samples shared out to teams of threads so that all end at about the same time.
#include "learn/queues.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace murmur {

Queues share_out(std::span<const double> cost, int thread_blocks, int teams_a_block) {
  std::vector<int> order(cost.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return cost[a] > cost[b]; });
  const int teams = thread_blocks * teams_a_block;
  std::vector<double> load(teams);
  std::vector<int> team_of(cost.size());
  using Block = std::pair<double, int>;  // load, number
  std::priority_queue<Block, std::vector<Block>, std::greater<>> least;
  for (int block = 0; block < thread_blocks; ++block) least.emplace(0.0, block);
  for (const int sample : order) {
    const auto [busy, block] = least.top();
    least.pop();
    const auto begin = load.begin() + static_cast<std::ptrdiff_t>(block) * teams_a_block;
    const auto team = std::min_element(begin, begin + teams_a_block);
    *team += cost[sample];
    team_of[sample] = static_cast<int>(team - load.begin());
    least.emplace(busy + cost[sample], block);
  }
  Queues q{std::vector<int>(teams + 1), std::vector<int>(cost.size())};
  for (const int team : team_of) ++q.first[team + 1];
  std::partial_sum(q.first.begin(), q.first.end(), q.first.begin());
  std::vector<int> next(q.first.begin(), q.first.end() - 1);
  for (const int sample : order) q.queue[next[team_of[sample]]++] = sample;
  return q;
}

}  // namespace murmur
