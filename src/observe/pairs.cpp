// pairs.cpp: pair sums in fixed blocks: the same bits for any number of threads.
#include "observe/pairs.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/parallel.h"
#include "murmur/random.h"
#include "observe/kernels.h"

namespace murmur {
namespace {

constexpr int rows_per_block = 64;
constexpr std::int64_t samples_per_block = 1 << 16;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Part {  // what one block adds
  double sum = 0, min = infinity, max = -infinity, close = 0;
  double gibbs = 0;   // sum of m_i m_j e^{beta (c_ij - anchor)}
  double weight = 0;  // sum of m_i m_j, where sampled

  void add(const CosineSums& c) {
    sum += c.sum;
    min = std::min(min, c.min);
    max = std::max(max, c.max);
    close += c.close;
  }
  void add(const Part& other) {
    add(CosineSums{other.sum, other.min, other.max, other.close});
    gibbs += other.gibbs;
    weight += other.weight;
  }
};

template <class Work>
Part sum_blocks(std::int64_t blocks, int threads, Work work) {
  std::vector<Part> parts(static_cast<std::size_t>(blocks));
  for_blocks(static_cast<int>(blocks), threads, [&](int block) { work(block, parts[block]); });
  Part total;
  for (const Part& part : parts) total.add(part);
  return total;
}

// A row of the sample or a pair of it: words of Philox, spread over [0, size) by multiplication.
int spread(std::uint32_t word, int size) {
  return static_cast<int>((std::uint64_t{word} * static_cast<std::uint64_t>(size)) >> 32);
}

Draw sample_draw(std::int64_t index, std::uint64_t seed) {
  return {.seed = seed,
          .stream = Stream::pairs,
          .particle = static_cast<std::uint32_t>(index),
          .step = static_cast<std::uint32_t>(index >> 32)};
}

// All pairs i < j with i in one block of rows, a tile of j at a time.
void add_rows(const PairScores& s, double threshold, int block, Part& part) {
  const int n = s.x.n(), first = block * rows_per_block;
  const int last = std::min(n, first + rows_per_block);
  std::vector<double> a(static_cast<std::size_t>(s.x.d()));  // (d)
  double score[tile];
  for (int tile_first = first + 1; tile_first < n; tile_first += tile) {
    for (int i = first; i < last; ++i) {
      const int j = std::max(i + 1, tile_first);
      const int count = std::min(n, tile_first + tile) - j;
      if (count <= 0) continue;
      gather(s.x, i, a.data());
      inner_products(a.data(), s.y, j, count, score);
      part.add(tally(score, count, threshold));
      if (s.beta != 0) {
        part.gibbs += s.x.mass[i] * gibbs_sum(score, &s.x.mass[j], count, s.beta, s.anchor);
      }
    }
  }
}

void add_samples(const PairScores& s, const ObserveSettings& settings, int block, Part& part) {
  const int n = s.x.n(), d = s.x.d();
  const std::int64_t first = block * samples_per_block;
  const std::int64_t last = std::min(settings.sample_pairs, first + samples_per_block);
  double score[tile], weight[tile];
  for (std::int64_t p = first; p < last; p += tile) {
    const int count = static_cast<int>(std::min<std::int64_t>(tile, last - p));
    for (int c = 0; c < count; ++c) {
      const auto [i, j] = sampled_pair(p + c, n, settings.seed);
      score[c] = 0;
      for (int k = 0; k < d; ++k) score[c] += s.x.at(i, k) * s.y.at(j, k);
      weight[c] = s.x.mass[i] * s.x.mass[j];
      part.weight += weight[c];
    }
    part.add(tally(score, count, settings.pair_threshold));
    if (s.beta != 0) part.gibbs += gibbs_sum(score, weight, count, s.beta, s.anchor);
  }
}

// sum_i m_i^2 and sum_i m_i^2 e^{beta (c_ii - anchor)}
Part diagonal(const PairScores& s) {
  Part part;
  double score[tile], weight[tile];
  for (int i = 0; i < s.x.n(); i += tile) {
    const int count = std::min(tile, s.x.n() - i);
    for (int c = 0; c < count; ++c) {
      score[c] = 0;
      for (int k = 0; k < s.x.d(); ++k) score[c] += s.x.at(i + c, k) * s.y.at(i + c, k);
      weight[c] = s.x.mass[i + c] * s.x.mass[i + c];
      part.weight += weight[c];
    }
    if (s.beta != 0) part.gibbs += gibbs_sum(score, weight, count, s.beta, s.anchor);
  }
  return part;
}

}  // namespace

PairSums sum_pairs(const PairScores& scores, const ObserveSettings& settings) {
  const int n = scores.x.n();
  const bool sampled = is_sampled(n, settings);
  const std::int64_t pairs = sampled ? settings.sample_pairs : std::int64_t{n} * (n - 1) / 2;
  const Part off =
      sampled
          ? sum_blocks((pairs + samples_per_block - 1) / samples_per_block, settings.threads,
                       [&](int block, Part& part) { add_samples(scores, settings, block, part); })
          : sum_blocks((n + rows_per_block - 1) / rows_per_block, settings.threads,
                       [&](int block, Part& part) {
                         add_rows(scores, settings.pair_threshold, block, part);
                       });
  const Part on = diagonal(scores);

  PairSums sums;
  sums.pairs = static_cast<double>(pairs);
  if (pairs > 0) {
    sums.mean = off.sum / sums.pairs;
    sums.min = off.min;
    sums.max = off.max;
    sums.close = off.close / sums.pairs;
  } else {
    sums.mean = sums.min = sums.max = sums.close = std::numeric_limits<double>::quiet_NaN();
  }
  // The masses sum to 1, so the ordered pairs i != j have the weight 1 - sum_i m_i^2: a sample is
  // scaled to that, which keeps constant scores exact.
  const double scale = sampled ? (1 - on.weight) / off.weight : 2;
  sums.gibbs = on.gibbs + (pairs > 0 ? scale * off.gibbs : 0);
  return sums;
}

std::pair<int, int> sampled_pair(std::int64_t index, int n, std::uint64_t seed) {
  const auto word = sample_draw(index, seed).bits(0);
  const int i = spread(word[0], n), other = spread(word[1], n - 1);
  return {i, other + (other >= i ? 1 : 0)};
}

int sampled_row(std::int64_t index, int n, std::uint64_t seed) {
  return spread(sample_draw(index, seed).bits(1)[0], n);
}

}  // namespace murmur
