// pairs.h: sums over pairs of particles, all of them or a fixed random sample of large swarms.
#pragma once

#include <cstdint>
#include <utility>

#include "murmur/observe.h"
#include "murmur/swarm.h"

namespace murmur {

// Whether pairs and rows are sampled: for large swarms, and never more draws than there are pairs.
inline bool is_sampled(int n, const ObserveSettings& settings) {
  return n > settings.max_exact && std::int64_t{n} * (n - 1) / 2 > settings.sample_pairs;
}

// The scores c_ij = <x_i, y_j> of a pair pass; the caller ensures c_ij = c_ji.
struct PairScores {
  const HostSwarm& x;  // (n, d), masses m
  const HostSwarm& y;  // (n, d); x itself for cosines
  double beta = 0;     // 0: no Gibbs sum wanted
  double anchor = 0;
};

struct PairSums {
  // Over the pairs i < j visited, each counted once; NaN where there is none.
  double pairs = 0;
  double mean = 0, min = 0, max = 0;
  double close = 0;  // fraction above settings.pair_threshold
  // sum_ij m_i m_j e^{beta (c_ij - anchor)} over all i, j, i = j included.
  double gibbs = 0;
};

// Where sampled, the pairs are settings.sample_pairs draws with replacement, the same for every
// frame of a run. The sum over i = j is always exact.
PairSums sum_pairs(const PairScores& scores, const ObserveSettings& settings);

// Pair `index` of the fixed sample of pairs: i in [0, n), and j one of the n - 1 others.
std::pair<int, int> sampled_pair(std::int64_t index, int n, std::uint64_t seed);

// Row `index` of the fixed sample of rows, in [0, n).
int sampled_row(std::int64_t index, int n, std::uint64_t seed);

}  // namespace murmur
