// symmetric_kernels-inl.h: sums over pairs where both see each other alike: each exponential serves
// twice.
#if defined(MURMUR_SIMD_SYMMETRIC_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_SIMD_SYMMETRIC_KERNELS_INL_H_
#undef MURMUR_SIMD_SYMMETRIC_KERNELS_INL_H_
#else
#define MURMUR_SIMD_SYMMETRIC_KERNELS_INL_H_
#endif

#include <algorithm>

#include "engine/simd/small_kernels-inl.h"
#include "murmur/stop.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

// With u_i = g y_i the weight e_ij = 2^{<u_i, y_j>} is that of i on j and of j on i:
//   N_i += e_ij y_j,   Z_i += e_ij,     g N_j += e_ij u_i,   Z_j += e_ij.
// Blocks of kBlock sources are met by tiles of earlier targets. A target's sums stay in registers
// over a block, a source's in level-1 memory, one vector a sum, over kFlushTiles tiles.
template <class T, int kD>
class SymmetricKernel {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr bool kManyColumns = HWY_TARGET <= HWY_AVX3 && (sizeof(T) == 8 || kD == 4);
  static constexpr int kVectors = kManyColumns ? 2 : 4;  // measured best of 1, 2, 4
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  static constexpr int kTile = kVectors * kLanes;
  static constexpr int kFlushTiles = 64;
  static_assert(kBlock % kTile == 0);

 public:
  // totals (kD + 1, stride): N, then Z.
  SymmetricKernel(const PairSums<T>& p, double g, double* totals)
      : p_(p), inverse_(1 / g), totals_(totals) {}

  // Pairs of the sources of one block with all targets up to the end of the block.
  void add(int block) {
    const int begin = block * kBlock, count = std::min(kBlock, p_.sources - begin);
    int waiting = 0;
    std::fill_n(source_, count * kStep, T{0});
    for (int i = 0; i < begin; i += kTile) {
      meet(i, begin, count);
      if (++waiting == kFlushTiles) waiting = flush(begin, count);
    }
    if (waiting > 0) flush(begin, count);
    for (int i = begin; i < begin + count; i += Plain::kTile) diagonal(i, begin, count);
  }

 private:
  using Plain = SmallKernel<T, kD, Form::open, false, false>;
  static constexpr int kStep = (kD + 1) * kLanes;

  // The loop is staggered as in SmallKernel.
  HWY_NOINLINE void meet(int i0, int begin, int count) {
    const D d;
    const Exp2<D> exp2;
    V u[kVectors][kD], z[kVectors], n[kVectors][kD];
    for (int v = 0; v < kVectors; ++v) {
      for (int k = 0; k < kD; ++k) {
        u[v][k] = hn::Load(d, p_.u + k * p_.stride + i0 + v * kLanes);
        n[v][k] = hn::Zero(d);
      }
      z[v] = hn::Zero(d);
    }
    const std::size_t pitch = p_.pitch;
    const T* const first = p_.y + static_cast<std::size_t>(begin) * pitch;
    const T* const last = first + (count - 1) * pitch;
    const T* source = first;
    const T* ahead = std::min(first + pitch, last);
    V e[kVectors], s[kVectors];
    score(u, first, e);
    exp2(e);
    score(u, ahead, s);
    T* sums = source_;
    for (int j = 0; j < count; ++j, source += pitch, sums += kStep) {
      ahead = std::min(ahead + pitch, last);
      V next[kVectors];
      std::copy_n(s, kVectors, next);
      exp2(next);
      score(u, ahead, s);
      for (int k = 0; k < kD; ++k) {
        const V y = hn::Set(d, source[k]);
        V back = hn::Load(d, sums + k * kLanes);
        for (int v = 0; v < kVectors; ++v) {
          n[v][k] = hn::MulAdd(e[v], y, n[v][k]);
          back = hn::MulAdd(e[v], u[v][k], back);
        }
        hn::Store(back, d, sums + k * kLanes);
      }
      V back = hn::Load(d, sums + kD * kLanes);
      for (int v = 0; v < kVectors; ++v) {
        z[v] = hn::Add(z[v], e[v]);
        back = hn::Add(back, e[v]);
        e[v] = next[v];
      }
      hn::Store(back, d, sums + kD * kLanes);
    }
    for (int v = 0; v < kVectors; ++v) {
      double* to = totals_ + i0 + v * kLanes;
      for (int k = 0; k < kD; ++k) Plain::flush(n[v][k], to + k * p_.stride);
      Plain::flush(z[v], to + kD * p_.stride);
    }
  }

  static HWY_INLINE void score(const V (&u)[kVectors][kD], const T* y, V (&s)[kVectors]) {
    for (int v = 0; v < kVectors; ++v) {
      s[v] = hn::Mul(u[v][0], hn::Set(D(), y[0]));
      for (int k = 1; k < kD; ++k) s[v] = hn::MulAdd(u[v][k], hn::Set(D(), y[k]), s[v]);
    }
  }

  int flush(int begin, int count) {
    for (int j = 0; j < count; ++j)
      for (int k = 0; k <= kD; ++k) {
        T* lane = source_ + j * kStep + k * kLanes;
        double sum = 0;
        for (int l = 0; l < kLanes; ++l) sum += lane[l];
        totals_[k * p_.stride + begin + j] += k < kD ? inverse_ * sum : sum;
      }
    std::fill_n(source_, count * kStep, T{0});
    return 0;
  }

  void diagonal(int i, int begin, int count) {
    alignas(64) double sums[(kD + 1) * Plain::kTile] = {};
    Plain::add(p_, i, begin, begin + count, sums);
    for (int k = 0; k <= kD; ++k)
      for (int l = 0; l < Plain::kTile; ++l)
        totals_[k * p_.stride + i + l] += sums[k * Plain::kTile + l];
  }

  const PairSums<T>& p_;
  const double inverse_;
  double* totals_;
  alignas(64) T source_[kBlock * kStep];  // (kBlock, kD + 1, kLanes)
};

// Strip s of kStrips takes blocks s, 2 kStrips - 1 - s, 2 kStrips + s, ...: later blocks have more
// to meet, and so every strip has about as much.
template <class T, int kD>
void SymmetricStrip(const PairSums<T>& p, double g, int strip, double* totals) {
  std::fill_n(totals, (kD + 1) * p.stride, 0.0);
  SymmetricKernel<T, kD> kernel(p, g, totals);
  const int blocks = static_cast<int>(p.stride / kBlock);
  for (int first = 0; first < blocks; first += 2 * kStrips)
    for (const int block : {first + strip, first + 2 * kStrips - 1 - strip})
      if (block < blocks) {
        stop_point();
        kernel.add(block);
      }
}

template <class T>
void SymmetricSums(const PairSums<T>& p, double g, int strip, double* totals) {
  switch (p.d) {
    case 2:
      return SymmetricStrip<T, 2>(p, g, strip, totals);
    case 3:
      return SymmetricStrip<T, 3>(p, g, strip, totals);
    default:
      return SymmetricStrip<T, 4>(p, g, strip, totals);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#endif
