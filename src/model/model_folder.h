// model_folder.h: a transformer as it lies on disk: config.json and safetensors, one file or
// shards.
#pragma once

#include <filesystem>
#include <vector>

#include "model/transformer.h"
#include "murmur/matrix.h"

namespace murmur {

// A transformer with what its weights point into.
class Model {
 public:
  Model(Description description, TransformerWeights weights, Record tensors,
        std::vector<std::vector<float>> made)
      : tensors_(std::move(tensors)),
        made_(std::move(made)),
        transformer_(std::move(description), std::move(weights)) {}

  // The same storage, and `made` beside it, under another description or other weights.
  Model with(Description description, TransformerWeights weights,
             std::vector<std::vector<float>> made) && {
    for (auto& values : made) made_.push_back(std::move(values));
    return {std::move(description), std::move(weights), std::move(tensors_), std::move(made_)};
  }

  const Transformer& operator*() const { return transformer_; }
  const Transformer* operator->() const { return &transformer_; }

 private:
  Record tensors_;                        // as they were read
  std::vector<std::vector<float>> made_;  // weights that had to be laid out anew
  Transformer transformer_;
};

// The folder that holds the files: of the hub's cache (models--owner--name) its newest state, else
// the folder itself.
std::filesystem::path state_of_model(const std::filesystem::path& folder);

// The folder of a model, or one of the hub's cache (models--owner--name). Error(input) with the
// tensor's name where one is missing or has another shape; pickled weights are refused.
Model read_model(const std::filesystem::path& folder);

// The single file of llama2.c (.bin). Nothing is allocated before its size has been held against
// its header. Error(input).
Model read_llama2c(const std::filesystem::path& path);

}  // namespace murmur
