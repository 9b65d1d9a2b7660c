// png.cpp: any PNG as grey ink on paper of level 0, or in its colours.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <vector>

#include "data/colours.h"
#include "data/idx.h"
#include "murmur/error.h"
#include "murmur/images.h"
#include "run/file.h"

namespace murmur {
namespace {

// A PNG being read. libpng leaves a function by longjmp when something is wrong: only the
// functions below call it, and nothing in them has a destructor. (Its simplified interface would
// not jump, but libpng 1.6.39 mixes up the rows of interlaced pictures of 16 bits there.)
struct Reading {
  const std::byte* bytes = nullptr;
  std::size_t size = 0, at = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[96] = "out of memory";

  Reading(std::span<const std::byte> all) : bytes(all.data()), size(all.size()) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void give_up(png_structp png, png_const_charp message) {
  auto* reading = static_cast<Reading*>(png_get_error_ptr(png));
  std::strncpy(reading->message, message, sizeof reading->message - 1);
  png_longjmp(png, 1);
}

void take_bytes(png_structp png, png_bytep to, std::size_t length) {
  auto* reading = static_cast<Reading*>(png_get_io_ptr(png));
  if (length > reading->size - reading->at) png_error(png, "it is truncated");
  std::memcpy(to, reading->bytes + reading->at, length);
  reading->at += length;
}

// Up to the first pixel. Nothing is yet as large as the header says.
bool read_header(Reading& reading) {
  reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, give_up,
                                       [](png_structp, png_const_charp) {});
  if (reading.png == nullptr) return false;
  if (setjmp(png_jmpbuf(reading.png)) != 0) return false;
  reading.info = png_create_info_struct(reading.png);
  if (reading.info == nullptr) return false;
  png_set_read_fn(reading.png, &reading, take_bytes);
  png_set_user_limits(reading.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // ours has better words
  png_read_info(reading.png, reading.info);
  return true;
}

// 8 bits of grey a pixel, or of red, green and blue, over white; samples are taken as brightness as
// they are.
bool read_rows(Reading& reading, int channels, png_bytepp rows) {
  png_structp png = reading.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_expand(png);
  png_set_scale_16(png);
  png_color_16 white{};
  white.red = white.green = white.blue = white.gray = 255;
  png_set_background(png, &white, PNG_BACKGROUND_GAMMA_SCREEN, 0, 1);
  const bool coloured = (png_get_color_type(png, reading.info) & PNG_COLOR_MASK_COLOR) != 0;
  if (channels == 3 && !coloured) png_set_gray_to_rgb(png);
  if (channels == 1 && coloured)
    png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, PNG_RGB_TO_GRAY_DEFAULT,
                        PNG_RGB_TO_GRAY_DEFAULT);
  png_set_interlace_handling(png);
  png_read_update_info(png, reading.info);
  if (png_get_rowbytes(png, reading.info) !=
      png_get_image_width(png, reading.info) * static_cast<png_size_t>(channels))
    png_error(png, "it cannot be brought to 8 bits a sample");
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

ColourPicture read_channels(std::span<const std::byte> bytes, int channels,
                            const std::string& where) {
  Reading reading(bytes);
  const auto unreadable = [&] {
    return Error(Fault::input, fmt::format("the PNG cannot be read: {}", reading.message), where,
                 "save the picture again as PNG");
  };
  if (!read_header(reading)) throw unreadable();
  const std::size_t height = png_get_image_height(reading.png, reading.info);
  const std::size_t width = png_get_image_width(reading.png, reading.info);
  if (height > kLongestSide || width > kLongestSide)
    throw Error(Fault::input, fmt::format("the picture has {} x {} pixels", height, width), where,
                fmt::format("make it smaller: {} a side is the most", kLongestSide));
  ColourPicture picture{static_cast<int>(height), static_cast<int>(width), channels};
  const std::size_t pitch = width * static_cast<std::size_t>(channels);
  picture.pixels.resize(height * pitch);
  std::vector<png_bytep> rows;
  for (std::size_t row = 0; row < height; ++row)
    rows.push_back(picture.pixels.data() + row * pitch);
  if (!read_rows(reading, channels, rows.data())) throw unreadable();
  return picture;
}

// The outermost ring of pixels, in any order.
std::vector<std::uint8_t> border_of(const Picture& picture) {
  std::vector<std::uint8_t> border;
  const int h = picture.height, w = picture.width;
  for (int row = 0; row < h; ++row) {
    const auto* line = picture.pixels.data() + static_cast<std::size_t>(row) * w;
    if (row == 0 || row == h - 1)
      border.insert(border.end(), line, line + w);
    else
      border.insert(border.end(), {line[0], line[w - 1]});
  }
  return border;
}

std::uint64_t sum_of(const std::vector<std::uint8_t>& values) {
  std::uint64_t sum = 0;
  for (std::uint8_t value : values) sum += value;
  return sum;
}

// Whether light paper carries dark ink: by the border's median where that is pure black or white,
// otherwise when the border is brighter than the middle.
bool is_light(int median, const std::vector<std::uint8_t>& border, const Picture& picture) {
  if (median == 0 || median == 255) return median == 255;
  const std::uint64_t rim = border.size(), rim_sum = sum_of(border);
  const std::uint64_t middle = picture.pixels.size() - rim;
  return rim_sum * middle > (sum_of(picture.pixels) - rim_sum) * rim;  // compares the two means
}

// Ink becomes bright, paper 0: p <- 255 max(0, p - paper) / (255 - paper), where the paper is the
// median of the border. A picture of one shade is all paper.
void lay_on_dark_paper(Picture& picture) {
  std::vector<std::uint8_t>& pixels = picture.pixels;
  if (std::all_of(pixels.begin(), pixels.end(), [&](auto p) { return p == pixels[0]; })) {
    std::fill(pixels.begin(), pixels.end(), std::uint8_t{0});
    return;
  }
  std::vector<std::uint8_t> border = border_of(picture);
  const auto centre = border.begin() + static_cast<std::ptrdiff_t>(border.size() / 2);
  std::nth_element(border.begin(), centre, border.end());
  const bool turn = is_light(*centre, border, picture);
  const int paper = turn ? 255 - *centre : *centre;  // below 255
  for (std::uint8_t& p : pixels) {
    const int ink = std::max(0, (turn ? 255 - p : p) - paper);
    p = static_cast<std::uint8_t>((510 * ink / (255 - paper) + 1) / 2);
  }
}

}  // namespace

Picture parse_png(std::span<const std::byte> bytes, const std::string& where) {
  ColourPicture grey = read_channels(bytes, 1, where);
  Picture picture{grey.height, grey.width, std::move(grey.pixels)};
  lay_on_dark_paper(picture);
  return picture;
}

Picture read_png(const std::filesystem::path& path) {
  const std::string bytes = read_text(path);
  return parse_png(std::as_bytes(std::span(bytes)), path.string());
}

ColourPicture read_colours(const std::filesystem::path& path, int channels) {
  const std::string bytes = read_text(path);
  return read_channels(std::as_bytes(std::span(bytes)), channels, path.string());
}

}  // namespace murmur
