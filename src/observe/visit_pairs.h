// visit_pairs.h: visits the cosines of all pairs, or of the fixed sample of them, tile by tile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/pair_kernels.h"
#include "core/parallel.h"
#include "core/sums.h"
#include "murmur/observe.h"

namespace murmur {

inline PairSample sample_of(const ObserveSettings& settings) {
  return {.seed = settings.seed, .max_exact = settings.max_exact, .pairs = settings.sample_pairs};
}

// Up to `tile` pairs.
struct PairTile {
  int count = 0;
  double cosine[tile];  // <u_i, u_j>
  double weight[tile];  // m_i m_j
};

// Calls add(tile, part) for all pairs i < j, or for the sample, with one Part per block; returns
// the parts in the order of the blocks, which does not depend on the number of threads.
template <class Part, class Add>
std::vector<Part> visit_pairs(const HostSwarm& u, const ObserveSettings& settings, const Part& zero,
                              Add add) {
  constexpr int rows_per_block = 64;
  constexpr std::int64_t samples_per_block = 1 << 16;
  const int n = u.n();
  const bool sampled = is_sampled(n, sample_of(settings));
  const std::int64_t blocks =
      sampled ? (settings.sample_pairs + samples_per_block - 1) / samples_per_block
              : (n + rows_per_block - 1) / rows_per_block;
  std::vector<Part> parts(static_cast<std::size_t>(blocks), zero);
  const auto visit_rows = [&](int block) {
    std::vector<double> a(static_cast<std::size_t>(u.d()));  // (d)
    PairTile pairs;
    for (int i = block * rows_per_block; i < std::min(n, (block + 1) * rows_per_block); ++i) {
      gather(u, i, a.data());
      for (int j = i + 1; j < n; j += tile) {
        pairs.count = std::min(tile, n - j);
        inner_products(a.data(), u, j, pairs.count, pairs.cosine);
        for (int c = 0; c < pairs.count; ++c) pairs.weight[c] = u.mass[i] * u.mass[j + c];
        add(pairs, parts[block]);
      }
    }
  };
  const auto visit_samples = [&](int block) {
    const std::int64_t first = block * samples_per_block;
    const std::int64_t last = std::min(settings.sample_pairs, first + samples_per_block);
    PairTile pairs;
    for (std::int64_t p = first; p < last; p += tile) {
      pairs.count = static_cast<int>(std::min<std::int64_t>(tile, last - p));
      for (int c = 0; c < pairs.count; ++c) {
        const auto [i, j] = sampled_pair(p + c, n, settings.seed);
        pairs.cosine[c] = 0;
        for (int k = 0; k < u.d(); ++k) pairs.cosine[c] += u.at(i, k) * u.at(j, k);
        pairs.weight[c] = u.mass[i] * u.mass[j];
      }
      add(pairs, parts[block]);
    }
  };
  for_blocks(static_cast<int>(blocks), settings.threads,
             [&](int block) { sampled ? visit_samples(block) : visit_rows(block); });
  return parts;
}

}  // namespace murmur
