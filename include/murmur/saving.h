// saving.h: verdicts of a trained swarm that leaves out part of its work, and how much is left.
#pragma once

#include <cstddef>
#include <vector>

#include "murmur/training.h"

namespace murmur {

struct Saving {
  double rest = 0;   // stops behind the block in which tokens move less on average; 0: never
  double merge = 0;  // tokens closer than this become one with their mass; 0: never
};
// Error(input) for a number that is negative or not finite.
void check(const Saving& saving);

// One block of one sample.
struct BlockRecord {
  int tokens = 0;                // that went in
  double motion = 0;             // how far they moved, mean over the sample's tokens
  std::vector<double> scores{};  // (classes) read behind it
};
// The blocks that a sample needs, at most those of the swarm. Tokens merge before the first block
// and behind every block, nearest pair first, into their mean by mass. Where tokens leave the
// finite numbers, the record ends before.
std::vector<BlockRecord> record_blocks(const TrainedSwarm& swarm, const SampleSet& samples,
                                       std::size_t sample, const Saving& saving);

// Multiply-adds of one block with so many tokens: maps, scores, sums of values, feed-forward.
// Exponentials and the divisions of softmax are not counted.
double multiply_adds(const Architecture& architecture, int tokens);

struct SavedVerdicts {
  Verdicts verdicts{};  // `readout` is empty
  double blocks = 0;    // mean over the samples
  double work = 0;      // multiply-adds, over those of every token in every block
  double pairs = 0;     // pairs of tokens, over those of every token in every block
};
// Error(numerical) for a sample whose tokens leave the finite numbers in the first block.
SavedVerdicts judge(const TrainedSwarm& swarm, const SampleSet& samples, const Saving& saving,
                    int threads);

}  // namespace murmur
