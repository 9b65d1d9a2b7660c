// matrix.h: matrices, vectors, and arrays of any shape, as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
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

// An empty matrix means the identity if a matrix may be left out.
inline bool is_identity(const Matrix& m) { return m.empty() || m == scaled_identity(m.rows, 1); }

struct Array {
  std::vector<std::size_t> shape{};  // () is a scalar of one value
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
               std::vector<std::int32_t>, std::vector<std::uint8_t>>
      values{};  // C order

  std::size_t size() const;             // product of the shape
  std::vector<double> doubles() const;  // every value as a double
};

Array array_of(double value);
Array array_of(std::int64_t value);
Array array_of(std::vector<double> values);        // (size)
Array array_of(std::vector<std::int64_t> values);  // (size)

// Named arrays: a checkpoint, a model.
using Record = std::map<std::string, Array>;

}  // namespace murmur
