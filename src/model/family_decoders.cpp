// family_decoders.cpp: families in which a token sees those before it.
#include <algorithm>
#include <cmath>

#include "model/family_rows.h"

namespace murmur {

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

namespace {

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

}  // namespace

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
  if (c.has("sliding_window")) slide(c, f.description, always);
  f.names.query = "self_attn.qkv_proj";
  f.names.key = f.names.value = f.names.up = "";
  f.names.gate = "mlp.gate_up_proj";
  f.names.fused = Fused::stacked;
  f.names.gate_and_up = true;
  return f;
}

}  // namespace murmur
