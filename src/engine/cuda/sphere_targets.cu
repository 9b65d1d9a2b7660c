// sphere_targets.cu: one thread a target: Bessel functions of its own length, then associated
// Legendre functions upward in l, for one m after another.
#include "engine/cuda/sphere_series.h"
#include "engine/cuda/sphere_targets.h"
#include "engine/cuda/sphere_value.cuh"

namespace murmur::cuda {

namespace {

constexpr int kThreads = 64;
constexpr int kBeyond = 40;  // orders beyond p from which ratios of Bessel functions come down
constexpr int kTerms = (kMostDegree + 1) * (kMostDegree + 2) / 2;

// As `SphereSeries::harmonics` has them.
struct __align__(16) Harmonic {
  double a, b, real, imaginary;
};

__global__ void lengths_kernel(ConstPlaces u, double* bound) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= u.n) return;
  const double a = u.at[i], b = u.at[u.stride + i], c = u.at[2 * u.stride + i];
  bound[i] = sqrt(a * a + b * b + c * c);
}

// i_0, ..., i_{p+1} times e^{-rho}, in every kThreads-th place of `to`:
//   i_l / i_{l-1} = rho / (2l + 1 + rho i_{l+1} / i_l),   i_0 e^{-rho} = (1 - e^{-2 rho}) / (2 rho)
__device__ void bessel(double rho, int p, double* to) {
  double ratio = 0;
  for (int l = p + kBeyond; l > 0; --l) {
    ratio = rho / (2 * l + 1 + rho * ratio);
    if (l <= p + 1) to[l * kThreads] = ratio;
  }
  double i = -expm1(-2 * rho) / (2 * rho);
  to[0] = i;
  for (int l = 1; l <= p + 1; ++l) to[l * kThreads] = i *= to[l * kThreads];
}

__global__ void __launch_bounds__(kThreads)
    targets_kernel(ConstPlaces u, const double* bound, int p, const Harmonic* harmonics, Sums to) {
  __shared__ Harmonic harmonic[kTerms];
  __shared__ double order[(kMostDegree + 2) * kThreads];
  for (int k = threadIdx.x; k < (p + 1) * (p + 2) / 2; k += kThreads) harmonic[k] = harmonics[k];
  __syncthreads();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= u.n) return;
  const double scale = 1 / bound[i], rho = bound[i] * 0.6931471805599453;
  SphereValue at{u.at[i] * scale, u.at[u.stride + i] * scale, u.at[2 * u.stride + i] * scale};
  double* const bessels = order + threadIdx.x;
  bessel(rho, p, bessels);
  const Harmonic* next = harmonic;
  for (int m = 0; m <= p; ++m) {
    double q = 1, q_before = 0, slope = 0, slope_before = 0;  // q_lm / q_mm and its derivative by z
    double f[kRows] = {};
    double below = m > 0 ? bessels[(m - 1) * kThreads] : 0, own = bessels[m * kThreads];
    for (int l = m; l <= p; ++l, ++next) {
      const Harmonic h = *next;
      const double above = bessels[(l + 1) * kThreads];
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
  targets_kernel<<<static_cast<unsigned>((u.n + kThreads - 1) / kThreads), kThreads>>>(
      u, bound, p, reinterpret_cast<const Harmonic*>(harmonics), to);
}

}  // namespace murmur::cuda
