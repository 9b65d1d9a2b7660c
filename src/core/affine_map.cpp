// affine_map.cpp: affine maps, softmax rows and what their adjoints add, in plain loops.
#include "core/affine_map.h"

#include <cstddef>

namespace murmur {

// Over the coordinates of x one after another, for all of y at once: the order of every sum is that
// of the formula, and neighbours in memory are added side by side.
std::vector<double> applied(const AffineMap& map, const std::vector<double>& x) {
  const std::size_t n = x.size() / map.in;
  std::vector<double> columns(map.matrix ? static_cast<std::size_t>(map.in) * map.out : 0);  // W^T
  for (int r = 0; r < map.out && map.matrix; ++r)
    for (int c = 0; c < map.in; ++c) columns[c * map.out + r] = map.matrix[r * map.in + c];
  std::vector<double> y(n * map.out);
  for (std::size_t i = 0; i < n; ++i) {
    double* to = &y[i * map.out];
    for (int r = 0; r < map.out && map.bias; ++r) to[r] = map.bias[r];
    for (int c = 0; c < map.in; ++c) {
      const double from = x[i * map.in + c];
      if (!map.matrix) to[c] += from;
      for (int r = 0; r < map.out && map.matrix; ++r) to[r] += columns[c * map.out + r] * from;
    }
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
