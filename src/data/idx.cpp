// idx.cpp: LeCun's idx format, plain or gzip: two zeros, type, axes, big-endian extents, values.
#include "data/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "data/gunzip.h"
#include "murmur/error.h"
#include "run/file.h"
#include "run/sha256.h"

namespace murmur {
namespace {

constexpr const char* fetch_again = "fetch or copy the file again";
constexpr std::uint64_t largest_unpacked = std::uint64_t{1} << 30;

// The bytes of a source in order, unpacked where it is gzip.
class Stream {
 public:
  explicit Stream(const Source& source) : source_(source) {
    if (is_gzip(source)) gunzip_.emplace(source);
  }

  bool packed() const { return gunzip_.has_value(); }

  std::size_t read(std::span<std::byte> to) {
    if (gunzip_) return gunzip_->read(to);
    const std::size_t taken = std::min<std::uint64_t>(to.size(), source_.size - at_);
    source_.read(at_, to.first(taken));
    at_ += taken;
    return taken;
  }

 private:
  const Source& source_;
  std::uint64_t at_ = 0;
  std::optional<Gunzip> gunzip_{};
};

const char* name_of_type(unsigned type) {
  switch (type) {
    case 0x09:
      return "signed bytes";
    case 0x0b:
      return "16-bit integers";
    case 0x0c:
      return "32-bit integers";
    case 0x0d:
      return "32-bit floats";
    case 0x0e:
      return "64-bit floats";
    default:
      return "values of an unknown type";
  }
}

// What a file that is no idx file seems to be.
std::string guess(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (text == "\x89PNG") return "this is a PNG picture, not an idx file";
  if (text == "\x93NUM") return "this is an npy file, not an idx file";
  if (text.substr(0, 2) == "PK") return "this is a zip archive, not an idx file";
  if (text.substr(0, 1) == "<") return "this is a web page, not an idx file";
  return "this is not an idx file: it does not begin with two zero bytes";
}

// Refuses a start (4) that is not that of the wanted kind.
void check_start(const Source& source, std::span<const std::byte> start, IdxKind wanted) {
  const bool images = wanted == IdxKind::images;
  if (start[0] != std::byte{0} || start[1] != std::byte{0})
    throw source.wrong(0, guess(start), fetch_again);
  const unsigned type = std::to_integer<unsigned>(start[2]);
  const unsigned axes = std::to_integer<unsigned>(start[3]);
  if (type != 0x08)
    throw source.wrong(2, fmt::format("the idx file holds {}", name_of_type(type)),
                       "give a file of unsigned bytes (type 8)");
  if (images && axes == 1)
    throw source.wrong(3, "this is a file of labels where images belong",
                       "check whether the files of images and labels are swapped");
  if (!images && axes == 3)
    throw source.wrong(3, "this is a file of images where labels belong",
                       "check whether the files of images and labels are swapped");
  if (axes != (images ? 3u : 1u))
    throw source.wrong(
        3, fmt::format("the idx file has {} axes", axes),
        images ? "give images of shape (count, height, width)" : "give labels of shape (count)");
}

std::vector<std::size_t> read_shape(const Source& source, Stream& stream, IdxKind wanted) {
  std::array<std::byte, 4> word{};
  const auto next = [&] {
    if (stream.read(word) < word.size())
      throw source.wrong(source.size, "the idx file ends inside its header", fetch_again);
    std::size_t value = 0;
    for (std::byte b : word) value = value << 8 | std::to_integer<std::size_t>(b);
    return value;
  };
  next();
  check_start(source, word, wanted);
  std::vector<std::size_t> shape(wanted == IdxKind::images ? 3 : 1);
  for (std::size_t& extent : shape) extent = next();
  if (shape[0] == 0)
    throw source.wrong(
        4, wanted == IdxKind::images ? "the file holds no images" : "the file holds no labels",
        "give a file that holds at least one");
  for (std::size_t axis = 1; axis < shape.size(); ++axis)
    if (shape[axis] < 2 || shape[axis] > kLongestSide)
      throw source.wrong(4 + 4 * axis,
                         fmt::format("the images are {} x {} pixels", shape[1], shape[2]),
                         fmt::format("give images of 2 to {} pixels a side", kLongestSide));
  return shape;
}

// Room grows with what has truly arrived: a small file cannot claim a large memory.
std::vector<std::uint8_t> read_values(const Source& source, Stream& stream, std::uint64_t claim) {
  if (stream.packed() && claim > largest_unpacked)
    throw source.wrong(4, fmt::format("the packed file claims {} bytes; 1 GiB is the most", claim),
                       "unpack it with gunzip first if it is what you want");
  std::vector<std::uint8_t> values;
  const std::uint64_t at_once = stream.packed() ? 32768 : std::min(claim, source.size);
  while (values.size() < claim) {
    const std::size_t held = values.size();
    values.resize(std::min(claim, std::max<std::uint64_t>(at_once, 2 * held)));
    const std::size_t got = stream.read(std::as_writable_bytes(std::span(values).subspan(held)));
    if (held + got < values.size())
      throw source.wrong(source.size,
                         fmt::format("the idx file is truncated: {} bytes are missing of {}",
                                     claim - held - got, claim),
                         fetch_again);
  }
  return values;
}

}  // namespace

Idx read_idx(const Source& source, IdxKind wanted) {
  Stream stream(source);
  Idx idx;
  idx.shape = read_shape(source, stream, wanted);
  std::uint64_t claim = 1;  // below 2^32 2^24: sides are bounded
  for (std::size_t extent : idx.shape) claim *= extent;
  idx.values = read_values(source, stream, claim);
  std::byte beyond{};
  if (stream.read({&beyond, 1}) != 0)
    throw source.wrong(4 + 4 * idx.shape.size() + claim,
                       fmt::format("the idx file goes on after the {} bytes it announces", claim),
                       fetch_again);
  return idx;
}

std::string digest_of(const Idx& idx) {
  std::vector<std::byte> header{std::byte{0}, std::byte{0}, std::byte{8},
                                std::byte(idx.shape.size())};
  for (std::size_t extent : idx.shape)
    for (int shift = 24; shift >= 0; shift -= 8) header.push_back(std::byte(extent >> shift));
  Sha256 digest;
  digest.update(header);
  digest.update(std::as_bytes(std::span(idx.values)));
  return digest.hex();
}

Images images_of(Idx idx, const std::string& where) {
  return {.height = static_cast<int>(idx.shape[1]),
          .width = static_cast<int>(idx.shape[2]),
          .pixels = std::move(idx.values),
          .where = where};
}

std::vector<int> labels_of(const Idx& idx) { return {idx.values.begin(), idx.values.end()}; }

Images read_idx_images(const std::filesystem::path& path) {
  const File file = File::reading(path);
  return images_of(read_idx(source_of(file), IdxKind::images), path.string());
}

std::vector<int> read_idx_labels(const std::filesystem::path& path) {
  const File file = File::reading(path);
  return labels_of(read_idx(source_of(file), IdxKind::labels));
}

Images parse_idx_images(std::span<const std::byte> bytes, const std::string& where) {
  return images_of(read_idx(source_of(bytes, where), IdxKind::images), where);
}

std::vector<int> parse_idx_labels(std::span<const std::byte> bytes, const std::string& where) {
  return labels_of(read_idx(source_of(bytes, where), IdxKind::labels));
}

}  // namespace murmur
