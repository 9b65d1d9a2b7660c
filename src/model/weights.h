// weights.h: tensors of weights by name, as they lie in mapped files; halves as floats.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace murmur {

// A file seen as memory. It is not copied; whoever cuts it while it is mapped ends the program.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);  // Error(input) for one that is not there
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  std::span<const std::byte> bytes() const { return bytes_; }
  // Pages of a part that is no longer needed leave memory; they would be read again.
  void forget(std::span<const std::byte> part) const;

 private:
  std::span<const std::byte> bytes_{};
};

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
