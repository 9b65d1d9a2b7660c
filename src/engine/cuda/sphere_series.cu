// sphere_series.cu: moments of a swarm on S^2 as products of the tensor cores in double, and sums
// at targets out of them: at the particles, with two particles per thread, or at targets of any
// length, with one target per thread.
#include "engine/cuda/device_math.cuh"
#include "engine/cuda/sphere_series.h"

namespace murmur::cuda {

// Coefficients of one m: of Z e^{-rho}, of its derivatives by z and by rho; each Re and Im.
constexpr int kRows = 6;

// The sums at one target on S^2 while the order m grows.
struct SphereValue {
  double a, b, z;  // the direction of the target
  double value = 0, slope = 0, by_a = 0, by_b = 0, by_z = 0;
  double real = 1, imaginary = 0, before_real = 0, before_imaginary = 0;  // (a + ib)^m, ^(m-1)

  __device__ void add(int m, const double (&f)[kRows]) {
    value += f[0] * real + f[1] * imaginary;
    by_z += f[2] * real + f[3] * imaginary;
    slope += f[4] * real + f[5] * imaginary;
    by_a += m * (f[0] * before_real + f[1] * before_imaginary);
    by_b += m * (f[1] * before_real - f[0] * before_imaginary);
    before_real = real, before_imaginary = imaginary;
    real = before_real * a - before_imaginary * b;
    imaginary = before_real * b + before_imaginary * a;
  }
  __device__ void end(double rho, int i, const Sums& to) const {
    const double along = slope - (by_a * a + by_b * b + by_z * z) / rho;
    to.n[i] = by_a / rho + along * a;
    to.n[to.stride + i] = by_b / rho + along * b;
    to.n[2 * to.stride + i] = by_z / rho + along * z;
    to.z[i] = value;
  }
};

namespace {

constexpr int kWarps = 4;
constexpr int kParts = 2048;   // stretches of particles, one per warp, for every n
constexpr int kPitch = 36;     // doubles of a row of 32 particles: no bank conflicts
constexpr int kOwn = 2;        // particles of a thread
constexpr int kThreads = 128;  // of a block of values

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

// A particle as a target.
template <int terms>
struct ParticleValue : SphereValue {
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
  ParticleValue<terms> particle[kOwn];
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

namespace {

constexpr int kTargetThreads = 64;
constexpr int kBeyond =
    40;  // orders beyond p where the downward recurrence of Bessel ratios starts
constexpr int kTerms = (kMostDegree + 1) * (kMostDegree + 2) / 2;

// In the layout of `SphereSeries::harmonics`.
struct __align__(16) Harmonic {
  double a, b, real, imaginary;
};

__global__ void lengths_kernel(ConstPlaces u, double* bound) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= u.n) return;
  const double a = u.at[i], b = u.at[u.stride + i], c = u.at[2 * u.stride + i];
  bound[i] = sqrt(a * a + b * b + c * c);
}

// i_0, ..., i_{p+1} times e^{-rho}, in every kTargetThreads-th place of `to`:
//   i_l / i_{l-1} = rho / (2l + 1 + rho i_{l+1} / i_l),   i_0 e^{-rho} = (1 - e^{-2 rho}) / (2 rho)
__device__ void bessel(double rho, int p, double* to) {
  double ratio = 0;
  for (int l = p + kBeyond; l > 0; --l) {
    ratio = rho / (2 * l + 1 + rho * ratio);
    if (l <= p + 1) to[l * kTargetThreads] = ratio;
  }
  double i = -expm1(-2 * rho) / (2 * rho);
  to[0] = i;
  for (int l = 1; l <= p + 1; ++l) to[l * kTargetThreads] = i *= to[l * kTargetThreads];
}

__global__ void __launch_bounds__(kTargetThreads)
    targets_kernel(ConstPlaces u, const double* bound, int p, const Harmonic* harmonics, Sums to) {
  __shared__ Harmonic harmonic[kTerms];
  __shared__ double order[(kMostDegree + 2) * kTargetThreads];
  for (int k = threadIdx.x; k < (p + 1) * (p + 2) / 2; k += kTargetThreads)
    harmonic[k] = harmonics[k];
  __syncthreads();
  const int i = blockIdx.x * kTargetThreads + threadIdx.x;
  if (i >= u.n) return;
  const double scale = 1 / bound[i], rho = bound[i] * 0.6931471805599453;
  SphereValue at{u.at[i] * scale, u.at[u.stride + i] * scale, u.at[2 * u.stride + i] * scale};
  double* const bessels = order + threadIdx.x;
  bessel(rho, p, bessels);
  const Harmonic* next = harmonic;
  for (int m = 0; m <= p; ++m) {
    double q = 1, q_before = 0, slope = 0, slope_before = 0;  // q_lm / q_mm and its derivative by z
    double f[kRows] = {};
    double below = m > 0 ? bessels[(m - 1) * kTargetThreads] : 0, own = bessels[m * kTargetThreads];
    for (int l = m; l <= p; ++l, ++next) {
      const Harmonic h = *next;
      const double above = bessels[(l + 1) * kTargetThreads];
      const double weight = (2 * l + 1) * own, by_rho = l * below + (l + 1) * above;
      below = own, own = above;
      f[0] += weight * q * h.real, f[1] += weight * q * h.imaginary;
      f[2] += weight * slope * h.real, f[3] += weight * slope * h.imaginary;
      f[4] += by_rho * q * h.real, f[5] += by_rho * q * h.imaginary;
      const double q_next = h.a * at.z * q - h.b * q_before;
      const double slope_next = h.a * (q + at.z * slope) - h.b * slope_before;
      q_before = q, q = q_next;
      slope_before = slope, slope = slope_next;
    }
    at.add(m, f);
  }
  at.end(rho, i, to);
}

}  // namespace

void lengths(const ConstPlaces& u, double* bound) {
  lengths_kernel<<<static_cast<unsigned>((u.n + 255) / 256), 256>>>(u, bound);
}

void sums_at_targets(const ConstPlaces& u, const double* bound, int p, const double* harmonics,
                     const Sums& to) {
  targets_kernel<<<static_cast<unsigned>((u.n + kTargetThreads - 1) / kTargetThreads),
                   kTargetThreads>>>(u, bound, p, reinterpret_cast<const Harmonic*>(harmonics), to);
}

}  // namespace murmur::cuda
