// wide_pairs.cu: vectors cut into halves, and rows of scores that become weights between the
// matrix products of many dimensions.
#include <cmath>

#include "engine/cuda/device_math.cuh"
#include "engine/cuda/wide_pairs.h"

namespace murmur::cuda {

namespace {

constexpr int kThreads = 256;

__device__ void split(const HalvesFrom& from, int i, int k, std::size_t at, const Halves& to) {
  const bool there = i < from.n && k < from.d;
  const double origin = from.origin != nullptr && there ? from.origin[k] : 0;
  const double x = there ? (from.at[k * from.stride + i] - origin) * from.scale : 0;
  const __half high = __float2half_rn(static_cast<float>(x));
  to.high[at] = __half_as_ushort(high);
  to.low[at] = __half_as_ushort(
      __float2half_rn(static_cast<float>(x - static_cast<double>(__half2float(high)))));
}

__global__ void split_rows_kernel(HalvesFrom from, std::size_t rows, int pitch, Halves to) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= rows * pitch) return;
  split(from, static_cast<int>(at / pitch), static_cast<int>(at % pitch), at, to);
}

__global__ void split_columns_kernel(HalvesFrom from, std::size_t rows, Halves to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= rows) return;
  const int k = blockIdx.y;
  split(from, static_cast<int>(i), k, k * rows + i, to);
}

__global__ void weights_kernel(const double* mass, double heaviest, int n, std::size_t rows,
                               float* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < rows) to[i] = i < n ? static_cast<float>(mass[i] / heaviest) : 0;
}

__device__ bool seen_by(const Seen& seen, int i, int j) {
  return !((seen.past && j > i) || (!seen.self && j == i));
}

struct Larger {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};
struct Plus {
  __device__ double operator()(double a, double b) const { return a + b; }
};

__global__ void weigh_double_kernel(Strip strip, Seen seen, const double* mass, double* s,
                                    double* z, double* bound) {
  __shared__ double scratch[kThreads];
  __shared__ Powers powers;
  powers.fill();
  __syncthreads();
  const int i = strip.first + blockIdx.x;
  double* row = s + blockIdx.x * strip.pitch;
  double most = -INFINITY;
  for (int j = threadIdx.x; j < strip.n; j += kThreads)
    if (mass[j] > 0 && seen_by(seen, i, j)) most = fmax(most, row[j]);
  most = over_block<kThreads>(most, scratch, Larger());
  double sum = 0;
  for (int j = threadIdx.x; j < strip.n; j += kThreads) {
    const double w =
        mass[j] > 0 && seen_by(seen, i, j) ? mass[j] * exp2_double(row[j] - most, powers) : 0;
    row[j] = w;
    sum += w;
  }
  sum = over_block<kThreads>(sum, scratch, Plus());
  if (threadIdx.x == 0) z[i] = sum, bound[i] = isinf(most) ? 0 : most;
}

__global__ void weigh_halves_kernel(Strip strip, Seen seen, const float* weight, float unscale,
                                    const float* s, Halves to, double* z, double* bound) {
  __shared__ double scratch[kThreads];
  const int i = strip.first + blockIdx.x;
  const std::size_t at = blockIdx.x * strip.pitch;
  float most = -INFINITY;
  for (int j = threadIdx.x; j < strip.n; j += kThreads)
    if (weight[j] > 0 && seen_by(seen, i, j)) most = fmaxf(most, s[at + j] * unscale);
  most = static_cast<float>(over_block<kThreads>(static_cast<double>(most), scratch, Larger()));
  const float shift = isinf(most) ? 0 : most - 10;  // weights are up to 2^10
  double sum = 0;
  for (int j = threadIdx.x; j < strip.pitch; j += kThreads) {
    const bool counts = j < strip.n && seen_by(seen, i, j);
    const float w = counts ? weight[j] * exp2_unit(fmaf(s[at + j], unscale, -shift)) : 0;
    const __half high = __float2half_rn(w);
    to.high[at + j] = __half_as_ushort(high);
    to.low[at + j] = __half_as_ushort(__float2half_rn(w - __half2float(high)));
    sum += w;
  }
  sum = over_block<kThreads>(sum, scratch, Plus());
  if (threadIdx.x == 0) z[i] = sum, bound[i] = shift;
}

__global__ void keep_strip_kernel(Strip strip, int d, int parts, const float* from, double scale,
                                  double* to, std::size_t stride) {
  const int i = blockIdx.x * kThreads + threadIdx.x, k = blockIdx.y;
  if (i >= strip.count) return;
  double sum = 0;
  for (int part = 0; part < parts; ++part)
    sum += from[(static_cast<std::size_t>(part) * d + k) * strip.count + i];
  to[k * stride + strip.first + i] = sum / scale;
}

unsigned blocks_of(std::size_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

}  // namespace

void split_rows(const HalvesFrom& from, std::size_t rows, int pitch, const Halves& to) {
  split_rows_kernel<<<blocks_of(rows * pitch), kThreads>>>(from, rows, pitch, to);
}

void split_columns(const HalvesFrom& from, std::size_t rows, const Halves& to) {
  const dim3 grid(blocks_of(rows), static_cast<unsigned>(from.d));
  split_columns_kernel<<<grid, kThreads>>>(from, rows, to);
}

void split_weights(const double* mass, double heaviest, int n, std::size_t rows, float* to) {
  weights_kernel<<<blocks_of(rows), kThreads>>>(mass, heaviest, n, rows, to);
}

void weigh_double(const Strip& strip, const Seen& seen, const double* mass, double* s, double* z,
                  double* bound) {
  weigh_double_kernel<<<static_cast<unsigned>(strip.count), kThreads>>>(strip, seen, mass, s, z,
                                                                        bound);
}

void weigh_halves(const Strip& strip, const Seen& seen, const float* weight, float unscale,
                  const float* s, const Halves& to, double* z, double* bound) {
  weigh_halves_kernel<<<static_cast<unsigned>(strip.count), kThreads>>>(strip, seen, weight,
                                                                        unscale, s, to, z, bound);
}

void keep_strip(const Strip& strip, int d, int parts, const float* from, double scale, double* to,
                std::size_t stride) {
  const dim3 grid(blocks_of(strip.count), static_cast<unsigned>(d));
  keep_strip_kernel<<<grid, kThreads>>>(strip, d, parts, from, scale, to, stride);
}

}  // namespace murmur::cuda
