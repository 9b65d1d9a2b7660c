// model_folder.h: reads transformers from disk: config.json and safetensors, one file or shards, or
// the single files of llama2.c and minGPT.
#pragma once

#include <filesystem>
#include <vector>

#include "model/mapped_file.h"
#include "model/transformer.h"

namespace murmur {

struct Family;

// A transformer with the memory of its weights.
class Model {
 public:
  Model(Description description, TransformerWeights weights, Storage storage,
        std::vector<std::vector<float>> made)
      : storage_(std::move(storage)),
        made_(std::move(made)),
        transformer_(std::move(description), std::move(weights)) {}

  // The same storage with `made` added, with another description or other weights.
  Model with(Description description, TransformerWeights weights,
             std::vector<std::vector<float>> made) && {
    for (auto& values : made) made_.push_back(std::move(values));
    return {std::move(description), std::move(weights), std::move(storage_), std::move(made_)};
  }

  const Transformer& operator*() const { return transformer_; }
  const Transformer* operator->() const { return &transformer_; }

 private:
  Storage storage_;                       // mapped files; half precision as floats
  std::vector<std::vector<float>> made_;  // weights that were rearranged or drawn
  Transformer transformer_;
};

// Gives every part of a transformer its weights. Error(input) with the name of the tensor that is
// missing, has another shape or does not hold numbers.
Model with_weights(const Family& family, Weights weights, const std::string& where);

// The folder that holds the files: the newest state in a folder of the hub's cache
// (models--owner--name), else the folder itself.
std::filesystem::path state_of_model(const std::filesystem::path& folder);

// The safetensors files with the weights of a folder. Error(input) if there are none or several
// sets.
std::vector<std::filesystem::path> weight_files(const std::filesystem::path& folder);

// Whether a file is a Python pickle, or a zip of pickles, by its name or by the first bytes of a
// .bin.
bool is_pickled(const std::filesystem::path& file);
// Throws Error(input) with the command that converts such weights.
[[noreturn]] void refuse_pickled(const std::filesystem::path& where);

// Reads the folder of a model, or one of the hub's cache (models--owner--name). Without config.json
// it must hold a keyword transformer, whose sizes come from its weights. Error(input) with the name
// of a tensor that is missing or has another shape, and for pickled weights.
Model read_model(const std::filesystem::path& folder);

// Reads the single file of llama2.c (.bin). Checks its size against its header before it allocates
// memory. Error(input).
Model read_llama2c(const std::filesystem::path& path);
Model parse_llama2c(std::span<const std::byte> bytes, const std::string& where);  // copies

// Reads a GPT of minGPT from one JSON file (.json) with tensors in base64. Error(input).
Model read_mingpt(const std::filesystem::path& path);
Model parse_mingpt(std::string_view text, const std::string& where);

}  // namespace murmur
