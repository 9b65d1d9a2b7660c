// mapped_file.h: files of weights mapped into memory, and the tensors in them by name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace murmur {

// A file mapped into memory; it is not copied. If another program truncates the file, reading the
// missing part raises the signal SIGBUS; see mapped_file_at.
class MappedFile {
 public:
  // Error(input) for a file that is missing, empty or not a regular file.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Releases the pages of a part that is no longer needed; a later access reads them again.
  void release_pages(std::span<const std::byte> part) const;

 private:
  std::string path_;
  std::span<const std::byte> bytes_{};
};

// The path of the mapped file that contains an address; null for other memory. A signal handler may
// call it.
const char* mapped_file_at(const void* address);

using Storage = std::vector<std::shared_ptr<const void>>;  // owns the memory of tensors

struct Weights {
  struct Tensor {
    std::vector<std::size_t> shape{};
    const float* values = nullptr;  // null: the type is not F32, F16 or BF16
    std::size_t size() const;
  };
  std::map<std::string, Tensor> tensors{};
  Storage storage{};

  // Adds the tensors of a safetensors file. Those of F32 stay in the mapped file. Error(input) for
  // an invalid file and for a tensor that another file has too.
  void add(const std::filesystem::path& path);
};

}  // namespace murmur
