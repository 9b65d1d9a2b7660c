// settling_test.cpp: swarms whose rest is known, and swarms of another depth.
#include "murmur/settling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/block_tensors.h"
#include "murmur/error.h"
#include "report/training.h"
#include "temporary.h"

namespace murmur {
namespace {

// Two samples of a few tokens, left and right.
SampleSet some_samples() {
  SampleSet set;
  set.x = {-4, -2, -3, 5, 3, 4, 1};
  set.y = {1, -1, 2, 0, 2, -2, 3};
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

// Every block halves the way that is left to the mean: nothing else moves.
TEST(Settling, OfATractionIsKnown) {
  TrainedSwarm swarm = swarm_of(
      {.blocks = 2, .hidden = 4, .residual = 0.5, .interaction = Architecture::attraction});
  std::fill(swarm.parameters.begin(), swarm.parameters.end(), 0.0F);
  const SampleSet samples = some_samples();
  const std::vector<int> blocks{1, 2, 6};
  const std::vector<Settling> rows =
      settling_of(swarm, samples, evenly_chosen(samples, 9), blocks, 2);
  ASSERT_EQ(rows.size(), 3u);
  for (const Settling& row : rows) {
    EXPECT_NEAR(row.spread, std::pow(0.5, row.blocks), 1e-12);
    EXPECT_EQ(row.accuracy, 1);
  }
  EXPECT_NEAR(rows[1].speed, rows[0].speed / 2, 1e-12);
  EXPECT_NEAR(rows[2].speed, rows[0].speed / 32, 1e-12);
  EXPECT_NEAR(rows[2].distance, (7 + 6.75) / 2, 0.3);  // means (-3, 2/3) and (3.25, 3/4)
}

TEST(Settling, OfASwarmThatStandsStill) {
  TrainedSwarm swarm = swarm_of({.blocks = 3, .hidden = 4});
  std::fill(swarm.parameters.begin(), swarm.parameters.end(), 0.0F);
  const SampleSet samples = some_samples();
  const std::vector<int> blocks{3};
  const Settling row = settling_of(swarm, samples, evenly_chosen(samples, 1), blocks, 1)[0];
  EXPECT_NEAR(row.spread, 1, 1e-12);
  EXPECT_EQ(row.speed, 0);
  EXPECT_NEAR(row.distance, (std::hypot(6, 1) + std::hypot(8, 1) + std::hypot(7, 2)) / 3, 1e-12);
}

// The verdicts of a swarm of another depth are those of the same trajectory, read there.
TEST(Settling, MoreBlocksAreTheSameTrajectoryReadLater) {
  const SampleSet samples = some_samples();
  for (const bool shared : {true, false})
    for (const auto readout : {Architecture::mean, Architecture::cls}) {
      const TrainedSwarm swarm =
          swarm_of({.blocks = 3, .shared = shared, .hidden = 8, .readout = readout});
      for (const int blocks : {1, 3, 7}) {
        const TrainedSwarm other = with_blocks(swarm, blocks);
        ASSERT_EQ(other.parameters.size(), parameter_count(other.architecture));
        const Verdicts verdicts = judge(other, samples, 1);
        for (std::size_t k = 0; k < samples.samples(); ++k) {
          const SampleTrajectory trajectory = simulate_sample(swarm, samples, k, 7);
          for (int c = 0; c < 2; ++c)
            EXPECT_NEAR(verdicts.scores(static_cast<int>(k), c), trajectory.scores(blocks, c),
                        1e-4);
        }
      }
    }
}

TEST(Settling, RefusesNoBlocks) {
  const SampleSet samples = some_samples();
  const std::vector<int> none{0};
  EXPECT_THROW(settling_of(swarm_of({.blocks = 2, .hidden = 4}), samples, evenly_chosen(samples, 2),
                           none, 1),
               Error);
}

// A block that multiplies the way to the mean by -1e6: finite at the depth of two, not at eight.
TEST(Settling, ARowOfTheReportSaysWhereASwarmLeavesTheFiniteNumbers) {
  TrainedSwarm swarm = swarm_of(
      {.blocks = 2, .hidden = 4, .residual = 1e6, .interaction = Architecture::attraction});
  std::fill(swarm.parameters.begin(), swarm.parameters.end(), 0.0F);
  const test::TemporaryDirectory folder;
  RunReport report({.run = folder.path()});
  add_settling(report, swarm, some_samples());
  ASSERT_EQ(report.page.sections.size(), 1u);
  const TextTable& table = report.page.sections[0].table;
  ASSERT_EQ(table.size(), 4u);  // a head, and depths 2, 4 and 8
  EXPECT_NE(table[1][1], "none");
  EXPECT_EQ(table[3],
            (std::vector<std::string>{"8", "none", "not finite", "not finite", "not finite"}));
}

}  // namespace
}  // namespace murmur
