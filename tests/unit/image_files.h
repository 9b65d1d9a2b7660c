// image_files.h: idx, gzip and PNG bytes made by hand, for tests of those who read them.
#pragma once

#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "murmur/error.h"

namespace murmur::test {

inline std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

inline std::string idx(const std::vector<std::uint32_t>& shape, const std::string& values) {
  std::string text{0, 0, 8, static_cast<char>(shape.size())};
  for (std::uint32_t extent : shape) text += big_endian(extent);
  return text + values;
}

inline std::string gzip(const std::string& text, int level = 6) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("no deflate");
  std::string packed(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// What a PNG is to hold; `rows` as the format stores them (16 bits big endian).
struct PngRecipe {
  int height = 0, width = 0;
  int colour = PNG_COLOR_TYPE_GRAY, depth = 8;
  bool interlaced = false;
  std::vector<std::string> rows{};
  std::vector<png_color> palette{};
};

inline std::string png(PngRecipe recipe) {
  std::string text;
  png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(writer);
  png_set_write_fn(
      writer, &text,
      [](png_structp from, png_bytep data, png_size_t size) {
        static_cast<std::string*>(png_get_io_ptr(from))
            ->append(reinterpret_cast<char*>(data), size);
      },
      nullptr);
  png_set_IHDR(writer, info, recipe.width, recipe.height, recipe.depth, recipe.colour,
               recipe.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!recipe.palette.empty())
    png_set_PLTE(writer, info, recipe.palette.data(), static_cast<int>(recipe.palette.size()));
  std::vector<png_bytep> rows;
  for (std::string& row : recipe.rows) rows.push_back(reinterpret_cast<png_bytep>(row.data()));
  png_set_rows(writer, info, rows.data());
  png_write_png(writer, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&writer, &info);
  return text;
}

// A grey PNG of (height, width) pixels.
inline std::string grey_png(int height, int width, const std::vector<std::uint8_t>& pixels) {
  PngRecipe recipe{.height = height, .width = width};
  for (int row = 0; row < height; ++row)
    recipe.rows.emplace_back(pixels.begin() + row * width, pixels.begin() + (row + 1) * width);
  return png(recipe);
}

inline void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// The deed must be refused as bad input: `what` in the summary, `where` in the place, a remedy.
template <class Deed>
void expect_refused(Deed deed, const std::string& what, const std::string& where) {
  try {
    deed();
    ADD_FAILURE() << "accepted, though: " << what;
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::input);
    EXPECT_NE(error.summary.find(what), std::string::npos) << error.summary;
    EXPECT_NE(error.where.find(where), std::string::npos) << error.where;
    EXPECT_FALSE(error.remedy.empty());
  }
}

// MNIST where ./demo puts it, beside the sources.
inline std::filesystem::path mnist_folder() {
  return std::filesystem::path(__FILE__).parent_path() / ".." / ".." / "data" / "mnist";
}

}  // namespace murmur::test
