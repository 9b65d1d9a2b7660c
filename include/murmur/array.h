// array.h: arrays at the border: what npy and safetensors files hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace murmur {

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
