// candidates.h: the tokens that a transformer may say next, as points among its states.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "murmur/matrix.h"
#include "trace/lens.h"

namespace murmur {

inline constexpr int kCandidates = 12;

// The likeliest next tokens. A logit is sqrt(d) <w_v, u>, u the direction of the state (behind a
// layer norm that of the state less its mean) and w_v the unembedding of token v times the gain of
// the last norm: points are the directions of w_v, and kappa is sqrt(d) times their mean length, so
// that softmax(kappa cosines) is what the model says but for words of unlike length and for biases.
struct Candidates {
  std::vector<std::string> words{};  // each once
  Matrix points{};                   // (words, d), of length 1
  double kappa = 0;
};
// Of the last layer at request.place; empty without an unembedding.
Candidates candidates_of(const Transformer& model, const TracedText& text,
                         const LensRequest& request);

// candidates.npy and candidates.txt, as murmur render figure=next-word reads a vocabulary.
void write_candidates(const std::filesystem::path& run, const Candidates& candidates);

}  // namespace murmur
