// sphere_moments.cu: moments as products of the tensor cores in double; values as polynomials in z
// times powers of x + iy, one thread two particles.
#include "engine/cuda/device_math.cuh"
#include "engine/cuda/sphere_moments.h"
#include "engine/cuda/sphere_value.cuh"

namespace murmur::cuda {

namespace {

constexpr int kWarps = 4;
constexpr int kParts = 2048;   // stretches of particles, one a warp, whatever n
constexpr int kPitch = 36;     // doubles of a row of 32 particles: no bank conflicts
constexpr int kOwn = 2;        // particles of a thread
constexpr int kThreads = 128;  // of a block of values

// c (8, 8) += a (8, 4) b (4, 8): a has row lane / 4, column lane % 4; b row lane % 4, column
// lane / 4; c row lane / 4, columns 2 (lane % 4) and the next.
__device__ void multiply_doubles(double (&c)[2], double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
}

// (terms) times (2 terms) sums of products over particles: m T_k(z) in `left`, powers in `right`.
template <int terms>
__global__ void __launch_bounds__(kWarps* kLanes)
    moments_kernel(ConstPlaces x, const double* mass, double* to) {
  extern __shared__ __align__(16) double memory[];
  const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  double* left = memory + warp * 3 * terms * kPitch;
  double* right = left + terms * kPitch;
  const int part = blockIdx.x * kWarps + warp;
  const int whole = (x.n + kLanes - 1) / kLanes, share = (whole + kParts - 1) / kParts;
  const int first = part * share * kLanes;
  const int end = min(static_cast<long long>(x.n), (part + 1LL) * share * kLanes);
  double sum[terms / 8][terms / 4][2] = {};
  for (int at = first; at < end; at += kLanes) {
    const int i = at + lane;
    const bool there = i < end;
    const double a = there ? x.at[i] : 0, b = there ? x.at[x.stride + i] : 0;
    const double z = there ? x.at[2 * x.stride + i] : 0, m = there ? mass[i] : 0;
    __syncwarp();
    double before = m * z, now = m;  // T_{-1} = T_1
    for (int k = 0; k < terms; ++k) {
      left[k * kPitch + lane] = now;
      const double next = 2 * z * now - before;
      before = now, now = next;
    }
    double real = 1, imaginary = 0;
    for (int power = 0; power < terms; ++power) {
      right[2 * power * kPitch + lane] = real;
      right[(2 * power + 1) * kPitch + lane] = imaginary;
      const double next = real * a - imaginary * b;
      imaginary = real * b + imaginary * a;
      real = next;
    }
    __syncwarp();
#pragma unroll 2
    for (int four = 0; four < kLanes; four += 4) {
      double l[terms / 8], r[terms / 4];
#pragma unroll
      for (int t = 0; t < terms / 8; ++t)
        l[t] = left[(t * 8 + lane / 4) * kPitch + four + lane % 4];
#pragma unroll
      for (int t = 0; t < terms / 4; ++t)
        r[t] = right[(t * 8 + lane / 4) * kPitch + four + lane % 4];
#pragma unroll
      for (int s = 0; s < terms / 8; ++s)
#pragma unroll
        for (int t = 0; t < terms / 4; ++t) multiply_doubles(sum[s][t], l[s], r[t]);
    }
  }
  double* out = to + static_cast<std::size_t>(part) * 2 * terms * terms;
#pragma unroll
  for (int s = 0; s < terms / 8; ++s)
#pragma unroll
    for (int t = 0; t < terms / 4; ++t)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        out[(s * 8 + lane / 4) * 2 * terms + t * 8 + 2 * (lane % 4) + e] = sum[s][t][e];
}

__global__ void add_moments(const double* parts, int size, double* to) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= size) return;
  double sum[4] = {};
  for (int part = 0; part < kParts; part += 4)
#pragma unroll
    for (int s = 0; s < 4; ++s) sum[s] += parts[static_cast<std::size_t>(part + s) * size + at];
  to[at] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// A particle as a target of the others.
template <int terms>
struct Value : SphereValue {
  double chebyshev[terms];

  __device__ void begin(const ConstPlaces& x, int i) {
    a = x.at[i], b = x.at[x.stride + i], z = x.at[2 * x.stride + i];
    chebyshev[0] = 1, chebyshev[1] = z;
#pragma unroll
    for (int k = 2; k < terms; ++k) chebyshev[k] = 2 * z * chebyshev[k - 1] - chebyshev[k - 2];
  }
};

template <int terms>
__global__ void __launch_bounds__(kThreads)
    values_kernel(ConstPlaces x, double rho, const double* coefficients, Sums to) {
  constexpr int kCount = terms * (terms + 1) / 2 * kRows;
  __shared__ __align__(16) double2 coefficient[kCount / 2];
  for (int c = threadIdx.x; c < kCount / 2; c += kThreads)
    coefficient[c] = reinterpret_cast<const double2*>(coefficients)[c];
  __syncthreads();
  const int first = blockIdx.x * kThreads * kOwn + threadIdx.x;
  Value<terms> particle[kOwn];
#pragma unroll
  for (int q = 0; q < kOwn; ++q) particle[q].begin(x, min(first + q * kThreads, x.n - 1));
#pragma unroll
  for (int m = 0; m < terms; ++m) {
    const int start = m * terms - m * (m - 1) / 2;
    double f[kOwn][kRows] = {};
#pragma unroll
    for (int k = 0; k < terms - m; ++k)
#pragma unroll
      for (int row = 0; row < kRows; row += 2) {
        const double2 c = coefficient[((start + k) * kRows + row) / 2];
#pragma unroll
        for (int q = 0; q < kOwn; ++q) {
          f[q][row] = fma(c.x, particle[q].chebyshev[k], f[q][row]);
          f[q][row + 1] = fma(c.y, particle[q].chebyshev[k], f[q][row + 1]);
        }
      }
#pragma unroll
    for (int q = 0; q < kOwn; ++q) particle[q].add(m, f[q]);
  }
#pragma unroll
  for (int q = 0; q < kOwn; ++q)
    if (first + q * kThreads < x.n) particle[q].end(rho, first + q * kThreads, to);
}

template <int terms>
void launch_moments(const ConstPlaces& x, const double* mass, double* scratch) {
  constexpr int kBytes = kWarps * 3 * terms * kPitch * static_cast<int>(sizeof(double));
  static const cudaError_t allowed = cudaFuncSetAttribute(
      moments_kernel<terms>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  (void)allowed;  // the launch fails where this did
  moments_kernel<terms><<<kParts / kWarps, kWarps * kLanes, kBytes>>>(x, mass, scratch);
}

}  // namespace

std::size_t moment_scratch(int terms) {
  return static_cast<std::size_t>(kParts) * 2 * terms * terms;
}

void sphere_moments(const ConstPlaces& x, const double* mass, int terms, double* scratch,
                    double* to) {
  terms == 16 ? launch_moments<16>(x, mass, scratch) : launch_moments<32>(x, mass, scratch);
  const int size = 2 * terms * terms;
  add_moments<<<static_cast<unsigned>((size + 63) / 64), 64>>>(scratch, size, to);
}

void sphere_sums(const ConstPlaces& x, double rho, int terms, const double* coefficients,
                 const Sums& to) {
  const auto blocks = static_cast<unsigned>((x.n + kThreads * kOwn - 1) / (kThreads * kOwn));
  if (terms == 16)
    values_kernel<16><<<blocks, kThreads>>>(x, rho, coefficients, to);
  else
    values_kernel<32><<<blocks, kThreads>>>(x, rho, coefficients, to);
}

}  // namespace murmur::cuda
