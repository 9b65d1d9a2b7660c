// patching.h: states of one text put into the pass over another, and what that changes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/traced.h"

namespace murmur {

// A state of the first text takes the place of that of the second: before block `frame` (frame 0:
// the embedding; the number of blocks: behind the last), at token `place`.
struct PatchPlace {
  int frame = 0, place = 0;
};

// The answers a and b that are told apart: by default what each text says next.
struct PatchAnswers {
  std::int64_t first = 0, second = 0;
};

struct Patching {
  PatchAnswers answers{};
  // logit(answers.first) - logit(answers.second) of the last token: of both texts as they are, and
  // of the second with a patch at (frame, place).
  double first = 0, second = 0;
  std::vector<PatchPlace> places{};
  std::vector<double> patched{};  // (places)

  // 1: the patch makes the second text answer as the first does; 0: it changes nothing.
  double recovered(std::size_t k) const { return (patched[k] - second) / (first - second); }
};

// At one place, or, without one, at all. Error(input) for texts of different lengths, places that
// are not there, a model without an unembedding, and answers that are the same.
Patching patch(const Transformer& model, const TracedText& first, const TracedText& second,
               std::optional<PatchPlace> place, std::optional<PatchAnswers> answers,
               const PassOptions& options);

// The trace of the second text with that patch. Blocks before it are as they were.
Trace patched_trace(const Transformer& model, const TracedText& first, const TracedText& second,
                    const PatchPlace& place, const PassOptions& options);

}  // namespace murmur
