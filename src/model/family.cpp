// family.cpp: the families of transformers: reads config.json, and refuses a value that is missing
// or out of range. A family is a function and a row of the table at the end.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/checked.h"
#include "model/model_folder.h"
#include "model/transformer.h"
#include "murmur/error.h"
#include "run/kept_json.h"

namespace murmur {

namespace {

constexpr double kLeastTheta = 1e-3, kMostTheta = 1e15;

class TransformerConfig {
 public:
  TransformerConfig(const nlohmann::json& json, std::string where)
      : json_(json), where_(std::move(where)) {
    if (!json.is_object()) refuse("the configuration is not a JSON object", "");
  }

  int integer(const char* key) const {
    const auto at = json_.find(key);
    if (at == json_.end() || at->is_null())
      refuse(fmt::format("the configuration has no {}", key), key);
    return checked(*at, key);
  }

  int integer(const char* key, int otherwise) const {
    return has(key) ? checked(json_.at(key), key) : otherwise;
  }

  int layers(const char* key) const {
    const int count = integer(key);
    if (count > kMostConfiguredLayers)
      refuse(fmt::format("{} is more than {}", key, kMostConfiguredLayers), key);
    return count;
  }

  // 0 if the key is missing; refuses the value 0.
  int positive_or_0(const char* key) const {
    if (has(key) && integer(key) == 0) refuse(fmt::format("{} is not positive", key), key);
    return integer(key, 0);
  }

  double number(const char* key, double otherwise, double least, double most) const {
    return has(key) ? checked_number(json_.at(key), key, least, most) : otherwise;
  }

  // The number that a norm adds under its root.
  double epsilon(const char* key, double otherwise) const { return number(key, otherwise, 0, 1); }

  bool flag(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!json_.at(key).is_boolean()) refuse(fmt::format("{} is neither true nor false", key), key);
    return json_.at(key).get<bool>();
  }

  std::string word(const char* key, const std::string& otherwise) const {
    if (!has(key)) return otherwise;
    if (!json_.at(key).is_string()) refuse(fmt::format("{} is not a string", key), key);
    return json_.at(key).get<std::string>();
  }

  bool has(const char* key) const { return json_.contains(key) && !json_.at(key).is_null(); }

  // The base of the rotations, where older and newer files store it; `kind`: of one kind of layer,
  // if the file distinguishes them.
  double theta(const char* kind = nullptr) const {
    if (!has("rope_parameters")) return theta_by("rope_theta", 1e4);
    const nlohmann::json* rope = &json_.at("rope_parameters");
    if (kind != nullptr && rope->is_object() && rope->contains(kind)) rope = &rope->at(kind);
    if (!rope->is_object()) refuse("rope_parameters is not an object", "rope_parameters");
    require_plain(*rope, "rope_type");
    return rope->contains("rope_theta")
               ? checked_number(rope->at("rope_theta"), "rope_theta", kLeastTheta, kMostTheta)
               : 1e4;
  }

  double theta_by(const char* key, double otherwise) const {
    return number(key, otherwise, kLeastTheta, kMostTheta);
  }

  // Refuses rotations that change with the length of a prompt.
  void require_plain_rotations() const {
    if (!has("rope_scaling")) return;
    const nlohmann::json& scaling = json_.at("rope_scaling");
    if (scaling.is_object())
      require_plain(scaling, scaling.contains("type") ? "type" : "rope_type");
  }

  // The number of rotated coordinates of a head.
  int rotated_width(int head_width) const {
    const char* const key = "partial_rotary_factor";
    double share = number(key, number("rotary_pct", 1, 0, 1), 0, 1);
    if (has("rope_parameters") && json_.at("rope_parameters").is_object() &&
        json_.at("rope_parameters").contains(key))
      share = checked_number(json_.at("rope_parameters").at(key), key, 0, 1);
    return static_cast<int>(share * head_width);
  }

  // "sliding_attention" or "full_attention" for every layer; empty if the key is missing.
  std::vector<std::string> layer_types(int layers) const {
    std::vector<std::string> types;
    if (!has("layer_types")) return types;
    const nlohmann::json& list = json_.at("layer_types");
    if (!list.is_array() || list.size() != static_cast<std::size_t>(layers))
      refuse("layer_types does not name every layer", "layer_types");
    for (const nlohmann::json& type : list) {
      if (!type.is_string())
        refuse("layer_types holds a value that is not a string", "layer_types");
      types.push_back(type.get<std::string>());
    }
    return types;
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& key) const {
    throw Error(Fault::input, what, key.empty() ? where_ : where_ + ": " + key,
                "give the config.json that came with the weights");
  }

 private:
  int checked(const nlohmann::json& value, const char* key) const {
    if (!value.is_number_integer() || value.get<double>() < 0 ||
        value.get<double>() > kMostConfigured)
      refuse(fmt::format("{} is not a whole number from 0 to {}", key, kMostConfigured), key);
    return value.get<int>();
  }

  double checked_number(const nlohmann::json& value, const char* key, double least,
                        double most) const {
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
      refuse(fmt::format("{} is not a number from {:g} to {:g}", key, least, most), key);
    return value.get<double>();
  }

  void require_plain(const nlohmann::json& rope, const char* key) const {
    if (rope.contains(key) && rope.at(key) != "default")
      throw Error(Fault::input, "rotations scaled with the length are not supported",
                  where_ + ": " + key, "use a model whose rope_type is default");
  }

  const nlohmann::json& json_;
  std::string where_;
};

FeedForwardActivation activation_of(const TransformerConfig& c, const char* key,
                                    const char* otherwise) {
  const std::string word = c.word(key, otherwise);
  if (word == "relu") return FeedForwardActivation::relu;
  if (word == "gelu") return FeedForwardActivation::gelu;
  if (word == "gelu_new" || word == "gelu_pytorch_tanh" || word == "gelu_fast")
    return FeedForwardActivation::gelu_tanh;
  if (word == "silu" || word == "swish") return FeedForwardActivation::silu;
  c.refuse(fmt::format("the activation {} is not known: use relu, gelu, gelu_new or silu", word),
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

Names bert_names(const char* prefix) {
  return {.prefix = prefix,
          .tokens = "embeddings.word_embeddings",
          .positions = "embeddings.position_embeddings",
          .type = "embeddings.token_type_embeddings",
          .embedding_norm = "embeddings.LayerNorm",
          .block = "encoder.layer.{}.",
          .attention_norm = "attention.output.LayerNorm",
          .feed_forward_norm = "output.LayerNorm",
          .query = "attention.self.query",
          .key = "attention.self.key",
          .value = "attention.self.value",
          .out = "attention.output.dense",
          .up = "intermediate.dense",
          .down = "output.dense"};
}

Family bert(const TransformerConfig& c) {
  if (c.word("position_embedding_type", "absolute") != "absolute")
    c.refuse("relative positions are not supported", "position_embedding_type");
  Description of = common_description(c);
  of.place = NormPlace::after;
  of.norm = {Norm::layer, c.epsilon("layer_norm_eps", 1e-12)};
  of.activation = activation_of(c, "hidden_act", "gelu");
  return {of, bert_names("bert.")};
}

Family roberta(const TransformerConfig& c) {
  Family f = bert(c);
  f.names.prefix = "roberta.";
  f.description.padding = c.integer("pad_token_id", 1);
  f.description.skipped_positions = f.description.padding + 1;
  f.description.context -= f.description.skipped_positions;
  return f;
}

Family distilbert(const TransformerConfig& c) {
  Description of;
  of.d = c.integer("dim");
  of.layers = c.layers("n_layers");
  of.heads = c.integer("n_heads");
  of.hidden = c.integer("hidden_dim");
  of.vocabulary = c.integer("vocab_size");
  of.context = c.integer("max_position_embeddings");
  of.place = NormPlace::after;
  of.norm = {Norm::layer, 1e-12};
  of.activation = activation_of(c, "activation", "gelu");
  return {of,
          {.prefix = "distilbert.",
           .tokens = "embeddings.word_embeddings",
           .positions = "embeddings.position_embeddings",
           .embedding_norm = "embeddings.LayerNorm",
           .block = "transformer.layer.{}.",
           .attention_norm = "sa_layer_norm",
           .feed_forward_norm = "output_layer_norm",
           .query = "attention.q_lin",
           .key = "attention.k_lin",
           .value = "attention.v_lin",
           .out = "attention.out_lin",
           .up = "ffn.lin1",
           .down = "ffn.lin2"}};
}

Family albert(const TransformerConfig& c) {
  if (c.integer("num_hidden_groups", 1) != 1 || c.integer("inner_group_num", 1) != 1)
    c.refuse("an albert with more than one group of layers is not supported", "num_hidden_groups");
  Family f = bert(c);
  f.description.shared = true;
  f.description.embedding_width = c.integer("embedding_size", 128);
  f.description.activation = activation_of(c, "hidden_act", "gelu_new");
  f.names.prefix = "albert.";
  f.names.embedding_map = "encoder.embedding_hidden_mapping_in";
  f.names.block = "encoder.albert_layer_groups.0.albert_layers.0.";
  f.names.attention_norm = "attention.LayerNorm";
  f.names.feed_forward_norm = "full_layer_layer_norm";
  f.names.query = "attention.query";
  f.names.key = "attention.key";
  f.names.value = "attention.value";
  f.names.out = "attention.dense";
  f.names.up = "ffn";
  f.names.down = "ffn_output";
  return f;
}

Family modernbert(const TransformerConfig& c) {
  Description of = common_description(c);
  of.norm = {Norm::layer, c.epsilon("norm_eps", 1e-5)};
  of.gated = true;
  of.activation = activation_of(c, "hidden_activation", "gelu");
  of.final_norm_in_last = true;
  of.rotary.width = of.d / std::max(1, of.heads);
  const auto types = c.layer_types(of.layers);
  const int every = std::max(1, c.integer("global_attn_every_n_layers", 3));
  for (int layer = 0; layer < of.layers; ++layer) {
    const bool full = types.empty() ? layer % every == 0
                                    : types[static_cast<std::size_t>(layer)] != "sliding_attention";
    const double theta =
        c.has("rope_parameters")
            ? c.theta(full ? "full_attention" : "sliding_attention")
            : c.theta_by(full ? "global_rope_theta" : "local_rope_theta", full ? 160000 : 10000);
    of.blocks.push_back({.window = full ? 0 : c.integer("local_attention", 128) / 2 + 1,
                         .theta = theta,
                         .first_norm = layer > 0});
  }
  return {of,
          {.prefix = "model.",
           .tokens = "embeddings.tok_embeddings",
           .embedding_norm = "embeddings.norm",
           .final_norm = "final_norm",
           .block = "layers.{}.",
           .attention_norm = "attn_norm",
           .feed_forward_norm = "mlp_norm",
           .query = "attn.Wqkv",
           .out = "attn.Wo",
           .gate = "mlp.Wi",
           .down = "mlp.Wo",
           .fused = Fused::stacked,
           .gate_and_up = true}};
}

Family vit(const TransformerConfig& c) {
  Description of = common_description(c);
  of.norm = {Norm::layer, c.epsilon("layer_norm_eps", 1e-12)};
  of.activation = activation_of(c, "hidden_act", "gelu");
  of.patch = c.integer("patch_size", 16);
  of.image = c.integer("image_size", 224);
  of.channels = c.integer("num_channels", 3);
  Names names = bert_names("vit.");
  names.tokens = names.type = names.embedding_norm = "";
  names.final_norm = "layernorm";
  names.attention_norm = "layernorm_before";
  names.feed_forward_norm = "layernorm_after";
  names.query = "attention.attention.query";
  names.key = "attention.attention.key";
  names.value = "attention.attention.value";
  return {of, names};
}

// The keyword transformer (2104.00769): the frames of a spectrum are tokens behind a class token,
// whose last state gives the class.
Family kwt(const TransformerConfig& c) {
  Description of = common_description(c);
  of.place = NormPlace::after;
  of.norm = {Norm::layer, c.epsilon("layer_norm_eps", 1e-6)};
  of.activation = activation_of(c, "hidden_act", "gelu_new");
  of.frames = c.integer("num_frames");
  of.features = c.integer("num_features");
  of.vocabulary = c.integer("num_labels");
  of.answers_first = true;
  return {of,
          {.positions = "pos_embed",
           .unembedding = "head",
           .block = "layers.{}.",
           .attention_norm = "ln1",
           .feed_forward_norm = "ln2",
           .query = "q",
           .key = "k",
           .value = "v",
           .out = "o",
           .up = "fc1",
           .down = "fc2"}};
}

Family gpt2(const TransformerConfig& c) {
  if (!c.flag("scale_attn_weights", true) || c.flag("scale_attn_by_inverse_layer_idx", false))
    c.refuse("scores with another scale than the root of a head's width are not supported",
             "scale_attn_weights");
  Description of;
  of.d = c.integer("n_embd");
  of.layers = c.layers("n_layer");
  of.heads = c.integer("n_head");
  of.hidden = c.integer("n_inner", 4 * of.d);
  of.vocabulary = c.integer("vocab_size");
  of.context = c.integer("n_positions", c.integer("n_ctx", 1024));
  of.causal = true;
  of.norm = {Norm::layer, c.epsilon("layer_norm_epsilon", 1e-5)};
  of.activation = activation_of(c, "activation_function", "gelu_new");
  of.final_norm_in_last = true;
  return {of,
          {.prefix = "transformer.",
           .tokens = "wte",
           .positions = "wpe",
           .final_norm = "ln_f",
           .unembedding = "lm_head",
           .block = "h.{}.",
           .attention_norm = "ln_1",
           .feed_forward_norm = "ln_2",
           .query = "attn.c_attn",
           .out = "attn.c_proj",
           .up = "mlp.c_fc",
           .down = "mlp.c_proj",
           .fused = Fused::stacked,
           .transposed = true}};
}

Family gpt_neox(const TransformerConfig& c) {
  Description of = common_description(c);
  c.require_plain_rotations();
  of.causal = true;
  of.norm = {Norm::layer, c.epsilon("layer_norm_eps", 1e-5)};
  of.parallel = c.flag("use_parallel_residual", true);
  of.activation = activation_of(c, "hidden_act", "gelu");
  of.rotary.width = c.rotated_width(of.d / std::max(1, of.heads));
  of.blocks.assign(
      static_cast<std::size_t>(of.layers),
      {.theta = c.has("rope_parameters") ? c.theta() : c.theta_by("rotary_emb_base", 1e4)});
  of.final_norm_in_last = true;
  return {of,
          {.prefix = "gpt_neox.",
           .tokens = "embed_in",
           .final_norm = "final_layer_norm",
           .unembedding = "embed_out",
           .block = "layers.{}.",
           .attention_norm = "input_layernorm",
           .feed_forward_norm = "post_attention_layernorm",
           .query = "attention.query_key_value",
           .out = "attention.dense",
           .up = "mlp.dense_h_to_4h",
           .down = "mlp.dense_4h_to_h",
           .fused = Fused::by_head}};
}

Family opt(const TransformerConfig& c) {
  Description of;
  of.d = c.integer("hidden_size");
  of.layers = c.layers("num_hidden_layers");
  of.heads = c.integer("num_attention_heads");
  of.hidden = c.integer("ffn_dim");
  of.vocabulary = c.integer("vocab_size");
  of.context = c.integer("max_position_embeddings");
  if (c.flag("_remove_final_layer_norm", false))
    c.refuse("an opt without its last norm is not supported", "_remove_final_layer_norm");
  if (!c.flag("do_layer_norm_before", true) || c.integer("word_embed_proj_dim", of.d) != of.d)
    c.refuse("an opt that normalises after its parts or projects its tokens is not supported",
             "do_layer_norm_before");
  of.causal = true;
  of.activation = activation_of(c, "activation_function", "relu");
  of.skipped_positions = 2;
  of.final_norm_in_last = true;
  return {of,
          {.prefix = "model.decoder.",
           .tokens = "embed_tokens",
           .positions = "embed_positions",
           .final_norm = "final_layer_norm",
           .unembedding = "lm_head",
           .block = "layers.{}.",
           .attention_norm = "self_attn_layer_norm",
           .feed_forward_norm = "final_layer_norm",
           .query = "self_attn.q_proj",
           .key = "self_attn.k_proj",
           .value = "self_attn.v_proj",
           .out = "self_attn.out_proj",
           .up = "fc1",
           .down = "fc2"}};
}

// The common part of llama, mistral, qwen and gemma.
Family llama(const TransformerConfig& c) {
  Description of = common_description(c);
  c.require_plain_rotations();
  of.key_heads = c.positive_or_0("num_key_value_heads");
  of.head_width = c.positive_or_0("head_dim");
  if (of.head_width == 0) of.head_width = of.d / std::max(1, of.heads);
  of.causal = true;
  of.norm = {Norm::rms, c.epsilon("rms_norm_eps", 1e-6)};
  of.gated = true;
  of.activation =
      activation_of(c, c.has("hidden_act") ? "hidden_act" : "hidden_activation", "silu");
  of.rotary.width = of.head_width;
  of.blocks.assign(static_cast<std::size_t>(of.layers), {.theta = c.theta()});
  of.final_norm_in_last = true;
  return {of,
          {.prefix = "model.",
           .tokens = "embed_tokens",
           .final_norm = "norm",
           .unembedding = "lm_head",
           .block = "layers.{}.",
           .attention_norm = "input_layernorm",
           .feed_forward_norm = "post_attention_layernorm",
           .query = "self_attn.q_proj",
           .key = "self_attn.k_proj",
           .value = "self_attn.v_proj",
           .out = "self_attn.o_proj",
           .gate = "mlp.gate_proj",
           .up = "mlp.up_proj",
           .down = "mlp.down_proj"}};
}

// Sets the windows of the sliding layers: those that layer_types names, or, in files without
// layer_types, those for which `older` is true.
void set_windows(const TransformerConfig& c, Description& of, bool (*older)(int layer, int from),
                 int from = 0) {
  const int window = c.integer("sliding_window", 0);
  const auto types = c.layer_types(of.layers);
  for (int layer = 0; layer < of.layers; ++layer) {
    const bool slides = types.empty()
                            ? older(layer, from)
                            : types[static_cast<std::size_t>(layer)] == "sliding_attention";
    if (slides) of.blocks[static_cast<std::size_t>(layer)].window = window;
  }
}

bool always(int, int) { return true; }
bool every_other(int layer, int) { return layer % 2 == 0; }
bool from_on(int layer, int from) { return layer >= from; }

Family mistral(const TransformerConfig& c) {
  Family f = llama(c);
  set_windows(c, f.description, always);
  return f;
}

Family qwen2(const TransformerConfig& c) {
  Family f = llama(c);
  if (c.flag("use_sliding_window", false))
    set_windows(c, f.description, from_on, c.integer("max_window_layers", 28));
  return f;
}

Family qwen3(const TransformerConfig& c) {
  Family f = qwen2(c);
  f.names.query_norm = "self_attn.q_norm";
  f.names.key_norm = "self_attn.k_norm";
  return f;
}

Family gemma2(const TransformerConfig& c) {
  Family f = llama(c);
  set_windows(c, f.description, every_other);
  f.description.place = NormPlace::around;
  f.description.embedding_scale = std::sqrt(f.description.d);
  f.description.score_scale = 1 / std::sqrt(c.number("query_pre_attn_scalar", 256, 1e-6, 1e9));
  f.description.score_cap = c.number("attn_logit_softcapping", 0, 0, 1e9);
  f.description.logit_cap = c.number("final_logit_softcapping", 0, 0, 1e9);
  f.names.attention_norm_after = "post_attention_layernorm";
  f.names.feed_forward_norm = "pre_feedforward_layernorm";
  f.names.feed_forward_norm_after = "post_feedforward_layernorm";
  f.names.gain_less_one = true;
  return f;
}

Family phi3(const TransformerConfig& c) {
  Family f = llama(c);
  f.description.rotary.width = c.rotated_width(f.description.head_width);
  if (c.has("sliding_window")) set_windows(c, f.description, always);
  f.names.query = "self_attn.qkv_proj";
  f.names.key = f.names.value = f.names.up = "";
  f.names.gate = "mlp.gate_up_proj";
  f.names.fused = Fused::stacked;
  f.names.gate_and_up = true;
  return f;
}

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

// Refuses sizes whose product is too large: it becomes an axis of a tensor.
void require_product(const TransformerConfig& c, std::initializer_list<std::uint64_t> sizes,
                     const char* key) {
  if (!product_of(sizes, kMostConfigured))
    c.refuse(
        fmt::format("{} times the sizes that belong to it is more than {}", key, kMostConfigured),
        key);
}

void require_input(const TransformerConfig& c, const Description& of) {
  const char* const key = of.patch > 0         ? "patch_size"
                          : of.frames > 0      ? "num_frames"
                          : of.vocabulary == 0 ? "vocab_size"
                                               : "max_position_embeddings";
  const bool absurd = of.patch > 0    ? of.image % of.patch != 0 || of.channels == 0
                      : of.frames > 0 ? of.features == 0 || of.vocabulary == 0
                                      : of.vocabulary == 0 || of.context <= 0;
  if (absurd) c.refuse("the sizes of the input are out of range", key);
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
    c.refuse("the number of heads is not a multiple of the number of key heads",
             "num_key_value_heads");
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
  if (name.empty()) config.refuse("the configuration has no model_type", "model_type");
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
    require_bounded_json(text, where);
  } catch (const Error& deep) {  // its remedy is meant for the files of a run
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
