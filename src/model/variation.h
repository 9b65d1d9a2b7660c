// variation.h: variations of a trained transformer that show the effect of training: random
// weights, swapped blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/model_folder.h"

namespace murmur {

struct Variation {
  // Draws every map and every embedding with this seed: independent Gaussian entries with the root
  // mean square of the trained ones. Norms have gain 1; biases are 0.
  std::optional<std::uint64_t> random_weights{};
  std::vector<std::pair<int, int>> swapped{};  // pairs of blocks that are swapped, in order

  bool any() const { return random_weights || !swapped.empty(); }
};

// Error(input) for a block that does not exist, or if all blocks share their weights.
Model varied(Model model, const Variation& variation, int threads = 1);

}  // namespace murmur
