// weights.h: tensors of weights by name, as they lie in mapped files; halves as floats.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/mapped_file.h"

namespace murmur {

using Storage = std::vector<std::shared_ptr<const void>>;  // what pointers point into

struct Weights {
  struct Tensor {
    std::vector<std::size_t> shape{};
    const float* values = nullptr;  // null: it is not of F32, F16 or BF16
    std::size_t size() const;
  };
  std::map<std::string, Tensor> tensors{};
  Storage storage{};

  // The tensors of a safetensors file. Those of F32 stay where they are. Error(input) for a file
  // that is off, and for a tensor that is there already.
  void add(const std::filesystem::path& path);
};

}  // namespace murmur
