// traced.h: texts that a transformer has read, with everything its pass left behind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/transformer.h"
#include "murmur/swarm.h"
#include "murmur/tokenizer.h"

namespace murmur {

// What is read: tokens, or the pixels of a picture.
struct Prompt {
  std::string name{};               // the text, or the file of a picture; for readers
  std::vector<std::int64_t> ids{};  // (n)
  std::vector<float> pixels{};      // (channels, side, side); empty: tokens
};

struct TracedText {
  Prompt prompt{};
  std::size_t given = 0;              // tokens that were given; those behind it the model wrote
  std::vector<std::string> tokens{};  // (n) as the vocabulary spells them; of pictures patches
  Trace trace{};

  int n() const { return trace.n; }
  // (layers + 1): the embedded prompt, then the state after every block. (n, d) each.
  int frames() const { return static_cast<int>(trace.after.size()) + 1; }
  const std::vector<float>& state(int frame) const {
    return frame == 0 ? trace.before.front() : trace.after[static_cast<std::size_t>(frame) - 1];
  }
};

// A token as the vocabulary spells it; its id where there is no tokeniser.
std::string spelled(const Tokenizer* tokenizer, std::int64_t id);

// Reads one prompt. Error(input) as Transformer::pass.
TracedText trace_prompt(const Transformer& model, const Tokenizer* tokenizer, Prompt prompt,
                        const PassOptions& options);

// How a text goes on: the likeliest token each time, or one drawn with probability
// softmax(logits / temperature).
struct Continuation {
  int tokens = 0;
  double temperature = 0;  // 0: the likeliest
  std::uint64_t seed = 0;
  std::optional<std::int64_t> end{};  // stops behind this token
};
// The ids with those that the model wrote behind them. Error(input) without an unembedding, for a
// model that is not causal, and where the context does not hold so many.
std::vector<std::int64_t> continued(const Transformer& model, std::vector<std::int64_t> ids,
                                    const Continuation& how, const PassOptions& options);

// All tokens of all texts at one frame, each state divided by its norm; `norms` (all n) takes what
// they were divided by. Error(numerical) for a state without a direction.
HostSwarm on_the_sphere(std::span<const TracedText> texts, int frame,
                        std::vector<double>* norms = nullptr);
// The same of one text.
HostSwarm on_the_sphere(const TracedText& text, int frame, std::vector<double>* norms = nullptr);

}  // namespace murmur
