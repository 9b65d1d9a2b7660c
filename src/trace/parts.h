// parts.h: a transformer without one of its parts, and how far its tokens then gather.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "murmur/describe.h"
#include "trace/traced.h"

namespace murmur {

// The parts that can be left out, after the pass without a change.
inline constexpr std::array<std::string_view, 4> kParts{"none", "attention", "feed-forward",
                                                        "norm"};

// Readings per layer: means over the texts with two tokens or more. NaN from the first layer with a
// state that has no direction: without norms states may become infinite.
struct PartReading {
  std::string part{};                                            // "none": no part is left out
  std::vector<double> mean_cos{}, clusters{}, effective_rank{};  // (frames)
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<PartReading>) {
  using R = PartReading;
  v(&R::part, "part", "the part that is left out, or none");
  v(&R::mean_cos, "mean_cos", "mean cosine per frame", {.null = Null::nan});
  v(&R::clusters, "clusters", "clusters per frame", {.null = Null::nan});
  v(&R::effective_rank, "effective_rank", "effective rank per frame", {.null = Null::nan});
}

// With all parts, then without attention, without feed-forward, without the norms of the blocks.
// Runs the texts again for each.
std::vector<PartReading> without_parts(const Transformer& model, std::span<const TracedText> texts,
                                       const PassOptions& pass);

}  // namespace murmur
