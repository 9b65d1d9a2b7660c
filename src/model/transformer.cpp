// transformer.cpp: embeds a prompt, carries it through the blocks and reads it out.
#include "model/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/checked.h"
#include "model/parts.h"
#include "model/reference_parts.h"
#include "murmur/error.h"

namespace murmur {

namespace {

using Rows = std::vector<float>;  // (n, width)

bool plain(const PassOptions& options) { return options.engine == PassEngine::reference; }

Rows mapped_by(const PassOptions& options, const Rows& x, const Linear& f) {
  return plain(options) ? reference::map_rows(x, f) : map_rows(x, f, options.threads);
}

void normalise_by(const PassOptions& options, Rows& x, const Norm& norm, const NormWeights& weights,
                  int width) {
  (plain(options) ? reference::normalise_rows : normalise_rows)(x, norm, weights,
                                                                static_cast<std::size_t>(width));
}

// Numbers of one block; in the page a size has 32 bits.
constexpr std::uint64_t kMostAttention =
    std::min<std::uint64_t>(std::uint64_t{1} << 40, SIZE_MAX / sizeof(float));

// One pass: the description, the weights, and the residual stream as it stands.
class Pass {
 public:
  Pass(const Description& of, const TransformerWeights& weights, const PassOptions& options)
      : of_(of), weights_(weights), options_(options) {}

  // From block `first` on, of all that are run.
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
    trace_.logits = said(trace_.last);
    return std::move(trace_);
  }

  // Of states behind the final norm.
  Rows said(const Rows& last) const {
    if (weights_.unembedding.w == nullptr) return {};
    Rows logits = mapped(last, weights_.unembedding);
    if (of_.logit_cap > 0)
      for (float& logit : logits)
        logit = plain(options_) ? reference::capped(logit, of_.logit_cap)
                                : capped(logit, of_.logit_cap);
    return logits;
  }

  Rows mapped(const Rows& x, const Linear& f) const { return mapped_by(options_, x, f); }

  Rows normalised(const Rows& x, const NormWeights& weights) const {
    Rows y = x;
    if (weights.gain != nullptr) normalise_by(options_, y, of_.norm, weights, of_.d);
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
    Rows heard = attend(kept_near(x_, first), w, choice);
    if (options_.attention) {
      if (around) heard = kept_near(heard, w.attention_norm_after);
      add(heard, x_);
      if (after) x_ = kept_near(x_, w.attention_norm);
    }
    trace_.between.push_back(x_);
    if (!options_.feed_forward) return;
    const Rows& read = of_.parallel ? start : x_;
    Rows own = feed_forward(after ? read : kept_near(read, w.feed_forward_norm), w);
    if (around) own = kept_near(own, w.feed_forward_norm_after);
    add(own, x_);
    if (after) x_ = kept_near(x_, w.feed_forward_norm);
  }

  // Behind a norm of a block, unless these are left out.
  Rows kept_near(const Rows& x, const NormWeights& weights) const {
    return options_.norms ? normalised(x, weights) : x;
  }

  Rows attend(const Rows& x, const BlockWeights& w, const BlockChoice& choice) {
    Rows q = mapped(x, w.query), k = mapped(x, w.key);
    const Rows v = mapped(x, w.value);
    if (w.query_norm.gain != nullptr)
      normalise_by(options_, q, of_.norm, w.query_norm, of_.head_width);
    if (w.key_norm.gain != nullptr) normalise_by(options_, k, of_.norm, w.key_norm, of_.head_width);
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
    const Rows gathered = plain(options_) ? reference::attention_rows(shape, q, k, v, weights)
                                          : attention_rows(shape, q, k, v, weights);
    trace_.attention.push_back(std::move(weights));
    return mapped(gathered, w.out);
  }

  // heads n n, which no machine holds for the longest prompts.
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
    (plain(options_) ? reference::rotate_rows : rotate_rows)(x, n_, heads, of_.head_width,
                                                             of_.rotary, choice.theta);
  }

  Rows feed_forward(const Rows& x, const BlockWeights& w) const {
    Rows hidden = mapped(x, of_.gated ? w.gate : w.up);
    (plain(options_) ? reference::activate : activate)(hidden, of_.activation);
    if (of_.gated) {
      const Rows up = mapped(x, w.up);
      for (std::size_t e = 0; e < hidden.size(); ++e) hidden[e] *= up[e];
    }
    return mapped(hidden, w.down);
  }

  static void add(const Rows& what, Rows& to) {
    for (std::size_t e = 0; e < to.size(); ++e) to[e] += what[e];
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
  if (tokens.empty())
    refuse("there is no token to begin with", "prompt", "give at least one token");
  if (static_cast<int>(tokens.size()) > of.context)
    refuse(fmt::format("the prompt has {} tokens, the model takes {} at most", tokens.size(),
                       of.context),
           "prompt", "give a shorter text");
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] < 0 || tokens[i] >= of.vocabulary)
      refuse(fmt::format("token {} is not in the vocabulary of {}", tokens[i], of.vocabulary),
             fmt::format("prompt, token {}", i), "use ids from 0 on, as the tokeniser gives them");
}

// The row of the learned positions of every token.
std::vector<int> places(std::span<const std::int64_t> tokens, const Description& of) {
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
  const std::vector<int> rows = places(tokens, of);
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
    normalise_by(options, x, of.norm, weights_.embedding_norm, width);
  if (weights_.embedding_map.w != nullptr) x = mapped_by(options, x, weights_.embedding_map);
  return Pass(of, weights_, options).run(std::move(x));
}

Trace Transformer::pass_picture(std::span<const float> pixels, const PassOptions& options) const {
  const Description& of = description_;
  if (reads_tokens(of)) refuse("the model reads tokens, not pictures", of.family, "give it a text");
  const Rows cut = of.frames > 0 ? frames_of(pixels, of) : patches_of(pixels, of);
  Rows x(weights_.class_token, weights_.class_token + of.d);
  const Rows patches = mapped_by(options, cut, weights_.patches);
  x.insert(x.end(), patches.begin(), patches.end());
  for (std::size_t e = 0; e < x.size(); ++e) x[e] += weights_.positions[e];
  return Pass(of, weights_, options).run(std::move(x));
}

Trace Transformer::pass_from(int first, std::vector<float> x, const PassOptions& options) const {
  return Pass(description_, weights_, options).run(std::move(x), first);
}

std::vector<float> Transformer::logits_of(std::vector<float> x, const PassOptions& options) const {
  const Pass pass(description_, weights_, options);
  return pass.said(pass.normalised(x, weights_.final_norm));
}

}  // namespace murmur
