// open_model.cpp: opens models and tokenisers by their path, and describes the tokeniser of
// llama2.c as a tokenizer.json.
#include "model/open_model.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "model/llama2c.h"
#include "model/tokenizer_file.h"
#include "model/tokenizer_unicode.h"
#include "murmur/error.h"
#include "run/file.h"
#include "run/json_text.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kLargestFile = 64 << 20;

constexpr const char* kOwnTokenizer = "give the tokenizer.bin that belongs to the model";

[[noreturn]] void refuse(const std::string& what, const fs::path& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where.string(), remedy);
}

// The budget refuses a file whose tokens are all parts of each other: its merges would not fit in
// memory.
nlohmann::json merges_of(const std::vector<ScoredToken>& tokens,
                         const std::unordered_map<std::string, std::size_t>& ids,
                         tokenizer::Budget budget) {
  std::vector<std::size_t> order(tokens.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tokens[a].score > tokens[b].score; });
  nlohmann::json merges = nlohmann::json::array();
  std::size_t bytes = 0;
  for (const std::size_t id : order) {
    const std::string& text = tokens[id].text;
    if (id < kLlama2cFixed) continue;
    for (std::size_t at = 1; at < text.size(); ++at) {
      const std::string left = text.substr(0, at), right = text.substr(at);
      budget.spend(text.size());
      if (ids.count(left) == 0 || ids.count(right) == 0) continue;
      budget.require_room(bytes += text.size());
      merges.push_back({left, right});
    }
  }
  return merges;
}

}  // namespace

Tokenizer parse_llama2c_tokenizer(std::string_view bytes, const std::string& where) {
  std::vector<ScoredToken> tokens = parse_llama2c_tokens(bytes, where);
  for (std::size_t id = 0; id < tokens.size(); ++id)
    if (!tokenizer::is_utf8(tokens[id].text))
      refuse(fmt::format("token {} of the tokeniser is not UTF-8", id), where, kOwnTokenizer);
  const char* const special[] = {"<unk>", "<s>", "</s>"};  // llama2.c knows these by their ids
  for (std::size_t id = 0; id < 3; ++id) tokens[id].text = special[id];
  std::unordered_map<std::string, std::size_t> ids;
  nlohmann::json vocabulary = nlohmann::json::object(), added = nlohmann::json::array();
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (!ids.try_emplace(tokens[id].text, id).second)
      tokens[id].text = fmt::format("<{}>", id);  // no text gives it, as in llama2.c
    ids.try_emplace(tokens[id].text, id);
    vocabulary[tokens[id].text] = id;
  }
  for (std::size_t id = 0; id < 3; ++id)
    added.push_back({{"id", id}, {"content", special[id]}, {"special", true}});
  const nlohmann::json start = {{"id", "<s>"}, {"type_id", 0}};
  const nlohmann::json described = {
      {"version", "1.0"},
      {"added_tokens", added},
      {"normalizer", {{"type", "Prepend"}, {"prepend", " "}}},
      {"pre_tokenizer", nullptr},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", {{{"SpecialToken", start}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
        {"special_tokens",
         {{"<s>", {{"id", "<s>"}, {"ids", {1}}, {"tokens", nlohmann::json::array({"<s>"})}}}}}}},
      {"decoder",
       {{"type", "Sequence"},
        {"decoders",
         {{{"type", "ByteFallback"}},
          {{"type", "Fuse"}},
          {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
      {"model",
       {{"type", "BPE"},
        {"unk_token", "<unk>"},
        {"byte_fallback", true},
        {"vocab", vocabulary},
        {"merges", merges_of(tokens, ids, tokenizer::Budget(bytes.size()))}}}};
  return Tokenizer::parse(json_text(described), where);
}

Tokenizer read_llama2c_tokenizer(const fs::path& path) {
  std::error_code gone;
  const auto size = fs::file_size(path, gone);
  if (gone || size > kLargestFile) refuse("the tokeniser cannot be read", path, kOwnTokenizer);
  return parse_llama2c_tokenizer(read_text(path), path.string());
}

namespace {

Tokenizer read_tokenizer(const fs::path& path) {
  return path.extension() == ".bin" ? read_llama2c_tokenizer(path) : Tokenizer::read(path);
}

bool names_llama2c_tokenizer(const fs::path& path) {
  return path.filename().string().starts_with("tok") && path.extension() == ".bin";
}

// The path of tokenizer.bin or tok512.bin, if the folder has exactly one such file.
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
    refuse("a single file of weights must be a .bin of llama2.c or a .json of minGPT", path,
           "give the folder with config.json and model.safetensors");
  OpenedModel opened{path.extension() == ".json" ? read_mingpt(path) : read_llama2c(path)};
  opened.files = {path};
  if (path.extension() == ".json") return opened;
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  if (const auto near = llama2c_tokenizer_in(folder)) opened.tokenizer = read_tokenizer(*near);
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

// Each block of a pass frees memory that the next one allocates again. Keeping it in the process
// avoids fetching its pages from the system, which takes a seventh of the pass of a small model.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD,
          32 << 20);  // the largest value that glibc accepts; larger blocks are returned
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

}  // namespace

Tokenizer open_tokenizer(const fs::path& path) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  const bool weights = fs::is_regular_file(path, ignored) && path.extension() == ".bin" &&
                       !names_llama2c_tokenizer(path);
  if (!folder && !weights) return read_tokenizer(path);
  fs::path near = folder ? state_of_model(path) : path.parent_path();
  if (near.empty()) near = ".";
  if (!fs::exists(near / "tokenizer.json"))
    if (const auto found = llama2c_tokenizer_in(near)) return read_llama2c_tokenizer(*found);
  return Tokenizer::read(near);
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
