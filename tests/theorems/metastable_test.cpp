// metastable_test.cpp: merging carries a swarm through plateaus of length e^beta at small cost.
#include <gtest/gtest.h>

#include "murmur/observe.h"
#include "support.h"

namespace murmur::testing {
namespace {

constexpr FlowSettings kMerging{.tolerance = {1e-8, 1e-8}, .merge = 1e-6};
constexpr FlowSettings kPlain{.tolerance = {1e-8, 1e-8}};

TEST(Metastable, MillionTimeUnitsInThreeThousandEvaluations) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const HostSwarm x = random_sphere({32, 2}, seed);
    const Simulated f = simulated(sa(9), x, kMerging, {.T = 1e6});
    ASSERT_TRUE(f.outcome.ok());
    EXPECT_LE(f.state.evaluations, 3000) << "seed " << seed;
    EXPECT_EQ(f.state.x.n() + static_cast<int>(f.merges.size()), 32);
    double mass = 0;
    for (const double m : f.state.x.mass) mass += m;
    EXPECT_NEAR(mass, 1, 1e-14);
  }
}

TEST(Metastable, MergingKeepsTheClusters) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const HostSwarm x = random_sphere({32, 2}, seed);
    const Simulated merged = simulated(sa(9), x, kMerging, {.T = 1e3});
    const Simulated plain = simulated(sa(9), x, kPlain, {.T = 1e3});
    EXPECT_LT(largest_difference(merged.last(), plain.last()), 1e-5) << "seed " << seed;
    EXPECT_EQ(clusters(merged.last(), Manifold::sphere).label,
              clusters(plain.last(), Manifold::sphere).label);
  }
}

}  // namespace
}  // namespace murmur::testing
