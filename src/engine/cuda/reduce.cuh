// reduce.cuh: sums and extremes over particles in a fixed order, whatever the grid.
#pragma once

#include "engine/cuda/device_math.cuh"

namespace murmur::cuda {

inline constexpr int kReduceThreads = 256;
inline constexpr int kStretch = 4096;  // particles of a block
inline constexpr int kFinalThreads = 1024;

struct Add {
  __device__ double operator()(double a, double b) const { return a + b; }
  static constexpr double start = 0;
};
// The larger; what is not a number stays.
struct Most {
  __device__ double operator()(double a, double b) const { return a > b || a != a ? a : b; }
  static constexpr double start = 0;
};

// Value (which, i): block column y is of the sum or extreme number y.
template <class Combine, class Value>
__global__ void reduce_stretch(int n, Value value, double* part) {
  __shared__ double scratch[kReduceThreads];
  const Combine combine;
  double all = Combine::start;
  const int first = blockIdx.x * kStretch;
  for (int at = threadIdx.x; at < kStretch; at += kReduceThreads)
    if (first + at < n) all = combine(all, value(static_cast<int>(blockIdx.y), first + at));
  all = over_block<kReduceThreads>(all, scratch, combine);
  if (threadIdx.x == 0) part[blockIdx.y * gridDim.x + blockIdx.x] = all;
}

template <class Combine>
__global__ void reduce_parts(int parts, const double* part, double* to) {
  part += blockIdx.x * parts;
  to += blockIdx.x;
  __shared__ double scratch[kFinalThreads];
  const Combine combine;
  double all = Combine::start;
  for (int at = threadIdx.x; at < parts; at += kFinalThreads) all = combine(all, part[at]);
  all = over_block<kFinalThreads>(all, scratch, combine);
  if (threadIdx.x == 0) *to = all;
}

inline int parts_of(int n) { return (n + kStretch - 1) / kStretch; }

// to[w] = value(w, 0) combined with value(w, 1), ..., for all w < count in one go; `part` has count
// parts_of(n) numbers.
template <class Combine, class Value>
void reduce_each(int n, int count, double* part, double* to, Value value) {
  const dim3 grid(static_cast<unsigned>(parts_of(n)), static_cast<unsigned>(count));
  if (grid.x > 0) reduce_stretch<Combine><<<grid, kReduceThreads>>>(n, value, part);
  reduce_parts<Combine><<<grid.y, kFinalThreads>>>(static_cast<int>(grid.x), part, to);
}

// *to = value(0) combined with value(1), ...; `part` has parts_of(n) numbers.
template <class Value>
struct OnlyOne {
  Value value;
  __device__ double operator()(int, int i) const { return value(i); }
};
template <class Combine, class Value>
void reduce(int n, double* part, double* to, Value value) {
  reduce_each<Combine>(n, 1, part, to, OnlyOne<Value>{value});
}

}  // namespace murmur::cuda
