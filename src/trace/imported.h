// imported.h: hidden states that another program has computed, read as a traced text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trace/traced.h"

namespace murmur {

struct Import {
  std::filesystem::path file{};          // .npy, or .safetensors
  std::string tensor = "hidden_states";  // of safetensors; ignored if the file has only one tensor
  bool causal = false;
  std::vector<std::string> tokens{};  // (n); empty: numbers
};

// The states have shape (layers, tokens, d), the embedded tokens first; an axis of 1 behind the
// layers is ignored. safetensors may also hold attentions (layers - 1, heads, tokens, tokens).
// Error(input) for other shapes, fewer than two layers, and numbers that are not finite.
struct Imported {
  TracedText text{};
  Description of{};  // heads is 0 if attention is not known
};
Imported import_states(const Import& request);

}  // namespace murmur
