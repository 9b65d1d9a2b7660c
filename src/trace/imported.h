// imported.h: hidden states that another program has computed, as a text that was traced.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trace/traced.h"

namespace murmur {

struct Import {
  std::filesystem::path file{};          // .npy, or .safetensors
  std::string tensor = "hidden_states";  // of safetensors; with one tensor alone that one
  bool causal = false;
  std::vector<std::string> tokens{};  // (n); empty: numbers
};

// Shape (layers, tokens, d), the embedded tokens first; an axis of 1 behind the layers is left out.
// safetensors may hold attentions (layers - 1, heads, tokens, tokens) beside it. Error(input) for
// other shapes, fewer than two layers, and numbers that are not finite.
struct Imported {
  TracedText text{};
  Description of{};  // heads is 0 where attention is not known
};
Imported import_states(const Import& request);

}  // namespace murmur
