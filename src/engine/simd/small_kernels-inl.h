// small_kernels-inl.h: sums over pairs in few dimensions, lanes over targets, all in registers.
#if defined(MURMUR_SIMD_SMALL_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_SIMD_SMALL_KERNELS_INL_H_
#undef MURMUR_SIMD_SMALL_KERNELS_INL_H_
#else
#define MURMUR_SIMD_SMALL_KERNELS_INL_H_
#endif

#include <algorithm>

#include "core/exp2-inl.h"
#include "engine/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

inline constexpr int kChunk = 256;  // sources summed in T before the sums are added up in double

template <class T, int kD, Form kForm, bool kWeighted, bool kMasked>
struct SmallKernel {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  // Vectors of targets that share each broadcast source: measured best of 1, 2, 4.
  static constexpr bool kManyColumns =
      HWY_TARGET <= HWY_AVX3 && (sizeof(T) == 8 || kForm == Form::difference);
  static constexpr int kVectors = kManyColumns ? 2 : 4;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  static constexpr int kTile = kVectors * kLanes;
  static_assert(kBlock % kTile == 0);

  // The scores of the source after next, the exponentials of the next and the sums of this one
  // stand side by side in the loop: nothing in it waits for a chain that began in the same turn.
  // Adds the sources [begin, end), at least one, to sums (kD + 1, kTile): N, then Z, of the tile at
  // target i0.
  static HWY_NOINLINE void add(const PairSums<T>& p, int i0, int begin, int end, double* sums) {
    const D d;
    const Exp2<D> exp2;
    V u[kVectors][kD], bound[kVectors], row[kVectors], z[kVectors], n[kVectors][kD];
    for (int v = 0; v < kVectors; ++v) {
      const int i = i0 + v * kLanes;
      for (int k = 0; k < kD; ++k) {
        u[v][k] = hn::Load(d, p.u + k * p.stride + i);
        n[v][k] = hn::Zero(d);
      }
      z[v] = hn::Zero(d);
      bound[v] = kForm == Form::bounded ? hn::Load(d, p.bound + i) : hn::Zero(d);
      if constexpr (kMasked) row[v] = hn::Iota(d, static_cast<T>(i - begin));
    }
    const T* const last = p.y + static_cast<std::size_t>(end - 1) * p.pitch;
    const T* source = p.y + static_cast<std::size_t>(begin) * p.pitch;
    const T* ahead = std::min(source + p.pitch, last);
    V e[kVectors], s[kVectors];
    score(u, bound, source, e);
    exp2(e);
    score(u, bound, ahead, s);
    for (int j = begin; j < end; ++j, source += p.pitch) {
      ahead = std::min(ahead + p.pitch, last);
      V next[kVectors];
      std::copy_n(s, kVectors, next);
      exp2(next);
      score(u, bound, ahead, s);
      for (int v = 0; v < kVectors; ++v) {
        if constexpr (kWeighted) e[v] = hn::Mul(e[v], hn::Set(d, source[kD]));
        if constexpr (kMasked) e[v] = hn::IfThenElseZero(seen(p, row[v], j - begin), e[v]);
        z[v] = hn::Add(z[v], e[v]);
        for (int k = 0; k < kD; ++k) n[v][k] = hn::MulAdd(e[v], from(source[k], u[v][k]), n[v][k]);
        e[v] = next[v];
      }
    }
    for (int v = 0; v < kVectors; ++v) {
      for (int k = 0; k < kD; ++k) flush(n[v][k], sums + k * kTile + v * kLanes);
      flush(z[v], sums + kD * kTile + v * kLanes);
    }
  }

  // One coordinate of what N gathers.
  static HWY_INLINE V from(T y, V u) {
    const V at = hn::Set(D(), y);
    return kForm == Form::difference ? hn::Sub(at, u) : at;
  }

  // The scores of all targets of the tile with the source at y.
  static HWY_INLINE void score(const V (&u)[kVectors][kD], const V (&bound)[kVectors], const T* y,
                               V (&s)[kVectors]) {
    const D d;
    for (int v = 0; v < kVectors; ++v) {
      if constexpr (kForm == Form::difference) {
        s[v] = hn::Zero(d);
        for (int k = 0; k < kD; ++k) {
          const V away = from(y[k], u[v][k]);
          s[v] = hn::NegMulAdd(away, away, s[v]);
        }
      } else {
        const V first = hn::Set(d, y[0]);
        s[v] =
            kForm == Form::bounded ? hn::MulSub(u[v][0], first, bound[v]) : hn::Mul(u[v][0], first);
        for (int k = 1; k < kD; ++k) s[v] = hn::MulAdd(u[v][k], hn::Set(d, y[k]), s[v]);
      }
      if (kForm != Form::open) s[v] = hn::Max(hn::Set(d, Exp2<D>::kLowest), s[v]);
    }
  }

  static HWY_INLINE hn::Mask<D> seen(const PairSums<T>& p, V row, int j) {
    const V source = hn::Set(D(), static_cast<T>(j));
    if (!p.past) return hn::Ne(row, source);
    return p.self ? hn::Ge(row, source) : hn::Gt(row, source);
  }

  static HWY_INLINE void flush(V part, double* sums) {
    alignas(64) T lane[kLanes];
    hn::Store(part, D(), lane);
    for (int l = 0; l < kLanes; ++l) sums[l] += lane[l];
  }
};

template <class T, int kD, Form kForm, bool kWeighted>
void SmallTile(const PairSums<T>& p, int i0) {
  using Plain = SmallKernel<T, kD, kForm, kWeighted, false>;
  using Masked = SmallKernel<T, kD, kForm, true, true>;
  constexpr int kTile = Plain::kTile;
  alignas(64) double sums[(kD + 1) * kTile] = {};
  const bool partial = p.past || !p.self;
  // Only the sources that are also targets of this tile are seen by some lanes and not by others.
  const int diagonal = partial ? std::min(i0, p.sources) : p.sources;
  const int after = std::min(diagonal + kTile, p.sources);
  const int end = p.past ? after : p.sources;
  for (int j = 0; j < diagonal; j += kChunk)
    Plain::add(p, i0, j, std::min(j + kChunk, diagonal), sums);
  if (partial) {
    if (diagonal < after) Masked::add(p, i0, diagonal, after, sums);  // else all padding
    for (int j = after; j < end; j += kChunk) Plain::add(p, i0, j, std::min(j + kChunk, end), sums);
  }
  for (int k = 0; k < kD; ++k) std::copy_n(sums + k * kTile, kTile, p.n + k * p.stride + i0);
  std::copy_n(sums + kD * kTile, kTile, p.z + i0);
}

template <class T, int kD, Form kForm>
void SmallBlock(const PairSums<T>& p, int block) {
  constexpr int kTile = SmallKernel<T, kD, kForm, true, true>::kTile;
  for (int i = block * kBlock; i < (block + 1) * kBlock; i += kTile)
    p.weighted ? SmallTile<T, kD, kForm, true>(p, i) : SmallTile<T, kD, kForm, false>(p, i);
}

template <class T, Form kForm>
void SmallSums(const PairSums<T>& p, int block) {
  switch (p.d) {
    case 2:
      return SmallBlock<T, 2, kForm>(p, block);
    case 3:
      return SmallBlock<T, 3, kForm>(p, block);
    default:
      return SmallBlock<T, 4, kForm>(p, block);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#endif
