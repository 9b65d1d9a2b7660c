// open_below.h: opens a file below a folder in such a way that no link can lead out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace murmur {

// A descriptor that is closed with its holder.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }  // negative: none
  void release() { number_ = -1; }        // another closes it now

 private:
  int number_;
};

struct OpenedFile {
  int status = 200;                    // 404, 403 or, without descriptors or memory, 503
  std::shared_ptr<Descriptor> file{};  // a regular file
  std::uint64_t size = 0;              // when it was opened; it may grow
  std::size_t read_at(std::uint64_t at, std::span<char> to) const;  // 0: nothing more, or an error
};

// `path` is what read_request let pass. Links are refused wherever they lead.
OpenedFile open_below(const std::filesystem::path& root, const std::string& path);

}  // namespace murmur
