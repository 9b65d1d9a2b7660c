// learn_queues_test.cpp: samples shared out to teams: every one once, the loads even, costly ones
// first and, where they would leave a team idle, by two teams together.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "learn/device_training.h"

namespace murmur {
namespace {

std::vector<double> costs(int samples) {
  std::vector<double> cost(samples);
  for (int k = 0; k < samples; ++k) cost[k] = 30 + k * 37 % 130;
  return cost;
}

double load(const Queues& q, const std::vector<double>& cost, int begin, int end) {
  double sum = 0;
  for (int at = q.first[begin]; at < q.first[end]; ++at) sum += cost[q.queue[at]];
  return sum;
}

TEST(Queues, HaveEverySampleOnce) {
  for (const int samples : {0, 1, 5, 256, 1000})
    for (const int teams : {1, 2}) {
      const Queues q = distribute_samples(costs(samples), 7, teams);
      ASSERT_EQ(q.first.size(), 22u);
      EXPECT_EQ(q.first.front(), 0);
      EXPECT_EQ(q.first.back(), samples);
      EXPECT_TRUE(std::is_sorted(q.first.begin(), q.first.end()));
      std::vector<int> seen = q.queue, all(samples);
      std::sort(seen.begin(), seen.end());
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(seen, all);
    }
}

// Costliest first, to the least loaded: no two thread blocks differ by more than one sample, and
// the longest of them is within 4/3 of the best possible (Graham, SIAM J. Appl. Math. 17, 1969).
TEST(Queues, AreEven) {
  const std::vector<double> cost = costs(256);
  const int blocks = 132;
  const Queues q = distribute_samples(cost, blocks, 2);
  double most = 0, least = 1e9;
  for (int b = 0; b < blocks; ++b) {
    most = std::max(most, load(q, cost, 3 * b, 3 * b + 3));
    least = std::min(least, load(q, cost, 3 * b, 3 * b + 3));
  }
  const double costliest = *std::max_element(cost.begin(), cost.end());
  const double mean = std::accumulate(cost.begin(), cost.end(), 0.0) / blocks;
  EXPECT_LE(most - least, costliest);
  EXPECT_LE(most, 4.0 / 3 * std::max(mean, costliest));
}

TEST(Queues, OfOneTeamBeginWithTheCostliest) {
  const Queues q = distribute_samples(std::vector<double>{1, 3, 2, 3}, 1, 1);
  EXPECT_EQ(q.first, (std::vector<int>{0, 0, 4, 4}));
  EXPECT_EQ(q.queue, (std::vector<int>{1, 3, 2, 0}));
}

TEST(Queues, UnevenPairsAreDoneTogether) {
  EXPECT_EQ(distribute_samples(std::vector<double>{10, 9}, 1, 2).first,
            (std::vector<int>{0, 0, 1, 2}));
  EXPECT_EQ(distribute_samples(std::vector<double>{10}, 1, 2).first,
            (std::vector<int>{0, 1, 1, 1}));
  EXPECT_EQ(distribute_samples(std::vector<double>{10, 2}, 1, 2).first,
            (std::vector<int>{0, 2, 2, 2}));
  EXPECT_EQ(distribute_samples(std::vector<double>{10, 2, 2}, 1, 2).first,
            (std::vector<int>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace murmur
