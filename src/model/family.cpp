// family.cpp: the families of transformers, each a row of choices and a row of names.
#include "model/family.h"

#include <fmt/format.h>

#include <cmath>

#include "model/config.h"
#include "murmur/error.h"
#include "run/kept_json.h"

namespace murmur {

namespace {

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

// What most families say by the same keys.
Description common(const TransformerConfig& c) {
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
    c.refuse("positions that are relative are not known", "position_embedding_type");
  Description of = common(c);
  of.place = NormPlace::after;
  of.norm = {Norm::layer, c.number("layer_norm_eps", 1e-12)};
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
    c.refuse("an albert of more than one group of layers is not known", "num_hidden_groups");
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
  Description of = common(c);
  of.norm = {Norm::layer, c.number("norm_eps", 1e-5)};
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
            : c.number(full ? "global_rope_theta" : "local_rope_theta", full ? 160000 : 10000);
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

Family gpt2(const TransformerConfig& c) {
  if (!c.flag("scale_attn_weights", true) || c.flag("scale_attn_by_inverse_layer_idx", false))
    c.refuse("scores of another scale than the root of a head's width are not known",
             "scale_attn_weights");
  Description of;
  of.d = c.integer("n_embd");
  of.layers = c.layers("n_layer");
  of.heads = c.integer("n_head");
  of.hidden = c.integer("n_inner", 4 * of.d);
  of.vocabulary = c.integer("vocab_size");
  of.context = c.integer("n_positions", c.integer("n_ctx", 1024));
  of.causal = true;
  of.norm = {Norm::layer, c.number("layer_norm_epsilon", 1e-5)};
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
  Description of = common(c);
  c.require_plain_rotations();
  of.causal = true;
  of.norm = {Norm::layer, c.number("layer_norm_eps", 1e-5)};
  of.parallel = c.flag("use_parallel_residual", true);
  of.activation = activation_of(c, "hidden_act", "gelu");
  of.rotary.width = static_cast<int>(c.rotated_share() * (of.d / std::max(1, of.heads)));
  of.blocks.assign(
      of.layers,
      {.theta = c.has("rope_parameters") ? c.theta() : c.number("rotary_emb_base", 1e4)});
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
    c.refuse("an opt without its last norm is not known", "_remove_final_layer_norm");
  if (!c.flag("do_layer_norm_before", true) || c.integer("word_embed_proj_dim", of.d) != of.d)
    c.refuse("an opt that normalises after its parts, or projects its tokens, is not known",
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

// What llama, mistral, qwen and gemma have in common.
Family llama(const TransformerConfig& c) {
  Description of = common(c);
  c.require_plain_rotations();
  of.key_heads = c.integer("num_key_value_heads", of.heads);
  of.head_width = c.integer("head_dim", of.d / std::max(1, of.heads));
  of.causal = true;
  of.norm = {Norm::rms, c.number("rms_norm_eps", 1e-6)};
  of.gated = true;
  of.activation =
      activation_of(c, c.has("hidden_act") ? "hidden_act" : "hidden_activation", "silu");
  of.rotary.width = of.head_width;
  of.blocks.assign(of.layers, {.theta = c.theta()});
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

// Windows of the layers that slide: those that layer_types names, else those of `older`, as files
// without layer_types mean it.
void slide(const TransformerConfig& c, Description& of, bool (*older)(int layer, int from),
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
  slide(c, f.description, always);
  return f;
}

Family qwen2(const TransformerConfig& c) {
  Family f = llama(c);
  if (c.flag("use_sliding_window", false))
    slide(c, f.description, from_on, c.integer("max_window_layers", 28));
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
  slide(c, f.description, every_other);
  f.description.place = NormPlace::around;
  f.description.embedding_scale = std::sqrt(f.description.d);
  f.description.score_scale = 1 / std::sqrt(c.number("query_pre_attn_scalar", 256));
  f.description.score_cap = c.number("attn_logit_softcapping", 0);
  f.description.logit_cap = c.number("final_logit_softcapping", 0);
  f.names.attention_norm_after = "post_attention_layernorm";
  f.names.feed_forward_norm = "pre_feedforward_layernorm";
  f.names.feed_forward_norm_after = "post_feedforward_layernorm";
  f.names.gain_less_one = true;
  return f;
}

Family phi3(const TransformerConfig& c) {
  Family f = llama(c);
  f.description.rotary.width = static_cast<int>(c.rotated_share() * f.description.head_width);
  if (c.has("sliding_window")) slide(c, f.description, always);
  f.names.query = "self_attn.qkv_proj";
  f.names.key = f.names.value = f.names.up = "";
  f.names.gate = "mlp.gate_up_proj";
  f.names.fused = Fused::stacked;
  f.names.gate_and_up = true;
  return f;
}

Family vit(const TransformerConfig& c) {
  Description of = common(c);
  of.norm = {Norm::layer, c.number("layer_norm_eps", 1e-12)};
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

struct Row {
  const char* name;
  Family (*make)(const TransformerConfig&);
};
constexpr Row kFamilies[] = {{"albert", albert}, {"bert", bert},       {"distilbert", distilbert},
                             {"gemma2", gemma2}, {"gpt2", gpt2},       {"gpt_neox", gpt_neox},
                             {"llama", llama},   {"mistral", mistral}, {"modernbert", modernbert},
                             {"opt", opt},       {"phi3", phi3},       {"qwen2", qwen2},
                             {"qwen3", qwen3},   {"roberta", roberta}, {"vit", vit}};

std::string all_names() {
  std::string list;
  for (const Row& row : kFamilies) list += (list.empty() ? "" : ", ") + std::string(row.name);
  return list;
}

void complete(const TransformerConfig& c, Description& of) {
  for (const auto& [size, key] : {std::pair{of.d, "hidden_size"},
                                  {of.layers, "num_hidden_layers"},
                                  {of.heads, "num_attention_heads"},
                                  {of.hidden, "intermediate_size"}})
    if (size <= 0) c.refuse(fmt::format("{} is not positive", key), key);
  if (of.key_heads == 0) of.key_heads = of.heads;
  if (of.head_width == 0) of.head_width = of.d / of.heads;
  if (of.heads % of.key_heads != 0)
    c.refuse("the heads are no multiple of the key heads", "num_key_value_heads");
  if (of.head_width == 0 || of.rotary.width % 2 != 0 || of.rotary.width > of.head_width)
    c.refuse("the width of a head does not fit its rotations", "head_dim");
  if (of.patch > 0 ? of.image % of.patch != 0 || of.channels == 0
                   : of.vocabulary == 0 || of.context <= 0)
    c.refuse("the sizes of the input are absurd", of.patch > 0 ? "patch_size" : "vocab_size");
  if (of.embedding_width == 0) of.embedding_width = of.d;
  if (of.score_scale == 1) of.score_scale = 1 / std::sqrt(of.head_width);
  of.blocks.resize(static_cast<std::size_t>(of.layers));
}

}  // namespace

Family family_of(const nlohmann::json& json, const std::string& where) {
  const TransformerConfig config(json, where);
  const std::string name = config.word("model_type", "");
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

Family parse_family(std::string_view text, const std::string& where) {
  require_shallow_json(text, where);
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded())
    throw Error(Fault::input, "the file is not JSON", where, "download or write it again");
  return family_of(json, where);
}

}  // namespace murmur
