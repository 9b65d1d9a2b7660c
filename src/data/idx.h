// idx.h: an idx file of unsigned bytes as it lies on the disk, unpacked.
#pragma once

#include <cstdint>
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

// The source must outlive the call only. Error(input) as images.h promises.
Idx read_idx(const Source& source, IdxKind wanted);

// sha256 of the plain file, whether this one was packed or not.
std::string digest_of(const Idx& idx);

Images images_of(Idx idx, const std::string& where);
std::vector<int> labels_of(const Idx& idx);

inline constexpr std::size_t kLongestSide = 4096;  // of a picture, in pixels

}  // namespace murmur
