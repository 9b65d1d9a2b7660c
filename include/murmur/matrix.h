// matrix.h: small dense matrices and vectors, as plain data.
#pragma once

#include <cstddef>
#include <vector>

namespace murmur {

using Vector = std::vector<double>;

struct Matrix {
  int rows = 0, cols = 0;
  std::vector<double> data{};  // (rows, cols), C order

  bool empty() const { return data.empty(); }
  double& operator()(int i, int j) { return data[static_cast<std::size_t>(i) * cols + j]; }
  double operator()(int i, int j) const { return data[static_cast<std::size_t>(i) * cols + j]; }
  bool operator==(const Matrix&) const = default;
};

inline Matrix zeros(int rows, int cols) {
  return {rows, cols, std::vector<double>(static_cast<std::size_t>(rows) * cols)};
}

inline Matrix scaled_identity(int d, double scale) {
  Matrix m = zeros(d, d);
  for (int i = 0; i < d; ++i) m(i, i) = scale;
  return m;
}

// Empty means identity, wherever a matrix may be left out.
inline bool is_identity(const Matrix& m) { return m.empty() || m == scaled_identity(m.rows, 1); }

}  // namespace murmur
