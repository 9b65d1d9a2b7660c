// data_set.h: the three kinds of folders that hold data sets.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "murmur/images.h"

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

}  // namespace murmur
