// queues.cpp: samples shared out to teams of threads so that all end at about the same time.
#include "learn/queues.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace murmur {

namespace {

// In parts of what two busy teams do: a team whose neighbour has nothing to do, and two teams at
// one sample, who wait for each other (0.83 at 104 tokens and 0.90 at 208 on an H200).
constexpr double kAlone = 0.7, kTogether = 0.85;

// The time of two teams whose samples, costliest first, each go to the one with less to do.
double time_apart(std::span<const double> costs) {
  double less = 0, more = 0;
  for (const double cost : costs) {
    less += cost;
    if (less > more) std::swap(less, more);
  }
  return 2 * less + (more - less) / kAlone;
}

// How many of a thread block's samples, costliest first, its two teams do best together.
std::size_t count_together(std::span<const double> costs) {
  std::size_t best = 0;
  double least = time_apart(costs), shared = 0;
  for (std::size_t k = 1; k <= costs.size(); ++k) {
    shared += costs[k - 1] / kTogether;
    if (shared >= least) break;
    const double time = shared + time_apart(costs.subspan(k));
    if (time < least) least = time, best = k;
  }
  return best;
}

// Samples of each thread block, costliest first.
std::vector<std::vector<int>> blocks_of(std::span<const double> cost, int thread_blocks) {
  std::vector<int> order(cost.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return cost[a] > cost[b]; });
  std::vector<std::vector<int>> samples(thread_blocks);
  using Block = std::pair<double, int>;  // load, number
  std::priority_queue<Block, std::vector<Block>, std::greater<>> least;
  for (int block = 0; block < thread_blocks; ++block) least.emplace(0.0, block);
  for (const int sample : order) {
    const auto [load, block] = least.top();
    least.pop();
    samples[block].push_back(sample);
    least.emplace(load + cost[sample], block);
  }
  return samples;
}

}  // namespace

Queues share_out(std::span<const double> cost, int thread_blocks, int teams_a_block) {
  Queues q{{0}, {}};
  std::vector<double> costs;
  for (const std::vector<int>& samples : blocks_of(cost, thread_blocks)) {
    costs.clear();
    for (const int sample : samples) costs.push_back(cost[sample]);
    std::vector<int> own[2];
    double load[2] = {};
    const std::size_t together = teams_a_block == 2 ? count_together(costs) : 0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      if (k < together) {
        q.queue.push_back(samples[k]);
        continue;
      }
      const int team = teams_a_block == 2 && load[1] < load[0] ? 1 : 0;
      own[team].push_back(samples[k]);
      load[team] += costs[k];
    }
    q.first.push_back(static_cast<int>(q.queue.size()));
    for (const std::vector<int>& queue : own) {
      q.queue.insert(q.queue.end(), queue.begin(), queue.end());
      q.first.push_back(static_cast<int>(q.queue.size()));
    }
  }
  return q;
}

}  // namespace murmur
