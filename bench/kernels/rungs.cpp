// rungs.cpp: the rungs of the ladder for d = 3 in float.
#include "kernels/rungs.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rungs.cpp"
#include <hwy/foreach_target.h>

#include "core/buffer.h"
#include "core/exp2-inl.h"
#include "engine/simd/kernels.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

struct LibraryExp {  // Highway's own e^s
  V operator()(V s) const { return hn::Exp(D(), hn::Mul(s, hn::Set(D(), 0.69314718f))); }
};

struct PolynomialExp {  // degree 5 without a table
  V operator()(V s) const {
    const D d;
    const V magic = hn::Set(d, 12582912.0f);
    const V rounded = hn::Add(s, magic);
    const V f = hn::Sub(s, hn::Sub(rounded, magic));
    V p = hn::Set(d, 0.0013276487f);
    for (const float c :
         {0.0096755404f, 0.0555071323f, 0.2402211976f, 0.6931469671f, 1.0000000716f})
      p = hn::MulAdd(p, f, hn::Set(d, c));
    const hn::RebindToSigned<D> di;
    const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, rounded));
    return hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
  }
};

// Lanes over targets, kVectors of them at a time; kFlush sources between sums in double.
template <class Exp, int kVectors, int kFlush>
void LanesOverTargets(const Points& p, Sums& sums) {
  const D d;
  const Exp exp2;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V scale = hn::Set(d, static_cast<float>(p.beta * 1.4426950408889634));
  for (int i0 = 0; i0 < p.n; i0 += kVectors * lanes)
    for (int j0 = 0; j0 < p.n; j0 += kFlush) {
      V u[kVectors][3], sum[kVectors][4];
      for (int v = 0; v < kVectors; ++v)
        for (int k = 0; k < 4; ++k) {
          if (k < 3) u[v][k] = hn::Mul(scale, hn::LoadU(d, &p.x[k][i0 + v * lanes]));
          sum[v][k] = hn::Zero(d);
        }
      for (int j = j0; j < p.n && j - j0 < kFlush; ++j) {
        const V y[3] = {hn::Set(d, p.x[0][j]), hn::Set(d, p.x[1][j]), hn::Set(d, p.x[2][j])};
        for (int v = 0; v < kVectors; ++v) {
          const V s = hn::MulAdd(u[v][2], y[2], hn::MulAdd(u[v][1], y[1], hn::Mul(u[v][0], y[0])));
          const V e = exp2(s);
          for (int k = 0; k < 3; ++k) sum[v][k] = hn::MulAdd(e, y[k], sum[v][k]);
          sum[v][3] = hn::Add(sum[v][3], e);
        }
      }
      for (int v = 0; v < kVectors; ++v)
        for (int k = 0; k < 4; ++k) {
          alignas(64) float lane[hn::MaxLanes(D())];
          hn::Store(sum[v][k], d, lane);
          double* to = (k < 3 ? sums.n[k] : sums.z).data() + i0 + v * lanes;
          for (int l = 0; l < lanes; ++l) to[l] += lane[l];
        }
    }
}

constexpr int kAll = 1 << 30;
using TableExp = simd::HWY_NAMESPACE::Exp2<D>;
void Library(const Points& p, Sums& s) { LanesOverTargets<LibraryExp, 1, kAll>(p, s); }
void Polynomial(const Points& p, Sums& s) { LanesOverTargets<PolynomialExp, 1, kAll>(p, s); }
void Table(const Points& p, Sums& s) { LanesOverTargets<TableExp, 1, kAll>(p, s); }
void Flushed(const Points& p, Sums& s) { LanesOverTargets<TableExp, 1, 256>(p, s); }
void Two(const Points& p, Sums& s) { LanesOverTargets<TableExp, 2, 256>(p, s); }
void Four(const Points& p, Sums& s) { LanesOverTargets<TableExp, 4, 256>(p, s); }

}  // namespace HWY_NAMESPACE
}  // namespace murmur::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::bench {

HWY_EXPORT(Library);
HWY_EXPORT(Polynomial);
HWY_EXPORT(Table);
HWY_EXPORT(Flushed);
HWY_EXPORT(Two);
HWY_EXPORT(Four);

namespace {

template <class T>
void plain_loops(const Points& p, Sums& sums) {
  for (int i = 0; i < p.n; ++i) {
    T z = 0, n[3] = {};
    for (int j = 0; j < p.n; ++j) {
      T s = 0;
      for (int k = 0; k < 3; ++k) s += static_cast<T>(p.x[k][i]) * p.x[k][j];
      const T e = std::exp(static_cast<T>(p.beta) * s);
      z += e;
      for (int k = 0; k < 3; ++k) n[k] += e * p.x[k][j];
    }
    sums.z[i] = z;
    for (int k = 0; k < 3; ++k) sums.n[k][i] = n[k];
  }
}

// The kernels in src, as they stand.
template <bool kTwice>
void engine(const Points& p, Sums& sums) {
  const auto n = static_cast<std::size_t>(p.n);
  const double g = p.beta * 1.4426950408889634;
  simd::Buffer<float> targets, sources;
  simd::Buffer<double> strips;
  float* u = targets.need(3 * n);
  float* y = sources.need(4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) {
      u[k * n + i] = static_cast<float>(g * p.x[k][i]);
      y[4 * i + k] = p.x[k][i];
    }
    y[4 * i + 3] = 1;
  }
  simd::PairSums<float> pairs;
  pairs.d = 3;
  pairs.sources = p.n;
  pairs.y = y;
  pairs.pitch = 4;
  pairs.u = u;
  pairs.stride = n;
  double* total = strips.need(simd::kStrips * 4 * n);  // (strips, 4, n)
  pairs.n = total;
  pairs.z = total + 3 * n;
  if (kTwice)
    for (int s = 0; s < simd::kStrips; ++s) simd::symmetric_sums(pairs, g, s, total + s * 4 * n);
  else
    for (int block = 0; block < p.n / simd::kBlock; ++block) simd::small_sums(pairs, block);
  for (int s = 0; s < (kTwice ? simd::kStrips : 1); ++s)
    for (int k = 0; k < 4; ++k) {
      double* to = (k < 3 ? sums.n[k] : sums.z).data();
      for (std::size_t i = 0; i < n; ++i) to[i] += total[(s * 4 + k) * n + i];
    }
}

}  // namespace

std::span<const Rung> rungs() {
  static const Rung all[] = {
      {"plain loops, double", plain_loops<double>},
      {"plain loops, float", plain_loops<float>},
      {"lanes over targets, Highway's Exp",
       [](const Points& p, Sums& s) {
         HWY_DYNAMIC_DISPATCH(Library)
         (p, s);
       }},
      {"2^s by a polynomial of degree 5",
       [](const Points& p, Sums& s) {
         HWY_DYNAMIC_DISPATCH(Polynomial)
         (p, s);
       }},
      {"2^s by a table in registers",
       [](const Points& p, Sums& s) {
         HWY_DYNAMIC_DISPATCH(Table)
         (p, s);
       }},
      {"sums in double every 256 sources",
       [](const Points& p, Sums& s) {
         HWY_DYNAMIC_DISPATCH(Flushed)
         (p, s);
       }},
      {"two vectors of targets",
       [](const Points& p, Sums& s) {
         HWY_DYNAMIC_DISPATCH(Two)
         (p, s);
       }},
      {"four vectors of targets",
       [](const Points& p, Sums& s) {
         HWY_DYNAMIC_DISPATCH(Four)
         (p, s);
       }},
      {"staggered: small_sums of the engine", engine<false>},
      {"each exponential twice: symmetric_sums", engine<true>},
  };
  return all;
}

}  // namespace murmur::bench
#endif
