// narrow_attention.cuh: softmax attention of one sample by one team: no (n, n) matrix is stored.
#pragma once

#include "learn/cuda/narrow_team.cuh"

namespace murmur::cuda {

// A warp does 16 rows at a time: lane l has rows l / 4 and l / 4 + 8, and of the other index every
// fourth, from l % 4 on.
constexpr int kRows = 16, kParts = 4;

// The sum over the four lanes that share a row, in each of them.
__device__ inline float sum_of_parts(float value) {
  value += __shfl_xor_sync(kAll, value, 1);
  return value + __shfl_xor_sync(kAll, value, 2);
}

// Of the two rows of a lane, the one it writes: the second where `second`.
template <int D>
__device__ void pick_row(const float (&rows)[2][D], bool second, float (&row)[D]) {
  for (int c = 0; c < D; ++c) row[c] = second ? rows[1][c] : rows[0][c];
}

// The number beside row i: its fourth, or in an array of its own for d = 4.
template <int D>
__device__ float beside(const float4& row, const float* apart, int i) {
  if constexpr (D < 4) return row.w;
  return apart[i];
}

struct Weighed {
  float peak, share;
};

//   e_ij = 2^(<q_i, k_j> - peak_i),  share_i = 1 / sum_j e_ij,  o_i = share_i sum_j e_ij v_j
// q is in powers of two. done(i, o_i, {peak_i, share_i}) is called once for every row.
template <int D, class Done>
__device__ void attend(const Seats& m, const Member& me, int n, Done done) {
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
    float mine[D];
    pick_row(o, second, mine);
    const float share = 1 / (second ? sum[1] : sum[0]);
    for (int c = 0; c < D; ++c) mine[c] *= share;
    done(i, mine, Weighed{second ? peak[1] : peak[0], share});
  }
}

//   t_ij = e_ij (<g_i, v_j> - level_i),  g_i = share_i do_i,  level_i = <g_i, o_i>
//   dq_i = scale sum_j t_ij k_j
// m.q holds -peak, m.g holds -level beside each row.
template <int D>
__device__ void query_rows(const Seats& m, const Member& me, int n, int base, float scale) {
  const int part = me.lane % kParts, row = base + me.lane / kParts;
  float q[2][D], g[2][D], peak[2], level[2], dq[2][D] = {};
  for (int r = 0; r < 2; ++r) {
    const int i = row + 8 * r;
    read(m.q[i], q[r]);
    read(m.g[i], g[r]);
    peak[r] = beside<D>(m.q[i], m.peak, i);
    level[r] = beside<D>(m.g[i], m.level, i);
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
  float mine[D];
  pick_row(dq, second, mine);
  m.parts[i] = row_of(mine);
}

//   dk_j = scale sum_i t_ij q_i,  dv_j = sum_i e_ij g_i
template <int D>
__device__ void key_rows(const Seats& m, const Member& me, int n, int base, float scale) {
  const int part = me.lane % kParts, row = base + me.lane / kParts;
  float k[2][D], v[2][D], dk[2][D] = {}, dv[2][D] = {};
  for (int r = 0; r < 2; ++r) read(m.k[row + 8 * r], k[r]), read(m.v[row + 8 * r], v[r]);
#pragma unroll 4
  for (int i = part; i < n; i += kParts) {
    const float4 q_row = m.q[i], g_row = m.g[i];
    const float peak = beside<D>(q_row, m.peak, i), level = beside<D>(g_row, m.level, i);
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
  float mine[D];
  pick_row(dk, second, mine);
  m.parts[m.stride + j] = row_of(mine);
  pick_row(dv, second, mine);
  m.parts[2 * m.stride + j] = row_of(mine);
}

}  // namespace murmur::cuda
