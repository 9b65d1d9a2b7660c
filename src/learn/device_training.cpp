// device_training.cpp: distributes samples over teams of threads so that all end at about the same
// time.
#include "learn/device_training.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace murmur {

namespace {

// Speed relative to two busy teams: of one team while the other is idle, and of two teams on one
// sample, which wait for each other (0.83 at 104 tokens and 0.90 at 208 on an H200).
constexpr double kOneTeamSpeed = 0.7, kTogetherSpeed = 0.85;

// The time of two teams if each sample, costliest first, goes to the team with the lower load.
double time_apart(std::span<const double> costs) {
  double less = 0, more = 0;
  for (const double cost : costs) {
    less += cost;
    if (less > more) std::swap(less, more);
  }
  return 2 * less + (more - less) / kOneTeamSpeed;
}

// The number of a thread block's samples, costliest first, that its two teams should compute
// together.
std::size_t count_together(std::span<const double> costs) {
  std::size_t best = 0;
  double least = time_apart(costs), shared = 0;
  for (std::size_t k = 1; k <= costs.size(); ++k) {
    shared += costs[k - 1] / kTogetherSpeed;
    if (shared >= least) break;
    const double time = shared + time_apart(costs.subspan(k));
    if (time < least) least = time, best = k;
  }
  return best;
}

// Samples of each thread block, costliest first.
std::vector<std::vector<int>> samples_of_blocks(std::span<const double> cost, int thread_blocks) {
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

Queues distribute_samples(std::span<const double> cost, int thread_blocks, int teams_per_block) {
  Queues q{{0}, {}};
  std::vector<double> costs;
  for (const std::vector<int>& samples : samples_of_blocks(cost, thread_blocks)) {
    costs.clear();
    for (const int sample : samples) costs.push_back(cost[sample]);
    std::vector<int> own[2];
    double load[2] = {};
    const std::size_t together = teams_per_block == 2 ? count_together(costs) : 0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      if (k < together) {
        q.queue.push_back(samples[k]);
        continue;
      }
      const int team = teams_per_block == 2 && load[1] < load[0] ? 1 : 0;
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
