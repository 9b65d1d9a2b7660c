// tile_kernels.cpp: sums over pairs in any dimension, as matrix products around an exponential,
// compiled for every vector target and chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/tile_kernels.cpp"
#include <hwy/foreach_target.h>

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
// with the keys (kSources, k) in place of Y in S where they are packed. Where N fits into
// registers, scores and weights stay in them too.
template <class T>
class Tile {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int kW = kWidth<T>;
  static constexpr int kLanes = kW / 2;
  static constexpr int kFlush =  // sources summed in T before going on in double
      (sizeof(T) == 4 ? 4 : 16) * kSources;
  static constexpr int kTogether = 4;  // exponentials at once

 public:
  explicit Tile(const PairSums<T>& p)
      : p_(p),
        rows_((p.d + 3) / 4 * 4),
        u_(allocate<T>(static_cast<std::size_t>(p.k) * kW)),
        n_(allocate<T>(static_cast<std::size_t>(rows_) * kW)),
        e_(allocate<T>(kSources * kW)),
        total_(allocate<double>(static_cast<std::size_t>(rows_) * kW)) {}

  void set_targets(int i0) {
    i0_ = i0;
    for (int k = 0; k < p_.k; ++k) std::copy_n(p_.u + k * p_.stride + i0, kW, &u_[k * kW]);
    for (int l = 0; l < kW; ++l) row_[l] = p_.row ? p_.row[i0 + l] : i0 + l;
    first_row_ = *std::min_element(row_, row_ + kW);
    last_row_ = *std::max_element(row_, row_ + kW);
  }

  void sum() {
    std::fill_n(total_.get(), rows_ * kW, 0.0);
    std::fill_n(p_.z + i0_, kW, 0.0);
    const int end = source_end();
    for (int j0 = 0; j0 < end; j0 += kFlush) {
      const int stop = std::min(j0 + kFlush, end);
      std::fill_n(z_, kW, T{0});
      int j = j0 + sum_in_registers(j0, stop);
      for (; j < stop; j += kSources) {
        const int count = std::min(kSources, p_.sources - j);
        compute_scores(j, count);
        partly_masked(j, count) ? compute_weights<true>(j, count)
                                : compute_weights<false>(j, count);
        PanelProduct<T>({p_.y + j * p_.pitch, p_.pitch, p_.d, count}, e_.get(), n_.get(), j > j0);
      }
      for (int l = 0; l < kW; ++l) p_.z[i0_ + l] += z_[l];
      for (int c = 0; c < rows_ * kW; ++c) total_[c] += n_[c];
    }
    for (int k = 0; k < p_.d; ++k) std::copy_n(&total_[k * kW], kW, p_.n + k * p_.stride + i0_);
  }

  //   bound_i = max_j s_ij over the j that i attends to; minus infinity if there are none
  void find_bounds(T* bound) {
    const D d;
    std::fill_n(bound + i0_, kW, -std::numeric_limits<T>::infinity());
    for (int j0 = 0; j0 < source_end(); j0 += kSources) {
      const int count = std::min(kSources, p_.sources - j0);
      compute_scores(j0, count);
      for (int v = 0; v < 2; ++v) {
        V top = hn::LoadU(d, bound + i0_ + v * kLanes);
        for (int j = 0; j < count; ++j) {
          if (p_.y[(j0 + j) * p_.pitch + p_.d] == 0) continue;  // has no mass
          const V s = hn::Load(d, &e_[j * kW + v * kLanes]);
          top = hn::IfThenElse(attended(v, j0 + j), hn::Max(top, s), top);
        }
        hn::StoreU(top, d, bound + i0_ + v * kLanes);
      }
    }
  }

 private:
  int source_end() const { return p_.causal ? std::min(last_row_ + 1, p_.sources) : p_.sources; }

  bool partly_masked(int j0, int count) const {
    const int last = j0 + count - 1;
    if (p_.causal) return p_.self ? last > first_row_ : last >= first_row_;
    return !p_.self && j0 <= last_row_ && last >= first_row_;
  }

  HWY_INLINE hn::Mask<D> attended(int v, int j) const {
    const D d;
    alignas(64) T ahead[kLanes];  // row - j, exact in T wherever its sign matters
    for (int l = 0; l < kLanes; ++l) ahead[l] = static_cast<T>(row_[v * kLanes + l] - j);
    const V by = hn::Load(d, ahead);
    if (p_.causal) return p_.self ? hn::Ge(by, hn::Zero(d)) : hn::Gt(by, hn::Zero(d));
    return p_.self ? hn::Eq(by, by) : hn::Ne(by, hn::Zero(d));
  }

  void compute_scores(int j0, int count) {
    const T* y = p_.packed + static_cast<std::size_t>(j0) * p_.k;
    PanelProduct<T>({y, kSources, count, p_.k}, u_.get(), e_.get(), false);
  }

  // Sums the first whole groups of [j0, stop) with N in registers, for heads with 4, 8 or 12
  // coordinates in keys and values. Returns the number of sources summed.
  int sum_in_registers(int j0, int stop) {
    if constexpr (HWY_TARGET <= HWY_AVX3) {  // 32 registers
      const int whole = std::min(stop, p_.sources / kSources * kSources) - j0;
      if (p_.weighted || p_.k != p_.d || whole <= 0 || partly_masked(j0, whole)) return 0;
      if (p_.d == 4) return sum_rows_in_registers<4>(j0, whole);
      if (p_.d == 8) return sum_rows_in_registers<8>(j0, whole);
      if (p_.d == 12) return sum_rows_in_registers<12>(j0, whole);
    }
    return 0;
  }

  // As in the small kernels, each turn of the loop computes the scores of the kTogether sources
  // after next, the exponentials of the next and the sums of these.
  template <int kRows>
  HWY_NOINLINE int sum_rows_in_registers(int j0, int whole) {
    const D d;
    const Exp2<D> exp2;
    constexpr int kPitch = kRows + 4;
    const int last = j0 + whole - kTogether;
    for (int v = 0; v < 2; ++v) {
      const V start = p_.form == Form::bounded ? hn::Neg(hn::LoadU(d, p_.bound + i0_ + v * kLanes))
                                               : hn::Zero(d);
      V z = hn::Zero(d), n[kRows], e[kTogether], s[kTogether], next[kTogether];
      for (int r = 0; r < kRows; ++r) n[r] = hn::Zero(d);
      for (int c = 0; c < kTogether; ++c) e[c] = s[c] = start;
      score_in_registers<kRows>(v, j0, e);
      exp2(e);
      score_in_registers<kRows>(v, std::min(j0 + kTogether, last), s);
      const T* y = p_.y + static_cast<std::size_t>(j0) * kPitch;
      for (int j = j0; j <= last; j += kTogether, y += kTogether * kPitch) {
        HWY_FENCE;  // u is read again in every turn, because N needs the registers
        const T* const u = &u_[v * kLanes];
        const T* const key = keys_at<kRows>(std::min(j + 2 * kTogether, last));
        for (int c = 0; c < kTogether; ++c) next[c] = start;
        for (int c = 0; c < kTogether; ++c) z = hn::Add(z, e[c]);
#pragma GCC unroll 12
        for (int r = 0; r < kRows; ++r) {
          if (2 * r % kRows == 0) {  // two exponentials here, two halfway
            const int c = 4 * r / kRows;
            V pair[2] = {s[c], s[c + 1]};
            exp2(pair);
            s[c] = pair[0], s[c + 1] = pair[1];
          }
          const V ur = hn::Load(d, u + r * kW);
          for (int c = 0; c < kTogether; ++c) {
            next[c] = hn::MulAdd(ur, hn::Set(d, key[r * kSources + c]), next[c]);
            n[r] = hn::MulAdd(e[c], hn::Set(d, y[c * kPitch + r]), n[r]);
          }
        }
        for (int c = 0; c < kTogether; ++c) {
          e[c] = s[c];
          s[c] = hn::Max(hn::Set(d, Exp2<D>::kLowest), next[c]);
        }
      }
      hn::Store(z, d, z_ + v * kLanes);
      for (int r = 0; r < kRows; ++r) hn::Store(n[r], d, &n_[r * kW + v * kLanes]);
    }
    return whole;
  }

  // Coordinate r of the key of source j + c is at [r * kSources + c].
  template <int kRows>
  HWY_INLINE const T* keys_at(int j) const {
    return p_.packed + static_cast<std::size_t>(j / kSources * kSources) * kRows + j % kSources;
  }

  //   s_c += <u, key_{j + c}>, clamped to the lowest argument of the exponential
  template <int kRows>
  HWY_INLINE void score_in_registers(int v, int j, V (&s)[kTogether]) const {
    const D d;
    const T* key = keys_at<kRows>(j);
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kTogether; ++c)
        s[c] = hn::MulAdd(hn::Load(d, &u_[r * kW + v * kLanes]), hn::Set(d, key[r * kSources + c]),
                          s[c]);
    for (int c = 0; c < kTogether; ++c) s[c] = hn::Max(hn::Set(d, Exp2<D>::kLowest), s[c]);
  }

  template <bool kMasked>
  void compute_weights(int j0, int count) {
    const D d;
    const Exp2<D> exp2;
    for (int v = 0; v < 2; ++v) {
      const bool bounded = p_.form == Form::bounded;
      const V b = bounded ? hn::LoadU(d, p_.bound + i0_ + v * kLanes) : hn::Zero(d);
      V z = hn::Load(d, z_ + v * kLanes);
      int j = 0;
      if (!kMasked && !p_.weighted) {  // several at once, so that exponentials overlap
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
        if constexpr (kMasked) e = hn::IfThenElseZero(attended(v, j0 + j), e);
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
    tile.set_targets(i);
    tile.sum();
  }
}

void TileFloat(const PairSums<float>& p, int block) { TileSums(p, block); }
void TileDouble(const PairSums<double>& p, int block) { TileSums(p, block); }

void TileBounds(const PairSums<double>& p, int block, double* bound) {
  Tile<double> tile(p);
  for (int i = block * kBlock; i < (block + 1) * kBlock; i += kWidth<double>) {
    tile.set_targets(i);
    tile.find_bounds(bound);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(TileFloat);
HWY_EXPORT(TileDouble);
HWY_EXPORT(TileBounds);

void tile_sums(const PairSums<float>& p, int block) { HWY_DYNAMIC_DISPATCH(TileFloat)(p, block); }
void tile_sums(const PairSums<double>& p, int block) { HWY_DYNAMIC_DISPATCH(TileDouble)(p, block); }
void tile_bounds(const PairSums<double>& p, int block, double* bound) {
  HWY_DYNAMIC_DISPATCH(TileBounds)(p, block, bound);
}

}  // namespace murmur::simd
#endif
