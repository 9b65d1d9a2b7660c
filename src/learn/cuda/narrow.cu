// narrow.cu: whole samples of narrow swarms on a GPU: all blocks forward, the loss, all blocks
// backward, then the sum of the gradients and the optimiser's update.
#include "learn/cuda/narrow.h"

namespace murmur::cuda {

namespace {

constexpr int kLanes = 32, kFew = 8 + 2 * kTeam / kLanes;
constexpr unsigned kAll = ~0u;

// Rows of partial gradients: one per team, or one per thread block.
inline __host__ __device__ int partial_rows(const NarrowBatch& b) {
  return b.together ? b.thread_blocks : b.thread_blocks * b.teams_per_block;
}
// The shared memory of one sample: (stride) rows of four numbers; the last number is free for d
// < 4.
struct SampleMemory {
  float4 *x, *q, *k, *v;   // x: the tokens before the current half block
  float4 *g, *o, *dx, *s;  // g: share_i do_i; dx: the gradient; s: residual times it, at z
  float4* parts;           // (4, stride): sums over a quarter of the hidden units; then dq, dk, dv
  float *peak, *level;     // (stride), for d = 4; for d < 4 the fourth numbers of q and g
  float* scratch;          // gradients of the hidden units of half a team
  float* entries;          // (2 kTeam)
  double* few;             // (kFew): numbers that one thread shares with the others
  int stride;
};

template <int D, int U>
constexpr int scratch_floats = kTeam / 2 * U*(2 * D + 1);

__host__ __device__ inline std::size_t sample_bytes(int stride, int scratch) {
  return static_cast<std::size_t>(stride) * (12 * sizeof(float4) + 2 * sizeof(float)) +
         (scratch + 2 * kTeam) * sizeof(float) + kFew * sizeof(double);
}

__device__ inline SampleMemory place_sample_memory(char* room, int stride, int scratch) {
  SampleMemory m;
  float4* row = reinterpret_cast<float4*>(room);
  m.x = row, m.q = m.x + stride, m.k = m.q + stride, m.v = m.k + stride;
  m.g = m.v + stride, m.o = m.g + stride, m.dx = m.o + stride, m.s = m.dx + stride;
  m.parts = m.s + stride;
  m.few = reinterpret_cast<double*>(m.parts + 4 * stride);
  m.peak = reinterpret_cast<float*>(m.few + kFew);
  m.level = m.peak + stride;
  m.entries = m.level + stride;
  m.scratch = m.entries + 2 * kTeam;
  m.stride = stride;
  return m;
}

// The place of one thread in its team, or in both teams of its thread block together.
struct Member {
  int barrier, id, size;  // size: threads
  int warp, lane, warps;
  __device__ Member(int which, int at, int all)
      : barrier(which),
        id(at),
        size(all),
        warp(at / kLanes),
        lane(at % kLanes),
        warps(all / kLanes) {}
  __device__ void synchronise() const {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(size) : "memory");
  }
};

__device__ inline float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <class T>
__device__ T sum_of_lanes(T value) {
  for (int gap = kLanes / 2; gap > 0; gap /= 2) value += __shfl_xor_sync(kAll, value, gap);
  return value;
}

template <int D>
__device__ void read(const float4& row, float (&v)[D]) {
  v[0] = row.x, v[1] = row.y;
  if constexpr (D > 2) v[2] = row.z;
  if constexpr (D > 3) v[3] = row.w;
}

// w is stored only for d < 4.
template <int D>
__device__ float4 row_of(const float (&v)[D], float w = 0) {
  if constexpr (D == 2) return {v[0], v[1], 0, w};
  if constexpr (D == 3) return {v[0], v[1], v[2], w};
  if constexpr (D == 4) return {v[0], v[1], v[2], v[3]};
}

template <int D>
__device__ float dot(const float (&a)[D], const float (&b)[D], float start) {
  for (int c = 0; c < D; ++c) start = fmaf(a[c], b[c], start);
  return start;
}

// y = W x + bias; the bias follows the matrix in memory.
template <int D>
__device__ void map(const float* w, const float (&x)[D], float (&y)[D]) {
  for (int a = 0; a < D; ++a) {
    y[a] = __ldg(w + D * D + a);
    for (int c = 0; c < D; ++c) y[a] = fmaf(__ldg(w + a * D + c), x[c], y[a]);
  }
}

// x += scale W^T y
template <int D>
__device__ void add_map_backward(const float* w, const float (&y)[D], float scale, float (&x)[D]) {
  for (int a = 0; a < D; ++a)
    for (int c = 0; c < D; ++c) x[c] = fmaf(__ldg(w + a * D + c), scale * y[a], x[c]);
}

// A warp computes 16 rows at a time: lane l has rows l / 4 and l / 4 + 8, and every fourth value of
// the other index, from l % 4 on.
constexpr int kRows = 16, kParts = 4;

// The sum over the four lanes that share a row, in each of them.
__device__ inline float sum_of_parts(float value) {
  value += __shfl_xor_sync(kAll, value, 1);
  return value + __shfl_xor_sync(kAll, value, 2);
}

// Selects the row that a lane writes: the second of its two rows if `second`.
template <int D>
__device__ void pick_row(const float (&rows)[2][D], bool second, float (&row)[D]) {
  for (int c = 0; c < D; ++c) row[c] = second ? rows[1][c] : rows[0][c];
}

// The extra number of row i: its fourth number, or for d = 4 the entry of a separate array.
template <int D>
__device__ float extra(const float4& row, const float* separate, int i) {
  if constexpr (D < 4) return row.w;
  return separate[i];
}

struct Weighed {
  float peak, share;
};

//   e_ij = 2^(<q_i, k_j> - peak_i),  share_i = 1 / sum_j e_ij,  o_i = share_i sum_j e_ij v_j
// q is in powers of two. Calls done(i, o_i, {peak_i, share_i}) once for every row.
template <int D, class Done>
__device__ void attend(const SampleMemory& m, const Member& me, int n, Done done) {
  const int part = me.lane % kParts;
  for (int base = me.warp * kRows; base < n; base += me.warps * kRows) {
    const int row = base + me.lane / kParts;
    float q[2][D], peak[2] = {-INFINITY, -INFINITY}, sum[2] = {}, o[2][D] = {};
    read(m.q[row], q[0]);
    read(m.q[row + 8], q[1]);
#pragma unroll 4
    for (int j = part; j < n; j += kParts) {
      float k[D];
      read(m.k[j], k);
      for (int r = 0; r < 2; ++r) peak[r] = fmaxf(peak[r], dot(q[r], k, 0.0f));
    }
    for (int r = 0; r < 2; ++r) {
      peak[r] = fmaxf(peak[r], __shfl_xor_sync(kAll, peak[r], 1));
      peak[r] = fmaxf(peak[r], __shfl_xor_sync(kAll, peak[r], 2));
    }
#pragma unroll 4
    for (int j = part; j < n; j += kParts) {
      float k[D], v[D];
      read(m.k[j], k);
      read(m.v[j], v);
      for (int r = 0; r < 2; ++r) {
        const float e = power_of_two(dot(q[r], k, -peak[r]));
        sum[r] += e;
        for (int c = 0; c < D; ++c) o[r][c] = fmaf(e, v[c], o[r][c]);
      }
    }
    for (int r = 0; r < 2; ++r) {
      sum[r] = sum_of_parts(sum[r]);
      for (int c = 0; c < D; ++c) o[r][c] = sum_of_parts(o[r][c]);
    }
    const bool second = part == 1;
    const int i = second ? row + 8 : row;
    if (part > 1 || i >= n) continue;
    float own[D];
    pick_row(o, second, own);
    const float share = 1 / (second ? sum[1] : sum[0]);
    for (int c = 0; c < D; ++c) own[c] *= share;
    done(i, own, Weighed{second ? peak[1] : peak[0], share});
  }
}

//   t_ij = e_ij (<g_i, v_j> - level_i),  g_i = share_i do_i,  level_i = <g_i, o_i>
//   dq_i = scale sum_j t_ij k_j
// The extra number of each row of m.q is -peak, of m.g -level.
template <int D>
__device__ void query_rows(const SampleMemory& m, const Member& me, int n, int base, float scale) {
  const int part = me.lane % kParts, row = base + me.lane / kParts;
  float q[2][D], g[2][D], peak[2], level[2], dq[2][D] = {};
  for (int r = 0; r < 2; ++r) {
    const int i = row + 8 * r;
    read(m.q[i], q[r]);
    read(m.g[i], g[r]);
    peak[r] = extra<D>(m.q[i], m.peak, i);
    level[r] = extra<D>(m.g[i], m.level, i);
  }
#pragma unroll 4
  for (int j = part; j < n; j += kParts) {
    float k[D], v[D];
    read(m.k[j], k);
    read(m.v[j], v);
    for (int r = 0; r < 2; ++r) {
      const float t = power_of_two(dot(q[r], k, peak[r])) * dot(g[r], v, level[r]);
      for (int c = 0; c < D; ++c) dq[r][c] = fmaf(t, k[c], dq[r][c]);
    }
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < D; ++c) dq[r][c] = scale * sum_of_parts(dq[r][c]);
  const bool second = part == 1;
  const int i = second ? row + 8 : row;
  if (part > 1 || i >= n) return;
  float own[D];
  pick_row(dq, second, own);
  m.parts[i] = row_of(own);
}

//   dk_j = scale sum_i t_ij q_i,  dv_j = sum_i e_ij g_i
template <int D>
__device__ void key_rows(const SampleMemory& m, const Member& me, int n, int base, float scale) {
  const int part = me.lane % kParts, row = base + me.lane / kParts;
  float k[2][D], v[2][D], dk[2][D] = {}, dv[2][D] = {};
  for (int r = 0; r < 2; ++r) read(m.k[row + 8 * r], k[r]), read(m.v[row + 8 * r], v[r]);
#pragma unroll 4
  for (int i = part; i < n; i += kParts) {
    const float4 q_row = m.q[i], g_row = m.g[i];
    const float peak = extra<D>(q_row, m.peak, i), level = extra<D>(g_row, m.level, i);
    float q[D], g[D];
    read(q_row, q);
    read(g_row, g);
    for (int r = 0; r < 2; ++r) {
      const float e = power_of_two(dot(q, k[r], peak)), t = e * dot(g, v[r], level);
      for (int c = 0; c < D; ++c) {
        dk[r][c] = fmaf(t, q[c], dk[r][c]);
        dv[r][c] = fmaf(e, g[c], dv[r][c]);
      }
    }
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < D; ++c) {
      dk[r][c] = scale * sum_of_parts(dk[r][c]);
      dv[r][c] = sum_of_parts(dv[r][c]);
    }
  const bool second = part == 1;
  const int j = second ? row + 8 : row;
  if (part > 1 || j >= n) return;
  float own[D];
  pick_row(dk, second, own);
  m.parts[m.stride + j] = row_of(own);
  pick_row(dv, second, own);
  m.parts[2 * m.stride + j] = row_of(own);
}

// A set of four warps has all hidden units, U per thread, and some of the tiles of eight tokens.
// Each thread loops over the tokens with the parameters of its units, and in backward their
// gradients, in registers. The contributions of the units to a token are summed over the lanes of a
// warp, then over the four warps.
constexpr int kTile = 8, kQuarters = 4, kSet = kQuarters * kLanes;

struct PerceptronTensors {
  const float *in, *in_bias, *out, *out_bias;  // (hidden, D), (hidden), (D, hidden), (D)
  int hidden;
};

template <int D, int U>
struct Units {
  float in[U][D] = {}, bias[U] = {}, out[U][D] = {};
};

// Unit u of a thread is number first + u kSet + its place in its set; units beyond `hidden` are 0.
template <int D, int U>
__device__ Units<D, U> read_units(const PerceptronTensors& t, int first, int id) {
  Units<D, U> w;
  for (int u = 0; u < U; ++u) {
    const int unit = first + u * kSet + id % kSet;
    if (unit >= t.hidden) continue;
    for (int c = 0; c < D; ++c) {
      w.in[u][c] = __ldg(t.in + static_cast<std::size_t>(unit) * D + c);
      w.out[u][c] = __ldg(t.out + static_cast<std::size_t>(c) * t.hidden + unit);
    }
    w.bias[u] = __ldg(t.in_bias + unit);
  }
  return w;
}

// Each lane takes the tokens of a tile in its own order: the i-th is number i ^ (lane / 4).
__device__ inline const float4& token_of_lane(const float4* rows, int tile, int lane, int i) {
  return rows[(tile * kTile + lane / 4) ^ i];
}

template <int Half, int D>
__device__ void fold(float (&a)[kTile][D], int gap) {
  for (int t = 0; t < Half; ++t)
    for (int c = 0; c < D; ++c) a[t][c] += __shfl_xor_sync(kAll, a[t + Half][c], gap);
}

// Sums a over the lanes of a warp: lane l gets the sums of token l / 4 in a[0]. Because of the
// orders of the lanes, the values that a lane sends are where its partner adds them.
template <int D>
__device__ void sum_tile(float (&a)[kTile][D]) {
  fold<4>(a, 16);
  fold<2>(a, 8);
  fold<1>(a, 4);
  for (int c = 0; c < D; ++c) {
    a[0][c] += __shfl_xor_sync(kAll, a[0][c], 2);
    a[0][c] += __shfl_xor_sync(kAll, a[0][c], 1);
  }
}

// Writes the sums of a tile to the parts of this warp; `more`: adds them.
template <int D>
__device__ void store_tile(const SampleMemory& m, const Member& me, int tile, bool more,
                           float (&a)[kTile][D]) {
  sum_tile(a);
  if (me.lane % 4 != 0) return;
  float4* to = m.parts + me.warp % kQuarters * m.stride + tile * kTile + me.lane / 4;
  if (more) {
    float before[D];
    read(*to, before);
    for (int c = 0; c < D; ++c) a[0][c] += before[c];
  }
  *to = row_of(a[0]);
}

// The sum of the four parts of token i.
template <int D>
__device__ void sum_parts(const SampleMemory& m, int i, float (&sum)[D]) {
  for (int c = 0; c < D; ++c) sum[c] = 0;
  for (int w = 0; w < kQuarters; ++w) {
    float part[D];
    read(m.parts[w * m.stride + i], part);
    for (int c = 0; c < D; ++c) sum[c] += part[c];
  }
}

//   parts of W_out relu(W_in x + b_in)
template <int D, int U>
__device__ void feed_forward(const SampleMemory& m, const Member& me, int n,
                             const PerceptronTensors& t) {
  for (int first = 0; first < t.hidden; first += kSet * U) {
    const Units<D, U> w = read_units<D, U>(t, first, me.id);
    for (int tile = me.id / kSet; tile * kTile < n; tile += me.size / kSet) {
      float a[kTile][D];
#pragma unroll
      for (int i = 0; i < kTile; ++i) {
        float x[D];
        read(token_of_lane(m.x, tile, me.lane, i), x);
        for (int u = 0; u < U; ++u) {
          const float h = fmaxf(dot(w.in[u], x, w.bias[u]), 0.0f);
          for (int c = 0; c < D; ++c)
            a[i][c] = u == 0 ? w.out[u][c] * h : fmaf(w.out[u][c], h, a[i][c]);
        }
      }
      store_tile(m, me, tile, first > 0, a);
    }
  }
}

// From s, residual times the gradient at z, with h = relu(W_in x + b_in):
//   dW_out += s h^T,  dp = W_out^T s where h > 0,  dW_in += dp x^T,  db_in += dp
//   parts of W_in^T dp
template <int D, int U>
__device__ void feed_forward_backward(const SampleMemory& m, const Member& me, int n,
                                      const Units<D, U>& w, bool more, Units<D, U>& dw) {
  for (int tile = me.id / kSet; tile * kTile < n; tile += me.size / kSet) {
    float a[kTile][D];
#pragma unroll
    for (int i = 0; i < kTile; ++i) {
      float x[D], s[D];
      read(token_of_lane(m.x, tile, me.lane, i), x);
      read(token_of_lane(m.s, tile, me.lane, i), s);
      for (int u = 0; u < U; ++u) {
        const float p = dot(w.in[u], x, w.bias[u]), h = fmaxf(p, 0.0f);
        const float dp = p > 0 ? dot(w.out[u], s, 0.0f) : 0.0f;
        dw.bias[u] += dp;
        for (int c = 0; c < D; ++c) {
          dw.out[u][c] = fmaf(s[c], h, dw.out[u][c]);
          dw.in[u][c] = fmaf(dp, x[c], dw.in[u][c]);
          a[i][c] = u == 0 ? w.in[u][c] * dp : fmaf(w.in[u][c], dp, a[i][c]);
        }
      }
    }
    store_tile(m, me, tile, more, a);
  }
}

// Writes the sum over all sets of the gradients of the units to a block, whose `in` starts at dt;
// `more`: adds it. All threads of the team must call it.
template <int D, int U>
__device__ void store_units(const SampleMemory& m, const Member& me, int first, int hidden,
                            bool more, Units<D, U>& dw, float* dt) {
  const int set = me.id / kSet, at = me.id % kSet;
  const auto own = [&](int u, int c) -> float& {
    return m.scratch[(u * (2 * D + 1) + c) * kSet + at];
  };
  for (int other = 1; other < me.size / kSet; ++other) {
    for (int u = 0; set == other && u < U; ++u) {
      for (int c = 0; c < D; ++c) own(u, c) = dw.in[u][c], own(u, D + 1 + c) = dw.out[u][c];
      own(u, D) = dw.bias[u];
    }
    me.synchronise();
    for (int u = 0; set == 0 && u < U; ++u) {
      for (int c = 0; c < D; ++c) dw.in[u][c] += own(u, c), dw.out[u][c] += own(u, D + 1 + c);
      dw.bias[u] += own(u, D);
    }
    me.synchronise();
  }
  float *in = dt, *bias = dt + static_cast<std::size_t>(hidden) * D, *out = bias + hidden;
  const auto put = [&](float& to, float value) { to = more ? to + value : value; };
  for (int u = 0; set == 0 && u < U; ++u) {
    const int unit = first + u * kSet + at;
    if (unit >= hidden) continue;
    for (int c = 0; c < D; ++c) {
      put(in[static_cast<std::size_t>(unit) * D + c], dw.in[u][c]);
      put(out[static_cast<std::size_t>(c) * hidden + unit], dw.out[u][c]);
    }
    put(bias[unit], dw.bias[u]);
  }
}

constexpr float kLn2 = 0.693147180559945309f;

// Smaller gradients are 0, as on the processor.
__device__ float without_subnormal(double gradient) {
  return fabs(gradient) < 1e-20 ? 0.0f : static_cast<float>(gradient);
}

// One team and its current sample. U: hidden units per thread.
template <int D, int U>
struct SamplePass {
  static constexpr int kMap = D * D + D;
  const NarrowBatch& b;
  SampleMemory m;
  Member me;
  int team;                // number among all teams
  int n = 0;               // tokens
  int label = 0;           // of the sample
  double settle_loss = 0;  // this thread's part of the distances behind the blocks
  Units<D, U> dw{};        // gradients over all blocks and samples, where the blocks share them
  float entry = 0;         // likewise, of one number of the maps or of out_bias
  float start = 0;         // likewise, of one number of the CLS token's start

  __device__ const float* tensors(int block) const {
    return b.parameters + (b.shared ? 0 : block * b.block_size);
  }
  // The gradients to which this team adds, or both teams of its thread block.
  __device__ float* row() const {
    return b.partial + (b.together ? blockIdx.x : team) * b.parameter_count;
  }
  __device__ float* gradients(int block) const {
    return row() + (b.shared ? 0 : block * b.block_size);
  }
  __device__ PerceptronTensors perceptron_of(int block) const {
    const float* in = tensors(block) + b.maps * kMap;
    const std::size_t hidden = b.hidden;
    return {in, in + hidden * D, in + hidden * (D + 1), in + hidden * (2 * D + 1), b.hidden};
  }
  __device__ float4* kept(int block, int plane) const {
    const std::size_t at = (static_cast<std::size_t>(team) * b.blocks + block) * kPlanes + plane;
    return reinterpret_cast<float4*>(b.history) + at * b.stride;
  }
  __device__ float score_scale() const { return rsqrtf(static_cast<float>(D)); }
  // A map of a block: query, key, value, mix, of which the block has the last `maps`.
  __device__ const float* map_of(int block, int which) const {
    return tensors(block) + (which - (4 - b.maps)) * kMap;
  }

  __device__ void begin_forward(int sample) {
    const int begin = b.first[sample], points = b.first[sample + 1] - begin;
    n = points + (b.cls ? 1 : 0);
    label = b.settled > 0 && b.backward ? b.label[sample] : 0;
    for (int i = me.id; i < m.stride; i += me.size) {
      float x[D] = {};
      if (i < points) {
        x[0] = b.points[2 * (begin + i)], x[1] = b.points[2 * (begin + i) + 1];
        if (b.code != nullptr)
          for (int c = 0; c < D; ++c) x[c] += b.code[i * D + c];
      } else if (i < n) {
        for (int c = 0; c < D; ++c) x[c] = b.parameters[b.parameter_count - D + c];
      }
      m.x[i] = row_of(x);
      m.s[i] = {0, 0, 0, 0};  // also behind the last token: a tile may end there
    }
    me.synchronise();
  }

  // q in powers of two, k and v of token i.
  __device__ void project(int block, int i, const float (&x)[D], float extra) {
    float q[D], k[D], v[D];
    map(map_of(block, 0), x, q);
    map(map_of(block, 1), x, k);
    map(map_of(block, 2), x, v);
    for (int c = 0; c < D; ++c) q[c] *= score_scale() / kLn2;
    m.q[i] = row_of(q, extra);
    m.k[i] = row_of(k);
    m.v[i] = row_of(v);
  }

  // entries[0 .. D) <- the mean token; `second`: entries[8 .. 8 + D) <- the sum of `totals`.
  __device__ void means(const float4* totals) {
    const bool second = me.warp >= kQuarters;
    const int c = me.warp % kQuarters;
    if (me.warp < 2 * kQuarters && c < D && (!second || totals != nullptr)) {
      const float* at = reinterpret_cast<const float*>(second ? totals : m.x) + c;
      float sum = 0;
      for (int i = me.lane; i < n; i += kLanes) sum += at[4 * i];
      sum = sum_of_lanes(sum);
      if (me.lane == 0) m.entries[second ? 8 + c : c] = second ? sum : sum / n;
    }
    me.synchronise();
  }

  //   y = x + residual (M o + b_M), or x + residual (mean - x), or x
  __device__ void forward_interaction(int block) {
    const float r = b.residual;
    if (b.maps == 4) {
      for (int i = me.id; i < n; i += me.size) {
        float x[D];
        read(m.x[i], x);
        project(block, i, x, 0);
      }
      me.synchronise();
      attend<D>(m, me, n, [&](int i, const float(&o)[D], Weighed w) {
        float x[D], push[D];
        read(m.x[i], x);
        map(map_of(block, 3), o, push);
        if (b.backward) {
          kept(block, 0)[i] = row_of(x);
          kept(block, 2)[i] = row_of(o);
          kept(block, 3)[i] = {w.peak, w.share, 0, 0};
        }
        for (int c = 0; c < D; ++c) x[c] = fmaf(r, push[c], x[c]);
        if (b.backward) kept(block, 1)[i] = row_of(x);
        m.x[i] = row_of(x);
      });
      me.synchronise();
      return;
    }
    float mean[D] = {}, v[D], push[D] = {};
    me.synchronise();
    if (b.maps == 2 || b.attraction) {
      means(nullptr);
      for (int c = 0; c < D; ++c) mean[c] = m.entries[c];
    }
    if (b.maps == 2) map(map_of(block, 2), mean, v), map(map_of(block, 3), v, push);
    for (int i = me.id; i < n; i += me.size) {
      float x[D];
      read(m.x[i], x);
      if (b.backward) kept(block, 0)[i] = row_of(x);
      for (int c = 0; c < D; ++c) x[c] += r * (b.attraction ? mean[c] - x[c] : push[c]);
      if (b.backward) kept(block, 1)[i] = row_of(x);
      m.x[i] = row_of(x);
    }
    me.synchronise();
  }

  __device__ void forward(int block) {
    forward_interaction(block);
    const PerceptronTensors t = perceptron_of(block);
    feed_forward<D, U>(m, me, n, t);
    me.synchronise();
    for (int i = me.id; i < n; i += me.size) {
      float x[D], sum[D];
      read(m.x[i], x);
      sum_parts(m, i, sum);
      for (int c = 0; c < D; ++c) x[c] = fmaf(b.residual, sum[c] + __ldg(t.out_bias + c), x[c]);
      m.x[i] = row_of(x);
    }
  }

  // few[0 .. D) <- the mean token, or the last.
  __device__ void read_out(int sample) {
    me.synchronise();
    if (me.warp < D) {
      const float* at = reinterpret_cast<const float*>(m.x) + me.warp;
      double sum = 0;
      for (int i = b.cls ? n - 1 + me.lane : me.lane; i < n; i += kLanes) sum += at[4 * i];
      sum = sum_of_lanes(sum) / (b.cls ? 1 : n);
      if (me.lane == 0) {
        m.few[me.warp] = static_cast<float>(sum);
        b.readout[sample * D + me.warp] = static_cast<float>(sum);
      }
    }
    me.synchronise();
  }

  __device__ double score(int c) const {
    double sum = 0;
    for (int k = 0; k < D; ++k) sum += m.few[k] * b.targets[c * D + k];
    return sum / 10;
  }

  // By one thread: the class; for the cross-entropy the loss, and few[4 .. 4 + D) <- its gradient.
  __device__ void classify(int sample) {
    int best = 0;
    double peak = score(0);
    for (int c = 1; c < b.classes; ++c) {
      const double s = score(c);
      if (s > peak) peak = s, best = c;
    }
    b.correct[sample] = best == b.label[sample];
    if (b.target_loss) return;
    double sum = 0, loss = 0, dm[D] = {};
    for (int c = 0; c < b.classes; ++c) sum += exp(score(c) - peak);
    const double log_sum = log(sum);
    for (int c = 0; c < b.classes; ++c) {
      const double log_p = score(c) - peak - log_sum;
      const double y = (c == b.label[sample] ? 1 - b.smoothing : 0.0) + b.smoothing / b.classes;
      loss -= y * log_p;
      for (int k = 0; k < D; ++k) dm[k] += (exp(log_p) - y) * b.targets[c * D + k] * b.share / 10;
    }
    b.loss[sample] = loss * b.share;
    for (int k = 0; k < D; ++k) m.few[4 + k] = dm[k] / (b.cls ? 1 : n);
  }

  // |x - t| of token i times `weight`, and its gradient.
  __device__ double distance(int label, double weight, const float (&x)[D], float (&dx)[D]) const {
    double gap[D], square = 0;
    for (int c = 0; c < D; ++c) gap[c] = x[c] - b.targets[label * D + c], square += gap[c] * gap[c];
    const double length = sqrt(square);
    for (int c = 0; c < D; ++c)
      dx[c] = length > 0 ? static_cast<float>(weight * gap[c] / length) : 0.0f;
    return weight * length;
  }

  // The loss and dx, its gradient at every token.
  __device__ void compute_loss(int sample) {
    read_out(sample);
    if (!b.backward) return;
    if (me.id == 0) classify(sample);
    me.synchronise();
    const double tokens = b.cls ? 1 : b.padded_tokens > 0 ? b.padded_tokens : n;
    double loss = 0;
    for (int i = me.id; i < n; i += me.size) {
      const bool read_too = !b.cls || i == n - 1;
      float x[D], dx[D];
      read(m.x[i], x);
      if (b.target_loss)
        loss += distance(b.label[sample], read_too ? b.share / tokens : 0, x, dx);
      else
        for (int c = 0; c < D; ++c) dx[c] = read_too ? without_subnormal(m.few[4 + c]) : 0;
      prepare_backward(b.blocks - 1, i, dx);
    }
    loss = sum_of_lanes(loss);
    if (me.lane == 0) m.few[8 + me.warp] = loss;
    me.synchronise();
    if (!b.target_loss || me.id != 0) return;
    for (int w = 1; w < me.warps; ++w) loss += m.few[8 + w];
    b.loss[sample] = loss;
  }

  // Adds the gradient of weight |x_i - t|^2 behind `block`, where m.x is.
  __device__ void settle(int i, float (&dx)[D]) {
    float x[D];
    read(m.x[i], x);
    const double weight = b.settle / n;
    for (int c = 0; c < D; ++c) {
      const double gap = x[c] - b.targets[label * D + c];
      settle_loss += weight * gap * gap;
      dx[c] += without_subnormal(2 * weight * gap);
    }
  }
  __device__ void add_settle(int sample) {
    settle_loss = sum_of_lanes(settle_loss);
    if (me.lane == 0) m.few[8 + me.warp] = settle_loss;
    me.synchronise();
    settle_loss = 0;
    if (me.id != 0) return;
    double sum = 0;
    for (int w = 0; w < me.warps; ++w) sum += m.few[8 + w];
    b.loss[sample] += sum;
  }

  // Prepares token i, which is still behind `block`, for the backward pass of the feed-forward of
  // `block`.
  __device__ void prepare_backward(int block, int i, float (&dx)[D]) {
    float s[D];
    if (block >= b.blocks - b.settled) settle(i, dx);
    for (int c = 0; c < D; ++c) s[c] = b.residual * dx[c];
    m.dx[i] = row_of(dx);
    m.s[i] = row_of(s);
    if (block >= 0) m.x[i] = kept(block, 1)[i];
  }

  __device__ void backward_feed_forward(int block) {
    const PerceptronTensors t = perceptron_of(block);
    for (int from = 0; from < b.hidden; from += kSet * U) {
      const Units<D, U> w = read_units<D, U>(t, from, me.id);
      if (!b.together) dw = {};
      feed_forward_backward(m, me, n, w, from > 0, dw);
      if (!b.together)
        store_units(m, me, from, b.hidden, true, dw, gradients(block) + b.maps * kMap);
    }
    me.synchronise();
    for (int i = me.id; i < n; i += me.size) {
      float dx[D], sum[D];
      read(m.dx[i], dx);
      sum_parts(m, i, sum);
      for (int c = 0; c < D; ++c) dx[c] += sum[c];
      m.dx[i] = row_of(dx);
      m.x[i] = kept(block, 0)[i];
    }
  }

  // Each thread computes one number of the gradients over some of the tokens.
  __device__ int entries() const { return b.maps * kMap + D; }
  __device__ void add_entries(const float (&v)[D], const float (&dv)[D]) {
    const int each = kTeam / entries(), slices = me.size / kTeam * each;  // slices of the tokens
    const int e = me.id % kTeam % entries(), within = me.id % kTeam / entries();
    if (within >= each) return;
    const int slice = me.id / kTeam * each + within;
    const int which = e / kMap + (4 - b.maps), rest = e % kMap;  // 4: out_bias
    const bool bias = rest >= D * D || which == 4;
    const int a = which == 4 ? rest : bias ? rest - D * D : rest / D, c = rest % D;
    const float scale = which == 3 ? b.residual : 1;
    if (b.maps == 2 && which < 4) {
      if (slice > 0) return;
      const float left = which == 3 ? scale * m.entries[8 + a] : pick(dv, a);
      entry += left * (bias ? 1.0f : which == 3 ? pick(v, c) : m.entries[c]);
      return;
    }
    const float4* from = which == 4 ? m.s : which == 3 ? m.dx : m.parts + which * m.stride;
    const float* left = reinterpret_cast<const float*>(from) + a;
    const float* right = reinterpret_cast<const float*>(which == 3 ? m.o : m.x) + c;
    float sum = 0;
#pragma unroll 4
    for (int i = slice; i < n; i += slices)
      sum = fmaf(left[4 * i], bias ? 1.0f : right[4 * i], sum);
    entry += scale * sum;
  }
  __device__ static float pick(const float (&v)[D], int at) {
    float value = v[0];
    for (int c = 1; c < D; ++c) value = at == c ? v[c] : value;
    return value;
  }
  __device__ void store_entries(int block) {
    const int count = entries(), each = kTeam / count, maps = b.maps * kMap;
    me.synchronise();
    m.entries[me.id] = entry;
    entry = 0;
    me.synchronise();
    if (me.id < count) {
      float sum = 0;
      for (int t = 0; t < me.size; t += kTeam)
        for (int s = 0; s < each; ++s) sum += m.entries[t + s * count + me.id];
      float& to = gradients(block)[me.id < maps ? me.id : b.block_size - D + me.id - maps];
      to = b.together ? sum : to + sum;
    }
    me.synchronise();
  }

  //   do = residual M^T dy;  dx = dy + Q^T dq + K^T dk + V^T dv
  __device__ void attention_backward(int block) {
    for (int i = me.id; i < n; i += me.size) {
      float x[D], dy[D], o[D], g[D] = {};
      read(m.x[i], x);
      read(m.dx[i], dy);
      const float4 o_row = kept(block, 2)[i], weighed = kept(block, 3)[i];
      read(o_row, o);
      add_map_backward(map_of(block, 3), dy, b.residual * weighed.y, g);
      const float level = dot(g, o, 0.0f);
      project(block, i, x, -weighed.x);
      m.g[i] = row_of(g, -level);
      m.o[i] = o_row;
      if (D == 4) m.peak[i] = -weighed.x, m.level[i] = -level;
    }
    me.synchronise();
    const int groups = (n + kRows - 1) / kRows;
    for (int task = me.warp; task < 2 * groups; task += me.warps) {
      if (task < groups)
        key_rows<D>(m, me, n, task * kRows, kLn2);
      else
        query_rows<D>(m, me, n, (task - groups) * kRows, score_scale());
    }
    me.synchronise();
    add_entries({}, {});
    me.synchronise();
    for (int i = me.id; i < n; i += me.size) {
      float dx[D], part[D];
      read(m.dx[i], dx);
      for (int which = 0; which < 3; ++which) {
        read(m.parts[which * m.stride + i], part);
        add_map_backward(map_of(block, which), part, 1, dx);
      }
      prepare_backward(block - 1, i, dx);
    }
    me.synchronise();
  }

  // The interactions through the mean token, or none.
  __device__ void mean_backward(int block) {
    float mean[D] = {}, total[D] = {}, v[D] = {}, dv[D] = {}, dmean[D] = {};
    me.synchronise();
    if (b.maps == 2 || b.attraction) means(m.dx);
    for (int c = 0; c < D; ++c) mean[c] = m.entries[c], total[c] = m.entries[8 + c];
    if (b.maps == 2) {
      map(map_of(block, 2), mean, v);
      add_map_backward(map_of(block, 3), total, b.residual, dv);
      add_map_backward(map_of(block, 2), dv, 1, dmean);
    }
    add_entries(v, dv);
    me.synchronise();
    for (int i = me.id; i < n; i += me.size) {
      float dx[D];
      read(m.dx[i], dx);
      for (int c = 0; c < D; ++c)
        dx[c] += b.attraction ? b.residual * (total[c] / n - dx[c]) : dmean[c] / n;
      prepare_backward(block - 1, i, dx);
    }
    me.synchronise();
  }

  __device__ void backward(int block) {
    backward_feed_forward(block);
    if (b.maps == 4)
      attention_backward(block);
    else
      mean_backward(block);
    if (!b.shared) store_entries(block);
  }

  __device__ void run_sample(int sample) {
    begin_forward(sample);
    for (int block = 0; block < b.blocks; ++block) forward(block);
    compute_loss(sample);
    if (!b.backward) return;
    for (int block = b.blocks - 1; block >= 0; --block) backward(block);
    if (b.settled > 0) add_settle(sample);
    if (b.cls && me.id < D) start += reinterpret_cast<const float*>(m.dx + n - 1)[me.id];
    me.synchronise();
  }

  __device__ void run_queue(int queue) {
    for (int at = b.queue_first[queue]; at < b.queue_first[queue + 1]; ++at)
      run_sample(b.queue[at]);
  }

  // Adds the sums in registers to the gradients of the team.
  __device__ void finish() {
    if (b.shared) store_entries(0);
    if (b.together) store_units(m, me, 0, b.hidden, false, dw, gradients(0) + b.maps * kMap);
    if (!b.cls) return;
    me.synchronise();
    m.entries[me.id] = start;
    me.synchronise();
    if (me.id >= D) return;
    for (int t = kTeam; t < me.size; t += kTeam) start += m.entries[t + me.id];
    float& to = row()[b.parameter_count - D + me.id];
    to = b.together ? start : to + start;
  }
};

template <int D, int U>
__global__ void __launch_bounds__(2 * kTeam, 1) run_samples(const __grid_constant__ NarrowBatch b) {
  extern __shared__ __align__(16) char room[];
  const int local = threadIdx.x / kTeam, id = threadIdx.x % kTeam;
  const int block = static_cast<int>(blockIdx.x), teams = b.teams_per_block;
  constexpr int scratch = scratch_floats<D, U>;
  const auto memory_of = [&](int t) {
    return place_sample_memory(room + t * sample_bytes(b.stride, scratch), b.stride, scratch);
  };
  const Member all(0, static_cast<int>(threadIdx.x), teams * kTeam);
  SamplePass<D, U> pass{b, memory_of(0), all, block * teams};
#pragma unroll 1
  for (int separate = 0; separate < 2; ++separate) {
    if (separate) {
      pass.m = memory_of(local);
      pass.me = Member(1 + local, id, kTeam);
      pass.team = block * teams + local;
    }
    pass.run_queue(3 * block + (separate ? 1 + local : 0));
  }
  if (!b.backward) return;
  if (b.together) {
    all.synchronise();
    pass.m = memory_of(0);
    pass.me = all;
  }
  pass.finish();
}

template <int D, int U>
void launch(const NarrowBatch& b, cudaStream_t stream) {
  const std::size_t bytes = b.teams_per_block * sample_bytes(b.stride, scratch_floats<D, U>);
  cudaFuncSetAttribute(run_samples<D, U>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(bytes));
  run_samples<D, U><<<b.thread_blocks, b.teams_per_block * kTeam, bytes, stream>>>(b);
}

int units_a_thread(int hidden) { return hidden <= kSet ? 1 : hidden <= 2 * kSet ? 2 : 4; }

template <int D>
void launch(const NarrowBatch& b, cudaStream_t stream) {
  const int units = units_a_thread(b.hidden);
  if (units == 1) return launch<D, 1>(b, stream);
  if (units == 2) return launch<D, 2>(b, stream);
  launch<D, 4>(b, stream);
}

// gradient <- the sum over the rows of partial gradients, eight fixed ranges of them first.
constexpr int kRanges = 8;
__host__ __device__ std::size_t square_blocks(std::size_t parameters) {
  return (parameters + kLanes - 1) / kLanes;
}
__global__ void add_partials(const NarrowBatch b) {
  __shared__ float sums[kRanges][kLanes];
  const std::size_t e = static_cast<std::size_t>(blockIdx.x) * kLanes + threadIdx.x;
  const int rows = partial_rows(b), range = (rows + kRanges - 1) / kRanges;
  const int begin = threadIdx.y * range, end = min(begin + range, rows);
  float sum = 0;
#pragma unroll 4
  for (int t = begin; t < end; ++t)
    if (e < b.parameter_count) sum += b.partial[t * b.parameter_count + e];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
  for (int r = 1; r < kRanges; ++r) sum += sums[r][threadIdx.x];
  if (e < b.parameter_count) b.gradient[e] = sum;
  const double square = sum_of_lanes(static_cast<double>(sum) * sum);
  if (threadIdx.x == 0) b.squares[blockIdx.x] = square;
}

// Every product and sum rounded by itself, as on the processor.
__global__ void update_parameters(const NarrowUpdate w) {
  constexpr int warps = kTeam / kLanes;
  __shared__ double sums[warps];
  double total = 0;
  const int count = static_cast<int>(square_blocks(w.parameter_count));
  for (int k = threadIdx.x; k < count; k += kTeam) total += w.squares[k];
  total = sum_of_lanes(total);
  if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = total;
  __syncthreads();
  total = 0;
  for (int k = 0; k < warps; ++k) total += sums[k];
  const double length = sqrt(total);
  const std::size_t e = static_cast<std::size_t>(blockIdx.x) * kTeam + threadIdx.x;
  if (e == 0) *w.length = length;
  if (e >= w.parameter_count) return;
  float gradient = w.gradient[e];
  if (w.most > 0 && length > w.most)
    gradient = static_cast<float>(__dmul_rn(gradient, w.most / length));
  const double g = gradient;
  const double m = __dadd_rn(__dmul_rn(w.beta1, w.momentum[e]), __dmul_rn(1 - w.beta1, g));
  const double s =
      __dadd_rn(__dmul_rn(w.beta2, w.square[e]), __dmul_rn(__dmul_rn(1 - w.beta2, g), g));
  const double pace = __dadd_rn(sqrt(__dmul_rn(s, w.grow)), w.epsilon);
  const double kept = __dmul_rn(__dsub_rn(1, __dmul_rn(w.rate, w.decay)), w.parameters[e]);
  w.momentum[e] = static_cast<float>(m);
  w.square[e] = static_cast<float>(s);
  w.parameters[e] = static_cast<float>(__dsub_rn(kept, __dmul_rn(w.step, m) / pace));
}

void launch_partials(const NarrowBatch& b, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(square_blocks(b.parameter_count));
  add_partials<<<blocks, dim3(kLanes, kRanges), 0, stream>>>(b);
}

}  // namespace

std::size_t narrow_room(int d, int hidden, int stride) {
  return sample_bytes(stride, kSet * units_a_thread(hidden) * (2 * d + 1));
}

void launch_narrow(const NarrowBatch& given, cudaStream_t stream) {
  NarrowBatch b = given;
  b.together = b.shared && b.hidden <= kSet * units_a_thread(b.hidden);
  if (b.backward && !b.together)
    cudaMemsetAsync(b.partial, 0, partial_rows(b) * b.parameter_count * sizeof(float), stream);
  if (b.d == 2) launch<2>(b, stream);
  if (b.d == 3) launch<3>(b, stream);
  if (b.d == 4) launch<4>(b, stream);
  if (!b.backward) return;
  launch_partials(b, stream);
}

std::size_t square_count(std::size_t parameters) { return square_blocks(parameters); }

void launch_update(const NarrowUpdate& w, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((w.parameter_count + kTeam - 1) / kTeam);
  update_parameters<<<blocks, kTeam, 0, stream>>>(w);
}

}  // namespace murmur::cuda
