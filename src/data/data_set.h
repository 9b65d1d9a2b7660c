// data_set.h: readers of folders of pictures with labels, of one colour picture, and of idx and
// gzip files, piece by piece.
#pragma once

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "murmur/images.h"
#include "run/source.h"

namespace murmur {

// Content of a folder before it is checked as a whole.
struct FolderContent {
  std::string name{};  // if the files identify one
  Images train{}, test{};
  std::vector<std::pair<std::string, std::string>> digests{};  // (file, sha256)
};

// Each read_X_folder requires is_X_folder.
bool is_idx_folder(const std::filesystem::path& folder);
bool is_npy_folder(const std::filesystem::path& folder);
bool is_png_folder(const std::filesystem::path& folder);
FolderContent read_idx_folder(const std::filesystem::path& folder);
FolderContent read_npy_folder(const std::filesystem::path& folder);
FolderContent read_png_folder(const std::filesystem::path& folder);

// Error(input) that names both files unless there is one label per picture.
void check_counts(const Images& images, const std::vector<int>& labels,
                  const std::filesystem::path& labels_file);

struct ColourPicture {
  int height = 0, width = 0, channels = 0;
  std::vector<std::uint8_t> pixels{};  // (height, width, channels)
};

// Reads one channel (grey) or three (red, green, blue), at most 4096 pixels per side; transparent
// pixels are blended with white. Error(input).
ColourPicture read_colours(const std::filesystem::path& path, int channels);

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
