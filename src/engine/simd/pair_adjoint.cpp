// pair_adjoint.cpp: lays the rows of a head out, sums over its pairs, and reads cotangents off.
#include "engine/simd/pair_adjoint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/buffer.h"
#include "core/parallel.h"
#include "engine/simd/kernels.h"

namespace murmur::simd {

namespace {

// Exponents (of two) between twice the bound of Cauchy and Schwarz and 0 underflow nowhere.
constexpr double kSafe = 450;
constexpr double kTooFewPairs = 500'000;  // n^2 d below which threads cost more than they bring

double farthest(const std::vector<double>& rows, int width) {
  double most = 0;
  for (std::size_t e = 0; e < rows.size(); e += width) {
    double square = 0;
    for (int c = 0; c < width; ++c) square += rows[e + c] * rows[e + c];
    most = std::max(most, square);
  }
  return std::sqrt(most);
}

class PairKernels final : public PairAdjoint {
 public:
  explicit PairKernels(int threads) : threads_(threads) {}
  void add(const HeadRows& rows, HeadCotangents& to) override;

 private:
  struct Laid {  // memory behind PackedRows
    Buffer<double> axes{}, packed{}, rows{};
  };
  PackedRows lay_out(const std::vector<double>& from, double scale, Laid& to) const;
  void choose_bounds(const HeadRows& rows, AdjointSums& sums);
  void finish(const HeadRows& rows, const AdjointSums& sums, HeadCotangents& to);

  int threads_;
  int n_ = 0, team_ = 1;
  std::size_t stride_ = 0;
  Laid query_{}, key_{}, value_{}, cotangent_{};
  Buffer<double> bound_{}, level_{}, rate_{}, mass_{}, z_{}, work_{}, d_mass_{}, with_{}, of_{},
      d_key_{}, d_value_{}, said_{};
};

PackedRows PairKernels::lay_out(const std::vector<double>& from, double scale, Laid& to) const {
  const int width = static_cast<int>(from.size()) / n_;
  const std::size_t pitch = (static_cast<std::size_t>(width) + 3) / 4 * 4;
  const std::size_t packed = (static_cast<std::size_t>(n_) + kSources - 1) / kSources * kSources;
  double* axes = to.axes.need(width * stride_);
  double* blocks = to.packed.need(width * packed);
  double* rows = to.rows.need(n_ * pitch);
  std::fill_n(axes, width * stride_, 0.0);
  std::fill_n(blocks, width * packed, 0.0);
  std::fill_n(rows, n_ * pitch, 0.0);
  for (int i = 0; i < n_; ++i)
    for (int c = 0; c < width; ++c) {
      const double value = scale * from[static_cast<std::size_t>(i) * width + c];
      axes[c * stride_ + i] = rows[i * pitch + c] = value;
      const int block = i / kSources;
      blocks[(static_cast<std::size_t>(block) * width + c) * kSources + i % kSources] = value;
    }
  return {width, pitch, axes, blocks, rows};
}

// softmax: no less than any score; plain: what the clock takes off.
void PairKernels::choose_bounds(const HeadRows& rows, AdjointSums& sums) {
  const Attention& head = rows.head;
  constexpr double kLog2E = std::numbers::log2e;
  double* bound = bound_.need(stride_);
  sums.bound = bound;
  if (head.weighting == Attention::unnormalised) {
    std::fill_n(bound, stride_, kernel_of(rows.clock).over_max ? head.beta * kLog2E : 0.0);
    return;
  }
  const double longest = farthest(rows.key, rows.k);
  const double scale = std::abs(head.beta) * kLog2E;
  if (scale * farthest(rows.query, rows.k) * longest < kSafe) {
    std::fill_n(bound, stride_, 0.0);
    for (int i = 0; i < n_; ++i) {
      double square = 0;
      for (int c = 0; c < rows.k; ++c) {
        const double q = rows.query[static_cast<std::size_t>(i) * rows.k + c];
        square += q * q;
      }
      bound[i] = scale * std::sqrt(square) * longest;
    }
    return;
  }
  for_blocks(static_cast<int>(stride_ / kBlock), team_,
             [&](int block) { adjoint_bounds(sums, block, bound); });
  for (std::size_t i = 0; i < stride_; ++i)
    if (!std::isfinite(bound[i])) bound[i] = 0;  // sees nobody
}

void PairKernels::add(const HeadRows& rows, HeadCotangents& to) {
  if (rows.n == 0) return;
  n_ = rows.n;
  stride_ = (static_cast<std::size_t>(n_) + kBlock - 1) / kBlock * kBlock;
  team_ = static_cast<double>(n_) * n_ * rows.d < kTooFewPairs ? 1 : threads_;
  const Attention& head = rows.head;
  const bool plain = head.weighting == Attention::unnormalised;
  AdjointSums sums{.n = n_,
                   .stride = stride_,
                   .past = head.mask == Attention::causal,
                   .self = head.self,
                   .query = lay_out(rows.query, head.beta * std::numbers::log2e, query_),
                   .key = lay_out(rows.key, 1, key_),
                   .value = lay_out(rows.value, 1, value_),
                   .cotangent = lay_out(rows.cotangent, 1, cotangent_),
                   .mass = mass_.need(stride_)};
  std::fill_n(mass_.need(stride_), stride_, 0.0);
  std::copy(rows.mass.begin(), rows.mass.end(), mass_.need(stride_));
  const std::size_t k_rows = sums.key.pitch * stride_, d_rows = sums.value.pitch * stride_;
  sums.z = z_.need(stride_), sums.work = work_.need(stride_), sums.d_mass = d_mass_.need(stride_);
  sums.with = with_.need(k_rows), sums.d_key = d_key_.need(k_rows);
  sums.d_value = d_value_.need(d_rows);
  if (!plain) sums.of = of_.need(k_rows);
  if (to.drift) sums.said = said_.need(d_rows);
  double *level = level_.need(stride_), *rate = rate_.need(stride_);
  std::fill_n(level, stride_, 0.0);
  std::fill_n(rate, stride_, 0.0);
  for (int i = 0; i < n_ && plain && !rows.own.empty(); ++i)
    for (int c = 0; c < rows.d; ++c) {
      const std::size_t e = static_cast<std::size_t>(i) * rows.d + c;
      level[i] += rows.cotangent[e] * rows.own[e];
    }
  sums.level = level, sums.rate = rate;
  choose_bounds(rows, sums);
  const int blocks = static_cast<int>(stride_ / kBlock);
  for_blocks(blocks, team_, [&](int block) { adjoint_rows(sums, block); });
  for (int i = 0; i < n_; ++i) {
    const bool anybody = sums.z[i] > 0;
    if (plain) {
      rate[i] = !anybody ? 0.0 : kernel_of(rows.clock).times_beta ? head.beta : 1.0;
    } else {
      rate[i] = anybody ? 1 / sums.z[i] : 0.0;
      level[i] = anybody ? sums.work[i] / sums.z[i] : 0.0;
    }
  }
  for_blocks(blocks, team_, [&](int block) { adjoint_columns(sums, block); });
  finish(rows, sums, to);
}

// The rows' sums were taken without the level of softmax, sum_k a_ik g_ik, which is known after.
void PairKernels::finish(const HeadRows& rows, const AdjointSums& sums, HeadCotangents& to) {
  const Attention& head = rows.head;
  const bool plain = head.weighting == Attention::unnormalised;
  const ClockKernel kernel = kernel_of(rows.clock);
  for (int i = 0; i < n_; ++i) {
    const double level = plain ? 0.0 : sums.level[i];
    for (int c = 0; c < rows.k; ++c) {
      const std::size_t e = static_cast<std::size_t>(i) * rows.k + c, place = c * stride_ + i;
      const double off = plain ? 0.0 : level * sums.of[place];
      const double ds_key = sums.rate[i] * (sums.with[place] - off);
      to.query[e] += head.beta * ds_key;
      to.beta += rows.query[e] * ds_key;
      if (rows.mass[i] > 0) to.key[e] += std::numbers::ln2 * rows.mass[i] * sums.d_key[place];
    }
    if (plain && kernel.over_max) to.beta -= sums.rate[i] * sums.work[i];
    if (plain && kernel.times_beta) to.beta += sums.work[i];
    to.mass[i] += sums.d_mass[i];
    const double total = plain ? sums.rate[i] * sums.z[i] : (sums.z[i] > 0 ? 1.0 : 0.0);
    for (int c = 0; c < rows.d; ++c) {
      const std::size_t e = static_cast<std::size_t>(i) * rows.d + c, place = c * stride_ + i;
      if (rows.mass[i] > 0) to.value[e] += rows.mass[i] * sums.d_value[place];
      if (!rows.own.empty()) to.own[e] -= total * rows.cotangent[e];
      if (to.drift == nullptr) continue;
      const double own = rows.own.empty() ? 0.0 : total * rows.own[e];
      (*to.drift)[e] += sums.rate[i] * sums.said[place] - own;
    }
  }
}

}  // namespace

std::unique_ptr<PairAdjoint> make_pair_adjoint(int threads) {
  return std::make_unique<PairKernels>(threads);
}

}  // namespace murmur::simd
