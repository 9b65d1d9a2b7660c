// model_folder.h: reads transformers from disk, with their tokenisers: config.json and safetensors,
// one file or shards, or the single files of llama2.c and minGPT; the choices and names of a
// family.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/mapped_file.h"
#include "model/transformer.h"
#include "murmur/tokenizer.h"

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

struct ScoredToken {
  std::string text{};
  float score = 0;
};
inline constexpr std::size_t kLlama2cFixed = 3 + 256;  // <unk>, <s>, </s> and all bytes

// Reads the length of the longest token, then a score, a length and the bytes of each token.
// Allocates no more than the file holds. Error(input).
std::vector<ScoredToken> parse_llama2c_tokens(std::string_view bytes, const std::string& where);

// Gives the same ids and the same texts as the Tokenizer of that file, for texts that are valid
// UTF-8.
class Llama2cVocabulary {
 public:
  Llama2cVocabulary(std::string_view bytes, const std::string& where);

  // <s>, then a space and the text as characters; characters that are no token become bytes. Then
  // the two neighbours whose joint token has the best score are merged, until no neighbours have
  // one.
  std::vector<std::int64_t> encode(std::string_view text) const;
  std::string decode(std::span<const std::int64_t> ids) const;  // without special tokens
  std::string token(std::int64_t id) const;                     // as the vocabulary spells it
  std::size_t size() const { return tokens_.size(); }

 private:
  std::vector<ScoredToken> tokens_;
  std::unordered_map<std::string, std::int64_t> ids_;
};

// How a family stores query, key and value.
enum class Fused {
  apart,    // three maps
  stacked,  // one map: all queries, all keys, all values
  by_head,  // one map: query, key and value of each head
};

// The names of a family's weights without ".weight" and ".bias"; an empty name: there is no such
// weight. The names of a block follow `block`, in which {} is its number.
struct Names {
  std::string prefix{};  // before all names if the model was saved with its head
  std::string tokens{}, positions{}, type{}, embedding_norm{}, embedding_map{}, final_norm{};
  std::string unembedding{};
  std::string block{};
  std::string attention_norm{}, attention_norm_after{}, feed_forward_norm{},
      feed_forward_norm_after{};
  std::string query{}, key{}, value{}, out{};  // a fused map is in query
  std::string query_norm{}, key_norm{};
  std::string gate{}, up{}, down{};  // if gate_and_up: gate has both, gate first
  Fused fused = Fused::apart;
  bool gate_and_up = false;
  bool transposed = false;     // maps are stored (in, out)
  bool gain_less_one = false;  // norms are stored as gain - 1
};

struct Family {
  Description description{};
  Names names{};
  bool tied = false;  // a missing unembedding is the embedding of the tokens
};

// Parses a JSON file of a model. Error(input) if it is not JSON or is nested too deep.
nlohmann::json json_of_model(std::string_view text, const std::string& where);

// Error(input) with the name of the parameter for an unknown family and for a value that is missing
// or out of range. `where` names the file.
Family family_of(const nlohmann::json& config, const std::string& where);

// The same for the text of a config.json.
Family parse_family(std::string_view text, const std::string& where);

std::span<const char* const> family_names();

}  // namespace murmur
