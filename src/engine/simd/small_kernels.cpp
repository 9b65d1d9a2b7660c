// small_kernels.cpp: sums over pairs in 2, 3 and 4 dimensions with everything in registers,
// compiled for every vector target and chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/small_kernels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "core/exp2-inl.h"
#include "engine/simd/kernels.h"
#include "murmur/stop.h"

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

  // Adds the sources [begin, end), at least one, to sums (kD + 1, kTile): N, then Z, of the tile at
  // target i0. Each turn of the loop computes the scores of the source after next, the exponentials
  // of the next and the sums of this one, so that no operation waits for one of the same turn.
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
        if constexpr (kMasked) e[v] = hn::IfThenElseZero(attended(p, row[v], j - begin), e[v]);
        z[v] = hn::Add(z[v], e[v]);
        for (int k = 0; k < kD; ++k)
          n[v][k] = hn::MulAdd(e[v], summand(source[k], u[v][k]), n[v][k]);
        e[v] = next[v];
      }
    }
    for (int v = 0; v < kVectors; ++v) {
      for (int k = 0; k < kD; ++k) add_lanes(n[v][k], sums + k * kTile + v * kLanes);
      add_lanes(z[v], sums + kD * kTile + v * kLanes);
    }
  }

  // Returns one coordinate of the summands of N.
  static HWY_INLINE V summand(T y, V u) {
    const V at = hn::Set(D(), y);
    return kForm == Form::difference ? hn::Sub(at, u) : at;
  }

  // Computes the scores of all targets of the tile with the source at y.
  static HWY_INLINE void score(const V (&u)[kVectors][kD], const V (&bound)[kVectors], const T* y,
                               V (&s)[kVectors]) {
    const D d;
    for (int v = 0; v < kVectors; ++v) {
      if constexpr (kForm == Form::difference) {
        s[v] = hn::Zero(d);
        for (int k = 0; k < kD; ++k) {
          const V away = summand(y[k], u[v][k]);
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

  static HWY_INLINE hn::Mask<D> attended(const PairSums<T>& p, V row, int j) {
    const V source = hn::Set(D(), static_cast<T>(j));
    if (!p.causal) return hn::Ne(row, source);
    return p.self ? hn::Ge(row, source) : hn::Gt(row, source);
  }

  static HWY_INLINE void add_lanes(V part, double* sums) {
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
  const bool partial = p.causal || !p.self;
  // Only the sources that are also targets of this tile are masked for some lanes and not for
  // others.
  const int diagonal = partial ? std::min(i0, p.sources) : p.sources;
  const int after = std::min(diagonal + kTile, p.sources);
  const int end = p.causal ? after : p.sources;
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

// With u_i = g y_i the weight e_ij = 2^{<u_i, y_j>} equals e_ji, so that each exponential is used
// twice:
//   N_i += e_ij y_j,   Z_i += e_ij,     g N_j += e_ij u_i,   Z_j += e_ij.
// Each block of kBlock sources is summed with all tiles of earlier targets. The sums of a target
// stay in registers over a block, those of a source in level-1 memory, one vector per sum, over
// kFlushTiles tiles.
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

  // Adds the pairs of the sources of one block with all targets up to the end of the block.
  void add(int block) {
    const int begin = block * kBlock, count = std::min(kBlock, p_.sources - begin);
    int waiting = 0;
    std::fill_n(source_, count * kStep, T{0});
    for (int i = 0; i < begin; i += kTile) {
      add_tile(i, begin, count);
      if (++waiting == kFlushTiles) waiting = flush_sources(begin, count);
    }
    if (waiting > 0) flush_sources(begin, count);
    for (int i = begin; i < begin + count; i += Plain::kTile) add_diagonal(i, begin, count);
  }

 private:
  using Plain = SmallKernel<T, kD, Form::open, false, false>;
  static constexpr int kStep = (kD + 1) * kLanes;

  // The loop is staggered as in SmallKernel.
  HWY_NOINLINE void add_tile(int i0, int begin, int count) {
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
      for (int k = 0; k < kD; ++k) Plain::add_lanes(n[v][k], to + k * p_.stride);
      Plain::add_lanes(z[v], to + kD * p_.stride);
    }
  }

  static HWY_INLINE void score(const V (&u)[kVectors][kD], const T* y, V (&s)[kVectors]) {
    for (int v = 0; v < kVectors; ++v) {
      s[v] = hn::Mul(u[v][0], hn::Set(D(), y[0]));
      for (int k = 1; k < kD; ++k) s[v] = hn::MulAdd(u[v][k], hn::Set(D(), y[k]), s[v]);
    }
  }

  int flush_sources(int begin, int count) {
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

  void add_diagonal(int i, int begin, int count) {
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
// pairs, so that all strips have about the same number.
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

void SmallFloat(const PairSums<float>& p, int block) {
  p.form == Form::open ? SmallSums<float, Form::open>(p, block)
                       : SmallSums<float, Form::difference>(p, block);
}

void SmallDouble(const PairSums<double>& p, int block) {
  p.form == Form::open ? SmallSums<double, Form::open>(p, block)
                       : SmallSums<double, Form::bounded>(p, block);
}

void SymmetricFloat(const PairSums<float>& p, double g, int strip, double* totals) {
  SymmetricSums(p, g, strip, totals);
}

void SymmetricDouble(const PairSums<double>& p, double g, int strip, double* totals) {
  SymmetricSums(p, g, strip, totals);
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(SmallFloat);
HWY_EXPORT(SmallDouble);

void small_sums(const PairSums<float>& p, int block) { HWY_DYNAMIC_DISPATCH(SmallFloat)(p, block); }
void small_sums(const PairSums<double>& p, int block) {
  HWY_DYNAMIC_DISPATCH(SmallDouble)(p, block);
}

HWY_EXPORT(SymmetricFloat);
HWY_EXPORT(SymmetricDouble);

void symmetric_sums(const PairSums<float>& p, double g, int strip, double* totals) {
  HWY_DYNAMIC_DISPATCH(SymmetricFloat)(p, g, strip, totals);
}

void symmetric_sums(const PairSums<double>& p, double g, int strip, double* totals) {
  HWY_DYNAMIC_DISPATCH(SymmetricDouble)(p, g, strip, totals);
}

}  // namespace murmur::simd
#endif
