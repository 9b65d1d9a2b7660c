// sphere_targets.cu: one thread a target: Bessel functions of its own length, then associated
// Legendre functions upward in l, for one m after another.
#include "engine/cuda/sphere_series.h"
#include "engine/cuda/sphere_targets.h"

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
  const double a = u.at[i] * scale, b = u.at[u.stride + i] * scale;
  const double z = u.at[2 * u.stride + i] * scale;
  double* const bessels = order + threadIdx.x;
  bessel(rho, p, bessels);

  double value = 0, slope = 0, by_a = 0, by_b = 0, by_z = 0;
  double real = 1, imaginary = 0, before_real = 0, before_imaginary = 0;  // (a + ib)^m and ^(m-1)
  const Harmonic* at = harmonic;
  for (int m = 0; m <= p; ++m) {
    double q = 1, q_before = 0, d = 0, d_before = 0;  // q_lm / q_mm and its derivative by z
    double f[2] = {}, f_z[2] = {}, f_rho[2] = {};
    double below = m > 0 ? bessels[(m - 1) * kThreads] : 0, own = bessels[m * kThreads];
    for (int l = m; l <= p; ++l, ++at) {
      const Harmonic h = *at;
      const double above = bessels[(l + 1) * kThreads];
      const double weight = (2 * l + 1) * own, by_rho = l * below + (l + 1) * above;
      below = own, own = above;
      f[0] += weight * q * h.real, f[1] += weight * q * h.imaginary;
      f_z[0] += weight * d * h.real, f_z[1] += weight * d * h.imaginary;
      f_rho[0] += by_rho * q * h.real, f_rho[1] += by_rho * q * h.imaginary;
      const double q_next = h.a * z * q - h.b * q_before;
      const double d_next = h.a * (q + z * d) - h.b * d_before;
      q_before = q, q = q_next;
      d_before = d, d = d_next;
    }
    value += f[0] * real + f[1] * imaginary;
    by_z += f_z[0] * real + f_z[1] * imaginary;
    slope += f_rho[0] * real + f_rho[1] * imaginary;
    by_a += m * (f[0] * before_real + f[1] * before_imaginary);
    by_b += m * (f[1] * before_real - f[0] * before_imaginary);
    before_real = real, before_imaginary = imaginary;
    real = before_real * a - before_imaginary * b;
    imaginary = before_real * b + before_imaginary * a;
  }
  const double along = slope - (by_a * a + by_b * b + by_z * z) / rho;
  to.n[i] = by_a / rho + along * a;
  to.n[to.stride + i] = by_b / rho + along * b;
  to.n[2 * to.stride + i] = by_z / rho + along * z;
  to.z[i] = value;
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
