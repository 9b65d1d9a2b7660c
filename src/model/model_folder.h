// model_folder.h: a transformer as it lies on disk: config.json and safetensors, one file or
// shards.
#pragma once

#include <filesystem>
#include <vector>

#include "model/transformer.h"
#include "model/weights.h"

namespace murmur {

// A transformer with what its weights point into.
class Model {
 public:
  Model(Description description, TransformerWeights weights, Storage storage,
        std::vector<std::vector<float>> made)
      : storage_(std::move(storage)),
        made_(std::move(made)),
        transformer_(std::move(description), std::move(weights)) {}

  // The same storage, and `made` beside it, under another description or other weights.
  Model with(Description description, TransformerWeights weights,
             std::vector<std::vector<float>> made) && {
    for (auto& values : made) made_.push_back(std::move(values));
    return {std::move(description), std::move(weights), std::move(storage_), std::move(made_)};
  }

  const Transformer& operator*() const { return transformer_; }
  const Transformer* operator->() const { return &transformer_; }

 private:
  Storage storage_;                       // files as they are mapped, halves as floats
  std::vector<std::vector<float>> made_;  // weights that had to be laid out anew
  Transformer transformer_;
};

// The folder that holds the files: of the hub's cache (models--owner--name) its newest state, else
// the folder itself.
std::filesystem::path state_of_model(const std::filesystem::path& folder);

// The safetensors of a folder that hold its weights. Error(input) where none or several do.
std::vector<std::filesystem::path> weight_files(const std::filesystem::path& folder);

// Whether a file is a pickle of Python, or a zip of some, by its name, or by the first bytes of a
// .bin.
bool is_pickled(const std::filesystem::path& file);
// Error(input), with the words that convert such weights.
[[noreturn]] void refuse_pickled(const std::filesystem::path& where);

// The folder of a model, or one of the hub's cache (models--owner--name). Without config.json the
// weights of a keyword transformer tell what it would say. Error(input) with the tensor's name
// where one is missing or has another shape; pickled weights are refused.
Model read_model(const std::filesystem::path& folder);

// The single file of llama2.c (.bin). Nothing is allocated before its size has been held against
// its header. Error(input).
Model read_llama2c(const std::filesystem::path& path);
Model parse_llama2c(std::span<const std::byte> bytes, const std::string& where);  // is copied

// A GPT of minGPT as one JSON file (.json) of tensors in base64. Error(input).
Model read_mingpt(const std::filesystem::path& path);
Model parse_mingpt(std::string_view text, const std::string& where);

}  // namespace murmur
