// patching.h: replaces states in the pass over one text with states of another, and measures the
// effect.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/traced.h"

namespace murmur {

// A state of the first text replaces that of the second before block `frame` (0: the embedding; the
// number of blocks: behind the last one) at token `place`.
struct PatchPlace {
  int frame = 0, place = 0;
};

// The two answers whose logits are compared: by default the likeliest next token of each text.
struct PatchAnswers {
  std::int64_t first = 0, second = 0;
};

struct Patching {
  PatchAnswers answers{};
  // logit(answers.first) - logit(answers.second) of the last token: of both texts unchanged, and of
  // the second with a patch at (frame, place).
  double first = 0, second = 0;
  std::vector<PatchPlace> places{};
  std::vector<double> patched{};  // (places)

  // 1: with the patch the second text has the answer of the first; 0: the patch changes nothing.
  double recovered(std::size_t k) const { return (patched[k] - second) / (first - second); }
};

// Patches at one place, or, without one, at each place in turn. Error(input) for texts of different
// lengths, places that do not exist, a model without an unembedding, and two equal answers.
Patching patch(const Transformer& model, const TracedText& first, const TracedText& second,
               std::optional<PatchPlace> place, std::optional<PatchAnswers> answers,
               const PassOptions& options);

// The trace of the second text with this patch. Blocks before it do not change.
Trace patched_trace(const Transformer& model, const TracedText& first, const TracedText& second,
                    const PatchPlace& place, const PassOptions& options);

}  // namespace murmur
