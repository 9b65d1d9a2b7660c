// patching.h: replaces states in the pass over one text with states of another, and measures the
// effect.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "murmur/describe.h"
#include "trace/traced.h"

namespace murmur {

// A state of the first text replaces that of the second before block `frame` (0: the embedding; the
// number of blocks: behind the last one) at token `place`.
struct PatchPlace {
  int frame = 0, place = 0;
};

// The two answers whose logits are compared: by default the likeliest next token of each text.
using PatchAnswers = std::pair<std::int64_t, std::int64_t>;

struct Patching {
  PatchAnswers answers{};
  // logit(answers.first) - logit(answers.second) of the last token: of both texts unchanged, and of
  // the second with a patch at (frame, place).
  double first = 0, second = 0;
  std::vector<PatchPlace> places{};
  std::vector<double> patched{};  // (places)

  // 1: with the patch the second text has the answer of the first; 0: the patch changes nothing.
  double recovered(std::size_t k) const { return (patched[k] - second) / (first - second); }

  struct Row {  // one place, as files list it
    PatchPlace at{};
    double patched = 0, recovered = 0;
  };
  std::vector<Row> rows() const {
    std::vector<Row> all;
    for (std::size_t k = 0; k < places.size(); ++k)
      all.push_back({places[k], patched[k], recovered(k)});
    return all;
  }
  void set_rows(const std::vector<Row>& all) {
    for (const Row& row : all) {
      places.push_back(row.at);
      patched.push_back(row.patched);
    }
  }
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Patching::Row>) {
  using R = Patching::Row;
  v(
      [](auto& r) -> auto& { return r.at.frame; }, "layer", "layer of the state");
  v(
      [](auto& r) -> auto& { return r.at.place; }, "token", "token of the state");
  v(&R::patched, "logit_difference", "logit difference with the patch");
  v(&R::recovered, "recovered", "1: the second text has the answer of the first, 0: no effect",
    {.null = Null::nan, .optional = true});
}

template <class Visitor>
void describe(Visitor& v, FieldsOf<Patching>) {
  using P = Patching;
  v(&P::answers, "answers", "the two tokens whose logits are compared");
  v(&P::first, "first", "logit difference of the first text");
  v(&P::second, "second", "logit difference of the second text");
  v.computed(&P::rows, &P::set_rows, "patched", "one row per place");
}

// Patches at one place, or, without one, at each place in turn. Error(input) for texts of different
// lengths, places that do not exist, a model without an unembedding, and two equal answers.
Patching patch(const Transformer& model, const TracedText& first, const TracedText& second,
               std::optional<PatchPlace> place, std::optional<PatchAnswers> answers,
               const PassOptions& options);

// The trace of the second text with this patch. Blocks before it do not change.
Trace patched_trace(const Transformer& model, const TracedText& first, const TracedText& second,
                    const PatchPlace& place, const PassOptions& options);

}  // namespace murmur
