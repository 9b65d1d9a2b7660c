// variation.cpp: draws random weights of a transformer, and swaps its blocks.
#include "model/variation.h"

#include <fmt/format.h>

#include <cmath>

#include "core/parallel.h"
#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur {

namespace {

// Random weights. Each tensor has its own number, so that none depends on the others.
class RandomWeights {
 public:
  RandomWeights(std::uint64_t seed, int threads) : seed_(seed), threads_(threads) {}
  std::vector<std::vector<float>> made{};

  TransformerWeights all(const TransformerWeights& trained, const Description& of) {
    const int width = of.embedding_width;
    TransformerWeights w = trained;
    w.tokens = table(trained.tokens, of.vocabulary, width);
    const int places = reads_tokens(of) ? of.context + of.skipped_positions : input_tokens(of) + 1;
    w.positions = table(trained.positions, places, reads_tokens(of) ? width : of.d);
    w.type = table(trained.type, 1, width);
    w.class_token = table(trained.class_token, 1, of.d);
    w.patches = map(trained.patches);
    w.embedding_map = map(trained.embedding_map);
    w.unembedding = map(trained.unembedding);
    if (trained.unembedding.w == trained.tokens && trained.tokens != nullptr)
      w.unembedding.w = w.tokens;
    w.embedding_norm = norm(trained.embedding_norm, width);
    w.final_norm = norm(trained.final_norm, of.d);
    for (BlockWeights& block : w.blocks) redraw(block, of);
    return w;
  }

 private:
  void redraw(BlockWeights& b, const Description& of) {
    for (NormWeights* n : {&b.attention_norm, &b.attention_norm_after, &b.feed_forward_norm,
                           &b.feed_forward_norm_after})
      *n = norm(*n, of.d);
    for (NormWeights* n : {&b.query_norm, &b.key_norm}) *n = norm(*n, of.head_width);
    for (Linear* f : {&b.query, &b.key, &b.value, &b.out, &b.up, &b.gate, &b.down}) *f = map(*f);
  }

  NormWeights norm(const NormWeights& trained, int width) {
    if (trained.gain == nullptr) return {};
    made.emplace_back(static_cast<std::size_t>(width), 1.0f);
    return {.gain = made.back().data()};
  }

  // (rows, cols), of the same root mean square.
  const float* table(const float* trained, int rows, int cols) {
    const Linear f{.w = trained, .out = rows, .in = cols, .pitch = cols};
    return map(f).w;
  }

  Linear map(const Linear& f) {
    const auto tensor = number_++;  // also counts missing tensors
    if (f.w == nullptr) return {};
    const int rows = f.transposed ? f.in : f.out, cols = f.transposed ? f.out : f.in;
    double square = 0;
    for (std::ptrdiff_t r = 0; r < rows; ++r)
      for (std::ptrdiff_t c = 0; c < cols; ++c) {
        const double entry = f.w[r * f.pitch + c];
        square += entry * entry;
      }
    const double scale = std::sqrt(square / (static_cast<double>(rows) * cols));
    std::vector<float> drawn(static_cast<std::size_t>(f.out) * f.in);
    for_blocks(f.out, threads_, [&](int r) {
      for (int c = 0; c < f.in; ++c) {
        const Draw draw{.seed = seed_,
                        .stream = Stream::redrawn,
                        .particle = static_cast<std::uint32_t>(r),
                        .step = static_cast<std::uint32_t>(c),
                        .replica = tensor};
        drawn[static_cast<std::size_t>(r) * f.in + c] = static_cast<float>(scale * draw.normal(0));
      }
    });
    made.push_back(std::move(drawn));
    return {.w = made.back().data(), .out = f.out, .in = f.in, .pitch = f.in};
  }

  std::uint64_t seed_;
  int threads_;
  std::uint32_t number_ = 0;
};

void swap_blocks(const std::pair<int, int>& two, Description& of, TransformerWeights& w) {
  for (const int block : {two.first, two.second})
    if (block < 0 || block >= of.layers)
      throw Error(Fault::input, fmt::format("there is no block {} to swap", block),
                  "the model's blocks", fmt::format("use blocks 0 to {}", of.layers - 1));
  if (of.shared)
    throw Error(Fault::input, "all blocks of this model have the same weights: none can be swapped",
                of.family, "swap blocks of another model");
  const auto first = static_cast<std::size_t>(two.first),
             second = static_cast<std::size_t>(two.second);
  std::swap(of.blocks[first], of.blocks[second]);
  std::swap(w.blocks[first], w.blocks[second]);
}

}  // namespace

Model varied(Model model, const Variation& variation, int threads) {
  Description of = model->description();
  TransformerWeights w = model->weights();
  for (const auto& two : variation.swapped) swap_blocks(two, of, w);
  std::vector<std::vector<float>> made;
  if (variation.random_weights) {
    RandomWeights drawn(*variation.random_weights, threads);
    w = drawn.all(w, of);
    made = std::move(drawn.made);
  }
  return std::move(model).with(std::move(of), std::move(w), std::move(made));
}

}  // namespace murmur
