// chaos_test.cpp: n independent tokens stay n^(-1/2) away from the swarm of infinitely many.
#include "reproduce/chaos.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "support.h"

namespace murmur::testing {
namespace {

TEST(Chaos, QuantilesInvertTheMass) {
  for (double s = 0; s <= 1; s += 1.0 / 64) {
    const double theta = chaos_quantile(s);
    EXPECT_NEAR(theta + 0.5 * std::sin(theta) + 0.1 * (1 - std::cos(2 * theta)),
                2 * std::numbers::pi * s, 1e-13);
  }
}

TEST(Chaos, DistancesFallAsTheRootOfN) {
  const Chaos chaos{.dynamics = sa(4),
                    .sizes = {1'000, 3'000, 10'000},
                    .seeds = {80, 60, 40},
                    .limit = 50'000,
                    .every = 1.5};
  const std::vector<CircleMeasure> limit = chaos_limit(chaos, chaos.limit);
  const std::vector<ChaosPoint> points = chaos_points(chaos, limit);
  ASSERT_EQ(points.size(), 9u);
  double squares = 0;
  for (const ChaosPoint& point : points)
    if (point.t == 0) squares += point.square.mean / 3;
  EXPECT_NEAR(squares, chaos_constant(), 0.2 * chaos_constant());
  for (const double t : {0.0, 1.5, 3.0}) {
    const ChaosExponent exponent = chaos_exponent(points, t);
    EXPECT_NEAR(exponent.value, -0.5, 0.1) << t;
    EXPECT_LT(exponent.error, 0.06) << t;
  }
}

// The bridge wave by wave, before it is carried, has the constant of its closed form; a flow that
// gathers tokens enlarges it.
TEST(Chaos, WavesOfTheBridgeAddUp) {
  const Chaos chaos{.dynamics = sa(4), .T = 1};
  const std::vector<double> constants = chaos_constants(chaos, 1'000, 20);
  ASSERT_EQ(constants.size(), 2u);
  EXPECT_NEAR(constants[0], chaos_constant(), 1e-3 * chaos_constant());
  EXPECT_GT(constants[1], 1.5 * constants[0]);
}

// The limit is the same by twice as many quantile particles, to second order.
TEST(Chaos, TheLimitHasConverged) {
  const Chaos chaos{.dynamics = sa(4), .T = 3};
  const auto a = chaos_limit(chaos, 1'000), b = chaos_limit(chaos, 2'000),
             c = chaos_limit(chaos, 4'000);
  const double coarse = circle_w2(a.back(), b.back()), fine = circle_w2(b.back(), c.back());
  EXPECT_LT(fine, 1e-4);
  EXPECT_NEAR(coarse / fine, 4, 0.8);
}

TEST(Atoms, HoldTheMass) {
  Clusters found;
  found.count = 4;
  found.mass = {0.1, 0.5, 0.005, 0.395};
  EXPECT_EQ(atoms_holding(found, 0.5), 1);
  EXPECT_EQ(atoms_holding(found, 0.51), 2);
  EXPECT_EQ(atoms_holding(found, 0.99), 3);
  EXPECT_EQ(atoms_holding(found, 1), 4);
  EXPECT_THROW(atoms_holding(found, 0), Error);
  EXPECT_THROW(atoms_holding(found, 1.5), Error);
}

// 100 tokens, 60 at one point and the rest apart: 99 % takes 40 atoms, whatever the order.
TEST(Atoms, DoNotDependOnTheOrder) {
  std::vector<double> angle(100, 3.0);
  for (int i = 0; i < 40; ++i) angle[i] = 0.05 * i;
  std::vector<HostSwarm> frames{circle(angle)};
  std::reverse(angle.begin(), angle.end());
  frames.push_back(circle(angle));
  const Series series = atoms_over_time(history_of({0, 1}, frames), sa(1), {.tol = 1e-4});
  EXPECT_EQ(series.value, (std::vector<double>{40, 40}));
}

}  // namespace
}  // namespace murmur::testing
