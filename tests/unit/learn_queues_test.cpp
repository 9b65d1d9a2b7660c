// learn_queues_test.cpp: samples shared out to teams: every one once, the loads even, costly ones
// first.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "learn/queues.h"

namespace murmur {
namespace {

double load(const Queues& q, const std::vector<double>& cost, int begin, int end) {
  double sum = 0;
  for (int at = q.first[begin]; at < q.first[end]; ++at) sum += cost[q.queue[at]];
  return sum;
}

TEST(Queues, HaveEverySampleOnce) {
  for (const int samples : {0, 1, 5, 256, 1000}) {
    std::vector<double> cost(samples);
    for (int k = 0; k < samples; ++k) cost[k] = 30 + k * 37 % 130;
    const Queues q = share_out(cost, 7, 2);
    ASSERT_EQ(q.first.size(), 15u);
    EXPECT_EQ(q.first.front(), 0);
    EXPECT_EQ(q.first.back(), samples);
    std::vector<int> seen = q.queue, all(samples);
    std::sort(seen.begin(), seen.end());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
  }
}

// Costliest first, to the least loaded: no two thread blocks differ by more than one sample, and
// the longest of them is within 4/3 of the best possible (Graham, SIAM J. Appl. Math. 17, 1969).
TEST(Queues, AreEven) {
  std::vector<double> cost(256);
  for (std::size_t k = 0; k < cost.size(); ++k) cost[k] = 30.0 + static_cast<double>(k * 37 % 130);
  const int blocks = 132;
  const Queues q = share_out(cost, blocks, 2);
  double most = 0, least = 1e9;
  for (int b = 0; b < blocks; ++b) {
    most = std::max(most, load(q, cost, 2 * b, 2 * b + 2));
    least = std::min(least, load(q, cost, 2 * b, 2 * b + 2));
  }
  const double costliest = *std::max_element(cost.begin(), cost.end());
  const double mean = std::accumulate(cost.begin(), cost.end(), 0.0) / blocks;
  EXPECT_LE(most - least, costliest);
  EXPECT_LE(most, 4.0 / 3 * std::max(mean, costliest));
}

TEST(Queues, OfOneTeamBeginWithTheCostliest) {
  EXPECT_EQ(share_out(std::vector<double>{1, 3, 2, 3}, 1, 1).queue, (std::vector<int>{1, 3, 2, 0}));
}

}  // namespace
}  // namespace murmur
