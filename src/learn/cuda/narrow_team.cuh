// narrow_team.cuh: what the threads of one team share, and sums over them in fixed order.
#pragma once

#include "learn/cuda/narrow.h"

namespace murmur::cuda {

constexpr int kLanes = 32, kFew = 8 + 2 * kTeam / kLanes;
constexpr unsigned kAll = ~0u;

// Rows of gradients that the teams leave: one a team, or one a thread block.
inline __host__ __device__ int partial_rows(const NarrowBatch& b) {
  return b.together ? b.thread_blocks : b.thread_blocks * b.teams_a_block;
}
// Adds them up into the gradient, with the square of its length in parts.
void launch_partials(const NarrowBatch& b, cudaStream_t stream);

// Where a team keeps one sample: (stride) rows of four numbers, the last one free for d < 4.
struct Seats {
  float4 *x, *q, *k, *v;   // x: the tokens before the half block under way
  float4 *g, *o, *dx, *s;  // g: share_i do_i; dx: the gradient; s: residual times it, at z
  float4* parts;           // (4, stride): sums over a quarter of the hidden units; then dq, dk, dv
  float *peak, *level;     // (stride), used for d = 4: beside q and beside g
  float* scratch;          // gradients of the hidden units of half a team
  float* entries;          // (2 kTeam)
  double* few;             // (kFew): what one thread tells the others
  int stride;
};

template <int D, int U>
constexpr int scratch_floats = kTeam / 2 * U*(2 * D + 1);

__host__ __device__ inline std::size_t seat_bytes(int stride, int scratch) {
  return static_cast<std::size_t>(stride) * (12 * sizeof(float4) + 2 * sizeof(float)) +
         (scratch + 2 * kTeam) * sizeof(float) + kFew * sizeof(double);
}

__device__ inline Seats take_seats(char* room, int stride, int scratch) {
  Seats m;
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

// One thread's place in its team, or in both teams of its thread block together.
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
  __device__ void meet() const {
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

// w is free where d < 4.
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

// y = W x + bias; the bias stands behind the matrix.
template <int D>
__device__ void map(const float* w, const float (&x)[D], float (&y)[D]) {
  for (int a = 0; a < D; ++a) {
    y[a] = __ldg(w + D * D + a);
    for (int c = 0; c < D; ++c) y[a] = fmaf(__ldg(w + a * D + c), x[c], y[a]);
  }
}

// x += scale W^T y
template <int D>
__device__ void add_map_back(const float* w, const float (&y)[D], float scale, float (&x)[D]) {
  for (int a = 0; a < D; ++a)
    for (int c = 0; c < D; ++c) x[c] = fmaf(__ldg(w + a * D + c), scale * y[a], x[c]);
}

}  // namespace murmur::cuda
