// sample_kernels-inl.h: attention and feed-forward of one small sample, fused, with their adjoints.
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

// y = scale (W x + b), lanes over tokens; W (kD, kD).
template <int kD>
HWY_INLINE void Map(const float* w, const float* b, float scale, const V (&x)[kD], V (&y)[kD]) {
  const F f;
  for (int r = 0; r < kD; ++r) {
    V sum = hn::Set(f, b[r] * scale);
    for (int c = 0; c < kD; ++c) sum = hn::MulAdd(hn::Set(f, w[r * kD + c] * scale), x[c], sum);
    y[r] = sum;
  }
}

// x += scale W^T y
template <int kD>
HWY_INLINE void AddTransposed(const float* w, float scale, const V (&y)[kD], V (&x)[kD]) {
  const F f;
  for (int c = 0; c < kD; ++c)
    for (int r = 0; r < kD; ++r) x[c] = hn::MulAdd(hn::Set(f, w[r * kD + c] * scale), y[r], x[c]);
}

template <int kD>
HWY_INLINE void LoadAxes(const float* x, std::size_t stride, std::size_t i, V (&v)[kD]) {
  for (int k = 0; k < kD; ++k) v[k] = hn::Load(F(), x + k * stride + i);
}

template <int kD>
HWY_INLINE void StoreAxes(const V (&v)[kD], float* x, std::size_t stride, std::size_t i) {
  for (int k = 0; k < kD; ++k) hn::Store(v[k], F(), x + k * stride + i);
}

// The gradient of a map (W, b) gathered over vectors of tokens, then over lanes.
template <int kD>
struct MapGradient {
  V w[kD][kD], b[kD];
  HWY_INLINE MapGradient() {
    for (int r = 0; r < kD; ++r) {
      b[r] = hn::Zero(F());
      for (int c = 0; c < kD; ++c) w[r][c] = hn::Zero(F());
    }
  }
  HWY_INLINE void add(const V (&dy)[kD], const V (&x)[kD]) {
    for (int r = 0; r < kD; ++r) {
      b[r] = hn::Add(b[r], dy[r]);
      for (int c = 0; c < kD; ++c) w[r][c] = hn::MulAdd(dy[r], x[c], w[r][c]);
    }
  }
  HWY_INLINE void flush(float scale, float* dw, float* db) const {
    const F f;
    for (int r = 0; r < kD; ++r) {
      db[r] += scale * hn::GetLane(hn::SumOfLanes(f, b[r]));
      for (int c = 0; c < kD; ++c)
        dw[r * kD + c] += scale * hn::GetLane(hn::SumOfLanes(f, w[r][c]));
    }
  }
};

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

// Scratch of attention: sources (stride, pitch); q, dO, dq (kD, stride) each; D (stride); sums
// (2 kD, stride); table (2 kD, stride, kLanes).
template <int kD>
struct AttentionScratch {
  float *source, *q, *cotangent, *dq, *level, *sums, *table;
  HWY_INLINE AttentionScratch(float* at, std::size_t stride) {
    source = at;
    q = source + pitch(kD) * stride;
    cotangent = q + kD * stride;
    dq = cotangent + kD * stride;
    level = dq + kD * stride;
    sums = level + stride;
    table = sums + 2 * kD * stride;
  }
};

// Queries in powers of two: 2^(<q', k>) = e^(<q, k> / sqrt(d)).
template <int kD>
HWY_INLINE float QueryScale() {
  return 1.44269504088896341f / std::sqrt(static_cast<float>(kD));
}

// Packs (k_j, v_j) one token after another, and lays the queries out by axes.
template <int kD>
HWY_INLINE void Project(const AttentionPass& p, const AttentionScratch<kD>& s) {
  alignas(64) float lanes[2 * kD][kLanes];
  for (std::size_t i = 0; i < p.stride; i += kLanes) {
    V x[kD], q[kD], k[kD], v[kD];
    LoadAxes<kD>(p.x, p.stride, i, x);
    Map<kD>(p.parameters.query, p.parameters.query_bias, QueryScale<kD>(), x, q);
    Map<kD>(p.parameters.key, p.parameters.key_bias, 1.0f, x, k);
    Map<kD>(p.parameters.value, p.parameters.value_bias, 1.0f, x, v);
    StoreAxes<kD>(q, s.q, p.stride, i);
    for (int c = 0; c < kD; ++c) {
      hn::Store(k[c], F(), lanes[c]);
      hn::Store(v[c], F(), lanes[kD + c]);
    }
    for (int l = 0; l < kLanes; ++l)
      for (int c = 0; c < 2 * kD; ++c) s.source[(i + l) * pitch(kD) + c] = lanes[c][l];
  }
}

template <int kD>
HWY_INLINE V Score(const V (&q)[kD], const float* source, V start) {
  V s = start;
  for (int c = 0; c < kD; ++c) s = hn::MulAdd(q[c], hn::Set(F(), source[c]), s);
  return s;
}

template <int kD, bool kMasked>
void AttentionForward(const AttentionPass& p) {
  const AttentionScratch<kD> s(p.scratch, p.stride);
  Project<kD>(p, s);
  const F f;
  const Exp2<F> exp2;
  const V lowest = hn::Set(f, kFaintest);
  ForTiles<4>(p.stride, [&]<int kU>(std::size_t i) HWY_ATTR {
    V q[kU][kD], peak[kU], z[kU], o[kU][kD];
    for (int u = 0; u < kU; ++u) {
      LoadAxes<kD>(s.q, p.stride, i + u * kLanes, q[u]);
      peak[u] = hn::Set(f, -3e38f);
      z[u] = hn::Zero(f);
      for (int c = 0; c < kD; ++c) o[u][c] = hn::Zero(f);
    }
    const float* source = s.source;
    for (int j = 0; j < p.n; ++j, source += pitch(kD))
      for (int u = 0; u < kU; ++u) peak[u] = hn::Max(peak[u], Score<kD>(q[u], source, hn::Zero(f)));
    source = s.source;
    for (int j = 0; j < p.n; ++j, source += pitch(kD)) {
      V e[kU];
      for (int u = 0; u < kU; ++u)
        e[u] = hn::Max(lowest, Score<kD>(q[u], source, hn::Neg(peak[u])));
      exp2(e);
      for (int u = 0; u < kU; ++u) {
        z[u] = hn::Add(z[u], e[u]);
        if constexpr (kMasked)
          e[u] = hn::Mul(e[u], hn::Load(f, p.mask + j * p.stride + i + u * kLanes));
        for (int c = 0; c < kD; ++c)
          o[u][c] = hn::MulAdd(e[u], hn::Set(f, source[kD + c]), o[u][c]);
      }
    }
    for (int u = 0; u < kU; ++u) {
      const std::size_t at = i + u * kLanes;
      const V share = hn::Div(hn::Set(f, 1.0f), z[u]);
      for (int c = 0; c < kD; ++c) o[u][c] = hn::Mul(o[u][c], share);
      hn::Store(peak[u], f, p.peak + at);
      hn::Store(share, f, p.share + at);
      StoreAxes<kD>(o[u], p.o, p.stride, at);
      V x[kD], y[kD];
      LoadAxes<kD>(p.x, p.stride, at, x);
      Map<kD>(p.parameters.mix, p.parameters.mix_bias, p.residual, o[u], y);
      for (int c = 0; c < kD; ++c) y[c] = hn::Add(y[c], x[c]);
      StoreAxes<kD>(y, p.y, p.stride, at);
    }
  });
}

//   do_i = residual M^T dy_i,   dO_i = share_i do_i,   D_i = <dO_i, o_i>
// Also the gradients of M and b_M.
template <int kD>
HWY_INLINE void BackThroughMix(const AttentionPass& p, const AttentionScratch<kD>& s) {
  const F f;
  MapGradient<kD> gradient;
  for (std::size_t i = 0; i < p.stride; i += kLanes) {
    V dy[kD], o[kD], cotangent[kD];
    LoadAxes<kD>(p.dx, p.stride, i, dy);
    LoadAxes<kD>(p.o, p.stride, i, o);
    gradient.add(dy, o);
    for (int c = 0; c < kD; ++c) cotangent[c] = hn::Zero(f);
    AddTransposed<kD>(p.parameters.mix, p.residual, dy, cotangent);
    const V share = hn::Load(f, p.share + i);
    V level = hn::Zero(f);
    for (int c = 0; c < kD; ++c) {
      cotangent[c] = hn::Mul(cotangent[c], share);
      level = hn::MulAdd(cotangent[c], o[c], level);
    }
    StoreAxes<kD>(cotangent, s.cotangent, p.stride, i);
    hn::Store(level, f, s.level + i);
  }
  gradient.flush(p.residual, p.gradient.mix, p.gradient.mix_bias);
}

//   dS_ij = e_ij (w_ij <dO_i, v_j> - D_i)
//   dq_i += dS_ij k_j,   dk_j += dS_ij q_i,   dv_j += e_ij w_ij dO_i
// Lanes over i; dk and dv gather a vector a token in `table`, which SumRows adds up.
template <int kD, bool kMasked>
HWY_INLINE void BackThroughPairs(const AttentionPass& p, const AttentionScratch<kD>& s) {
  const F f;
  const Exp2<F> exp2;
  const V lowest = hn::Set(f, kFaintest);
  const std::size_t row = p.stride * kLanes;
  std::fill_n(s.table, 2 * kD * row, 0.0f);
  ForTiles<2>(p.stride, [&]<int kU>(std::size_t i) HWY_ATTR {
    V q[kU][kD], cotangent[kU][kD], dq[kU][kD], start[kU], level[kU];
    for (int u = 0; u < kU; ++u) {
      const std::size_t at = i + u * kLanes;
      LoadAxes<kD>(s.q, p.stride, at, q[u]);
      LoadAxes<kD>(s.cotangent, p.stride, at, cotangent[u]);
      start[u] = hn::Neg(hn::Load(f, p.peak + at));
      level[u] = hn::Neg(hn::Load(f, s.level + at));
      for (int c = 0; c < kD; ++c) dq[u][c] = hn::Zero(f);
    }
    const float* source = s.source;
    float* table = s.table;
    for (int j = 0; j < p.n; ++j, source += pitch(kD), table += kLanes) {
      V e[kU], ds[kU];
      for (int u = 0; u < kU; ++u) e[u] = hn::Max(lowest, Score<kD>(q[u], source, start[u]));
      exp2(e);
      for (int u = 0; u < kU; ++u) {
        if constexpr (kMasked) {
          const V mask = hn::Load(f, p.mask + j * p.stride + i + u * kLanes);
          ds[u] = hn::Mul(
              e[u], hn::MulAdd(mask, Score<kD>(cotangent[u], source + kD, hn::Zero(f)), level[u]));
          e[u] = hn::Mul(e[u], mask);
        } else {
          ds[u] = hn::Mul(e[u], Score<kD>(cotangent[u], source + kD, level[u]));
        }
      }
      for (int c = 0; c < kD; ++c) {
        const V k = hn::Set(f, source[c]);
        V dk = hn::Load(f, table + c * row), dv = hn::Load(f, table + (kD + c) * row);
        for (int u = 0; u < kU; ++u) {
          dq[u][c] = hn::MulAdd(ds[u], k, dq[u][c]);
          dk = hn::MulAdd(ds[u], q[u][c], dk);
          dv = hn::MulAdd(e[u], cotangent[u][c], dv);
        }
        hn::Store(dk, f, table + c * row);
        hn::Store(dv, f, table + (kD + c) * row);
      }
    }
    for (int u = 0; u < kU; ++u) StoreAxes<kD>(dq[u], s.dq, p.stride, i + u * kLanes);
  });
  SumRows(s.table, 2 * kD * p.stride, s.sums);
}

template <int kD, bool kMasked>
void AttentionBackward(const AttentionPass& p) {
  const AttentionScratch<kD> s(p.scratch, p.stride);
  Project<kD>(p, s);
  BackThroughMix<kD>(p, s);
  BackThroughPairs<kD, kMasked>(p, s);
  // dq holds sum_j dS k, to be divided by sqrt(d); dk holds sum_i dS q', q' = q log2(e) / sqrt(d).
  const float of_query = 1 / std::sqrt(static_cast<float>(kD)), of_key = 0.693147180559945309f;
  MapGradient<kD> query, key, value;
  for (std::size_t i = 0; i < p.stride; i += kLanes) {
    V x[kD], dx[kD], dq[kD], dk[kD], dv[kD];
    LoadAxes<kD>(p.x, p.stride, i, x);
    LoadAxes<kD>(p.dx, p.stride, i, dx);
    LoadAxes<kD>(s.dq, p.stride, i, dq);
    LoadAxes<kD>(s.sums, p.stride, i, dk);
    LoadAxes<kD>(s.sums + kD * p.stride, p.stride, i, dv);
    query.add(dq, x);
    key.add(dk, x);
    value.add(dv, x);
    AddTransposed<kD>(p.parameters.query, of_query, dq, dx);
    AddTransposed<kD>(p.parameters.key, of_key, dk, dx);
    AddTransposed<kD>(p.parameters.value, 1.0f, dv, dx);
    StoreAxes<kD>(dx, p.dx, p.stride, i);
  }
  query.flush(of_query, p.gradient.query, p.gradient.query_bias);
  key.flush(of_key, p.gradient.key, p.gradient.key_bias);
  value.flush(1.0f, p.gradient.value, p.gradient.value_bias);
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

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#endif
