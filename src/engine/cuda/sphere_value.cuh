// sphere_value.cuh: what is known of the sums at one target on S^2 while the order m grows.
#pragma once

#include "engine/cuda/small_pairs.h"

namespace murmur::cuda {

// Of Z e^{-rho}: its coefficients of one m, of its derivative by z and by rho; each Re and Im.
inline constexpr int kRows = 6;

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

}  // namespace murmur::cuda
