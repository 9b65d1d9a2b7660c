// narrow_perceptron.cuh: the feed-forward of one sample by one team, hidden units in registers.
#pragma once

#include "learn/cuda/narrow_team.cuh"

namespace murmur::cuda {

// A set of four warps has all hidden units, U of them a thread, and some of the tiles of eight
// tokens. Each thread goes over the tokens with its units' parameters, and in backward their
// gradients, in registers; what the units add to a token is summed over the lanes of a warp, then
// over the four warps.
constexpr int kTile = 8, kQuarters = 4, kSet = kQuarters * kLanes;

struct PerceptronTensors {
  const float *in, *in_bias, *out, *out_bias;  // (hidden, D), (hidden), (D, hidden), (D)
  int hidden;
};

template <int D, int U>
struct Units {
  float in[U][D] = {}, bias[U] = {}, out[U][D] = {};
};

// Unit u of a thread is number first + u kSet + its place in its set; 0 where there is none.
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

// A lane takes the tokens of a tile in an order of its own: the i-th is number i ^ (lane / 4).
__device__ inline const float4& seat_of(const float4* rows, int tile, int lane, int i) {
  return rows[(tile * kTile + lane / 4) ^ i];
}

template <int Half, int D>
__device__ void fold(float (&a)[kTile][D], int gap) {
  for (int t = 0; t < Half; ++t)
    for (int c = 0; c < D; ++c) a[t][c] += __shfl_xor_sync(kAll, a[t + Half][c], gap);
}

// Sums a over the lanes of a warp: lane l has those of token l / 4 in a[0]. What a lane gives away
// stands where its partner keeps it, thanks to their orders.
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

// The sums of a tile go to the parts of this warp; `more`: on top of what is there.
template <int D>
__device__ void keep_tile(const Seats& m, const Member& me, int tile, bool more,
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
__device__ void sum_parts(const Seats& m, int i, float (&sum)[D]) {
  for (int c = 0; c < D; ++c) sum[c] = 0;
  for (int w = 0; w < kQuarters; ++w) {
    float part[D];
    read(m.parts[w * m.stride + i], part);
    for (int c = 0; c < D; ++c) sum[c] += part[c];
  }
}

//   parts of W_out relu(W_in x + b_in)
template <int D, int U>
__device__ void perceptron(const Seats& m, const Member& me, int n, const PerceptronTensors& t) {
  for (int first = 0; first < t.hidden; first += kSet * U) {
    const Units<D, U> w = read_units<D, U>(t, first, me.id);
    for (int tile = me.id / kSet; tile * kTile < n; tile += me.size / kSet) {
      float a[kTile][D];
#pragma unroll
      for (int i = 0; i < kTile; ++i) {
        float x[D];
        read(seat_of(m.x, tile, me.lane, i), x);
        for (int u = 0; u < U; ++u) {
          const float h = fmaxf(dot(w.in[u], x, w.bias[u]), 0.0f);
          for (int c = 0; c < D; ++c)
            a[i][c] = u == 0 ? w.out[u][c] * h : fmaf(w.out[u][c], h, a[i][c]);
        }
      }
      keep_tile(m, me, tile, first > 0, a);
    }
  }
}

// From s, residual times the gradient at z, with h = relu(W_in x + b_in):
//   dW_out += s h^T,  dp = W_out^T s where h > 0,  dW_in += dp x^T,  db_in += dp
//   parts of W_in^T dp
template <int D, int U>
__device__ void perceptron_back(const Seats& m, const Member& me, int n, const Units<D, U>& w,
                                bool more, Units<D, U>& dw) {
  for (int tile = me.id / kSet; tile * kTile < n; tile += me.size / kSet) {
    float a[kTile][D];
#pragma unroll
    for (int i = 0; i < kTile; ++i) {
      float x[D], s[D];
      read(seat_of(m.x, tile, me.lane, i), x);
      read(seat_of(m.s, tile, me.lane, i), s);
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
    keep_tile(m, me, tile, more, a);
  }
}

// The units' gradients of all sets become those of a block, whose `in` begins at dt; `more`: on top
// of what is there. All of the team must come.
template <int D, int U>
__device__ void keep_units(const Seats& m, const Member& me, int first, int hidden, bool more,
                           Units<D, U>& dw, float* dt) {
  const int set = me.id / kSet, at = me.id % kSet;
  const auto mine = [&](int u, int c) -> float& {
    return m.scratch[(u * (2 * D + 1) + c) * kSet + at];
  };
  for (int other = 1; other < me.size / kSet; ++other) {
    for (int u = 0; set == other && u < U; ++u) {
      for (int c = 0; c < D; ++c) mine(u, c) = dw.in[u][c], mine(u, D + 1 + c) = dw.out[u][c];
      mine(u, D) = dw.bias[u];
    }
    me.meet();
    for (int u = 0; set == 0 && u < U; ++u) {
      for (int c = 0; c < D; ++c) dw.in[u][c] += mine(u, c), dw.out[u][c] += mine(u, D + 1 + c);
      dw.bias[u] += mine(u, D);
    }
    me.meet();
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

}  // namespace murmur::cuda
