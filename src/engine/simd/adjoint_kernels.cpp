// adjoint_kernels.cpp: sums over pairs of a head's adjoint, compiled for every target and chosen at
// run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/adjoint_kernels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <limits>

#include "core/buffer.h"
#include "core/exp2-inl.h"
#include "engine/simd/kernels.h"
#include "engine/simd/pair_adjoint.h"
#include "engine/simd/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

// One panel of kWidth rows i (or columns j) against all columns (rows), kSources at a time: the
// scores S and pushes G of the panel are matrix products, and so are the sums.
class AdjointTile {
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;
  static constexpr int kW = kWidth<double>;
  static constexpr int kLanes = kW / 2;
  static constexpr int kTogether = 4;       // exponentials side by side; kSources is a multiple
  static constexpr double kHighest = 1000;  // of who has no mass, and so no bound

 public:
  // `lanes` and `sources` of the scores, then of the pushes.
  AdjointTile(const AdjointSums& p, bool columns)
      : p_(p),
        columns_(columns),
        score_lanes_(columns ? p.key : p.query),
        score_sources_(columns ? p.query : p.key),
        push_lanes_(columns ? p.value : p.cotangent),
        push_sources_(columns ? p.cotangent : p.value),
        u_(allocate<double>(static_cast<std::size_t>(p.key.width) * kW)),
        w_(allocate<double>(static_cast<std::size_t>(p.value.width) * kW)),
        s_(allocate<double>(kSources * kW)),
        g_(allocate<double>(kSources * kW)) {}

  void aim(int at) {
    at_ = at;
    Read(score_lanes_, u_.get());
    Read(push_lanes_, w_.get());
  }

  void rows() {
    const D d;
    const Exp2<D> exp2;
    Clear(p_.with, p_.key.pitch);
    if (p_.of) Clear(p_.of, p_.key.pitch);
    if (p_.said) Clear(p_.said, p_.value.pitch);
    Clear(p_.z, 1), Clear(p_.work, 1);
    for (int j0 = 0; j0 < row_end(); j0 += kSources) {
      const int count = std::min(kSources, p_.n - j0);
      const bool partly = partly_seen(j0, count);
      products(j0, count);
      for (int v = 0; v < 2; ++v) {
        const std::size_t lane = at_ + v * kLanes;
        const V bound = hn::LoadU(d, p_.bound + lane), level = hn::LoadU(d, p_.level + lane);
        V z = hn::LoadU(d, p_.z + lane), work = hn::LoadU(d, p_.work + lane), e[kTogether];
        for (int j = 0; j < count; j += kTogether) {
          double *s = &s_[j * kW + v * kLanes], *g = &g_[j * kW + v * kLanes];
          for (int c = 0; c < kTogether; ++c) e[c] = hn::Sub(hn::Load(d, s + c * kW), bound);
          Weigh(exp2, e);
          for (int c = 0; c < kTogether; ++c) {
            e[c] = hn::Mul(e[c], hn::Set(d, p_.mass[j0 + j + c]));
            if (partly) e[c] = hn::IfThenElseZero(Seen(v, j0 + j + c), e[c]);
            const V push = hn::Mul(e[c], hn::Sub(hn::Load(d, g + c * kW), level));
            z = hn::Add(z, e[c]);
            work = hn::Add(work, push);
            hn::Store(e[c], d, s + c * kW);
            hn::Store(push, d, g + c * kW);
          }
        }
        hn::StoreU(z, d, p_.z + lane);
        hn::StoreU(work, d, p_.work + lane);
      }
      Gather(p_.key, j0, count, g_.get(), p_.with);
      if (p_.of) Gather(p_.key, j0, count, s_.get(), p_.of);
      if (p_.said) Gather(p_.value, j0, count, s_.get(), p_.said);
    }
  }

  void columns() {
    const D d;
    const Exp2<D> exp2;
    Clear(p_.d_value, p_.value.pitch), Clear(p_.d_key, p_.key.pitch);
    Clear(p_.d_mass, 1);
    for (int i0 = column_begin(); i0 < p_.n; i0 += kSources) {
      const int count = std::min(kSources, p_.n - i0);
      const bool partly = partly_seen(i0, count);
      products(i0, count);
      for (int v = 0; v < 2; ++v) {
        const std::size_t lane = at_ + v * kLanes;
        V mass = hn::LoadU(d, p_.d_mass + lane), e[kTogether];
        for (int i = 0; i < count; i += kTogether) {
          double *s = &s_[i * kW + v * kLanes], *g = &g_[i * kW + v * kLanes];
          for (int c = 0; c < kTogether; ++c)
            e[c] = hn::Sub(hn::Load(d, s + c * kW), hn::Set(d, p_.bound[i0 + i + c]));
          Weigh(exp2, e);
          for (int c = 0; c < kTogether; ++c) {
            e[c] = hn::Mul(e[c], hn::Set(d, p_.rate[i0 + i + c]));
            if (partly) e[c] = hn::IfThenElseZero(Seen(v, i0 + i + c), e[c]);
            const V level = hn::Set(d, p_.level[i0 + i + c]);
            const V push = hn::Mul(e[c], hn::Sub(hn::Load(d, g + c * kW), level));
            mass = hn::Add(mass, push);
            hn::Store(e[c], d, s + c * kW);
            hn::Store(push, d, g + c * kW);
          }
        }
        hn::StoreU(mass, d, p_.d_mass + lane);
      }
      Gather(p_.cotangent, i0, count, s_.get(), p_.d_value);
      Gather(p_.query, i0, count, g_.get(), p_.d_key);
    }
  }

  //   bound_i = max_j <u_i, k_j> over the j that it sees; minus infinity where there are none
  void bounds(double* bound) {
    const D d;
    std::fill_n(bound + at_, kW, -std::numeric_limits<double>::infinity());
    for (int j0 = 0; j0 < row_end(); j0 += kSources) {
      const int count = std::min(kSources, p_.n - j0);
      products(j0, count);
      for (int v = 0; v < 2; ++v) {
        V top = hn::LoadU(d, bound + at_ + v * kLanes);
        for (int j = 0; j < count; ++j) {
          if (p_.mass[j0 + j] == 0) continue;
          const V s = hn::Load(d, &s_[j * kW + v * kLanes]);
          top = hn::IfThenElse(Seen(v, j0 + j), hn::Max(top, s), top);
        }
        hn::StoreU(top, d, bound + at_ + v * kLanes);
      }
    }
  }

 private:
  int row_end() const { return p_.past ? std::min(at_ + kW, p_.n) : p_.n; }
  int column_begin() const { return p_.past ? at_ / kSources * kSources : 0; }

  // Whether some of the sources are seen by some lanes of the panel and not by others.
  bool partly_seen(int first, int count) const {
    if (p_.past) return columns_ ? first < at_ + kW : first + count > at_;
    return !p_.self && first < at_ + kW && first + count > at_;
  }

  HWY_INLINE hn::Mask<D> Seen(int v, int source) const {
    const D d;
    const V lane = hn::Iota(d, static_cast<double>(at_ + v * kLanes - source));  // lane - source
    const V behind = columns_ ? hn::Neg(lane) : lane;                            // i - j
    if (p_.past) return p_.self ? hn::Ge(behind, hn::Zero(d)) : hn::Gt(behind, hn::Zero(d));
    return p_.self ? hn::Eq(behind, behind) : hn::Ne(behind, hn::Zero(d));
  }

  // e <- 2^e, finite whatever e is: what has no mass weighs 0.
  static HWY_INLINE void Weigh(const Exp2<D>& exp2, V (&e)[kTogether]) {
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

  void products(int first, int count) {
    const auto packed = [&](const PackedRows& from) {
      return from.packed + static_cast<std::size_t>(first) * from.width;
    };
    PanelProduct<double>({packed(score_sources_), kSources, count, score_sources_.width}, u_.get(),
                         s_.get(), false);
    PanelProduct<double>({packed(push_sources_), kSources, count, push_sources_.width}, w_.get(),
                         g_.get(), false);
  }

  // to (width, stride) += rows^T e at the panel
  void Gather(const PackedRows& from, int first, int count, const double* e, double* to) const {
    PanelProduct<double>({from.rows + first * from.pitch, from.pitch, from.width, count}, e,
                         to + at_, true, p_.stride);
  }

  const AdjointSums& p_;
  const bool columns_;
  const PackedRows &score_lanes_, &score_sources_, &push_lanes_, &push_sources_;
  int at_ = 0;
  hwy::AlignedFreeUniquePtr<double[]> u_, w_;  // (k, kW), (d, kW)
  hwy::AlignedFreeUniquePtr<double[]> s_, g_;  // (kSources, kW)
};

template <class Work>
void ForPanels(const AdjointSums& p, int block, bool columns, const Work& work) {
  AdjointTile tile(p, columns);
  for (int i = block * kBlock; i < (block + 1) * kBlock; i += kWidth<double>) {
    tile.aim(i);
    work(tile);
  }
}

void AdjointRows(const AdjointSums& p, int block) {
  ForPanels(p, block, false, [](AdjointTile& tile) { tile.rows(); });
}
void AdjointColumns(const AdjointSums& p, int block) {
  ForPanels(p, block, true, [](AdjointTile& tile) { tile.columns(); });
}
void AdjointBounds(const AdjointSums& p, int block, double* bound) {
  ForPanels(p, block, false, [bound](AdjointTile& tile) { tile.bounds(bound); });
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(AdjointRows);
HWY_EXPORT(AdjointColumns);
HWY_EXPORT(AdjointBounds);

void adjoint_rows(const AdjointSums& p, int block) { HWY_DYNAMIC_DISPATCH(AdjointRows)(p, block); }
void adjoint_columns(const AdjointSums& p, int block) {
  HWY_DYNAMIC_DISPATCH(AdjointColumns)(p, block);
}
void adjoint_bounds(const AdjointSums& p, int block, double* bound) {
  HWY_DYNAMIC_DISPATCH(AdjointBounds)(p, block, bound);
}

}  // namespace murmur::simd
#endif
