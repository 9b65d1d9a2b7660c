// saving_test.cpp: swarms that stop when their tokens rest, and tokens that become one.
#include "murmur/saving.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "murmur/error.h"
#include "murmur/settling.h"

namespace murmur {
namespace {

// Two samples of a few tokens, left and right; two of the second are a tenth apart.
SampleSet some_samples() {
  SampleSet set;
  set.x = {-4, -2, -3, 5, 3, 4, 4.1F};
  set.y = {1, -1, 2, 0, 2, -2, -2};
  set.first = {0, 3, 7};
  set.label = {0, 1};
  return set;
}

TrainedSwarm swarm_of(Architecture a) {
  a.targets = spread_targets(2, a.d);
  TrainedSwarm swarm;
  swarm.architecture = a;
  swarm.parameters = initial_parameters(a, 4);
  swarm.digits = {5, 6};
  return swarm;
}

// Every block halves the way that is left to the mean: motion is halved too.
TrainedSwarm halving_swarm(int blocks) {
  TrainedSwarm swarm = swarm_of(
      {.blocks = blocks, .hidden = 4, .residual = 0.5, .interaction = Architecture::attraction});
  std::fill(swarm.parameters.begin(), swarm.parameters.end(), 0.0F);
  return swarm;
}

TEST(Saving, WithNothingSavedVerdictsAreThoseOfTheSwarm) {
  const SampleSet samples = some_samples();
  const TrainedSwarm swarm = swarm_of({.blocks = 3, .hidden = 8});
  const Verdicts all = judge(swarm, samples, 1);
  const SavedVerdicts saved = judge(swarm, samples, Saving{}, 2);
  EXPECT_EQ(saved.verdicts.verdict, all.verdict);
  for (int row = 0; row < 2; ++row)
    for (int c = 0; c < 2; ++c)
      EXPECT_NEAR(saved.verdicts.scores(row, c), all.scores(row, c), 1e-4);
  EXPECT_EQ(saved.blocks, 3);
  EXPECT_EQ(saved.work, 1);
  EXPECT_EQ(saved.pairs, 1);
}

TEST(Saving, ASampleStopsBehindTheFirstBlockInWhichItsTokensRest) {
  const SampleSet samples = some_samples();
  const TrainedSwarm swarm = halving_swarm(8);
  const std::vector<BlockRecord> all = record_blocks(swarm, samples, 0, {});
  ASSERT_EQ(all.size(), 8u);
  for (std::size_t b = 1; b < all.size(); ++b)
    EXPECT_NEAR(all[b].motion, all[b - 1].motion / 2, 1e-12);
  const double rest = 0.9 * all[3].motion;
  const std::vector<BlockRecord> some = record_blocks(swarm, samples, 0, {.rest = rest});
  ASSERT_EQ(some.size(), 5u);  // the fifth is the first below
  EXPECT_EQ(some.back().scores, all[4].scores);
  EXPECT_EQ(record_blocks(swarm, samples, 0, {.rest = 1e9}).size(), 1u);
}

// Behind a stop the scores are those of a swarm of that depth.
TEST(Saving, StoppingAnswersAsAShallowerSwarmDoes) {
  const SampleSet samples = some_samples();
  const TrainedSwarm swarm = swarm_of({.blocks = 6, .hidden = 8});
  const std::vector<BlockRecord> blocks = record_blocks(swarm, samples, 1, {});
  const Verdicts shallow = judge(with_blocks(swarm, 2), samples, 1);
  for (int c = 0; c < 2; ++c) EXPECT_NEAR(blocks[1].scores[c], shallow.scores(1, c), 1e-4);
}

TEST(Saving, TokensThatAreNearBecomeOneWithTheirMass) {
  const SampleSet samples = some_samples();
  const TrainedSwarm swarm = halving_swarm(4);
  const std::vector<BlockRecord> all = record_blocks(swarm, samples, 1, {});
  const std::vector<BlockRecord> merged = record_blocks(swarm, samples, 1, {.merge = 0.2});
  EXPECT_EQ(all[0].tokens, 4);
  EXPECT_EQ(merged[0].tokens, 3);  // before the first block
  // Attraction keeps the mean, in which the merged token counts twice.
  for (int c = 0; c < 2; ++c) EXPECT_NEAR(merged[3].scores[c], all[3].scores[c], 1e-12);
  const std::vector<BlockRecord> later = record_blocks(swarm, samples, 1, {.merge = 1});
  EXPECT_LT(later[3].tokens, later[0].tokens);
}

TEST(Saving, EqualTokensAreExactlyOneWithTheirMass) {
  SampleSet samples = some_samples();
  samples.x = {-4, -4, -3, 5, 3, 3, 3};
  samples.y = {1, 1, 2, 0, 2, 2, 2};
  const TrainedSwarm swarm = swarm_of({.blocks = 5, .hidden = 8});
  const SavedVerdicts all = judge(swarm, samples, Saving{}, 1);
  const SavedVerdicts merged = judge(swarm, samples, {.merge = 1e-6}, 1);
  for (int row = 0; row < 2; ++row)
    for (int c = 0; c < 2; ++c)
      EXPECT_NEAR(merged.verdicts.scores(row, c), all.verdicts.scores(row, c), 1e-9);
  EXPECT_NEAR(merged.pairs, (2. * 2 + 2 * 2) / (3 * 3 + 4 * 4), 1e-12);
  EXPECT_LT(merged.work, 0.6);
}

//   attention: 4 maps of d k, scores and values 2 k a pair; feed-forward 2 d hidden
TEST(Saving, MultiplyAddsAreCounted) {
  EXPECT_EQ(multiply_adds({.d = 3, .hidden = 512, .heads = 1}, 10),
            10 * (4 * 9 + 2 * 3 * 512) + 100 * 6);
  EXPECT_EQ(multiply_adds({.d = 3, .hidden = 0, .interaction = Architecture::none}, 10), 0);
}

TEST(Saving, RefusesWhatIsNoDistance) {
  const SampleSet samples = some_samples();
  const TrainedSwarm swarm = halving_swarm(2);
  EXPECT_THROW(judge(swarm, samples, Saving{.rest = -1}, 1), Error);
  EXPECT_THROW(
      record_blocks(swarm, samples, 0, {.merge = std::numeric_limits<double>::quiet_NaN()}), Error);
}

}  // namespace
}  // namespace murmur
