// parts.h: a transformer with one part left out, and what that does to how its tokens gather.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trace/traced.h"

namespace murmur {

// Layer by layer, means over the texts that have two tokens or more; NaN from where on a state has
// no direction: without norms it may leave the numbers.
struct PartReading {
  std::string part{};                                            // "none": all parts are there
  std::vector<double> mean_cos{}, clusters{}, effective_rank{};  // (frames)
};

// With nothing left out, then without attention, without feed-forward, without the norms of the
// blocks. The texts are read again for each.
std::vector<PartReading> without_parts(const Transformer& model, std::span<const TracedText> texts,
                                       const PassOptions& pass);

}  // namespace murmur
