// real_readings.h: what theory looks for, read off a transformer input by input.
#pragma once

#include <vector>

#include "model/model_folder.h"
#include "trace/layers.h"
#include "trace/traced.h"

namespace murmur {

// How a transformer is read.
struct RealReadingOptions {
  bool backwards = false;     // frames from the last to the first
  bool whole_blocks = false;  // the feed-forward is never left out
  int threads = 0;
};

// One input. Frames are the embedding and the state behind every block.
struct InputReading {
  int n = 0;                           // tokens
  std::vector<LayerReading> layers{};  // (frames)
  std::vector<double> leader{};        // (blocks) share of the most attended token, mean over heads
  std::vector<double> first{};      // (blocks) share of the first token, of the others' attention
  double even_first = 0;            // the same of even attention
  std::vector<double> alignment{};  // (blocks) of the move and the velocity of the flow
  double rank_alone = 0;            // last effective rank without feed-forward
  double reordered = 0;  // angle by which first and last block exchanged move the last states, over
                         // the angle from the first states to the last
};

struct RealReading {
  // Means over heads: 1 where all eigenvalues of Q^T K, or O V, are positive, -1: negative
  // (heads.h).
  double qk_positivity = 0, ov_positivity = 0;
  double beta = 1;  // of the ideal flow that fits all heads best; 1 where that is below 0
  std::vector<InputReading> inputs{};
};

// `exchanged` is the same transformer with its first and last block exchanged.
RealReading read_inputs(const Transformer& model, const Transformer& exchanged,
                        const std::vector<Prompt>& prompts, const RealReadingOptions& options);

}  // namespace murmur
