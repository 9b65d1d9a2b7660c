// flock_argument.h: how trained swarms and recurrent networks respond to the order of tokens and to
// further tokens.
#pragma once

#include <optional>
#include <vector>

#include "experiment/rnn_training.h"
#include "murmur/training.h"

namespace murmur {

// A trained swarm, or a recurrent network where `swarm` is empty.
struct TrainedReader {
  std::optional<TrainedSwarm> swarm{};
  TrainedRnn rnn{};

  Matrix logits(const SampleSet& samples, int threads) const;  // (samples, classes)
  // How strongly each token of a sample moves the readout: (n), of mean 1.
  std::vector<double> influence(const SampleSet& samples, std::size_t sample) const;
};

// The tokens of every sample in a random order.
SampleSet shuffled(const SampleSet& samples, std::uint64_t seed);

// How verdicts change between two passes over the same samples. margin: the logit of the true class
// less the largest other one.
struct VerdictChange {
  std::size_t changed = 0;  // verdicts
  double share = 0;         // of the samples
  double margin_shift = 0;  // mean of |margin after - margin before|
  double margin = 0;        // mean of |margin before|
};
VerdictChange verdict_change(const Matrix& before, const Matrix& after,
                             const std::vector<int>& label);

// The influence of token i against i / n, averaged over `count` samples spread over the set.
inline constexpr int kInfluenceBins = 10;
struct Subset {
  const SampleSet& samples;
  std::size_t count = 100;
  int threads = 0;
  std::size_t sample(std::size_t k) const { return k * samples.samples() / count; }
};
std::vector<double> influence_curve(const TrainedReader& reader, const Subset& subset);

// Tokens that are added to a sample: each on a free pixel next to the ink, pixels `step` apart.
struct ProbeTokens {
  int count = 1;
  double step = 1;
  std::uint64_t seed = 0;
};
// The samples of a subset, each with its added tokens, which come last.
SampleSet with_probes(const Subset& subset, const ProbeTokens& added);

// The effect of the added tokens on the readout m of a swarm.
struct ProbeEffect {
  double shift = 0;           // mean of |m(with added token) - m|
  double spread = 0;          // mean over samples of the rms distance of tokens from their mean
  double relative = 0;        // mean of shift / spread, sample by sample
  double largest = 0;         // the largest shift / spread
  double share_of_votes = 0;  // mean of 1 / (n + 1): what one more equal vote among n could move
  std::size_t changed = 0;    // verdicts
};
ProbeEffect probe_effect(const TrainedSwarm& swarm, const Subset& subset,
                         const SampleSet& with_probe);

}  // namespace murmur
