// entropy.cpp: entropies of the rows of attention matrices, by log-sum-exp.
#include "observe/entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/attention.h"
#include "core/elementary.h"
#include "core/pair_kernels.h"
#include "core/parallel.h"
#include "observe/pair_sample.h"

namespace murmur {
namespace {

constexpr int rows_per_block = 16;

// out_i = scale (M x_i + bias), with one more coordinate left free at the end: (n, k + 1).
HostSwarm project(const HostSwarm& x, const Matrix& m, const Vector& bias, double scale) {
  const int n = x.n(), k = m.empty() ? x.d() : m.rows;
  HostSwarm out(Shape{n, k + 1});
  for (int row = 0; row < k; ++row) {
    double* to = out.axis(row);
    for (int col = 0; col < x.d(); ++col) {
      const double entry = m.empty() ? (row == col ? 1 : 0) : m(row, col);
      if (entry == 0) continue;
      const double* from = x.axis(col);
      for (int i = 0; i < n; ++i) to[i] += entry * from[i];
    }
    const double shift = bias.empty() ? 0 : bias[row];
    for (int i = 0; i < n; ++i) to[i] = scale * (to[i] + shift);
  }
  return out;
}

struct Sight {  // the particles that i attends to: [0, end) without `hole`
  int end, hole;
};
Sight sight(const Attention& head, int i, int n) {
  return {head.mask == Attention::causal ? i + 1 : n, head.self ? n : i};
}

// With t_j = s_ij + ln m_j, top = max_j t_j and Z = sum_j e^{t_j - top}:
//   -sum_j a_ij ln a_ij = ln Z - sum_j e^{t_j - top} (t_j - top) / Z
double row_entropy(const double* t, int count) {
  const double top = max(t, count);
  double weight = 0, moment = 0;
  for (int j = 0; j < count; j += tile) {
    const EntropySums part = entropy_sums(t + j, std::min(tile, count - j), top);
    weight += part.weight;
    moment += part.moment;
  }
  return elementary::log(weight) - moment / weight;
}

struct Part {
  double entropy = 0;
  std::int64_t rows = 0;
};

// A row of hard attention has only the allowed j of greatest score: their log_mass moves to the
// front of t. Returns how many there are.
int keep_max(const double* log_mass, std::vector<double>& t, int end, int hole) {
  double top = -std::numeric_limits<double>::infinity();
  for (int j = 0; j < end; ++j)
    if (j != hole) top = std::max(top, t[j]);
  int count = 0;
  for (int j = 0; j < end; ++j)
    if (j != hole && t[j] == top) t[count++] = log_mass[j];
  return count;
}

// -sum_j a_ij ln a_ij over all i, of doubly stochastic weights. Swarms too large for all pairs have
// no entropy here: the weights cannot be computed row by row.
Part sinkhorn_entropy(const HostSwarm& x, const Attention& head, const ObserveSettings& settings) {
  const auto n = static_cast<std::size_t>(x.n());
  if (is_sampled(x.n(), sample_of(settings))) return {};
  const HostSwarm query = project(x, head.query, head.query_bias, head.beta);
  const HostSwarm key = project(x, head.key, head.key_bias, 1);
  std::vector<double> scores(n * n);  // (n, n)
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k + 1 < query.d(); ++k)
      for (std::size_t j = 0; j < n; ++j) scores[i * n + j] += query.axis(k)[i] * key.axis(k)[j];
  Part total{0, x.n()};
  for (const double weight : sinkhorn_weights(scores, x.mass))
    if (weight > 0) total.entropy -= weight * elementary::log(weight);
  return total;
}

// One head: the scores t_ij are inner products of queries and keys whose last coordinates are
// 1 and ln m_j.
Part head_entropy(const HostSwarm& x, const Attention& head, const ObserveSettings& settings) {
  const int n = x.n();
  HostSwarm query = project(x, head.query, head.query_bias, head.beta);
  HostSwarm key = project(x, head.key, head.key_bias, 1);
  std::fill_n(query.axis(query.d() - 1), n, 1.0);
  std::vector<double> log_mass(n);  // (n)
  for (int j = 0; j < n; ++j) log_mass[j] = elementary::log(x.mass[j]);
  const bool hard = head.weighting == Attention::hard;
  const bool faded =
      head.weighting == Attention::unnormalised && head.alibi > 0;  // in place of the masses
  if (!hard && !faded) std::copy(log_mass.begin(), log_mass.end(), key.axis(key.d() - 1));

  const bool sampled = is_sampled(n, sample_of(settings));
  const std::int64_t rows = sampled ? std::max<std::int64_t>(1, settings.sample_pairs / n) : n;
  std::vector<Part> parts(static_cast<std::size_t>((rows + rows_per_block - 1) / rows_per_block));
  for_blocks(static_cast<int>(parts.size()), settings.threads, [&](int block) {
    std::vector<double> q(static_cast<std::size_t>(query.d()));  // (k + 1)
    std::vector<double> t(static_cast<std::size_t>(n));          // (n)
    const std::int64_t first = std::int64_t{block} * rows_per_block;
    for (std::int64_t r = first; r < std::min(rows, first + rows_per_block); ++r) {
      const int i = sampled ? sampled_row(r, n, settings.seed) : static_cast<int>(r);
      const Sight seen = sight(head, i, n);
      gather(query, i, q.data());
      for (int j = 0; j < seen.end; j += tile) {
        inner_products(q.data(), key, j, std::min(tile, seen.end - j), &t[j]);
      }
      for (int j = 0; j < seen.end && head.alibi > 0; ++j) t[j] -= head.alibi * (i - j);
      int count = seen.end;
      if (hard)
        count = keep_max(log_mass.data(), t, seen.end, seen.hole);
      else if (seen.hole < seen.end)
        t[seen.hole] = t[--count];
      if (count == 0) continue;
      parts[block].entropy += row_entropy(t.data(), count);
      ++parts[block].rows;
    }
  });
  Part total;
  for (const Part& part : parts) {
    total.entropy += part.entropy;
    total.rows += part.rows;
  }
  return total;
}

}  // namespace

double attention_entropy(const HostSwarm& x, const Dynamics& dynamics,
                         const ObserveSettings& settings) {
  HostSwarm at = x;
  const Vector gain = gain_at(dynamics, settings.t);
  for (std::size_t k = 0; k < gain.size(); ++k)
    for (int i = 0; i < x.n(); ++i) at.axis(static_cast<int>(k))[i] *= gain[k];
  Part total;
  for (const Attention& head : heads_of(dynamics, settings.t)) {
    const Attention now = head.rescaled ? at_time(head, settings.t, x.d()) : head;
    const Part part = now.weighting == Attention::sinkhorn ? sinkhorn_entropy(at, now, settings)
                                                           : head_entropy(at, now, settings);
    total.entropy += part.entropy;
    total.rows += part.rows;
  }
  if (total.rows == 0) return std::numeric_limits<double>::quiet_NaN();
  return total.entropy / static_cast<double>(total.rows);
}

}  // namespace murmur
