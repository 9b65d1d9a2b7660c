// affine_map.cpp: affine maps, softmax rows and what their adjoints add, in plain loops.
#include "core/affine_map.h"

#include <cstddef>

namespace murmur {

std::vector<double> applied(const AffineMap& map, const std::vector<double>& x) {
  const std::size_t n = x.size() / map.in;
  std::vector<double> y(n * map.out);
  for (std::size_t i = 0; i < n; ++i)
    for (int r = 0; r < map.out; ++r) {
      double sum = map.bias ? map.bias[r] : 0.0;
      if (map.matrix)
        for (int c = 0; c < map.in; ++c) sum += map.matrix[r * map.in + c] * x[i * map.in + c];
      else
        sum += x[i * map.in + r];
      y[i * map.out + r] = sum;
    }
  return y;
}

void add_adjoint(const AffineMap& map, const AffineGradient& gradient, const std::vector<double>& x,
                 const AffinePushes& pushes) {
  const std::size_t n = x.size() / map.in;
  for (std::size_t i = 0; i < n; ++i)
    for (int r = 0; r < map.out; ++r) {
      const double push = pushes.dy[i * map.out + r];
      if (gradient.bias) gradient.bias[r] += push;
      if (!map.matrix) pushes.dx[i * map.in + r] += push;
      for (int c = 0; gradient.matrix && c < map.in; ++c)
        gradient.matrix[r * map.in + c] += push * x[i * map.in + c];
      for (int c = 0; map.matrix && c < map.in; ++c)
        pushes.dx[i * map.in + c] += map.matrix[r * map.in + c] * push;
    }
}

void softmax_adjoint(int n, double scale, const double* a, const double* da, double* ds) {
  double mean = 0;
  for (int j = 0; j < n; ++j) mean += a[j] * da[j];
  for (int j = 0; j < n; ++j) ds[j] = scale * a[j] * (da[j] - mean);
}

}  // namespace murmur
