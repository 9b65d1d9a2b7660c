// tensor_places.h: where the tensors of a safetensors file lie, for those who do not copy them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "run/source.h"

namespace murmur {

struct TensorOnDisk {
  std::vector<std::size_t> shape{};
  Element element = Element::f32;
  std::uint64_t begin = 0;  // of its first byte in the file
};

// Checked as read_safetensors checks: every tensor lies within the file, and none over another.
std::map<std::string, TensorOnDisk> tensor_places(const Source& source);

}  // namespace murmur
