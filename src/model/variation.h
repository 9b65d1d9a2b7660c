// variation.h: a trained transformer made another one, to tell what its training did.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/model_folder.h"

namespace murmur {

struct Variation {
  // Every map and every embedding is drawn anew with this seed: independent Gaussian entries of the
  // trained entries' root mean square. Norms have gain 1; biases are 0.
  std::optional<std::uint64_t> random_weights{};
  std::vector<std::pair<int, int>>
      swapped{};  // blocks that change places, one pair after the other

  bool any() const { return random_weights || !swapped.empty(); }
};

// Error(input) for a block that is not there, or where all blocks share their weights.
Model varied(Model model, const Variation& variation, int threads = 1);

}  // namespace murmur
