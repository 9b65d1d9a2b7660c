// learn_optimiser_test.cpp: updates in closed form, clipping, and the one-cycle rate.
#include <gtest/gtest.h>

#include <numeric>

#include "learn_samples.h"

namespace murmur::testing {
namespace {

// The first update is rate times the sign of the gradient, whatever its size.
TEST(Optimiser, FirstUpdateIsASign) {
  Optimiser adam{.rate = 0.01};
  std::vector<float> p{1, 1, 1, 1};
  adam.update(p, std::vector<float>{1e-3F, -5, 0, 1e4F});
  EXPECT_NEAR(p[0], 0.99, 1e-6);
  EXPECT_NEAR(p[1], 1.01, 1e-6);
  EXPECT_EQ(p[2], 1);
  EXPECT_NEAR(p[3], 0.99, 1e-6);
  EXPECT_EQ(adam.updates, 1);
}

// With one gradient for ever both means are exact from the start: every update is the same.
TEST(Optimiser, ConstantGradientsMoveEvenly) {
  Optimiser adam{.rate = 0.5};
  std::vector<float> p{0, 0};
  for (int u = 0; u < 50; ++u) adam.update(p, std::vector<float>{2, -3});
  EXPECT_NEAR(p[0], -25, 1e-3);
  EXPECT_NEAR(p[1], 25, 1e-3);
}

// Decay alone is geometric and never enters the means.
TEST(Optimiser, DecayIsDecoupled) {
  Optimiser adam{.rate = 0.1, .decay = 0.5};
  std::vector<float> p{8};
  for (int u = 0; u < 10; ++u) adam.update(p, std::vector<float>{0});
  EXPECT_NEAR(p[0], 8 * std::pow(0.95, 10), 1e-5);
  EXPECT_EQ(adam.momentum[0], 0);
}

// A saved state goes on with the same bits.
TEST(Optimiser, ContinuesExactly) {
  Optimiser whole{.decay = 0.01}, part{.decay = 0.01};
  std::vector<float> p{1, -2, 3}, q = p;
  const auto gradient = [&](int u, const std::vector<float>& at) {
    std::vector<float> g;
    for (const float value : at) g.push_back(value + 0.1F * static_cast<float>(u));
    return g;
  };
  for (int u = 0; u < 20; ++u) whole.update(p, gradient(u, p));
  for (int u = 0; u < 9; ++u) part.update(q, gradient(u, q));
  Optimiser copy = part;
  for (int u = 9; u < 20; ++u) copy.update(q, gradient(u, q));
  EXPECT_EQ(p, q);
  EXPECT_EQ(copy.updates, 20);
}

TEST(Clip, ShortensOnlyWhatIsTooLong) {
  std::vector<float> g{3, 4};
  EXPECT_EQ(clip(g, 0), 5);
  EXPECT_EQ(clip(g, 6), 5);
  EXPECT_EQ(g, (std::vector<float>{3, 4}));
  EXPECT_EQ(clip(g, 1), 5);
  EXPECT_NEAR(g[0], 0.6, 1e-7);
  EXPECT_NEAR(g[1], 0.8, 1e-7);
}

TEST(OneCycle, RisesAndFalls) {
  const double peak = 0.01;
  EXPECT_DOUBLE_EQ(one_cycle(0, 1000, peak), peak / 25);
  EXPECT_DOUBLE_EQ(one_cycle(299, 1000, peak), peak);
  EXPECT_NEAR(one_cycle(999, 1000, peak), peak / 1e5, 1e-12);
  for (int u = 1; u < 1000; ++u)
    EXPECT_EQ(one_cycle(u, 1000, peak) > one_cycle(u - 1, 1000, peak), u <= 299) << u;
  const double half = one_cycle(299 + 350, 1000, peak);
  EXPECT_NEAR(half, (peak + peak / 1e5) / 2, 1e-12);
}

TEST(OneCycle, ShortRunsHaveFiniteRates) {
  for (int updates = 1; updates < 12; ++updates)
    for (const double warm : {0.0, 0.3, 1.0})
      for (int u = 0; u <= updates; ++u) {
        const double rate = one_cycle(u, updates, 1, warm);
        EXPECT_TRUE(rate > 0 && rate <= 1) << updates << " " << warm << " " << u;
      }
}

}  // namespace
}  // namespace murmur::testing
