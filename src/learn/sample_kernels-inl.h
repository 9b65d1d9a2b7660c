// sample_kernels-inl.h: the feed-forward of one small sample with its adjoint, and what the fused
// kernels share.
#if defined(MURMUR_LEARN_FLOCK_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_LEARN_FLOCK_KERNELS_INL_H_
#undef MURMUR_LEARN_FLOCK_KERNELS_INL_H_
#else
#define MURMUR_LEARN_FLOCK_KERNELS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/exp2-inl.h"
#include "learn/sample_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

using F = hn::ScalableTag<float>;
using V = hn::Vec<F>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(F()));
static_assert(kPadding % kLanes == 0);

// Weights below 2^-64 of a row's largest are replaced by that: no digit of a float is lost, and no
// product with a small gradient is subnormal, where processors are slow.
inline constexpr float kFaintest = -64;

template <int kD>
HWY_INLINE void LoadAxes(const float* x, std::size_t stride, std::size_t i, V (&v)[kD]) {
  for (int k = 0; k < kD; ++k) v[k] = hn::Load(F(), x + k * stride + i);
}

template <int kD>
HWY_INLINE void StoreAxes(const V (&v)[kD], float* x, std::size_t stride, std::size_t i) {
  for (int k = 0; k < kD; ++k) hn::Store(v[k], F(), x + k * stride + i);
}

// sums[r] = the sum over lanes of vector r of `table` (rows, kLanes), for a whole number of four
// rows: two rounds of interleaving turn four vectors into one of four sums a 128-bit block.
HWY_INLINE void SumRows(const float* table, std::size_t rows, float* sums) {
#if HWY_TARGET == HWY_SCALAR
  std::copy_n(table, rows, sums);
#else
  const F f;
  const hn::RepartitionToWide<F> wide;
  const hn::FixedTag<float, 4> quad;
  alignas(64) float blocks[kLanes];
  for (std::size_t r = 0; r < rows; r += 4) {
    const float* at = table + r * kLanes;
    const V a = hn::Load(f, at), b = hn::Load(f, at + kLanes);
    const V c = hn::Load(f, at + 2 * kLanes), d = hn::Load(f, at + 3 * kLanes);
    const V ab = hn::Add(hn::InterleaveLower(f, a, b), hn::InterleaveUpper(f, a, b));
    const V cd = hn::Add(hn::InterleaveLower(f, c, d), hn::InterleaveUpper(f, c, d));
    const auto p = hn::BitCast(wide, ab), q = hn::BitCast(wide, cd);
    const V abcd = hn::Add(hn::BitCast(f, hn::InterleaveLower(wide, p, q)),
                           hn::BitCast(f, hn::InterleaveUpper(wide, p, q)));
    hn::Store(abcd, f, blocks);
    auto sum = hn::Load(quad, blocks);
    for (int k = 4; k < kLanes; k += 4) sum = hn::Add(sum, hn::Load(quad, blocks + k));
    hn::Store(sum, quad, sums + r);
  }
#endif
}

// Calls tile.template operator()<vectors>(first token) over the whole stride, kMost vectors a time.
template <int kMost, class Tile>
HWY_INLINE void ForTiles(std::size_t stride, const Tile& tile) {
  std::size_t i = 0;
  for (; i + kMost * kLanes <= stride; i += kMost * kLanes) tile.template operator()<kMost>(i);
  if constexpr (kMost > 1) {
    const std::size_t left = (stride - i) / kLanes;
    if (left == 1) tile.template operator()<1>(i);
    if constexpr (kMost > 2)
      if (left == 2) tile.template operator()<2>(i);
    if constexpr (kMost > 3)
      if (left == 3) tile.template operator()<3>(i);
  }
}

template <int kD>
void PerceptronForward(const PerceptronPass& p) {
  const F f;
  ForTiles<4>(p.stride, [&]<int kU>(std::size_t i) HWY_ATTR {
    V x[kU][kD], sum[kU][kD];
    for (int u = 0; u < kU; ++u) {
      LoadAxes<kD>(p.x, p.stride, i + u * kLanes, x[u]);
      for (int c = 0; c < kD; ++c) sum[u][c] = hn::Set(f, p.out_bias[c]);
    }
    const float* unit = p.rows;
    for (int h = 0; h < p.hidden; ++h, unit += pitch(kD)) {
      V z[kU];
      for (int u = 0; u < kU; ++u) {
        z[u] = hn::Set(f, unit[kD]);
        for (int c = 0; c < kD; ++c) z[u] = hn::MulAdd(x[u][c], hn::Set(f, unit[c]), z[u]);
        z[u] = hn::Max(z[u], hn::Zero(f));
        for (int c = 0; c < kD; ++c)
          sum[u][c] = hn::MulAdd(z[u], hn::Set(f, unit[kD + 1 + c]), sum[u][c]);
      }
    }
    const V residual = hn::Set(f, p.residual);
    for (int u = 0; u < kU; ++u) {
      for (int c = 0; c < kD; ++c) sum[u][c] = hn::MulAdd(residual, sum[u][c], x[u][c]);
      StoreAxes<kD>(sum[u], p.y, p.stride, i + u * kLanes);
    }
  });
}

// Lanes over hidden units. Scratch: tokens (n, pitch): x_i then residual dy_i; sums (kD, stride);
// table (kD, stride, kLanes).
template <int kD>
void PerceptronBackward(const PerceptronPass& p) {
  const F f;
  float* tokens = p.scratch;
  float* sums = tokens + pitch(kD) * p.stride;
  float* table = sums + kD * p.stride;
  const std::size_t row = p.stride * kLanes;
  float total[kD] = {};
  for (int i = 0; i < p.n; ++i)
    for (int c = 0; c < kD; ++c) {
      tokens[i * pitch(kD) + c] = p.x[c * p.stride + i];
      tokens[i * pitch(kD) + kD + c] = p.residual * p.dx[c * p.stride + i];
      total[c] += tokens[i * pitch(kD) + kD + c];
    }
  for (int c = 0; c < kD; ++c) p.out_bias_gradient[c] += total[c];
  std::fill_n(table, kD * row, 0.0f);
  for (std::size_t h = 0; h < p.units; h += kLanes) {
    V in[kD], out[kD], din[kD], dout[kD];
    for (int c = 0; c < kD; ++c) {
      in[c] = hn::Load(f, p.lanes + c * p.units + h);
      out[c] = hn::Load(f, p.lanes + (kD + 1 + c) * p.units + h);
      din[c] = dout[c] = hn::Zero(f);
    }
    const V bias = hn::Load(f, p.lanes + kD * p.units + h);
    V dbias = hn::Zero(f);
    const float* token = tokens;
    float* at = table;
    for (int i = 0; i < p.n; ++i, token += pitch(kD), at += kLanes) {
      V z = bias, dz = hn::Mul(out[0], hn::Set(f, token[kD]));
      for (int c = 0; c < kD; ++c) z = hn::MulAdd(in[c], hn::Set(f, token[c]), z);
      for (int c = 1; c < kD; ++c) dz = hn::MulAdd(out[c], hn::Set(f, token[kD + c]), dz);
      dz = hn::IfThenElseZero(hn::Gt(z, hn::Zero(f)), dz);
      z = hn::Max(z, hn::Zero(f));
      dbias = hn::Add(dbias, dz);
      for (int c = 0; c < kD; ++c) {
        dout[c] = hn::MulAdd(z, hn::Set(f, token[kD + c]), dout[c]);
        din[c] = hn::MulAdd(dz, hn::Set(f, token[c]), din[c]);
        hn::Store(hn::MulAdd(dz, in[c], hn::Load(f, at + c * row)), f, at + c * row);
      }
    }
    const auto add = [&](int c, V v) HWY_ATTR {
      float* to = p.lanes_gradient + c * p.units + h;
      hn::Store(hn::Add(hn::Load(f, to), v), f, to);
    };
    for (int c = 0; c < kD; ++c) {
      add(c, din[c]);
      add(kD + 1 + c, dout[c]);
    }
    add(kD, dbias);
  }
  SumRows(table, kD * p.stride, sums);
  for (std::size_t i = 0; i < p.stride; i += kLanes)
    for (int c = 0; c < kD; ++c) {
      float* to = p.dx + c * p.stride + i;
      hn::Store(hn::Add(hn::Load(f, to), hn::Load(f, sums + c * p.stride + i)), f, to);
    }
}

inline void SoftmaxRows(const SoftmaxPass& p) {
  const F f;
  const Exp2<F> exp2;
  const V scale = hn::Set(f, p.scale * 1.44269504088896341f);
  const V lowest = hn::Set(f, kFaintest);
  for (int i = 0; i < p.rows; ++i) {
    float* s = p.s + static_cast<std::size_t>(i) * p.pitch;
    std::fill(s + p.n, s + p.pitch, -3e38f);
    V peak = hn::Load(f, s);
    for (std::size_t j = kLanes; j < p.pitch; j += kLanes) peak = hn::Max(peak, hn::Load(f, s + j));
    peak = hn::MaxOfLanes(f, peak);
    V sum = hn::Zero(f);
    for (std::size_t j = 0; j < p.pitch; j += kLanes) {
      const V gap = hn::Max(lowest, hn::Mul(scale, hn::Sub(hn::Load(f, s + j), peak)));
      hn::Store(exp2(gap), f, s + j);
    }
    std::fill(s + p.n, s + p.pitch, 0.0f);
    for (std::size_t j = 0; j < p.pitch; j += kLanes) sum = hn::Add(sum, hn::Load(f, s + j));
    const V share = hn::Div(hn::Set(f, 1.0f), hn::SumOfLanes(f, sum));
    for (std::size_t j = 0; j < p.pitch; j += kLanes)
      hn::Store(hn::Mul(hn::Load(f, s + j), share), f, s + j);
  }
}

inline void SoftmaxRowsBack(const SoftmaxPass& p, float* ds) {
  const F f;
  for (int i = 0; i < p.rows; ++i) {
    const float* weight = p.s + static_cast<std::size_t>(i) * p.pitch;
    float* row = ds + static_cast<std::size_t>(i) * p.pitch;
    std::fill(row + p.n, row + p.pitch, 0.0f);
    V sum = hn::Zero(f);
    for (std::size_t j = 0; j < p.pitch; j += kLanes)
      sum = hn::MulAdd(hn::Load(f, weight + j), hn::Load(f, row + j), sum);
    const V level = hn::SumOfLanes(f, sum);
    for (std::size_t j = 0; j < p.pitch; j += kLanes)
      hn::Store(hn::Mul(hn::Load(f, weight + j), hn::Sub(hn::Load(f, row + j), level)), f, row + j);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#endif
