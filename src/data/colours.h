// colours.h: reads the colours of a PNG, for transformers that read pictures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace murmur {

struct ColourPicture {
  int height = 0, width = 0, channels = 0;
  std::vector<std::uint8_t> pixels{};  // (height, width, channels)
};

// Reads one channel (grey) or three (red, green, blue), at most 4096 pixels per side; transparent
// pixels are blended with white. Error(input).
ColourPicture read_colours(const std::filesystem::path& path, int channels);

}  // namespace murmur
