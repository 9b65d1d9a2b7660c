// lens.h: what every layer of a transformer would say next, were it the last (the logit lens).
#pragma once

#include <string>
#include <vector>

#include "trace/traced.h"

namespace murmur {

struct SaidToken {
  std::int64_t id = 0;
  double probability = 0;
  std::string token{};  // as the vocabulary spells it
};

// One frame at one token: final norm and unembedding of its state, then softmax.
struct LensRow {
  int frame = 0;
  std::vector<SaidToken> top{};  // the likeliest first
  double entropy = 0;            // nats
  double probability = 0;        // of the token that the whole model says
  int rank = 0;                  // of that token: 1 where this layer says it too
};

struct LensRequest {
  int place = 0;  // of the token whose states are read
  int top = 5;
  const Tokenizer* tokenizer = nullptr;  // spells tokens, where there is one
  PassOptions pass{};
};
// (frames). Empty without an unembedding.
std::vector<LensRow> logit_lens(const Transformer& model, const TracedText& text,
                                const LensRequest& request);

}  // namespace murmur
