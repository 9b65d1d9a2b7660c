// tile_kernels-inl.h: sums over pairs in any dimension: product, exponential, product, tile by
// tile.
#if defined(MURMUR_SIMD_TILE_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_SIMD_TILE_KERNELS_INL_H_
#undef MURMUR_SIMD_TILE_KERNELS_INL_H_
#else
#define MURMUR_SIMD_TILE_KERNELS_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "core/buffer.h"
#include "core/exp2-inl.h"
#include "engine/simd/kernels.h"
#include "engine/simd/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

// One panel of kWidth<T> targets against all sources, kSources at a time:
//   S = Y U (kSources, kWidth),   E = w 2^{S - b},   Z += 1^T E,   N += Y^T E (d, kWidth)
// with the keys (kSources, k) in place of Y in S where they are packed.
template <class T>
class Tile {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int kW = kWidth<T>;
  static constexpr int kLanes = kW / 2;
  static constexpr int kFlush = 4 * kSources;  // sources summed in T before going on in double
  static constexpr int kTogether = 4;          // exponentials side by side

 public:
  explicit Tile(const PairSums<T>& p)
      : p_(p),
        rows_((p.d + 3) / 4 * 4),
        u_(allocate<T>(static_cast<std::size_t>(p.k) * kW)),
        n_(allocate<T>(static_cast<std::size_t>(rows_) * kW)),
        e_(allocate<T>(kSources * kW)),
        total_(allocate<double>(static_cast<std::size_t>(rows_) * kW)) {}

  void aim(int i0) {
    i0_ = i0;
    for (int k = 0; k < p_.k; ++k) std::copy_n(p_.u + k * p_.stride + i0, kW, &u_[k * kW]);
    for (int l = 0; l < kW; ++l) row_[l] = p_.row ? p_.row[i0 + l] : i0 + l;
    first_row_ = *std::min_element(row_, row_ + kW);
    last_row_ = *std::max_element(row_, row_ + kW);
  }

  void sum() {
    std::fill_n(total_.get(), rows_ * kW, 0.0);
    std::fill_n(p_.z + i0_, kW, 0.0);
    const int end = visible_end();
    for (int j0 = 0; j0 < end; j0 += kFlush) {
      const int stop = std::min(j0 + kFlush, end);
      std::fill_n(z_, kW, T{0});
      for (int j = j0; j < stop; j += kSources) {
        const int count = std::min(kSources, p_.sources - j);
        score(j, count);
        partly_seen(j, count) ? weigh<true>(j, count) : weigh<false>(j, count);
        PanelProduct<T>({p_.y + j * p_.pitch, p_.pitch, p_.d, count}, e_.get(), n_.get(), j > j0);
      }
      for (int l = 0; l < kW; ++l) p_.z[i0_ + l] += z_[l];
      for (int c = 0; c < rows_ * kW; ++c) total_[c] += n_[c];
    }
    for (int k = 0; k < p_.d; ++k) std::copy_n(&total_[k * kW], kW, p_.n + k * p_.stride + i0_);
  }

  //   bound_i = max_j s_ij over the j it sees; minus infinity where there are none
  void largest(T* bound) {
    const D d;
    std::fill_n(bound + i0_, kW, -std::numeric_limits<T>::infinity());
    for (int j0 = 0; j0 < visible_end(); j0 += kSources) {
      const int count = std::min(kSources, p_.sources - j0);
      score(j0, count);
      for (int v = 0; v < 2; ++v) {
        V top = hn::LoadU(d, bound + i0_ + v * kLanes);
        for (int j = 0; j < count; ++j) {
          if (p_.y[(j0 + j) * p_.pitch + p_.d] == 0) continue;  // has no mass
          const V s = hn::Load(d, &e_[j * kW + v * kLanes]);
          top = hn::IfThenElse(seen(v, j0 + j), hn::Max(top, s), top);
        }
        hn::StoreU(top, d, bound + i0_ + v * kLanes);
      }
    }
  }

 private:
  int visible_end() const { return p_.past ? std::min(last_row_ + 1, p_.sources) : p_.sources; }

  bool partly_seen(int j0, int count) const {
    const int last = j0 + count - 1;
    if (p_.past) return p_.self ? last > first_row_ : last >= first_row_;
    return !p_.self && j0 <= last_row_ && last >= first_row_;
  }

  HWY_INLINE hn::Mask<D> seen(int v, int j) const {
    const D d;
    alignas(64) T ahead[kLanes];  // row - j, exact in T wherever its sign matters
    for (int l = 0; l < kLanes; ++l) ahead[l] = static_cast<T>(row_[v * kLanes + l] - j);
    const V by = hn::Load(d, ahead);
    if (p_.past) return p_.self ? hn::Ge(by, hn::Zero(d)) : hn::Gt(by, hn::Zero(d));
    return p_.self ? hn::Eq(by, by) : hn::Ne(by, hn::Zero(d));
  }

  void score(int j0, int count) {
    const T* y = p_.packed + static_cast<std::size_t>(j0) * p_.k;
    PanelProduct<T>({y, kSources, count, p_.k}, u_.get(), e_.get(), false);
  }

  template <bool kMasked>
  void weigh(int j0, int count) {
    const D d;
    const Exp2<D> exp2;
    for (int v = 0; v < 2; ++v) {
      const bool bounded = p_.form == Form::bounded;
      const V b = bounded ? hn::LoadU(d, p_.bound + i0_ + v * kLanes) : hn::Zero(d);
      V z = hn::Load(d, z_ + v * kLanes);
      int j = 0;
      if (!kMasked && !p_.weighted) {  // several at once: exponentials do not wait for each other
        for (; j + kTogether <= count; j += kTogether) {
          V e[kTogether];
          for (int c = 0; c < kTogether; ++c)
            e[c] = hn::Max(hn::Set(d, Exp2<D>::kLowest),
                           hn::Sub(hn::Load(d, &e_[(j + c) * kW + v * kLanes]), b));
          exp2(e);
          for (int c = 0; c < kTogether; ++c) {
            z = hn::Add(z, e[c]);
            hn::Store(e[c], d, &e_[(j + c) * kW + v * kLanes]);
          }
        }
      }
      for (; j < count; ++j) {
        T* place = &e_[j * kW + v * kLanes];
        const V s = hn::Max(hn::Set(d, Exp2<D>::kLowest), hn::Sub(hn::Load(d, place), b));
        const T w = p_.y[(j0 + j) * p_.pitch + p_.d];
        V e = w == 0 ? hn::Zero(d) : hn::Mul(exp2(s), hn::Set(d, w));  // 0 may lie above b
        if constexpr (kMasked) e = hn::IfThenElseZero(seen(v, j0 + j), e);
        z = hn::Add(z, e);
        hn::Store(e, d, place);
      }
      hn::Store(z, d, z_ + v * kLanes);
    }
  }

  const PairSums<T>& p_;
  int rows_, i0_ = 0, first_row_ = 0, last_row_ = 0;
  hwy::AlignedFreeUniquePtr<T[]> u_, n_;       // (k, kW), (d padded to fours, kW)
  hwy::AlignedFreeUniquePtr<T[]> e_;           // (kSources, kW): scores, then weights
  hwy::AlignedFreeUniquePtr<double[]> total_;  // (d padded to fours, kW)
  alignas(64) T z_[kW];
  int row_[kW];
};

template <class T>
void TileSums(const PairSums<T>& p, int block) {
  Tile<T> tile(p);
  for (int i = block * kBlock; i < (block + 1) * kBlock; i += kWidth<T>) {
    tile.aim(i);
    tile.sum();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#endif
