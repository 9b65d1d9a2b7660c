// idx.h: idx files of unsigned bytes, and gzip files, which they often are, read piece by piece.
#pragma once

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "murmur/images.h"
#include "run/source.h"

namespace murmur {

struct Idx {
  std::vector<std::size_t> shape{};    // (count) or (count, height, width)
  std::vector<std::uint8_t> values{};  // C order
};

enum class IdxKind { images, labels };

// Needs the source only during the call. Error(input) as described in images.h.
Idx read_idx(const Source& source, IdxKind wanted);

// Returns the sha256 of the uncompressed file.
std::string digest_of(const Idx& idx);

Images images_of(Idx idx, const std::string& where);
std::vector<int> labels_of(const Idx& idx);

inline constexpr std::size_t kLongestSide = 4096;  // of a picture, in pixels

bool is_gzip(const Source& source);

class Gunzip {
 public:
  explicit Gunzip(const Source& source);  // the source must outlive it
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
  ~Gunzip();

  // Fills `to`; returns fewer bytes only at the end, where it checks length, CRC and that nothing
  // follows. Error(input) for damaged or truncated data.
  std::size_t read(std::span<std::byte> to);

 private:
  void refill();

  const Source& source_;
  std::uint64_t at_ = 0;  // offset of the next packed byte
  z_stream stream_{};
  bool ended_ = false;
  std::array<std::byte, 16384> packed_{};
};

}  // namespace murmur
