// next_word.h: what a boid of a flight, and the mean of all, say next.
#pragma once

#include "murmur/readout.h"
#include "murmur/recording.h"
#include "reply.h"

namespace murmur::facade {

struct WordRequest {
  std::int64_t frame = 0;
  int token = 0;
  ReadoutRule rule{};
};

// Arrays: probabilities of the boid (V), of the mean (V), points of the words (V, d) and the mean
// (d). Text: of "boid" and "mean" the entropy, outcomes, above and best.
void add_next_word(const Recording& trajectory, const WordRequest& request,
                   const Vocabulary& vocabulary, Reply& reply);

}  // namespace murmur::facade
