// probes.cu: small kernels that measure the limits of a GPU, each with one kind of operation.
#include <algorithm>

#include "engine/cuda/device_math.cuh"
#include "engine/cuda/probes.h"

namespace murmur::cuda {

namespace {

constexpr int kThreads = 256, kRounds = 4096;

// Eight chains per thread, to hide the latency.
template <class Number>
__global__ void multiply_adds(Number a, Number b, Number* to) {
  Number x[8];
#pragma unroll
  for (int c = 0; c < 8; ++c) x[c] = a + c + threadIdx.x;
  for (int r = 0; r < kRounds; ++r)
#pragma unroll
    for (int c = 0; c < 8; ++c) x[c] = x[c] * a + b;
  Number sum = 0;
#pragma unroll
  for (int c = 0; c < 8; ++c) sum += x[c];
  if (sum == Number(12345)) to[blockIdx.x] = sum;  // never true, but the compiler cannot know
}

__global__ void powers_of_two(float a, float* to) {
  float x[8];
#pragma unroll
  for (int c = 0; c < 8; ++c) x[c] = a * (c + threadIdx.x);
  for (int r = 0; r < kRounds; ++r)
#pragma unroll
    for (int c = 0; c < 8; ++c) x[c] = exp2_unit(x[c]);
  float sum = 0;
#pragma unroll
  for (int c = 0; c < 8; ++c) sum += x[c];
  if (sum == 12345.0f) to[blockIdx.x] = sum;
}

__global__ void half_products(std::uint32_t seed, float* to) {
  float c[8][4] = {};
  const std::uint32_t a[4] = {seed, seed + threadIdx.x, seed, seed}, b[2] = {seed, seed};
  for (int r = 0; r < kRounds; ++r)
#pragma unroll
    for (int e = 0; e < 8; ++e) multiply_halves(c[e], a, b);
  float sum = 0;
#pragma unroll
  for (int e = 0; e < 8; ++e) sum += c[e][0] + c[e][1] + c[e][2] + c[e][3];
  if (sum == 12345.0f) to[blockIdx.x] = sum;
}

}  // namespace

void start_probe(Probe kind, int blocks, void* scratch) {
  const auto grid = static_cast<unsigned>(blocks);
  auto* numbers = static_cast<float*>(scratch);
  switch (kind) {
    case Probe::fma_f32:
      return multiply_adds<float><<<grid, kThreads>>>(0.999f, 0.001f, numbers);
    case Probe::fma_f64:
      return multiply_adds<double><<<grid, kThreads>>>(0.999, 0.001, static_cast<double*>(scratch));
    case Probe::exp2_f32:
      return powers_of_two<<<grid, kThreads>>>(-1e-3f, numbers);
    case Probe::half_products:
      return half_products<<<grid, kThreads>>>(0, numbers);
  }
}

double probed_operations(Probe kind, int blocks) {
  const double each = 8.0 * kRounds * kThreads * blocks;
  return kind == Probe::half_products ? each / kLanes * 16 * 8 * 16 : each;
}

}  // namespace murmur::cuda
