// traced.h: texts that a transformer has read, with the states and weights of its pass.
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

// The input: tokens, or the pixels of a picture.
struct Prompt {
  std::string name{};               // the text, or the file of a picture; for messages
  std::vector<std::int64_t> ids{};  // (n)
  std::vector<float> pixels{};      // (channels, side, side); empty: tokens
};

struct TracedText {
  Prompt prompt{};
  std::size_t given = 0;              // input tokens; the model has written those after them
  std::vector<std::string> tokens{};  // (n) as the vocabulary spells them; patches of a picture
  Trace trace{};

  int n() const { return trace.n; }
  // (layers + 1): the embedded prompt, then the state after every block. (n, d) each.
  int frames() const { return static_cast<int>(trace.after.size()) + 1; }
  const std::vector<float>& state(int frame) const {
    return frame == 0 ? trace.before.front() : trace.after[static_cast<std::size_t>(frame) - 1];
  }
};

// A token as the vocabulary spells it; its id without a tokeniser.
std::string spelled(const Tokenizer* tokenizer, std::int64_t id);

// Runs the transformer on one prompt. Error(input) as Transformer::pass.
TracedText trace_prompt(const Transformer& model, const Tokenizer* tokenizer, Prompt prompt,
                        const PassOptions& options);

// How a text is continued: by the likeliest token each time, or by one drawn with probability
// softmax(logits / temperature).
struct Continuation {
  int tokens = 0;
  double temperature = 0;  // 0: the likeliest
  std::uint64_t seed = 0;
  std::optional<std::int64_t> end{};  // stops after this token
};
// The ids followed by those that the model writes. Error(input) without an unembedding, for a model
// that is not causal, and if the context is too short.
std::vector<std::int64_t> continued(const Transformer& model, std::vector<std::int64_t> ids,
                                    const Continuation& how, const PassOptions& options);

// All tokens of all texts at one frame, each state divided by its norm; `norms` (all n) gets the
// norms. Error(numerical) for a state without a direction.
HostSwarm project_to_sphere(std::span<const TracedText> texts, int frame,
                            std::vector<double>* norms = nullptr);
// The same for one text.
HostSwarm project_to_sphere(const TracedText& text, int frame,
                            std::vector<double>* norms = nullptr);

}  // namespace murmur
