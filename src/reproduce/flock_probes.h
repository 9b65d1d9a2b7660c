// flock_probes.h: what the flock argument asks of a trained swarm or messenger.
#pragma once

#include <optional>
#include <vector>

#include "experiment/messenger_course.h"
#include "murmur/training.h"

namespace murmur {

// A trained swarm, or the messenger where there is none.
struct Contender {
  std::optional<TrainedSwarm> swarm{};
  TrainedMessenger messenger{};

  Matrix logits(const Ensemble& flocks, int threads) const;  // (flocks, classes)
  // How strongly each token of a flock moves what is read off: (n), of mean 1.
  std::vector<double> influence(const Ensemble& flocks, std::size_t flock) const;
};

// The tokens of every flock in a random order.
Ensemble shuffled(const Ensemble& flocks, std::uint64_t seed);

// How verdicts change between two passes over the same flocks. margin: the logit of the true class
// less the largest other one.
struct VerdictChange {
  std::size_t changed = 0;  // verdicts
  double share = 0;         // of the flocks
  double margin_shift = 0;  // mean of |margin after - margin before|
  double margin = 0;        // mean of |margin before|
};
VerdictChange verdict_change(const Matrix& before, const Matrix& after,
                             const std::vector<int>& label);

// The influence of token i against i / n, averaged over `count` flocks spread over the ensemble.
inline constexpr int kInfluenceBins = 10;
struct FlockSample {
  const Ensemble& flocks;
  std::size_t count = 100;
  int threads = 0;
  std::size_t flock(std::size_t k) const { return k * flocks.flocks() / count; }
};
std::vector<double> influence_curve(const Contender& contender, const FlockSample& sample);

// The flocks of a sample, each with a guest: one more token on a free pixel beside the ink, `step`
// apart. The guest comes last.
Ensemble with_guests(const FlockSample& sample, double step, std::uint64_t seed);

// What the guests do to the readout m of a swarm.
struct GuestEffect {
  double shift = 0;           // mean of |m(with guest) - m|
  double spread = 0;          // mean over flocks of the rms distance of boids from their mean
  double relative = 0;        // mean of shift / spread, flock by flock
  double largest = 0;         // the largest shift / spread
  double share_of_votes = 0;  // mean of 1 / (n + 1): what one more equal vote among n could move
  std::size_t changed = 0;    // verdicts
};
GuestEffect guest_effect(const TrainedSwarm& swarm, const FlockSample& sample,
                         const Ensemble& with_guest);

}  // namespace murmur
