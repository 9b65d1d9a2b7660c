// sample_kernels.cpp: fused kernels of one small sample (feed-forward, attention, and their
// adjoints), compiled for every target and chosen at run time.
#include "learn/sample_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learn/sample_kernels.cpp"
#include <hwy/foreach_target.h>

#include "core/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

using F = hn::ScalableTag<float>;
using V = hn::Vec<F>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(F()));
static_assert(kPadding % kLanes == 0);

// Weights below 2^-64 of a row's largest are replaced by that bound: no digit of a float is lost,
// and no product with a small gradient is subnormal, which would be slow.
inline constexpr float kFaintest = -64;

template <int kD>
HWY_INLINE void LoadAxes(const float* x, std::size_t stride, std::size_t i, V (&v)[kD]) {
  for (int k = 0; k < kD; ++k) v[k] = hn::Load(F(), x + k * stride + i);
}

template <int kD>
HWY_INLINE void StoreAxes(const V (&v)[kD], float* x, std::size_t stride, std::size_t i) {
  for (int k = 0; k < kD; ++k) hn::Store(v[k], F(), x + k * stride + i);
}

// sums[r] = the sum over lanes of vector r of `table` (rows, kLanes); rows is a multiple of four.
// Two rounds of interleaving turn four vectors into one with four sums per 128-bit block.
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

// Calls tile.template operator()<vectors>(first token) over the whole stride, kMost vectors at a
// time.
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

// Maps between a token's kD coordinates and a head's kK, lanes over tokens. W is part of a larger
// matrix, whose rows lie `pitch` apart.
struct MapOf {
  const float *w, *b;
  std::size_t pitch;
};

// y = scale (W x + b)
template <int kIn, int kOut>
HWY_INLINE void Map(const MapOf& m, float scale, const V (&x)[kIn], V (&y)[kOut]) {
  const F f;
  for (int r = 0; r < kOut; ++r) {
    V sum = hn::Set(f, m.b[r] * scale);
    for (int c = 0; c < kIn; ++c)
      sum = hn::MulAdd(hn::Set(f, m.w[r * m.pitch + c] * scale), x[c], sum);
    y[r] = sum;
  }
}

// y += scale W x
template <int kIn, int kOut>
HWY_INLINE void AddMap(const MapOf& m, float scale, const V (&x)[kIn], V (&y)[kOut]) {
  const F f;
  for (int r = 0; r < kOut; ++r)
    for (int c = 0; c < kIn; ++c)
      y[r] = hn::MulAdd(hn::Set(f, m.w[r * m.pitch + c] * scale), x[c], y[r]);
}

// x += scale W^T y
template <int kIn, int kOut>
HWY_INLINE void AddTransposed(const MapOf& m, float scale, const V (&y)[kOut], V (&x)[kIn]) {
  const F f;
  for (int c = 0; c < kIn; ++c)
    for (int r = 0; r < kOut; ++r)
      x[c] = hn::MulAdd(hn::Set(f, m.w[r * m.pitch + c] * scale), y[r], x[c]);
}

// The gradient of a map (W, b), summed over vectors of tokens, then over lanes.
template <int kIn, int kOut>
struct MapGradient {
  V w[kOut][kIn], b[kOut];
  HWY_INLINE MapGradient() {
    for (int r = 0; r < kOut; ++r) {
      b[r] = hn::Zero(F());
      for (int c = 0; c < kIn; ++c) w[r][c] = hn::Zero(F());
    }
  }
  HWY_INLINE void add(const V (&dy)[kOut], const V (&x)[kIn]) {
    for (int r = 0; r < kOut; ++r) {
      b[r] = hn::Add(b[r], dy[r]);
      for (int c = 0; c < kIn; ++c) w[r][c] = hn::MulAdd(dy[r], x[c], w[r][c]);
    }
  }
  // db may be null: the bias of the mix belongs to no head.
  HWY_INLINE void flush(float scale, float* dw, std::size_t pitch, float* db) const {
    const F f;
    for (int r = 0; r < kOut; ++r) {
      if (db) db[r] += scale * hn::GetLane(hn::SumOfLanes(f, b[r]));
      for (int c = 0; c < kIn; ++c)
        dw[r * pitch + c] += scale * hn::GetLane(hn::SumOfLanes(f, w[r][c]));
    }
  }
};

// One head of a pass: its rows of query, key and value, its columns of mix, and its output.
struct HeadPass {
  MapOf query, key, value, mix;  // mix has the bias of all heads
  const float* mask;             // (n, stride) or null
  float *o, *peak, *share;       // (k, stride), (stride), (stride)
};
HWY_INLINE HeadPass HeadOf(const AttentionPass& p, int h) {
  const auto d = static_cast<std::size_t>(p.d), row = static_cast<std::size_t>(h) * p.k;
  const auto head = static_cast<std::size_t>(h);
  const BlockTensors<const float>& t = p.parameters;
  return {{t.query + row * d, t.query_bias + row, d},
          {t.key + row * d, t.key_bias + row, d},
          {t.value + row * d, t.value_bias + row, d},
          {t.mix + row, t.mix_bias, static_cast<std::size_t>(p.heads) * p.k},
          p.mask ? p.mask + head * p.n * p.stride : nullptr,
          p.o + row * p.stride,
          p.peak + head * p.stride,
          p.share + head * p.stride};
}

// Scratch of attention: sources (stride, pitch); q, dO, dq (kK, stride) each; D (stride); sums
// (2 kK, stride); dy (d, stride); table (2 kK, stride, kLanes).
template <int kK>
struct AttentionScratch {
  float *source, *q, *cotangent, *dq, *level, *sums, *dy, *table;
  HWY_INLINE AttentionScratch(float* at, std::size_t stride, int d) {
    source = at;
    q = source + pitch(kK) * stride;
    cotangent = q + kK * stride;
    dq = cotangent + kK * stride;
    level = dq + kK * stride;
    sums = level + stride;
    dy = sums + 2 * kK * stride;
    table = dy + static_cast<std::size_t>(d) * stride;
  }
};

// Queries in powers of two: 2^(<q', k>) = e^(<q, k> / sqrt(k)).
template <int kK>
HWY_INLINE float QueryScale() {
  return 1.44269504088896341f / std::sqrt(static_cast<float>(kK));
}

// Packs (k_j, v_j) one token after another, and stores the queries by axes.
template <int kD, int kK>
HWY_INLINE void Project(const AttentionPass& p, const HeadPass& h, const AttentionScratch<kK>& s) {
  alignas(64) float lanes[2 * kK][kLanes];
  for (std::size_t i = 0; i < p.stride; i += kLanes) {
    V x[kD], q[kK], k[kK], v[kK];
    LoadAxes<kD>(p.x, p.stride, i, x);
    Map<kD, kK>(h.query, QueryScale<kK>(), x, q);
    Map<kD, kK>(h.key, 1.0f, x, k);
    Map<kD, kK>(h.value, 1.0f, x, v);
    StoreAxes<kK>(q, s.q, p.stride, i);
    for (int c = 0; c < kK; ++c) {
      hn::Store(k[c], F(), lanes[c]);
      hn::Store(v[c], F(), lanes[kK + c]);
    }
    for (int l = 0; l < kLanes; ++l)
      for (int c = 0; c < 2 * kK; ++c) s.source[(i + l) * pitch(kK) + c] = lanes[c][l];
  }
}

template <int kK>
HWY_INLINE V Score(const V (&q)[kK], const float* source, V start) {
  V s = start;
  for (int c = 0; c < kK; ++c) s = hn::MulAdd(q[c], hn::Set(F(), source[c]), s);
  return s;
}

//   e_ij = exp(s_ij - peak_i),  share_i = 1 / sum_j e_ij,  o_i = share_i sum_j e_ij w_ij v_j
template <int kK, bool kMasked>
HWY_NOINLINE void ForwardPairs(const AttentionPass& p, const HeadPass& h,
                               const AttentionScratch<kK>& s) {
  const F f;
  const Exp2<F> exp2;
  const V lowest = hn::Set(f, kFaintest);
  ForTiles<4>(p.stride, [&]<int kU>(std::size_t i) HWY_ATTR {
    V q[kU][kK], peak[kU], z[kU], o[kU][kK];
    for (int u = 0; u < kU; ++u) {
      LoadAxes<kK>(s.q, p.stride, i + u * kLanes, q[u]);
      peak[u] = hn::Set(f, -3e38f);
      z[u] = hn::Zero(f);
      for (int c = 0; c < kK; ++c) o[u][c] = hn::Zero(f);
    }
    const float* source = s.source;
    for (int j = 0; j < p.n; ++j, source += pitch(kK))
      for (int u = 0; u < kU; ++u) peak[u] = hn::Max(peak[u], Score<kK>(q[u], source, hn::Zero(f)));
    source = s.source;
    for (int j = 0; j < p.n; ++j, source += pitch(kK)) {
      V e[kU];
      for (int u = 0; u < kU; ++u)
        e[u] = hn::Max(lowest, Score<kK>(q[u], source, hn::Neg(peak[u])));
      exp2(e);
      for (int u = 0; u < kU; ++u) {
        z[u] = hn::Add(z[u], e[u]);
        if constexpr (kMasked)
          e[u] = hn::Mul(e[u], hn::Load(f, h.mask + j * p.stride + i + u * kLanes));
        for (int c = 0; c < kK; ++c)
          o[u][c] = hn::MulAdd(e[u], hn::Set(f, source[kK + c]), o[u][c]);
      }
    }
    for (int u = 0; u < kU; ++u) {
      const std::size_t at = i + u * kLanes;
      const V share = hn::Div(hn::Set(f, 1.0f), z[u]);
      for (int c = 0; c < kK; ++c) o[u][c] = hn::Mul(o[u][c], share);
      hn::Store(peak[u], f, h.peak + at);
      hn::Store(share, f, h.share + at);
      StoreAxes<kK>(o[u], h.o, p.stride, at);
    }
  });
}

//   y_i = x_i + residual (sum_h M_h o_ih + b_M)
template <int kD, int kK>
HWY_INLINE void Mix(const AttentionPass& p) {
  for (std::size_t i = 0; i < p.stride; i += kLanes) {
    V x[kD], y[kD], o[kK];
    LoadAxes<kD>(p.x, p.stride, i, x);
    for (int c = 0; c < kD; ++c) y[c] = hn::Set(F(), p.parameters.mix_bias[c] * p.residual);
    for (int h = 0; h < p.heads; ++h) {
      const HeadPass head = HeadOf(p, h);
      LoadAxes<kK>(head.o, p.stride, i, o);
      AddMap<kK, kD>(head.mix, p.residual, o, y);
    }
    for (int c = 0; c < kD; ++c) y[c] = hn::Add(y[c], x[c]);
    StoreAxes<kD>(y, p.y, p.stride, i);
  }
}

template <int kD, int kK>
void AttentionForward(const AttentionPass& p) {
  const AttentionScratch<kK> s(p.scratch, p.stride, kD);
  for (int h = 0; h < p.heads; ++h) {
    const HeadPass head = HeadOf(p, h);
    Project<kD, kK>(p, head, s);
    p.mask ? ForwardPairs<kK, true>(p, head, s) : ForwardPairs<kK, false>(p, head, s);
  }
  Mix<kD, kK>(p);
}

//   do_i = residual M^T dy_i,   dO_i = share_i do_i,   D_i = <dO_i, o_i>
// Also computes the gradients of M and, with the first head, of b_M.
template <int kD, int kK>
HWY_INLINE void BackThroughMix(const AttentionPass& p, int h, const AttentionScratch<kK>& s) {
  const F f;
  const HeadPass head = HeadOf(p, h);
  MapGradient<kK, kD> gradient;
  for (std::size_t i = 0; i < p.stride; i += kLanes) {
    V dy[kD], o[kK], cotangent[kK];
    LoadAxes<kD>(s.dy, p.stride, i, dy);
    LoadAxes<kK>(head.o, p.stride, i, o);
    gradient.add(dy, o);
    for (int c = 0; c < kK; ++c) cotangent[c] = hn::Zero(f);
    AddTransposed<kK, kD>(head.mix, p.residual, dy, cotangent);
    const V share = hn::Load(f, head.share + i);
    V level = hn::Zero(f);
    for (int c = 0; c < kK; ++c) {
      cotangent[c] = hn::Mul(cotangent[c], share);
      level = hn::MulAdd(cotangent[c], o[c], level);
    }
    StoreAxes<kK>(cotangent, s.cotangent, p.stride, i);
    hn::Store(level, f, s.level + i);
  }
  gradient.flush(p.residual, p.gradient.mix + static_cast<std::size_t>(h) * kK, head.mix.pitch,
                 h == 0 ? p.gradient.mix_bias : nullptr);
}

//   dS_ij = e_ij (w_ij <dO_i, v_j> - D_i)
//   dq_i += dS_ij k_j,   dk_j += dS_ij q_i,   dv_j += e_ij w_ij dO_i
// Lanes run over i; dk and dv are summed in one vector per token in `table`, which SumRows adds up.
template <int kK, bool kMasked>
HWY_NOINLINE void BackThroughPairs(const AttentionPass& p, const HeadPass& h,
                                   const AttentionScratch<kK>& s) {
  const F f;
  const Exp2<F> exp2;
  const V lowest = hn::Set(f, kFaintest);
  const std::size_t row = p.stride * kLanes;
  std::fill_n(s.table, 2 * kK * row, 0.0f);
  ForTiles<2>(p.stride, [&]<int kU>(std::size_t i) HWY_ATTR {
    V q[kU][kK], cotangent[kU][kK], dq[kU][kK], start[kU], level[kU];
    for (int u = 0; u < kU; ++u) {
      const std::size_t at = i + u * kLanes;
      LoadAxes<kK>(s.q, p.stride, at, q[u]);
      LoadAxes<kK>(s.cotangent, p.stride, at, cotangent[u]);
      start[u] = hn::Neg(hn::Load(f, h.peak + at));
      level[u] = hn::Neg(hn::Load(f, s.level + at));
      for (int c = 0; c < kK; ++c) dq[u][c] = hn::Zero(f);
    }
    const float* source = s.source;
    float* table = s.table;
    for (int j = 0; j < p.n; ++j, source += pitch(kK), table += kLanes) {
      V e[kU], ds[kU];
      for (int u = 0; u < kU; ++u) e[u] = hn::Max(lowest, Score<kK>(q[u], source, start[u]));
      exp2(e);
      for (int u = 0; u < kU; ++u) {
        if constexpr (kMasked) {
          const V mask = hn::Load(f, h.mask + j * p.stride + i + u * kLanes);
          ds[u] = hn::Mul(
              e[u], hn::MulAdd(mask, Score<kK>(cotangent[u], source + kK, hn::Zero(f)), level[u]));
          e[u] = hn::Mul(e[u], mask);
        } else {
          ds[u] = hn::Mul(e[u], Score<kK>(cotangent[u], source + kK, level[u]));
        }
      }
      for (int c = 0; c < kK; ++c) {
        const V k = hn::Set(f, source[c]);
        V dk = hn::Load(f, table + c * row), dv = hn::Load(f, table + (kK + c) * row);
        for (int u = 0; u < kU; ++u) {
          dq[u][c] = hn::MulAdd(ds[u], k, dq[u][c]);
          dk = hn::MulAdd(ds[u], q[u][c], dk);
          dv = hn::MulAdd(e[u], cotangent[u][c], dv);
        }
        hn::Store(dk, f, table + c * row);
        hn::Store(dv, f, table + (kK + c) * row);
      }
    }
    for (int u = 0; u < kU; ++u) StoreAxes<kK>(dq[u], s.dq, p.stride, i + u * kLanes);
  });
  SumRows(s.table, 2 * kK * p.stride, s.sums);
}

// From dq, dk and dv of one head: adds to the gradients of its maps and to dx.
template <int kD, int kK>
HWY_INLINE void BackThroughMaps(const AttentionPass& p, int h, const AttentionScratch<kK>& s) {
  // dq holds sum_j dS k, to be divided by sqrt(k); dk holds sum_i dS q', q' = q log2(e) / sqrt(k).
  const float of_query = 1 / std::sqrt(static_cast<float>(kK)), of_key = 0.693147180559945309f;
  const HeadPass head = HeadOf(p, h);
  MapGradient<kD, kK> query, key, value;
  for (std::size_t i = 0; i < p.stride; i += kLanes) {
    V x[kD], dx[kD], dq[kK], dk[kK], dv[kK];
    LoadAxes<kD>(p.x, p.stride, i, x);
    LoadAxes<kD>(p.dx, p.stride, i, dx);
    LoadAxes<kK>(s.dq, p.stride, i, dq);
    LoadAxes<kK>(s.sums, p.stride, i, dk);
    LoadAxes<kK>(s.sums + kK * p.stride, p.stride, i, dv);
    query.add(dq, x);
    key.add(dk, x);
    value.add(dv, x);
    AddTransposed<kD, kK>(head.query, of_query, dq, dx);
    AddTransposed<kD, kK>(head.key, of_key, dk, dx);
    AddTransposed<kD, kK>(head.value, 1.0f, dv, dx);
    StoreAxes<kD>(dx, p.dx, p.stride, i);
  }
  const std::size_t row = static_cast<std::size_t>(h) * kK;
  const BlockTensors<float>& g = p.gradient;
  query.flush(of_query, g.query + row * kD, kD, g.query_bias + row);
  key.flush(of_key, g.key + row * kD, kD, g.key_bias + row);
  value.flush(1.0f, g.value + row * kD, kD, g.value_bias + row);
}

// Every head reads the gradient at y, so it is copied before the first head changes dx.
template <int kD, int kK>
void AttentionBackward(const AttentionPass& p) {
  const AttentionScratch<kK> s(p.scratch, p.stride, kD);
  std::copy_n(p.dx, kD * p.stride, s.dy);
  for (int h = 0; h < p.heads; ++h) {
    const HeadPass head = HeadOf(p, h);
    Project<kD, kK>(p, head, s);
    BackThroughMix<kD, kK>(p, h, s);
    p.mask ? BackThroughPairs<kK, true>(p, head, s) : BackThroughPairs<kK, false>(p, head, s);
    BackThroughMaps<kD, kK>(p, h, s);
  }
}

// Calls work.template operator()<d, k>() with the d = 2, 3, 4 and k = 1 to 4 of the pass.
template <class Work>
HWY_INLINE void ForWidths(const AttentionPass& p, const Work& work) {
  const auto in = [&]<int kD>() HWY_ATTR {
    if (p.k == 1) return work.template operator()<kD, 1>();
    if (p.k == 2) return work.template operator()<kD, 2>();
    if (p.k == 3) return work.template operator()<kD, 3>();
    return work.template operator()<kD, 4>();
  };
  if (p.d == 2) return in.template operator()<2>();
  return p.d == 3 ? in.template operator()<3>() : in.template operator()<4>();
}

void Attend(const AttentionPass& p) {
  ForWidths(p, [&]<int kD, int kK>() HWY_ATTR { AttentionForward<kD, kK>(p); });
}

void AttendBack(const AttentionPass& p) {
  ForWidths(p, [&]<int kD, int kK>() HWY_ATTR { AttentionBackward<kD, kK>(p); });
}

void FeedForwardForward(const PerceptronPass& p) {
  if (p.d == 2) return PerceptronForward<2>(p);
  return p.d == 3 ? PerceptronForward<3>(p) : PerceptronForward<4>(p);
}

void FeedForwardBackward(const PerceptronPass& p) {
  if (p.d == 2) return PerceptronBackward<2>(p);
  return p.d == 3 ? PerceptronBackward<3>(p) : PerceptronBackward<4>(p);
}

void Softmax(const SoftmaxPass& p) { SoftmaxRows(p); }
void SoftmaxBack(const SoftmaxPass& p, float* ds) { SoftmaxRowsBack(p, ds); }

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(Attend);
HWY_EXPORT(AttendBack);
HWY_EXPORT(FeedForwardForward);
HWY_EXPORT(FeedForwardBackward);
HWY_EXPORT(Softmax);
HWY_EXPORT(SoftmaxBack);

std::size_t scratch_size(int d, int k, std::size_t stride) {
  const int wide = std::max(d, k);
  const auto axes = static_cast<std::size_t>(wide);
  return stride * (static_cast<std::size_t>(pitch(wide)) + 6 * axes + 1 + 2 * axes * kPadding);
}

void attention_forward(const AttentionPass& p) { HWY_DYNAMIC_DISPATCH(Attend)(p); }
void attention_backward(const AttentionPass& p) { HWY_DYNAMIC_DISPATCH(AttendBack)(p); }
void perceptron_forward(const PerceptronPass& p) { HWY_DYNAMIC_DISPATCH(FeedForwardForward)(p); }
void perceptron_backward(const PerceptronPass& p) { HWY_DYNAMIC_DISPATCH(FeedForwardBackward)(p); }
void softmax_rows(const SoftmaxPass& p) { HWY_DYNAMIC_DISPATCH(Softmax)(p); }
void softmax_rows_back(const SoftmaxPass& p, float* ds) {
  HWY_DYNAMIC_DISPATCH(SoftmaxBack)(p, ds);
}

}  // namespace murmur::simd
#endif
