// device_math.cuh: powers of two, products of the tensor cores, copies, masks and random numbers
// that the kernels share.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

#include "engine/cuda/tiles.h"

namespace murmur::cuda {

inline constexpr int kLanes = 32;  // threads of a warp

// Returns 2^s by the special-function unit, with a relative error of 2^-22.
__device__ inline float exp2_unit(float s) {
  float p;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(p) : "f"(s));
  return p;
}

// 2^{k/16}, k = 0, ..., 15, in shared memory: sixteen doubles are in 32 banks, so that each lane
// can read a different one.
struct Powers {
  double at[16];
  __device__ void fill() {  // by the first threads of a block; needs a barrier after it
    constexpr double kPowers[16] = {1.0,
                                    1.0442737824274138,
                                    1.0905077326652577,
                                    1.1387886347566916,
                                    1.189207115002721,
                                    1.241857812073484,
                                    1.2968395546510096,
                                    1.3542555469368927,
                                    1.4142135623730951,
                                    1.4768261459394993,
                                    1.5422108254079407,
                                    1.6104903319492543,
                                    1.681792830507429,
                                    1.7562521603732995,
                                    1.8340080864093424,
                                    1.9152065613971474};
    if (threadIdx.x < 16) at[threadIdx.x] = kPowers[threadIdx.x];
  }
};

// Returns 2^s in double for s < 1023. Results below 2^-1000 become 2^-1000, which is negligible
// (not if `deep` is false). s = k/16 + f, |f| <= 1/32, and Chebyshev's expansion up to degree 6:
// the first term left out is 7e-18. NaN stays NaN.
template <bool deep = true>
__device__ inline double exp2_double(double s, const Powers& powers) {
  constexpr double kToSixteenths = 422212465065984.0;  // 1.5 2^48
  if (deep) s = s < -1000.0 ? -1000.0 : s;
  const double shifted = s + kToSixteenths;
  const double f = s - (shifted - kToSixteenths);
  const int k = __double2loint(shifted);
  double p = 0.00015403788510250262;
  p = fma(p, f, 0.0013333818815449907);
  p = fma(p, f, 0.009618129106053053);
  p = fma(p, f, 0.05550410865209356);
  p = fma(p, f, 0.24022650695910103);
  p = fma(p, f, 0.6931471805599468);
  p = fma(p, f, 1.0) * powers.at[k & 15];
  return __hiloint2double(__double2hiint(p) + (k >> 4 << 20), __double2loint(p));
}

// c (16, 8) += a (16, 16) b (16, 8), halves into floats. Of a lane with g = lane / 4, t = lane % 4:
//   a: rows g and g + 8, columns 2t, 2t+1 (a[0], a[1]) and 2t+8, 2t+9 (a[2], a[3])
//   b: rows 2t, 2t+1 (b[0]) and 2t+8, 2t+9 (b[1]), column g
//   c: rows g (c[0], c[1]) and g + 8 (c[2], c[3]), columns 2t, 2t+1
__device__ inline void multiply_halves(float (&c)[4], const std::uint32_t (&a)[4],
                                       const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// c = a b.
__device__ inline void multiply_halves_into(float (&c)[4], const std::uint32_t (&a)[4],
                                            const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%10,%10,%10};"
      : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(0.0f));
}

// c (8, 8) += a (8, 4) b (4, 8): a has row lane / 4, column lane % 4; b row lane % 4, column
// lane / 4; c row lane / 4, columns 2 (lane % 4) and the next.
__device__ inline void multiply_doubles(double (&c)[2], double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
}

__device__ inline std::uint32_t pack(__half low, __half high) {
  return static_cast<std::uint32_t>(__half_as_ushort(low)) |
         static_cast<std::uint32_t>(__half_as_ushort(high)) << 16;
}

// Copies 16 bytes from global to shared memory, asynchronously.
__device__ inline void copy_async(void* to, const void* from) {
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
}
// Copies kPieces times sixteen bytes by the kThreads threads of a block. The counts are template
// parameters, so that the compiler unrolls the loop.
template <int kPieces, int kThreads>
__device__ inline void copy_all(void* to, const void* from) {
#pragma unroll
  for (int first = 0; first < kPieces; first += kThreads) {
    const int at = (first + static_cast<int>(threadIdx.x)) * 16;
    if (kPieces % kThreads == 0 || first + static_cast<int>(threadIdx.x) < kPieces)
      copy_async(static_cast<char*>(to) + at, static_cast<const char*>(from) + at);
  }
}
__device__ inline void end_of_copies() { asm volatile("cp.async.commit_group;"); }
template <int kLeft>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft));
}

// Returns the sum or extreme over a block of kThreads, in a fixed order, to every thread. `scratch`
// has kThreads values.
template <int kThreads, class T, class Combine>
__device__ T over_block(T value, T* scratch, Combine combine) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      scratch[threadIdx.x] = combine(scratch[threadIdx.x], scratch[threadIdx.x + half]);
    __syncthreads();
  }
  const T all = scratch[0];
  __syncthreads();
  return all;
}

// Returns whether row i does not attend to j.
__device__ inline bool is_masked(const PairMask& mask, int i, int j) {
  return (mask.causal && j > i) || (!mask.self && j == i);
}

// Returns the four random numbers of Philox4x32-10, as core/random.cpp does.
__device__ inline uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter.x;
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter.z;
    counter = make_uint4(
        static_cast<std::uint32_t>(b >> 32) ^ counter.y ^ key.x, static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter.w ^ key.y, static_cast<std::uint32_t>(a));
    key.x += 0x9E3779B9;
    key.y += 0xBB67AE85;
  }
  return counter;
}

}  // namespace murmur::cuda
