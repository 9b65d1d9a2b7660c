// saving.h: answers of a trained swarm that skips part of its work, and how much work is left.
#pragma once

#include <cstddef>
#include <vector>

#include "murmur/training.h"

namespace murmur {

struct Saving {
  double rest = 0;   // stops after a block in which tokens move less on average; 0: never
  double merge = 0;  // tokens closer than this merge, with their mass; 0: never
};
// Throws Error(input) for a number that is negative or not finite.
void check(const Saving& saving);

// One block of one sample.
struct BlockRecord {
  int tokens = 0;                // tokens at its start
  double motion = 0;             // distance they moved, mean over the sample's tokens
  std::vector<double> scores{};  // (classes) scores after it
};
// Returns the blocks that a sample needs, at most those of the swarm. Tokens merge before the first
// block and after every block, nearest pair first, into their mean by mass. If numbers become
// infinite, the record ends before.
std::vector<BlockRecord> record_blocks(const TrainedSwarm& swarm, const SampleSet& samples,
                                       std::size_t sample, const Saving& saving);

// Returns the multiply-adds of one block with this many tokens: maps, scores, sums of values,
// feed-forward. Exponentials and the divisions of softmax are not counted.
double multiply_adds(const Architecture& architecture, int tokens);

struct SavedVerdicts {
  Verdicts verdicts{};  // `readout` is empty
  double blocks = 0;    // mean over the samples
  double work = 0;      // multiply-adds, as a fraction of those of every token in every block
  double pairs = 0;     // pairs of tokens, as a fraction of all in every block
};
// Throws Error(numerical) for a sample whose numbers become infinite in the first block.
SavedVerdicts judge(const TrainedSwarm& swarm, const SampleSet& samples, const Saving& saving,
                    int threads);

}  // namespace murmur
