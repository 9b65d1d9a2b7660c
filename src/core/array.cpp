// array.cpp: arrays at the border, their size and their values as doubles.
#include <utility>

#include "murmur/matrix.h"

namespace murmur {

std::size_t Array::size() const {
  std::size_t product = 1;
  for (std::size_t extent : shape) product *= extent;
  return product;
}

std::vector<double> Array::doubles() const {
  return std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, values);
}

Array array_of(double value) { return {{}, std::vector<double>{value}}; }

Array array_of(std::int64_t value) { return {{}, std::vector<std::int64_t>{value}}; }

Array array_of(std::vector<double> values) {
  const std::size_t size = values.size();
  return {{size}, std::move(values)};
}

Array array_of(std::vector<std::int64_t> values) {
  const std::size_t size = values.size();
  return {{size}, std::move(values)};
}

}  // namespace murmur
