// open_model.h: a transformer by its path, whatever it lies in, with the tokeniser beside it.
#pragma once

#include <filesystem>
#include <optional>

#include "model/model_folder.h"
#include "murmur/tokenizer.h"

namespace murmur {

struct OpenedModel {
  Model model;
  std::optional<Tokenizer> tokenizer{};        // none: prompts are ids
  std::vector<std::filesystem::path> files{};  // that the weights came from
};

// `path` is a folder with config.json and safetensors, one of the hub's cache, a .bin of llama2.c
// or a .json of minGPT; `tokenizer` a tokenizer.json, its folder, or a tokenizer .bin of llama2.c.
// Without one it is looked for beside the weights. Error(input).
OpenedModel open_model(const std::filesystem::path& path,
                       const std::filesystem::path& tokenizer = {});

// The tokeniser at a path: a tokenizer.json, a tokenizer .bin of llama2.c (tok*.bin), or what lies
// beside the weights of a model that is named as above. Error(input).
Tokenizer open_tokenizer(const std::filesystem::path& path);

// The tokeniser of llama2.c: the longest token's length, then of each token a score, a length and
// its bytes. Nothing is allocated that the file does not hold. Error(input).
Tokenizer read_llama2c_tokenizer(const std::filesystem::path& path);
Tokenizer parse_llama2c_tokenizer(std::string_view bytes, const std::string& where);

}  // namespace murmur
