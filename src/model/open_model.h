// open_model.h: opens a transformer of any supported format by its path, with its tokeniser.
#pragma once

#include <filesystem>
#include <optional>

#include "model/model_folder.h"
#include "murmur/tokenizer.h"

namespace murmur {

struct OpenedModel {
  Model model;
  std::optional<Tokenizer> tokenizer{};        // none: prompts must be ids
  std::vector<std::filesystem::path> files{};  // the files of the weights
};

// `path` is a folder with config.json and safetensors, a folder of the hub's cache, a .bin of
// llama2.c or a .json of minGPT. `tokenizer` is a tokenizer.json, its folder, or a tokenizer .bin
// of llama2.c; if it is empty, the tokeniser is searched in the folder of the weights.
// Error(input).
OpenedModel open_model(const std::filesystem::path& path,
                       const std::filesystem::path& tokenizer = {});

// Opens the tokeniser at a path: a tokenizer.json, a tokenizer .bin of llama2.c (tok*.bin), or the
// path of a model as above, in whose folder the tokeniser is. Error(input).
Tokenizer open_tokenizer(const std::filesystem::path& path);

// Reads the tokeniser of llama2.c: the length of the longest token, then a score, a length and the
// bytes of each token. Allocates no more than the file holds. Error(input).
Tokenizer read_llama2c_tokenizer(const std::filesystem::path& path);
Tokenizer parse_llama2c_tokenizer(std::string_view bytes, const std::string& where);

}  // namespace murmur
