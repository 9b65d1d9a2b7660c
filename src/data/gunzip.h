// gunzip.h: a gzip file read bit by bit, so that nobody need believe how large it says it becomes.
#pragma once

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "run/source.h"

namespace murmur {

bool is_gzip(const Source& source);

class Gunzip {
 public:
  explicit Gunzip(const Source& source);  // the source must outlive it
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
  ~Gunzip();

  // Fills `to`; fewer bytes only at the end, which is checked then: length, CRC, nothing behind.
  // Error(input) for data that is damaged or cut short.
  std::size_t read(std::span<std::byte> to);

 private:
  void refill();

  const Source& source_;
  std::uint64_t at_ = 0;  // of the next packed byte to fetch
  z_stream stream_{};
  bool ended_ = false;
  std::array<std::byte, 16384> packed_{};
};

}  // namespace murmur
