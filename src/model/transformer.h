// transformer.h: a transformer: its description, its weights, and its pass over a prompt.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace murmur {

// The largest size that a file may name, and the largest product of the sizes of a part. Three
// times as much still fits in an int.
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

// Where a block normalises: the input of a part (before), the sum of residual stream and part
// (after), or the input and the output of a part (around).
enum class NormPlace { before, after, around };

enum class FeedForwardActivation { relu, gelu, gelu_tanh, silu };

// Rotations of queries and keys by their place p: pairs of the first `width` coordinates are
// rotated by p theta^(-2i/width). Pairs are (i, i + width/2), or neighbours (2i, 2i + 1).
struct Rotary {
  int width = 0;  // 0: none
  bool neighbours = false;
};

// The choices of one block.
struct BlockChoice {
  int window = 0;          // keys at a distance below this are seen; 0: all
  double theta = 1e4;      // of the rotations
  bool first_norm = true;  // the first norm is there
};

// The choices by which families of transformers differ.
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
  int padding = -1;           // the token whose place is the row before the first; -1: none
  double embedding_scale = 1;
  double score_scale = 1;  // of <q, k>
  double score_cap = 0;    // c tanh(s / c); 0: none
  double logit_cap = 0;
  bool final_norm_in_last = false;  // the last hidden state of a library is behind the final norm
  int patch = 0, image = 0, channels = 0;  // of pictures; 0: prompts are tokens
  int frames = 0, features = 0;            // of a spectrum, one token per frame; 0: no spectra
  bool answers_first = false;              // the first token gives the answer, else the last
  std::vector<BlockChoice> blocks{};       // (layers)
};

// Whether prompts are tokens, and not the pixels of a picture or the frames of a spectrum.
inline bool reads_tokens(const Description& of) { return of.patch == 0 && of.frames == 0; }

// The token whose last state is the answer to a prompt of n tokens.
inline int answer_place(const Description& of, int n) { return of.answers_first ? 0 : n - 1; }

// The number of tokens behind the class token, for models of pictures and spectra.
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

// The states and weights of a pass, by block; all row-major. Names in brackets are those of
// TransformerLens.
struct Trace {
  int n = 0, d = 0, heads = 0;
  std::vector<std::vector<float>> before{};     // (layers) of (n, d): [hook_resid_pre]
  std::vector<std::vector<float>> between{};    // after attention, [hook_resid_mid]
  std::vector<std::vector<float>> after{};      // [hook_resid_post]
  std::vector<std::vector<float>> attention{};  // (layers) of (heads, n, n): [hook_pattern]
  std::vector<float> last{};                    // (n, d): `after` the last block, normalised
  std::vector<float> logits{};                  // (n, vocabulary); empty without an unembedding
};

// How a pass is computed: matrix products by OpenBLAS, or plain loops with the same bits on every
// machine (parts.h, namespace reference), which define the right result.
enum class PassEngine { blas, reference };

// The options of a pass; the defaults are those for which the model was trained.
struct PassOptions {
  PassEngine engine = PassEngine::blas;
  int threads = 1;
  int repeat = 1;            // how many times all blocks are run
  bool feed_forward = true;  // false: leaves out this sublayer and its norms
  bool attention = true;     // false: the same; its weights are computed but not used
  bool norms =
      true;  // false: leaves out the norms of the blocks, but not those of queries and keys
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
  // The rest of a pass from the states x (n, d) before block `first`, counted through all
  // repetitions. The trace holds only this rest.
  Trace pass_from(int first, std::vector<float> x, const PassOptions& options = {}) const;

  // The logits of states x (rows, d): final norm, unembedding, cap; (rows, vocabulary), or empty
  // without an unembedding. For the states of an inner block this is the logit lens.
  std::vector<float> logits_of(std::vector<float> x, const PassOptions& options = {}) const;

 private:
  Description description_;
  TransformerWeights weights_;
};

}  // namespace murmur
