// data_set.h: the three kinds of folder that a data set may be, read one like the other.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "murmur/images.h"

namespace murmur {

// What a folder holds before it is checked as a whole.
struct Holding {
  std::string name{};  // where the files tell one
  Images train{}, test{};
  std::vector<std::pair<std::string, std::string>> digests{};  // (file, sha256)
};

// Each is asked only where it holds `is_..._folder`.
bool is_idx_folder(const std::filesystem::path& folder);
bool is_npy_folder(const std::filesystem::path& folder);
bool is_png_folder(const std::filesystem::path& folder);
Holding read_idx_folder(const std::filesystem::path& folder);
Holding read_npy_folder(const std::filesystem::path& folder);
Holding read_png_folder(const std::filesystem::path& folder);

// Error(input) that names both files unless there is one label a picture.
void check_counts(const Images& images, const std::vector<int>& labels,
                  const std::filesystem::path& labels_file);

}  // namespace murmur
