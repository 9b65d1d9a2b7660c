// transformer.h: a transformer as a row of choices, its weights, and its pass over a prompt.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace murmur {

// Of any size that a file may name, and of the products of sizes that a part has: three times as
// much is still an int.
inline constexpr int kMostConfigured = 1 << 24;
inline constexpr int kMostConfiguredLayers = 4096;

// How a vector is normalised.
//   layer:  gain (x - mean) / sqrt(variance + epsilon) + bias
//   rms:    gain x / sqrt(mean of squares + epsilon)
struct Norm {
  enum Kind { layer, rms };
  Kind kind = layer;
  double epsilon = 1e-5;
};

// Where a block of a transformer normalises: what a part reads (before), the sum of residual stream
// and part (after), or what a part reads and what it gives (around).
enum class NormPlace { before, after, around };

enum class FeedForwardActivation { relu, gelu, gelu_tanh, silu };

// Rotations of queries and keys by their place p: pairs of the first `width` coordinates turn by
// p theta^(-2i/width). Pairs are (i, i + width/2), or neighbours (2i, 2i + 1).
struct Rotary {
  int width = 0;  // 0: none
  bool neighbours = false;
};

// One block's own choices.
struct BlockChoice {
  int window = 0;          // keys within fewer places than this are seen; 0: all
  double theta = 1e4;      // of the rotations
  bool first_norm = true;  // the first norm is there
};

// What tells one family of transformers from another; each family is a row of these.
struct Description {
  std::string family{};
  int d = 0, layers = 0, heads = 0, key_heads = 0, head_width = 0, hidden = 0;
  int vocabulary = 0, context = 0;
  int embedding_width = 0;  // of the tokens; mapped to d where it differs
  bool causal = false;
  NormPlace place = NormPlace::before;
  Norm norm{};
  bool parallel = false;  // attention and feed-forward read the same state
  bool shared = false;    // all blocks have the weights of the first
  bool gated = false;     // feed-forward is down(act(gate x) * up x), else down(act(up x))
  FeedForwardActivation activation = FeedForwardActivation::gelu;
  Rotary rotary{};
  int skipped_positions = 0;  // rows of the learned positions before the first place
  int padding = -1;           // a token whose place is the row before the first; -1: none
  double embedding_scale = 1;
  double score_scale = 1;  // of <q, k>
  double score_cap = 0;    // c tanh(s / c); 0: none
  double logit_cap = 0;
  bool final_norm_in_last = false;  // the last state that a library shows is behind the final norm
  int patch = 0, image = 0, channels = 0;  // of pictures; 0: prompts are tokens
  int frames = 0, features = 0;            // of a spectrum, a token a frame; 0: no spectra
  bool answers_first = false;              // the first token is asked, else the last
  std::vector<BlockChoice> blocks{};       // (layers)
};

// Tokens, or numbers: the pixels of a picture, the frames of a spectrum.
inline bool reads_tokens(const Description& of) { return of.patch == 0 && of.frames == 0; }

// The token whose last state is the answer to a prompt of n tokens.
inline int answer_place(const Description& of, int n) { return of.answers_first ? 0 : n - 1; }

// Of models that read numbers: how many tokens stand behind the class token.
inline int input_tokens(const Description& of) {
  return of.frames > 0 ? of.frames : (of.image / of.patch) * (of.image / of.patch);
}

// y = W x + b. W (out, in), or transposed (in, out); rows lie `pitch` apart.
struct Linear {
  const float* w = nullptr;  // null: the map is not there
  int out = 0, in = 0, pitch = 0;
  bool transposed = false;
  const float* bias = nullptr;  // (out); null: zero
};

struct NormWeights {
  const float* gain = nullptr;  // (width); null: the norm is not there
  const float* bias = nullptr;  // (width); null: zero
};

struct BlockWeights {
  NormWeights attention_norm{}, attention_norm_after{}, feed_forward_norm{},
      feed_forward_norm_after{};
  NormWeights query_norm{}, key_norm{};  // of each head
  Linear query{}, key{}, value{}, out{};
  Linear up{}, gate{}, down{};
};

struct TransformerWeights {
  const float* tokens = nullptr;       // (vocabulary, embedding_width)
  const float* positions = nullptr;    // (skipped + context, embedding_width); null: none
  const float* type = nullptr;         // (embedding_width) of the first type; null: none
  const float* class_token = nullptr;  // (d), of pictures and spectra
  Linear patches{};                    // (d, channels patch patch), or (d, features)
  NormWeights embedding_norm{}, final_norm{};
  Linear embedding_map{}, unembedding{};
  std::vector<BlockWeights> blocks{};  // (layers), or one where they are shared
};

// What a pass leaves behind, by block; all row-major. Names in brackets are TransformerLens's.
struct Trace {
  int n = 0, d = 0, heads = 0;
  std::vector<std::vector<float>> before{};     // (layers) of (n, d): [hook_resid_pre]
  std::vector<std::vector<float>> between{};    // behind attention, [hook_resid_mid]
  std::vector<std::vector<float>> after{};      // [hook_resid_post]
  std::vector<std::vector<float>> attention{};  // (layers) of (heads, n, n): [hook_pattern]
  std::vector<float> last{};                    // (n, d): `after` the last block, normalised
  std::vector<float> logits{};                  // (n, vocabulary); empty without an unembedding
};

// What computes a pass: matrix products by OpenBLAS, or plain loops that have the same bits on
// every machine (reference_parts.h), the definition of right.
enum class PassEngine { blas, reference };

// How a pass is made; the defaults are the pass that a model was trained for.
struct PassOptions {
  PassEngine engine = PassEngine::blas;
  int threads = 1;
  int repeat = 1;            // how often the row of blocks is run through
  bool feed_forward = true;  // false: that sublayer is left out, its norms with it
  bool attention = true;     // false: the same; its weights are computed, and nobody hears them
  bool norms = true;  // false: those of the blocks are left out; queries and keys keep theirs
};

class Transformer {
 public:
  Transformer(Description description, TransformerWeights weights)
      : description_(std::move(description)), weights_(std::move(weights)) {}

  const Description& description() const { return description_; }
  const TransformerWeights& weights() const { return weights_; }

  // Error(input) for no token, more than the context holds, or one outside the vocabulary.
  Trace pass(std::span<const std::int64_t> tokens, const PassOptions& options = {}) const;
  // pixels (channels, image, image), or a spectrum (frames, features)
  Trace pass_picture(std::span<const float> pixels, const PassOptions& options = {}) const;
  // The rest of a pass: from the states x (n, d) before block `first` on, counted through all
  // repetitions. The trace holds what came after.
  Trace pass_from(int first, std::vector<float> x, const PassOptions& options = {}) const;

  // What states x (rows, d) say next: final norm, unembedding, cap; (rows, vocabulary), or empty
  // without an unembedding. Of the states of a block in the middle: the logit lens.
  std::vector<float> logits_of(std::vector<float> x, const PassOptions& options = {}) const;

 private:
  Description description_;
  TransformerWeights weights_;
};

}  // namespace murmur
