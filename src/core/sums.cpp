// sums.cpp: sums over particles and pairs in fixed blocks: the same bits for any number of threads.
#include "core/sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/axes.h"
#include "core/pair_kernels.h"
#include "core/parallel.h"
#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur {

namespace {

double norm(const HostSwarm& x, int i) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
  return std::sqrt(square);
}

// (n, n): G_ij = <u_i, u_j>, lower triangle.
Matrix gram_of_particles(const HostSwarm& u, int threads) {
  Matrix g = zeros(u.n(), u.n());
  for_blocks(u.n(), threads, [&](int i) {
    std::vector<double> a(static_cast<std::size_t>(u.d()));  // (d)
    double row[tile];
    gather(u, i, a.data());
    for (int j = 0; j <= i; j += tile) {
      const int count = std::min(tile, i + 1 - j);
      inner_products(a.data(), u, j, count, row);
      for (int c = 0; c < count; ++c) g(i, j + c) = row[c];
    }
  });
  return g;
}

// (d, d): G_kl = sum_i u_ik u_il, lower triangle, one block of particles at a time: two levels of
// sums keep rounding errors small, and a block stays in cache.
Matrix gram_of_axes(const HostSwarm& u, int threads) {
  constexpr int stretch = 1024;
  Matrix g = zeros(u.d(), u.d());
  for_blocks(u.d(), threads, [&](int k) {
    for (int first = 0; first < u.n(); first += stretch) {
      const int count = std::min(stretch, u.n() - first);
      for (int l = 0; l <= k; ++l) g(k, l) += dot(u.axis(k) + first, u.axis(l) + first, count);
    }
  });
  return g;
}

}  // namespace

std::optional<int> first_unmeasurable(const HostSwarm& x) {
  for (int i = 0; i < x.n(); ++i) {
    for (int k = 0; k < x.d(); ++k) {
      if (!(std::abs(x.at(i, k)) < 1e150)) return i;
    }
  }
  return {};
}

void require_measurable(const HostSwarm& x) {
  if (const auto lost = first_unmeasurable(x))
    throw Error(Fault::input, "a coordinate is not a finite number, or too large to square",
                "particle " + std::to_string(*lost), "look at an earlier frame, or mend the data");
}

ParticleSums particle_sums(const Dynamics& dynamics, const HostSwarm& x, int threads) {
  ParticleSums sums;
  sums.measurable = !first_unmeasurable(x);
  if (!sums.measurable) return sums;
  for (int i = 0; i < x.n(); ++i) {
    const double length = norm(x, i);
    sums.radius += x.mass[i] * length;
    sums.norm_drift = std::max(sums.norm_drift, std::abs(length - 1));
  }
  const HostSwarm turned = moves_norms(dynamics) ? directions_of(x) : HostSwarm{};
  const HostSwarm& u = moves_norms(dynamics) ? turned : x;
  sums.mean.resize(static_cast<std::size_t>(u.d()));
  for (int k = 0; k < u.d(); ++k)
    for (int i = 0; i < u.n(); ++i) sums.mean[k] += u.mass[i] * u.axis(k)[i];
  sums.gram = u.n() <= u.d() ? gram_of_particles(u, threads) : gram_of_axes(u, threads);
  return sums;
}

namespace {

constexpr int rows_per_block = 64;
constexpr std::int64_t samples_per_block = 1 << 16;
constexpr double infinity = std::numeric_limits<double>::infinity();

// The scores c_ij = <x_i, y_j> of a pass, c_ij = c_ji.
struct Scores {
  const HostSwarm& x;  // (n, d), masses m
  const HostSwarm& y;  // (n, d); x itself for D = I
  const PairRequest& request;

  double at(int i, int j) const {
    double score = 0;
    for (int k = 0; k < x.d(); ++k) score += x.at(i, k) * y.at(j, k);
    return score;
  }
  bool wants_gibbs() const { return request.beta != 0; }
  double gibbs(const double* score, const double* mass, int count) const {
    return gibbs_sum(score, mass, count, request.beta, request.anchor);
  }
};

struct Part {  // the sums of one block
  double sum = 0, min = infinity, max = -infinity, close = 0;
  double gibbs = 0;   // sum of m_i m_j e^{beta (c_ij - anchor)}
  double weight = 0;  // sum of m_i m_j, if sampled

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

// A row or a pair of the sample: output words of Philox, mapped to [0, size) by multiplication.
int spread(std::uint32_t word, int size) {
  return static_cast<int>((std::uint64_t{word} * static_cast<std::uint64_t>(size)) >> 32);
}

Draw sample_draw(std::int64_t index, std::uint64_t seed) {
  return {.seed = seed,
          .stream = Stream::pairs,
          .particle = static_cast<std::uint32_t>(index),
          .step = static_cast<std::uint32_t>(index >> 32)};
}

// All pairs i < j with i in one block of rows, one tile of j at a time.
void add_rows(const Scores& s, int block, Part& part) {
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
      part.add(tally(score, count, s.request.threshold));
      if (s.wants_gibbs()) part.gibbs += s.x.mass[i] * s.gibbs(score, &s.x.mass[j], count);
    }
  }
}

void add_samples(const Scores& s, int block, Part& part) {
  const PairSample& sample = s.request.sample;
  const std::int64_t first = block * samples_per_block;
  const std::int64_t last = std::min(sample.pairs, first + samples_per_block);
  double score[tile], weight[tile];
  for (std::int64_t p = first; p < last; p += tile) {
    const int count = static_cast<int>(std::min<std::int64_t>(tile, last - p));
    for (int c = 0; c < count; ++c) {
      const auto [i, j] = sampled_pair(p + c, s.x.n(), sample.seed);
      score[c] = s.at(i, j);
      weight[c] = s.x.mass[i] * s.x.mass[j];
      part.weight += weight[c];
    }
    part.add(tally(score, count, s.request.threshold));
    if (s.wants_gibbs()) part.gibbs += s.gibbs(score, weight, count);
  }
}

// sum_i m_i^2 and sum_i m_i^2 e^{beta (c_ii - anchor)}
Part diagonal(const Scores& s) {
  Part part;
  double score[tile], weight[tile];
  for (int i = 0; i < s.x.n(); i += tile) {
    const int count = std::min(tile, s.x.n() - i);
    for (int c = 0; c < count; ++c) {
      score[c] = s.at(i + c, i + c);
      weight[c] = s.x.mass[i + c] * s.x.mass[i + c];
      part.weight += weight[c];
    }
    if (s.wants_gibbs()) part.gibbs += s.gibbs(score, weight, count);
  }
  return part;
}

PairSums sum_pairs(const Scores& scores) {
  const PairRequest& request = scores.request;
  const int n = scores.x.n();
  const bool sampled = is_sampled(n, request.sample);
  const std::int64_t pairs = sampled ? request.sample.pairs : std::int64_t{n} * (n - 1) / 2;
  const Part off =
      sampled ? sum_blocks((pairs + samples_per_block - 1) / samples_per_block, request.threads,
                           [&](int block, Part& part) { add_samples(scores, block, part); })
              : sum_blocks((n + rows_per_block - 1) / rows_per_block, request.threads,
                           [&](int block, Part& part) { add_rows(scores, block, part); });
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
  // scaled to that, so that constant scores give exact sums.
  const double scale = sampled ? (1 - on.weight) / off.weight : 2;
  sums.gibbs = on.gibbs + (pairs > 0 ? scale * off.gibbs : 0);
  return sums;
}

// (n, d) M x_i
HostSwarm apply(const Matrix& m, const HostSwarm& x) {
  HostSwarm y(x.shape());
  for (int row = 0; row < m.rows; ++row) {
    for (int col = 0; col < m.cols; ++col) {
      for (int i = 0; i < x.n(); ++i) y.axis(row)[i] += m(row, col) * x.axis(col)[i];
    }
  }
  return y;
}

}  // namespace

PairSums pair_sums(const HostSwarm& u, const PairRequest& request) {
  const HostSwarm turned = request.directions ? directions_of(u) : HostSwarm{};
  const HostSwarm& w = request.directions ? turned : u;
  if (request.matrix.empty()) return sum_pairs({w, w, request});
  const HostSwarm image = apply(request.matrix, w);
  return sum_pairs({w, image, request});
}

PairSums pair_sums(const Dynamics& dynamics, const HostSwarm& x, const PairRequest& request) {
  return moves_norms(dynamics) ? pair_sums(directions_of(x), request) : pair_sums(x, request);
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
