// pair_adjoint.cpp: the adjoint of the sums over pairs: kernels compiled for every vector target
// and chosen at run time, and the loops around them.
#include "engine/simd/pair_adjoint.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/pair_adjoint.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/buffer.h"
#include "core/exp2-inl.h"
#include "core/parallel.h"
#include "engine/simd/kernels.h"
#include "engine/simd/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

// One panel of kWidth rows i (or columns j) against all columns (rows), kSources at a time: the
// scores S and the values G of g_ij of the panel are matrix products, and so are the sums.
class AdjointTile {
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;
  static constexpr int kW = kWidth<double>;
  static constexpr int kLanes = kW / 2;
  static constexpr int kTogether = 4;       // exponentials at once; divides kSources
  static constexpr double kHighest = 1000;  // of particles without mass, which have no bound

 public:
  // The panel's vectors (lanes) and the others (sources), of the scores and then of g_ij.
  AdjointTile(const AdjointSums& p, bool columns)
      : p_(p),
        columns_(columns),
        score_lanes_(columns ? p.key : p.query),
        score_sources_(columns ? p.query : p.key),
        g_lanes_(columns ? p.value : p.cotangent),
        g_sources_(columns ? p.cotangent : p.value),
        u_(allocate<double>(static_cast<std::size_t>(p.key.width) * kW)),
        w_(allocate<double>(static_cast<std::size_t>(p.value.width) * kW)),
        s_(allocate<double>(kSources * kW)),
        g_(allocate<double>(kSources * kW)) {}

  void set_panel(int at) {
    at_ = at;
    Read(score_lanes_, u_.get());
    Read(g_lanes_, w_.get());
  }

  void sum_rows() {
    const D d;
    const Exp2<D> exp2;
    Clear(p_.g_key, p_.key.pitch);
    if (p_.key_sum) Clear(p_.key_sum, p_.key.pitch);
    if (p_.value_sum) Clear(p_.value_sum, p_.value.pitch);
    Clear(p_.z, 1), Clear(p_.g_sum, 1);
    for (int j0 = 0; j0 < row_end(); j0 += kSources) {
      const int count = std::min(kSources, p_.n - j0);
      const bool partly = partly_masked(j0, count);
      compute_products(j0, count);
      for (int v = 0; v < 2; ++v) {
        const std::size_t lane = at_ + v * kLanes;
        const V bound = hn::LoadU(d, p_.bound + lane), level = hn::LoadU(d, p_.level + lane);
        V z = hn::LoadU(d, p_.z + lane), g_sum = hn::LoadU(d, p_.g_sum + lane), e[kTogether];
        for (int j = 0; j < count; j += kTogether) {
          double *s = &s_[j * kW + v * kLanes], *g = &g_[j * kW + v * kLanes];
          for (int c = 0; c < kTogether; ++c) e[c] = hn::Sub(hn::Load(d, s + c * kW), bound);
          Exponentials(exp2, e);
          for (int c = 0; c < kTogether; ++c) {
            e[c] = hn::Mul(e[c], hn::Set(d, p_.mass[j0 + j + c]));
            if (partly) e[c] = hn::IfThenElseZero(Attended(v, j0 + j + c), e[c]);
            const V product = hn::Mul(e[c], hn::Sub(hn::Load(d, g + c * kW), level));
            z = hn::Add(z, e[c]);
            g_sum = hn::Add(g_sum, product);
            hn::Store(e[c], d, s + c * kW);
            hn::Store(product, d, g + c * kW);
          }
        }
        hn::StoreU(z, d, p_.z + lane);
        hn::StoreU(g_sum, d, p_.g_sum + lane);
      }
      AddProduct(p_.key, j0, count, g_.get(), p_.g_key);
      if (p_.key_sum) AddProduct(p_.key, j0, count, s_.get(), p_.key_sum);
      if (p_.value_sum) AddProduct(p_.value, j0, count, s_.get(), p_.value_sum);
    }
  }

  void sum_columns() {
    const D d;
    const Exp2<D> exp2;
    Clear(p_.d_value, p_.value.pitch), Clear(p_.d_key, p_.key.pitch);
    Clear(p_.d_mass, 1);
    for (int i0 = column_begin(); i0 < p_.n; i0 += kSources) {
      const int count = std::min(kSources, p_.n - i0);
      const bool partly = partly_masked(i0, count);
      compute_products(i0, count);
      for (int v = 0; v < 2; ++v) {
        const std::size_t lane = at_ + v * kLanes;
        V mass = hn::LoadU(d, p_.d_mass + lane), e[kTogether];
        for (int i = 0; i < count; i += kTogether) {
          double *s = &s_[i * kW + v * kLanes], *g = &g_[i * kW + v * kLanes];
          for (int c = 0; c < kTogether; ++c)
            e[c] = hn::Sub(hn::Load(d, s + c * kW), hn::Set(d, p_.bound[i0 + i + c]));
          Exponentials(exp2, e);
          for (int c = 0; c < kTogether; ++c) {
            e[c] = hn::Mul(e[c], hn::Set(d, p_.rate[i0 + i + c]));
            if (partly) e[c] = hn::IfThenElseZero(Attended(v, i0 + i + c), e[c]);
            const V level = hn::Set(d, p_.level[i0 + i + c]);
            const V product = hn::Mul(e[c], hn::Sub(hn::Load(d, g + c * kW), level));
            mass = hn::Add(mass, product);
            hn::Store(e[c], d, s + c * kW);
            hn::Store(product, d, g + c * kW);
          }
        }
        hn::StoreU(mass, d, p_.d_mass + lane);
      }
      AddProduct(p_.cotangent, i0, count, s_.get(), p_.d_value);
      AddProduct(p_.query, i0, count, g_.get(), p_.d_key);
    }
  }

  //   bound_i = max_j <u_i, k_j> over the j that i attends to; minus infinity if there are none
  void find_bounds(double* bound) {
    const D d;
    std::fill_n(bound + at_, kW, -std::numeric_limits<double>::infinity());
    for (int j0 = 0; j0 < row_end(); j0 += kSources) {
      const int count = std::min(kSources, p_.n - j0);
      compute_products(j0, count);
      for (int v = 0; v < 2; ++v) {
        V top = hn::LoadU(d, bound + at_ + v * kLanes);
        for (int j = 0; j < count; ++j) {
          if (p_.mass[j0 + j] == 0) continue;
          const V s = hn::Load(d, &s_[j * kW + v * kLanes]);
          top = hn::IfThenElse(Attended(v, j0 + j), hn::Max(top, s), top);
        }
        hn::StoreU(top, d, bound + at_ + v * kLanes);
      }
    }
  }

 private:
  int row_end() const { return p_.causal ? std::min(at_ + kW, p_.n) : p_.n; }
  int column_begin() const { return p_.causal ? at_ / kSources * kSources : 0; }

  // Returns whether the mask differs between the lanes of the panel for some of the sources.
  bool partly_masked(int first, int count) const {
    if (p_.causal) return columns_ ? first < at_ + kW : first + count > at_;
    return !p_.self && first < at_ + kW && first + count > at_;
  }

  HWY_INLINE hn::Mask<D> Attended(int v, int source) const {
    const D d;
    const V lane = hn::Iota(d, static_cast<double>(at_ + v * kLanes - source));  // lane - source
    const V ahead = columns_ ? hn::Neg(lane) : lane;                             // i - j
    if (p_.causal) return p_.self ? hn::Ge(ahead, hn::Zero(d)) : hn::Gt(ahead, hn::Zero(d));
    return p_.self ? hn::Eq(ahead, ahead) : hn::Ne(ahead, hn::Zero(d));
  }

  // e <- 2^e, finite for every e, because the caller multiplies it by a mass that may be 0.
  static HWY_INLINE void Exponentials(const Exp2<D>& exp2, V (&e)[kTogether]) {
    const D d;
    const V low = hn::Set(d, Exp2<D>::kLowest), high = hn::Set(d, kHighest);
    for (int c = 0; c < kTogether; ++c) e[c] = hn::Min(high, hn::Max(low, e[c]));
    exp2(e);
  }

  void Read(const PackedRows& from, double* panel) const {
    for (int k = 0; k < from.width; ++k)
      std::copy_n(from.axes + k * p_.stride + at_, kW, panel + k * kW);
  }

  void Clear(double* to, std::size_t rows) const {
    for (std::size_t r = 0; r < rows; ++r) std::fill_n(to + r * p_.stride + at_, kW, 0.0);
  }

  void compute_products(int first, int count) {
    const auto packed = [&](const PackedRows& from) {
      return from.packed + static_cast<std::size_t>(first) * from.width;
    };
    PanelProduct<double>({packed(score_sources_), kSources, count, score_sources_.width}, u_.get(),
                         s_.get(), false);
    PanelProduct<double>({packed(g_sources_), kSources, count, g_sources_.width}, w_.get(),
                         g_.get(), false);
  }

  // to (width, stride) += rows^T e at the panel
  void AddProduct(const PackedRows& from, int first, int count, const double* e, double* to) const {
    PanelProduct<double>({from.rows + first * from.pitch, from.pitch, from.width, count}, e,
                         to + at_, true, p_.stride);
  }

  const AdjointSums& p_;
  const bool columns_;
  const PackedRows &score_lanes_, &score_sources_, &g_lanes_, &g_sources_;
  int at_ = 0;
  hwy::AlignedFreeUniquePtr<double[]> u_, w_;  // (k, kW), (d, kW)
  hwy::AlignedFreeUniquePtr<double[]> s_, g_;  // (kSources, kW)
};

template <class Visit>
void ForPanels(const AdjointSums& p, int block, bool columns, const Visit& visit) {
  AdjointTile tile(p, columns);
  for (int i = block * kBlock; i < (block + 1) * kBlock; i += kWidth<double>) {
    tile.set_panel(i);
    visit(tile);
  }
}

void AdjointRows(const AdjointSums& p, int block) {
  ForPanels(p, block, false, [](AdjointTile& tile) { tile.sum_rows(); });
}
void AdjointColumns(const AdjointSums& p, int block) {
  ForPanels(p, block, true, [](AdjointTile& tile) { tile.sum_columns(); });
}
void AdjointBounds(const AdjointSums& p, int block, double* bound) {
  ForPanels(p, block, false, [bound](AdjointTile& tile) { tile.find_bounds(bound); });
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(AdjointRows);
HWY_EXPORT(AdjointColumns);
HWY_EXPORT(AdjointBounds);

namespace {

// Each sums one block of kBlock rows or columns (kernels.h).
void adjoint_rows(const AdjointSums& p, int block) { HWY_DYNAMIC_DISPATCH(AdjointRows)(p, block); }
void adjoint_columns(const AdjointSums& p, int block) {
  HWY_DYNAMIC_DISPATCH(AdjointColumns)(p, block);
}
// Writes max_j <u_i, k_j> over the j with mass.
void adjoint_bounds(const AdjointSums& p, int block, double* bound) {
  HWY_DYNAMIC_DISPATCH(AdjointBounds)(p, block, bound);
}

// Exponents (of two) between minus twice this and 0 do not underflow.
constexpr double kSafe = 450;

double largest_norm(const std::vector<double>& rows, int width) {
  double most = 0;
  for (std::size_t e = 0; e < rows.size(); e += width) {
    double square = 0;
    for (int c = 0; c < width; ++c) square += rows[e + c] * rows[e + c];
    most = std::max(most, square);
  }
  return std::sqrt(most);
}

class SimdPairAdjoint final : public PairAdjoint {
 public:
  explicit SimdPairAdjoint(int threads) : threads_(threads) {}
  void add(const HeadRows& rows, HeadCotangents& to) override;

 private:
  struct RowMemory {  // of PackedRows
    Buffer<double> axes{}, packed{}, rows{};
  };
  PackedRows lay_out(const std::vector<double>& from, double scale, RowMemory& to) const;
  void choose_bounds(const HeadRows& rows, AdjointSums& sums);
  void add_cotangents(const HeadRows& rows, const AdjointSums& sums, HeadCotangents& to);

  int threads_;
  int n_ = 0, threads_used_ = 1;
  std::size_t stride_ = 0;
  RowMemory query_{}, key_{}, value_{}, cotangent_{};
  Buffer<double> bound_{}, level_{}, rate_{}, mass_{}, z_{}, g_sum_{}, d_mass_{}, g_key_{},
      key_sum_{}, d_key_{}, d_value_{}, value_sum_{};
};

PackedRows SimdPairAdjoint::lay_out(const std::vector<double>& from, double scale,
                                    RowMemory& to) const {
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

// The bounds are at least every score (softmax), or the exponent of the clock (plain).
void SimdPairAdjoint::choose_bounds(const HeadRows& rows, AdjointSums& sums) {
  const Attention& head = rows.head;
  constexpr double kLog2E = std::numbers::log2e;
  double* bound = bound_.need(stride_);
  sums.bound = bound;
  if (head.weighting == Attention::unnormalised) {
    std::fill_n(bound, stride_, kernel_of(rows.clock).over_max ? head.beta * kLog2E : 0.0);
    return;
  }
  const double longest = largest_norm(rows.key, rows.k);
  const double scale = std::abs(head.beta) * kLog2E;
  if (scale * largest_norm(rows.query, rows.k) * longest < kSafe) {
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
  for_blocks(static_cast<int>(stride_ / kBlock), threads_used_,
             [&](int block) { adjoint_bounds(sums, block, bound); });
  for (std::size_t i = 0; i < stride_; ++i)
    if (!std::isfinite(bound[i])) bound[i] = 0;  // the row is empty
}

void SimdPairAdjoint::add(const HeadRows& rows, HeadCotangents& to) {
  if (rows.n == 0) return;
  n_ = rows.n;
  stride_ = (static_cast<std::size_t>(n_) + kBlock - 1) / kBlock * kBlock;
  threads_used_ = worthwhile_threads(static_cast<double>(n_) * n_ * rows.d, threads_);
  const Attention& head = rows.head;
  const bool plain = head.weighting == Attention::unnormalised;
  AdjointSums sums{.n = n_,
                   .stride = stride_,
                   .causal = head.mask == Attention::causal,
                   .self = head.self,
                   .query = lay_out(rows.query, head.beta * std::numbers::log2e, query_),
                   .key = lay_out(rows.key, 1, key_),
                   .value = lay_out(rows.value, 1, value_),
                   .cotangent = lay_out(rows.cotangent, 1, cotangent_),
                   .mass = mass_.need(stride_)};
  std::fill_n(mass_.need(stride_), stride_, 0.0);
  std::copy(rows.mass.begin(), rows.mass.end(), mass_.need(stride_));
  const std::size_t k_rows = sums.key.pitch * stride_, d_rows = sums.value.pitch * stride_;
  sums.z = z_.need(stride_), sums.g_sum = g_sum_.need(stride_), sums.d_mass = d_mass_.need(stride_);
  sums.g_key = g_key_.need(k_rows), sums.d_key = d_key_.need(k_rows);
  sums.d_value = d_value_.need(d_rows);
  if (!plain) sums.key_sum = key_sum_.need(k_rows);
  if (to.drift) sums.value_sum = value_sum_.need(d_rows);
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
  for_blocks(blocks, threads_used_, [&](int block) { adjoint_rows(sums, block); });
  for (int i = 0; i < n_; ++i) {
    const bool any = sums.z[i] > 0;
    if (plain) {
      rate[i] = !any ? 0.0 : kernel_of(rows.clock).times_beta ? head.beta : 1.0;
    } else {
      rate[i] = any ? 1 / sums.z[i] : 0.0;
      level[i] = any ? sums.g_sum[i] / sums.z[i] : 0.0;
    }
  }
  for_blocks(blocks, threads_used_, [&](int block) { adjoint_columns(sums, block); });
  add_cotangents(rows, sums, to);
}

// Subtracts the level of softmax, sum_k a_ik g_ik, which was unknown while the rows were summed.
void SimdPairAdjoint::add_cotangents(const HeadRows& rows, const AdjointSums& sums,
                                     HeadCotangents& to) {
  const Attention& head = rows.head;
  const bool plain = head.weighting == Attention::unnormalised;
  const ClockKernel kernel = kernel_of(rows.clock);
  for (int i = 0; i < n_; ++i) {
    const double level = plain ? 0.0 : sums.level[i];
    for (int c = 0; c < rows.k; ++c) {
      const std::size_t e = static_cast<std::size_t>(i) * rows.k + c, place = c * stride_ + i;
      const double off = plain ? 0.0 : level * sums.key_sum[place];
      const double ds_key = sums.rate[i] * (sums.g_key[place] - off);
      to.query[e] += head.beta * ds_key;
      to.beta += rows.query[e] * ds_key;
      if (rows.mass[i] > 0) to.key[e] += std::numbers::ln2 * rows.mass[i] * sums.d_key[place];
    }
    if (plain && kernel.over_max) to.beta -= sums.rate[i] * sums.g_sum[i];
    if (plain && kernel.times_beta) to.beta += sums.g_sum[i];
    to.mass[i] += sums.d_mass[i];
    const double total = plain ? sums.rate[i] * sums.z[i] : (sums.z[i] > 0 ? 1.0 : 0.0);
    for (int c = 0; c < rows.d; ++c) {
      const std::size_t e = static_cast<std::size_t>(i) * rows.d + c, place = c * stride_ + i;
      if (rows.mass[i] > 0) to.value[e] += rows.mass[i] * sums.d_value[place];
      if (!rows.own.empty()) to.own[e] -= total * rows.cotangent[e];
      if (to.drift == nullptr) continue;
      const double own = rows.own.empty() ? 0.0 : total * rows.own[e];
      (*to.drift)[e] += sums.rate[i] * sums.value_sum[place] - own;
    }
  }
}

}  // namespace

std::unique_ptr<PairAdjoint> make_pair_adjoint(int threads) {
  return std::make_unique<SimdPairAdjoint>(threads);
}

}  // namespace murmur::simd
#endif
