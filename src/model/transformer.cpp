// transformer.cpp: embeds a prompt, runs it through the blocks and computes the logits.
#include "model/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/checked.h"
#include "model/parts.h"
#include "murmur/error.h"

namespace murmur {

namespace {

using Rows = std::vector<float>;  // (n, width)

bool uses_reference(const PassOptions& options) { return options.engine == PassEngine::reference; }

Rows apply_map(const PassOptions& options, const Rows& x, const Linear& f) {
  return uses_reference(options) ? reference::map_rows(x, f) : map_rows(x, f, options.threads);
}

void normalise(const PassOptions& options, Rows& x, const Norm& norm, const NormWeights& weights,
               int width) {
  (uses_reference(options) ? reference::normalise_rows : normalise_rows)(
      x, norm, weights, static_cast<std::size_t>(width));
}

// The most weights of one block; in the web page a size has 32 bits.
constexpr std::uint64_t kMostAttention =
    std::min<std::uint64_t>(std::uint64_t{1} << 40, SIZE_MAX / sizeof(float));

// One pass: the description, the weights, and the current residual stream.
class Pass {
 public:
  Pass(const Description& of, const TransformerWeights& weights, const PassOptions& options)
      : of_(of), weights_(weights), options_(options) {}

  // Runs the blocks from `first` on, counted through all repetitions.
  Trace run(Rows x, int first = 0) {
    n_ = static_cast<int>(x.size() / static_cast<std::size_t>(of_.d));
    x_ = std::move(x);
    trace_ = {.n = n_, .d = of_.d, .heads = of_.heads};
    for (int at = first; at < options_.repeat * of_.layers; ++at) {
      const auto layer = static_cast<std::size_t>(at % of_.layers);
      trace_.before.push_back(x_);
      block(weights_.blocks[of_.shared ? 0 : layer], of_.blocks[layer]);
      trace_.after.push_back(x_);
    }
    trace_.last = normalised(x_, weights_.final_norm);
    trace_.logits = next_logits(trace_.last);
    return std::move(trace_);
  }

  // The logits of states behind the final norm.
  Rows next_logits(const Rows& last) const {
    if (weights_.unembedding.w == nullptr) return {};
    Rows logits = map_states(last, weights_.unembedding);
    if (of_.logit_cap > 0)
      for (float& logit : logits)
        logit = uses_reference(options_) ? reference::capped(logit, of_.logit_cap)
                                         : capped(logit, of_.logit_cap);
    return logits;
  }

  Rows map_states(const Rows& x, const Linear& f) const { return apply_map(options_, x, f); }

  Rows normalised(const Rows& x, const NormWeights& weights) const {
    Rows y = x;
    if (weights.gain != nullptr) normalise(options_, y, of_.norm, weights, of_.d);
    return y;
  }

 private:
  //   before:    x <- x + A(norm x),  x <- x + F(norm x);  parallel: both of the first x
  //   after:     x <- norm(x + A x),  x <- norm(x + F x)
  //   around:    x <- x + norm A(norm x),  x <- x + norm F(norm x)
  void block(const BlockWeights& w, const BlockChoice& choice) {
    const bool after = of_.place == NormPlace::after, around = of_.place == NormPlace::around;
    const NormWeights none;
    const NormWeights& first = after || !choice.first_norm ? none : w.attention_norm;
    const Rows start = x_;
    Rows message = attend(apply_norm(x_, first), w, choice);
    if (options_.attention) {
      if (around) message = apply_norm(message, w.attention_norm_after);
      add(message, x_);
      if (after) x_ = apply_norm(x_, w.attention_norm);
    }
    trace_.between.push_back(x_);
    if (!options_.feed_forward) return;
    const Rows& read = of_.parallel ? start : x_;
    Rows own = feed_forward(after ? read : apply_norm(read, w.feed_forward_norm), w);
    if (around) own = apply_norm(own, w.feed_forward_norm_after);
    add(own, x_);
    if (after) x_ = apply_norm(x_, w.feed_forward_norm);
  }

  // Applies a norm of a block, unless the options leave out norms.
  Rows apply_norm(const Rows& x, const NormWeights& weights) const {
    return options_.norms ? normalised(x, weights) : x;
  }

  Rows attend(const Rows& x, const BlockWeights& w, const BlockChoice& choice) {
    Rows q = map_states(x, w.query), k = map_states(x, w.key);
    const Rows v = map_states(x, w.value);
    if (w.query_norm.gain != nullptr)
      normalise(options_, q, of_.norm, w.query_norm, of_.head_width);
    if (w.key_norm.gain != nullptr) normalise(options_, k, of_.norm, w.key_norm, of_.head_width);
    rotate(q, of_.heads, choice);
    rotate(k, of_.key_heads, choice);
    Rows weights(attention_size());
    const AttentionShape shape{.n = n_,
                               .heads = of_.heads,
                               .key_heads = of_.key_heads,
                               .width = of_.head_width,
                               .causal = of_.causal,
                               .window = choice.window,
                               .scale = of_.score_scale,
                               .cap = of_.score_cap,
                               .threads = options_.threads};
    const Rows gathered = uses_reference(options_)
                              ? reference::attention_rows(shape, q, k, v, weights)
                              : attention_rows(shape, q, k, v, weights);
    trace_.attention.push_back(std::move(weights));
    return map_states(gathered, w.out);
  }

  // heads n n; refuses prompts so long that the weights do not fit in memory.
  std::size_t attention_size() const {
    const auto n = static_cast<std::uint64_t>(n_);
    const auto size = product_of({static_cast<std::uint64_t>(of_.heads), n, n}, kMostAttention);
    if (!size)
      throw Error(Fault::input,
                  fmt::format("the attention of {} heads to {} tokens is too large", of_.heads, n_),
                  "prompt", "give a shorter text");
    return static_cast<std::size_t>(*size);
  }

  void rotate(Rows& x, int heads, const BlockChoice& choice) const {
    if (of_.rotary.width == 0) return;
    (uses_reference(options_) ? reference::rotate_rows : rotate_rows)(x, n_, heads, of_.head_width,
                                                                      of_.rotary, choice.theta);
  }

  Rows feed_forward(const Rows& x, const BlockWeights& w) const {
    Rows hidden = map_states(x, of_.gated ? w.gate : w.up);
    (uses_reference(options_) ? reference::activate : activate)(hidden, of_.activation);
    if (of_.gated) {
      const Rows up = map_states(x, w.up);
      for (std::size_t e = 0; e < hidden.size(); ++e) hidden[e] *= up[e];
    }
    return map_states(hidden, w.down);
  }

  static void add(const Rows& part, Rows& to) {
    for (std::size_t e = 0; e < to.size(); ++e) to[e] += part[e];
  }

  const Description& of_;
  const TransformerWeights& weights_;
  const PassOptions& options_;
  int n_ = 0;
  Rows x_{};
  Trace trace_{};
};

[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

void require_tokens(std::span<const std::int64_t> tokens, const Description& of) {
  if (!reads_tokens(of))
    refuse(fmt::format("the model reads {}, not tokens", of.patch > 0 ? "pictures" : "spectra"),
           of.family, of.patch > 0 ? "give it a picture" : "give it the frames of a spectrum");
  if (tokens.empty()) refuse("the prompt has no token", "prompt", "give at least one token");
  if (static_cast<int>(tokens.size()) > of.context)
    refuse(fmt::format("the prompt has {} tokens, the model takes {} at most", tokens.size(),
                       of.context),
           "prompt", "give a shorter text");
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] < 0 || tokens[i] >= of.vocabulary)
      refuse(fmt::format("token {} is not in the vocabulary of {}", tokens[i], of.vocabulary),
             fmt::format("prompt, token {}", i), "use ids of the tokeniser, which start at 0");
}

// The row of the learned positions of every token.
std::vector<int> position_rows(std::span<const std::int64_t> tokens, const Description& of) {
  std::vector<int> rows;
  int next = of.skipped_positions;
  for (const std::int64_t token : tokens)
    rows.push_back(token == of.padding ? of.skipped_positions - 1 : next++);
  return rows;
}

// (across^2, channels patch patch) of the pixels (channels, image, image).
Rows patches_of(std::span<const float> pixels, const Description& of) {
  const int side = of.image, across = side / of.patch, patch = of.patch;
  if (pixels.size() != static_cast<std::size_t>(of.channels) * side * side)
    refuse(fmt::format("the picture has {} values, the model takes {} x {} x {}", pixels.size(),
                       of.channels, side, side),
           "picture", "give a picture of that size");
  Rows cut;
  for (int row = 0; row < across; ++row)
    for (int col = 0; col < across; ++col)
      for (int c = 0; c < of.channels; ++c)
        for (int y = 0; y < patch; ++y) {
          const float* from =
              &pixels[(static_cast<std::size_t>(c) * side + row * patch + y) * side +
                      static_cast<std::size_t>(col) * patch];
          cut.insert(cut.end(), from, from + patch);
        }
  return cut;
}

Rows frames_of(std::span<const float> spectrum, const Description& of) {
  if (spectrum.size() != static_cast<std::size_t>(of.frames) * of.features)
    refuse(fmt::format("the spectrum has {} values, the model takes {} frames of {}",
                       spectrum.size(), of.frames, of.features),
           "spectrum", "give one of that size");
  return {spectrum.begin(), spectrum.end()};
}

}  // namespace

Trace Transformer::pass(std::span<const std::int64_t> tokens, const PassOptions& options) const {
  const Description& of = description_;
  require_tokens(tokens, of);
  const int n = static_cast<int>(tokens.size()), width = of.embedding_width;
  Rows x(static_cast<std::size_t>(n) * width);
  const std::vector<int> rows = position_rows(tokens, of);
  const auto scale = static_cast<float>(of.embedding_scale);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < width; ++k) {
      float& entry = x[static_cast<std::size_t>(i) * width + k];
      entry = weights_.tokens[tokens[i] * width + k] * scale;
      if (weights_.type != nullptr) entry += weights_.type[k];
      if (weights_.positions != nullptr)
        entry += weights_.positions[static_cast<std::size_t>(rows[i]) * width + k];
    }
  if (weights_.embedding_norm.gain != nullptr)
    normalise(options, x, of.norm, weights_.embedding_norm, width);
  if (weights_.embedding_map.w != nullptr) x = apply_map(options, x, weights_.embedding_map);
  return Pass(of, weights_, options).run(std::move(x));
}

Trace Transformer::pass_picture(std::span<const float> pixels, const PassOptions& options) const {
  const Description& of = description_;
  if (reads_tokens(of)) refuse("the model reads tokens, not pictures", of.family, "give it a text");
  const Rows cut = of.frames > 0 ? frames_of(pixels, of) : patches_of(pixels, of);
  Rows x(weights_.class_token, weights_.class_token + of.d);
  const Rows patches = apply_map(options, cut, weights_.patches);
  x.insert(x.end(), patches.begin(), patches.end());
  for (std::size_t e = 0; e < x.size(); ++e) x[e] += weights_.positions[e];
  return Pass(of, weights_, options).run(std::move(x));
}

Trace Transformer::pass_from(int first, std::vector<float> x, const PassOptions& options) const {
  return Pass(description_, weights_, options).run(std::move(x), first);
}

std::vector<float> Transformer::logits_of(std::vector<float> x, const PassOptions& options) const {
  const Pass pass(description_, weights_, options);
  return pass.next_logits(pass.normalised(x, weights_.final_norm));
}

}  // namespace murmur
