// saving.h: verdicts of a trained swarm that skips part of its work, and the work that remains.
#pragma once

#include <cstddef>
#include <vector>

#include "murmur/training.h"

namespace murmur {

struct Saving {
  double rest = 0;   // stops after the block in which tokens move less on average; 0: never
  double merge = 0;  // tokens closer than this become one with their mass; 0: never
};
// Error(input) for a number that is negative or not finite.
void check(const Saving& saving);

// One block of one sample.
struct BlockRecord {
  int tokens = 0;                // tokens at the start of the block
  double motion = 0;             // mean displacement of the tokens of the sample
  std::vector<double> scores{};  // (classes) scores after the block
};
// Records the blocks that a sample needs, at most those of the swarm. Tokens merge before the first
// block and after every block, nearest pair first, into their mean by mass. The record ends before
// a block whose tokens are not finite.
std::vector<BlockRecord> record_blocks(const TrainedSwarm& swarm, const SampleSet& samples,
                                       std::size_t sample, const Saving& saving);

// Returns the multiply-adds of one block with so many tokens: maps, scores, sums of values,
// feed-forward. Exponentials and the divisions of softmax are not counted.
double multiply_adds(const Architecture& architecture, int tokens);

struct SavedVerdicts {
  Verdicts verdicts{};  // `readout` is empty
  double blocks = 0;    // mean over the samples
  double work = 0;      // multiply-adds, relative to all tokens in all blocks
  double pairs = 0;     // pairs of tokens, relative to all tokens in all blocks
};
// Error(numerical) if the tokens of a sample are not finite after the first block.
SavedVerdicts judge(const TrainedSwarm& swarm, const SampleSet& samples, const Saving& saving,
                    int threads);

}  // namespace murmur
