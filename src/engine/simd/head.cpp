// head.cpp: folds query, key and biases together, once per field.
#include "engine/simd/head.h"

#include <cmath>

namespace murmur::simd {

namespace {

constexpr double kLog2e = 1.44269504088896340736;

// A^T B, where an empty matrix is the identity.
Matrix transpose_times(const Matrix& a, const Matrix& b, int d) {
  if (a.empty() && b.empty()) return scaled_identity(d, 1);
  if (a.empty()) return b;
  Matrix product = zeros(a.cols, b.empty() ? a.rows : b.cols);
  for (int r = 0; r < a.rows; ++r)
    for (int i = 0; i < a.cols; ++i) {
      if (b.empty()) {
        product(i, r) = a(r, i);
        continue;
      }
      for (int j = 0; j < b.cols; ++j) product(i, j) += a(r, i) * b(r, j);
    }
  return product;
}

// scale A^T b; empty when b is.
Vector transpose_times(const Matrix& a, const Vector& b, double scale) {
  Vector product(b.empty() ? 0 : a.empty() ? b.size() : a.cols);
  for (std::size_t r = 0; r < b.size(); ++r) {
    if (a.empty()) {
      product[r] = scale * b[r];
      continue;
    }
    for (int i = 0; i < a.cols; ++i) product[i] += scale * a(static_cast<int>(r), i) * b[r];
  }
  return product;
}

bool is_scaled_identity(const Matrix& m) {
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.cols; ++j)
      if (m(i, j) != (i == j ? m(0, 0) : 0.0)) return false;
  return true;
}

}  // namespace

Head fold(const Attention& a, Clock clock, int d) {
  Head head{.softmax = a.weighting == Attention::softmax,
            .relative = a.relative,
            .self = a.self,
            .past = a.mask == Attention::causal,
            .value_bias = a.value_bias};
  const double scale = a.beta * kLog2e;
  Matrix gaze = transpose_times(a.key, a.query, d);
  for (double& entry : gaze.data) entry *= scale;
  Vector gaze_bias = transpose_times(a.key, a.query_bias, scale);
  head.gaze_scale = gaze(0, 0);
  head.isotropic = is_scaled_identity(gaze);
  for (const double b : gaze_bias) head.isotropic = head.isotropic && b == 0;
  if (!head.isotropic) head.gaze = {panel_matrix(gaze), std::move(gaze_bias)};

  head.tilt = transpose_times(a.query, a.key_bias, scale);
  if (!a.query_bias.empty() && !a.key_bias.empty())
    for (std::size_t r = 0; r < a.key_bias.size(); ++r)
      head.level += scale * a.query_bias[r] * a.key_bias[r];
  if (kernel_of(clock).over_max) head.level -= scale;
  if (kernel_of(clock).times_beta) head.rate = a.beta;

  if (!a.value.empty()) {
    head.value_is_scale = is_scaled_identity(a.value);
    if (head.value_is_scale)
      head.value_scale = a.value(0, 0);
    else
      head.value = {panel_matrix(a.value), {}};
  }
  return head;
}

}  // namespace murmur::simd
