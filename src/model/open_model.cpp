// open_model.cpp: tells folders from files, and finds the tokeniser beside the weights.
#include "model/open_model.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>

#include "murmur/error.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& what, const fs::path& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where.string(), remedy);
}

Tokenizer read_tokenizer(const fs::path& path) {
  return path.extension() == ".bin" ? read_llama2c_tokenizer(path) : Tokenizer::read(path);
}

bool names_llama2c_tokenizer(const fs::path& path) {
  return path.filename().string().starts_with("tok") && path.extension() == ".bin";
}

// tokenizer.bin or tok512.bin, where there is one such file in the folder.
std::optional<fs::path> llama2c_tokenizer_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (names_llama2c_tokenizer(entry.path())) found.push_back(entry.path());
  if (found.size() != 1) return std::nullopt;
  return found[0];
}

OpenedModel open_file(const fs::path& path) {
  if (is_pickled(path)) refuse_pickled(path);
  if (path.extension() != ".bin" && path.extension() != ".json")
    refuse("a single file of weights is known as .bin of llama2.c or .json of minGPT alone", path,
           "give the folder with config.json and model.safetensors");
  OpenedModel opened{path.extension() == ".json" ? read_mingpt(path) : read_llama2c(path)};
  opened.files = {path};
  if (path.extension() == ".json") return opened;
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  if (const auto beside = llama2c_tokenizer_in(folder)) opened.tokenizer = read_tokenizer(*beside);
  return opened;
}

OpenedModel open_folder(const fs::path& given) {
  const fs::path folder = state_of_model(given);
  OpenedModel opened{read_model(folder)};
  opened.files = weight_files(folder);
  if (fs::exists(folder / "config.json")) opened.files.push_back(folder / "config.json");
  std::sort(opened.files.begin(), opened.files.end());
  if (fs::exists(folder / "tokenizer.json")) opened.tokenizer = Tokenizer::read(folder);
  return opened;
}

// A block of a pass frees what the next one asks for again. Kept by the process, it is not fetched
// from the system anew page by page, which takes a seventh of the pass of a small model.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes; what is larger is given back
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

}  // namespace

Tokenizer open_tokenizer(const fs::path& path) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  const bool weights = fs::is_regular_file(path, ignored) && path.extension() == ".bin" &&
                       !names_llama2c_tokenizer(path);
  if (!folder && !weights) return read_tokenizer(path);
  fs::path beside = folder ? state_of_model(path) : path.parent_path();
  if (beside.empty()) beside = ".";
  if (!fs::exists(beside / "tokenizer.json"))
    if (const auto found = llama2c_tokenizer_in(beside)) return read_llama2c_tokenizer(*found);
  return Tokenizer::read(beside);
}

OpenedModel open_model(const fs::path& path, const fs::path& tokenizer) {
  keep_freed_memory();
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    refuse(
        "there is no such model", path,
        "give a folder with config.json and model.safetensors, a .bin of llama2.c, or a .json of "
        "minGPT");
  OpenedModel opened = fs::is_directory(path, ignored) ? open_folder(path) : open_file(path);
  if (!tokenizer.empty()) opened.tokenizer = read_tokenizer(tokenizer);
  return opened;
}

}  // namespace murmur
