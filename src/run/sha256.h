// sha256.h: the digest of FIPS 180-4 that names a file by its content.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace murmur {

// Blocks of 64 bytes into a digest's eight words.
using Sha256Blocks = void (*)(std::array<std::uint32_t, 8>& hash, const std::byte* blocks,
                              std::size_t count);
void sha256_blocks(std::array<std::uint32_t, 8>& hash, const std::byte* blocks, std::size_t count);
// Uses the SHA instructions of some processors, about six times as fast; null if they are missing.
Sha256Blocks sha256_instructions();

class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  std::string hex();  // ends the message; call it only once

 private:
  std::array<std::uint32_t, 8> hash_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_{};  // bytes that do not yet fill a block
  std::uint64_t length_ = 0;             // bytes seen
};

class File;
// Adds the bytes [range.first, range.second) of a file to a digest, piece by piece.
void digest_range(const File& file, std::pair<std::uint64_t, std::uint64_t> range, Sha256& digest);

}  // namespace murmur
