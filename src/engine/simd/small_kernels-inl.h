// small_kernels-inl.h: sums over pairs in few dimensions, lanes over targets, all in registers.
#if defined(MURMUR_SIMD_SMALL_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_SIMD_SMALL_KERNELS_INL_H_
#undef MURMUR_SIMD_SMALL_KERNELS_INL_H_
#else
#define MURMUR_SIMD_SMALL_KERNELS_INL_H_
#endif

#include <algorithm>

#include "engine/simd/exp2-inl.h"
#include "engine/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

// Vectors of targets that share each broadcast source: measured best of 1, 2, 4.
inline constexpr int kVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
inline constexpr int kChunk = 256;  // sources summed in T before the sums are added up in double

template <class T, int kD, Form kForm, bool kWeighted, bool kMasked>
struct SmallKernel {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  static constexpr int kTile = kVectors * kLanes;
  static_assert(kBlock % kTile == 0);

  // Adds the sources [begin, end) to sums (kD + 1, kTile): N, then Z, of the tile at target i0.
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
      bound[v] = kForm == Form::bounded ? hn::Neg(hn::Load(d, p.bound + i)) : hn::Zero(d);
      if constexpr (kMasked) row[v] = hn::Iota(d, static_cast<T>(i - begin));
    }
    const T* source = p.y + static_cast<std::size_t>(begin) * p.pitch;
    for (int j = begin; j < end; ++j, source += p.pitch) {
      V y[kD];
      for (int k = 0; k < kD; ++k) y[k] = hn::Set(d, source[k]);
      V e[kVectors];
      for (int v = 0; v < kVectors; ++v) e[v] = score(u[v], y, bound[v]);
      exp2(e);
      for (int v = 0; v < kVectors; ++v) {
        if constexpr (kWeighted) e[v] = hn::Mul(e[v], hn::Set(d, source[kD]));
        if constexpr (kMasked) e[v] = hn::IfThenElseZero(seen(p, row[v], j - begin), e[v]);
        z[v] = hn::Add(z[v], e[v]);
        for (int k = 0; k < kD; ++k) n[v][k] = hn::MulAdd(e[v], from(u[v], y, k), n[v][k]);
      }
    }
    for (int v = 0; v < kVectors; ++v) {
      for (int k = 0; k < kD; ++k) flush(n[v][k], sums + k * kTile + v * kLanes);
      flush(z[v], sums + kD * kTile + v * kLanes);
    }
  }

  // What N gathers, in coordinate k.
  static HWY_INLINE V from(const V (&u)[kD], const V (&y)[kD], int k) {
    return kForm == Form::difference ? hn::Sub(y[k], u[k]) : y[k];
  }

  static HWY_INLINE V score(const V (&u)[kD], const V (&y)[kD], V minus_bound) {
    const D d;
    if constexpr (kForm == Form::difference) {
      V s = hn::Zero(d);
      for (int k = 0; k < kD; ++k) s = hn::NegMulAdd(from(u, y, k), from(u, y, k), s);
      return hn::Max(hn::Set(d, Exp2<D>::kLowest), s);
    } else {
      const bool bounded = kForm == Form::bounded;
      V s = bounded ? hn::MulAdd(u[0], y[0], minus_bound) : hn::Mul(u[0], y[0]);
      for (int k = 1; k < kD; ++k) s = hn::MulAdd(u[k], y[k], s);
      return bounded ? hn::Max(hn::Set(d, Exp2<D>::kLowest), s) : s;
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
    Masked::add(p, i0, diagonal, after, sums);
    for (int j = after; j < end; j += kChunk)
      Plain::add(p, i0, j, std::min(j + kChunk, end), sums);
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
