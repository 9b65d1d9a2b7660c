// attention_kernels-inl.h: the heads of attention of one small sample, fused, with their adjoint.
#if defined(MURMUR_LEARN_ATTENTION_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_LEARN_ATTENTION_KERNELS_INL_H_
#undef MURMUR_LEARN_ATTENTION_KERNELS_INL_H_
#else
#define MURMUR_LEARN_ATTENTION_KERNELS_INL_H_
#endif

#include "learn/sample_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

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

// The gradient of a map (W, b) gathered over vectors of tokens, then over lanes.
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

// One head of a pass: its rows of query, key and value, its columns of mix, and what it keeps.
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

// Packs (k_j, v_j) one token after another, and lays the queries out by axes.
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
// Also the gradients of M and, with the first head, b_M.
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
// Lanes over i; dk and dv gather a vector a token in `table`, which SumRows adds up.
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

// Every head reads the gradient at y, which the heads before it have already left behind in dx.
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

// Calls work.template operator()<d, k>() for the pass's d = 2, 3, 4 and k = 1 to 4.
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

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#endif
