// family_encoders.cpp: families in which every token sees all others: of texts, pictures and sound.
#include <algorithm>

#include "model/family_rows.h"

namespace murmur {

namespace {

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

}  // namespace

Family bert(const TransformerConfig& c) {
  if (c.word("position_embedding_type", "absolute") != "absolute")
    c.refuse("positions that are relative are not known", "position_embedding_type");
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
// which is asked for the word.
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

}  // namespace murmur
