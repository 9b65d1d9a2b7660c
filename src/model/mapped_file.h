// mapped_file.h: files of weights seen as memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace murmur {

// A file seen as memory; it is not copied. Who reads a part that another program has cut off
// meanwhile gets the signal SIGBUS; see mapped_file_at.
class MappedFile {
 public:
  // Error(input) for what is not there, is empty or is not a regular file.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Pages of a part that is no longer needed leave memory; they would be read again.
  void forget(std::span<const std::byte> part) const;

 private:
  std::string path_;
  std::span<const std::byte> bytes_{};
};

// The path of the mapped file that an address belongs to, null for other memory. A handler of
// signals may call it.
const char* mapped_file_at(const void* address);

}  // namespace murmur
