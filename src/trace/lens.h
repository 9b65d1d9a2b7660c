// lens.h: the next token that each layer of a transformer would predict if it were the last (the
// logit lens), and the likeliest next tokens as points among the states.
#pragma once

#include <string>
#include <vector>

#include "murmur/describe.h"
#include "murmur/matrix.h"
#include "trace/traced.h"

namespace murmur {

struct PredictedToken {
  std::int64_t id = 0;
  double probability = 0;
  std::string token{};  // as the vocabulary spells it
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<PredictedToken>) {
  using T = PredictedToken;
  v(&T::id, "id", "number of the token");
  v(&T::token, "token", "the token as the vocabulary spells it");
  v(&T::probability, "probability", "its probability", {.null = Null::zero});
}

// One frame at one token: final norm and unembedding of its state, then softmax.
struct LensRow {
  int frame = 0;
  std::vector<PredictedToken> top{};  // the likeliest first
  double entropy = 0;                 // nats
  double probability = 0;             // of the token that the whole model predicts
  int rank = 0;                       // of that token: 1 if this layer predicts it too
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<LensRow>) {
  using R = LensRow;
  v(&R::frame, "layer", "the layer whose state is read");
  v(&R::top, "says", "the likeliest next tokens");
  v(&R::entropy, "entropy", "entropy of the prediction, nats", {.null = Null::zero});
  v(&R::rank, "rank_of_last", "rank of the token that the whole model predicts");
  v(&R::probability, "probability_of_last", "probability of that token", {.null = Null::zero});
}

struct LensRequest {
  int place = 0;  // of the token whose states are read
  int top = 5;
  const Tokenizer* tokenizer = nullptr;  // spells tokens; may be null
  PassOptions pass{};
};
// (frames). Empty without an unembedding.
std::vector<LensRow> logit_lens(const Transformer& model, const TracedText& text,
                                const LensRequest& request);

inline constexpr int kCandidates = 12;

// The likeliest next tokens. A logit is sqrt(d) <w_v, u>, where u is the direction of the state
// (with a layer norm: of the state minus its mean) and w_v the unembedding of token v times the
// gain of the last norm. Points are the directions of w_v, and kappa is sqrt(d) times their mean
// length. softmax(kappa cosines) is then the prediction of the model, except for biases and the
// different lengths of the w_v.
struct Candidates {
  std::vector<std::string> words{};  // without repetition
  Matrix points{};                   // (words, d), of length 1
  double kappa = 0;
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Candidates>) {
  v(&Candidates::words, "words", "the likeliest next tokens");
  v(&Candidates::kappa, "kappa", "scale of the cosines in the softmax");
}
// The candidates of the last layer at request.place; empty without an unembedding.
Candidates candidates_of(const Transformer& model, const TracedText& text,
                         const LensRequest& request);

}  // namespace murmur
