// png.cpp: reads pictures from PNG files, and folders that hold one folder of PNG files for each
// class.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cctype>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "data/data_set.h"
#include "murmur/error.h"
#include "murmur/images.h"
#include "run/file.h"
#include "run/formats.h"

namespace murmur {
namespace {

// A PNG being read. libpng reports errors by longjmp, so only the functions below call it, and
// nothing in them has a destructor. (Its simplified interface does not jump, but in libpng 1.6.39
// it mixes up the rows of interlaced pictures of 16 bits.)
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

// Reads up to the first pixel. Allocates nothing of the size that the header announces.
bool read_header(Reading& reading) {
  reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, give_up,
                                       [](png_structp, png_const_charp) {});
  if (reading.png == nullptr) return false;
  if (setjmp(png_jmpbuf(reading.png)) != 0) return false;
  reading.info = png_create_info_struct(reading.png);
  if (reading.info == nullptr) return false;
  png_set_read_fn(reading.png, &reading, take_bytes);
  png_set_user_limits(reading.png, PNG_UINT_31_MAX,
                      PNG_UINT_31_MAX);  // the limit below has a better message
  png_read_info(reading.png, reading.info);
  return true;
}

// Reads 8 bits per pixel of grey, or of red, green and blue, blended with white; samples are used
// as brightness without gamma correction.
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

// Returns the outermost ring of pixels, in any order.
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

// Returns whether light paper carries dark ink: decided by the median of the border if that is pure
// black or white, otherwise by whether the border is brighter than the middle.
bool is_light(int median, const std::vector<std::uint8_t>& border, const Picture& picture) {
  if (median == 0 || median == 255) return median == 255;
  const std::uint64_t rim = border.size(), rim_sum = sum_of(border);
  const std::uint64_t middle = picture.pixels.size() - rim;
  return rim_sum * middle > (sum_of(picture.pixels) - rim_sum) * rim;  // compares the two means
}

// Makes ink bright and paper 0: p <- 255 max(0, p - paper) / (255 - paper), with paper the median
// of the border. A picture of one shade is all paper.
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

// --- Folders of PNG files.

namespace {

namespace fs = std::filesystem;

using Classes = std::map<std::string, int>;  // name of the folder, label

// Returns names in order of their bytes, without hidden ones.
std::vector<std::string> names_in(const fs::path& folder, bool directories) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name[0] != '.' && entry.is_directory() == directories) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_number(const std::string& name) {
  return name.size() <= 3 && std::all_of(name.begin(), name.end(),
                                         [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_png(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png";
}

// Names that are numbers are the labels; other names are numbered from 0 in order.
Classes classes_of(const fs::path& folder) {
  const std::vector<std::string> names = names_in(folder, true);
  if (names.empty())
    throw Error(Fault::input, "there is no folder of a class", folder.string(),
                "put the pictures of each class into a folder named after it");
  const auto numbers = std::count_if(names.begin(), names.end(), is_number);
  if (numbers != 0 && numbers != static_cast<std::ptrdiff_t>(names.size()))
    throw Error(Fault::input, "some classes are numbers and some are words", folder.string(),
                "name the folders of all classes by numbers below 1000, or all by words");
  Classes classes;
  std::map<int, std::string> holder;
  for (const std::string& name : names) {
    const int label = numbers != 0 ? std::stoi(name) : static_cast<int>(classes.size());
    if (const auto [other, fresh] = holder.emplace(label, name); !fresh)
      throw Error(Fault::input,
                  fmt::format("the classes {} and {} are one number", other->second, name),
                  folder.string(), "merge the two folders");
    classes[name] = label;
  }
  return classes;
}

void add_pictures(const fs::path& folder, int label, Images& images, FolderContent& content) {
  bool any = false;
  for (const std::string& name : names_in(folder, false)) {
    if (!is_png(name)) continue;
    any = true;
    const fs::path path = folder / name;
    Picture picture = read_png(path);
    if (picture.height != images.height || picture.width != images.width)
      picture = centre_like_mnist(picture, path.string());
    images.pixels.insert(images.pixels.end(), picture.pixels.begin(), picture.pixels.end());
    images.labels.push_back(label);
    content.digests.emplace_back(path.string(), sha256_of_file(path));
  }
  if (!any)
    throw Error(Fault::input, "the class has no picture", folder.string(),
                "put PNG files there, or remove the folder");
}

Images part_from(const fs::path& folder, const Classes& classes, FolderContent& content) {
  Images images{.where = folder.string()};
  for (const auto& [name, own] : classes_of(folder)) {
    const auto known = classes.find(name);
    if (known == classes.end())
      throw Error(Fault::input, fmt::format("class {} does not occur in training", name),
                  (folder / name).string(), "name the folders in test as those in train");
    add_pictures(folder / name, known->second, images, content);
  }
  return images;
}

}  // namespace

bool is_png_folder(const fs::path& folder) { return fs::is_directory(folder / "train"); }

FolderContent read_png_folder(const fs::path& folder) {
  if (!fs::is_directory(folder / "test"))
    throw Error(Fault::input, "there is no folder of test pictures", (folder / "test").string(),
                "put some pictures of each class into test/CLASS");
  const Classes classes = classes_of(folder / "train");
  FolderContent content;
  content.train = part_from(folder / "train", classes, content);
  content.test = part_from(folder / "test", classes, content);
  for (auto& [file, digest] : content.digests)
    file = fs::path(file).lexically_relative(folder).generic_string();
  return content;
}

}  // namespace murmur
