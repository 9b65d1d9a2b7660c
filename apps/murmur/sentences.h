// sentences.h: murmur classify for swarms that read sentences.
#pragma once

#include <string>

#include "command.h"
#include "murmur/training.h"

namespace murmur::app {

// text=WORDS: a sentence of the swarm's words, asked=WORD the one it is asked about; text=test:i-j:
// sentences that it is tested with. A line a sentence: number, word, meaning, chance, scores, and
// the truth where it is known; then the sentence.
int classify_sentences(const Flags& flags, const TrainedSwarm& swarm, const std::string& text,
                       const std::string& asked);

}  // namespace murmur::app
