// model_file.h: a model file as bytes: to be read, or to be kept as an input of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace murmur {

// A model.safetensors; a run that holds one; or a run's own copy of one, inputs/model.npy.
struct ModelFile {
  std::filesystem::path path{};
  std::vector<std::uint8_t> bytes{};
};
// Error(input) where a run no longer agrees with its manifest.
ModelFile read_model_file(const std::filesystem::path& run_or_file);

}  // namespace murmur
