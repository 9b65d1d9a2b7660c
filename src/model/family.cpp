// family.cpp: the table of the families of transformers, and what all of them are asked.
#include "model/family.h"

#include <fmt/format.h>

#include <cmath>

#include "core/checked.h"
#include "model/family_rows.h"
#include "murmur/error.h"
#include "run/kept_json.h"

namespace murmur {

FeedForwardActivation activation_of(const TransformerConfig& c, const char* key,
                                    const char* otherwise) {
  const std::string word = c.word(key, otherwise);
  if (word == "relu") return FeedForwardActivation::relu;
  if (word == "gelu") return FeedForwardActivation::gelu;
  if (word == "gelu_new" || word == "gelu_pytorch_tanh" || word == "gelu_fast")
    return FeedForwardActivation::gelu_tanh;
  if (word == "silu" || word == "swish") return FeedForwardActivation::silu;
  c.refuse(fmt::format("the activation {} is not known: relu, gelu, gelu_new, silu are", word),
           key);
}

Description common_description(const TransformerConfig& c) {
  Description of;
  of.d = c.integer("hidden_size");
  of.layers = c.layers("num_hidden_layers");
  of.heads = c.integer("num_attention_heads");
  of.hidden = c.integer("intermediate_size");
  of.vocabulary = c.integer("vocab_size", 0);
  of.context = c.integer("max_position_embeddings", 0);
  return of;
}

namespace {

struct Row {
  const char* name;
  Family (*make)(const TransformerConfig&);
};
constexpr Row kFamilies[] = {{"albert", albert},
                             {"bert", bert},
                             {"distilbert", distilbert},
                             {"gemma2", gemma2},
                             {"gpt2", gpt2},
                             {"gpt_neox", gpt_neox},
                             {"kwt", kwt},
                             {"llama", llama},
                             {"mistral", mistral},
                             {"modernbert", modernbert},
                             {"opt", opt},
                             {"phi3", phi3},
                             {"qwen2", qwen2},
                             {"qwen3", qwen3},
                             {"roberta", roberta},
                             {"vit", vit}};

std::string all_names() {
  std::string list;
  for (const Row& row : kFamilies) list += (list.empty() ? "" : ", ") + std::string(row.name);
  return list;
}

// The product of sizes of one part, which becomes an axis of a tensor.
void require_product(const TransformerConfig& c, std::initializer_list<std::uint64_t> sizes,
                     const char* key) {
  if (!product_of(sizes, kMostConfigured))
    c.refuse(fmt::format("{} times what belongs to it is more than {}", key, kMostConfigured), key);
}

void require_input(const TransformerConfig& c, const Description& of) {
  const char* const key = of.patch > 0         ? "patch_size"
                          : of.frames > 0      ? "num_frames"
                          : of.vocabulary == 0 ? "vocab_size"
                                               : "max_position_embeddings";
  const bool absurd = of.patch > 0    ? of.image % of.patch != 0 || of.channels == 0
                      : of.frames > 0 ? of.features == 0 || of.vocabulary == 0
                                      : of.vocabulary == 0 || of.context <= 0;
  if (absurd) c.refuse("the sizes of the input are absurd", key);
  if (of.patch == 0) return;
  const auto size = [](int side) { return static_cast<std::uint64_t>(side); };
  require_product(c, {size(of.image / of.patch), size(of.image / of.patch)}, "image_size");
  require_product(c, {size(of.channels), size(of.patch), size(of.patch)}, "num_channels");
  require_product(c, {size(of.channels), size(of.image), size(of.image)}, "num_channels");
}

void complete(const TransformerConfig& c, Description& of) {
  for (const auto& [size, key] : {std::pair{of.d, "hidden_size"},
                                  {of.layers, "num_hidden_layers"},
                                  {of.heads, "num_attention_heads"},
                                  {of.hidden, "intermediate_size"}})
    if (size <= 0) c.refuse(fmt::format("{} is not positive", key), key);
  if (of.key_heads == 0) of.key_heads = of.heads;
  if (of.head_width == 0) of.head_width = of.d / of.heads;
  require_product(c,
                  {static_cast<std::uint64_t>(of.heads), static_cast<std::uint64_t>(of.head_width)},
                  "head_dim");
  if (of.heads % of.key_heads != 0)
    c.refuse("the heads are no multiple of the key heads", "num_key_value_heads");
  if (of.head_width == 0 || of.rotary.width % 2 != 0 || of.rotary.width > of.head_width)
    c.refuse("the width of a head does not fit its rotations", "head_dim");
  require_input(c, of);
  if (of.embedding_width == 0) of.embedding_width = of.d;
  if (of.score_scale == 1) of.score_scale = 1 / std::sqrt(of.head_width);
  of.blocks.resize(static_cast<std::size_t>(of.layers));
}

}  // namespace

Family family_of(const nlohmann::json& json, const std::string& where) {
  const TransformerConfig config(json, where);
  const std::string name = config.word("model_type", "");
  if (name.empty()) config.refuse("the configuration does not say model_type", "model_type");
  for (const Row& row : kFamilies)
    if (name == row.name) {
      Family family = row.make(config);
      family.description.family = name;
      family.tied = config.flag("tie_word_embeddings", true);
      complete(config, family.description);
      return family;
    }
  throw Error(Fault::input, fmt::format("a transformer of the family '{}' is not known", name),
              where + ": model_type", "known are " + all_names());
}

std::span<const char* const> family_names() {
  static const auto names = [] {
    std::vector<const char*> all;
    for (const Row& row : kFamilies) all.push_back(row.name);
    return all;
  }();
  return names;
}

nlohmann::json json_of_model(std::string_view text, const std::string& where) {
  try {
    require_shallow_json(text, where);
  } catch (const Error& deep) {  // its remedy is that of a run's own files
    throw Error(deep.fault, deep.summary, deep.where, "give the file that came with the weights");
  }
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded())
    throw Error(Fault::input, "the file is not JSON", where, "download or write it again");
  return json;
}

Family parse_family(std::string_view text, const std::string& where) {
  return family_of(json_of_model(text, where), where);
}

}  // namespace murmur
