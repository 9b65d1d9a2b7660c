// tensor_places.h: offsets of the tensors in a safetensors file, for readers that map the file.
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

// Makes the checks of read_safetensors: every tensor lies within the file, and no two overlap.
std::map<std::string, TensorOnDisk> tensor_places(const Source& source);

}  // namespace murmur
