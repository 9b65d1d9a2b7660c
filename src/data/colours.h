// colours.h: a PNG as it looks, for transformers that read pictures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace murmur {

struct ColourPicture {
  int height = 0, width = 0, channels = 0;
  std::vector<std::uint8_t> pixels{};  // (height, width, channels)
};

// Of one channel (grey) or three (red, green, blue), 4096 pixels a side at most; alpha is laid over
// white. Error(input).
ColourPicture read_colours(const std::filesystem::path& path, int channels);

}  // namespace murmur
