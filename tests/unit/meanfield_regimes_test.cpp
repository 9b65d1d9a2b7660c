// meanfield_regimes_test.cpp: which regimes a trajectory has, and which it does not reach.
#include <gtest/gtest.h>

#include <cmath>

#include "murmur/meanfield.h"

namespace murmur {
namespace {

MeanFieldMethod quantiles(int particles) {
  return {.solver = MeanFieldMethod::quantiles, .particles = particles, .tolerance = {1e-8, 1e-10}};
}

Measure bump(double kappa) {
  Measure m;
  m.bumps = {{kappa, {1, 0}, 1}};
  return m;
}

Measure atoms(double angle) {
  Measure m;
  m.atoms = {{{1, 0}, 1}, {{std::cos(angle), std::sin(angle)}, 1}};
  return m;
}

TEST(MeanFieldRegimes, OnlySmallWavesHaveALinearPhase) {
  Measure wave;
  wave.waves = {{3, 1e-3}};
  const auto grows = regimes_of(carry({.beta = 4}, wave, {.modes = 96}, {.schedule = {.T = 3}}));
  ASSERT_TRUE(grows.linear.has_value());
  EXPECT_EQ(grows.linear->leader, 3);
  wave.waves = {{1, 0.3}};
  const std::pair<Measure, MeanFieldMethod> none[] = {{wave, {.modes = 96}},
                                                      {bump(1), {.modes = 96}},
                                                      {bump(1), quantiles(200)},
                                                      {atoms(2), quantiles(2)},
                                                      {Measure{}, {.modes = 32}}};
  for (const auto& [start, method] : none)
    EXPECT_FALSE(regimes_of(carry({.beta = 1}, start, method, {.schedule = {.T = 0.3}})).linear);
}

// Amplitude 0.1 ends it; a flight that stops before has seen no end.
TEST(MeanFieldRegimes, ALinearPhaseEndsWhereItIsSeenToEnd) {
  Measure wave;
  wave.waves = {{3, 1e-3}};
  for (const double T : {0.5, 20.0}) {
    MeanFieldPlan plan{.schedule = {.T = T}};
    plan.stop = [](const MeanFieldReading& r) { return r.amplitude[3] > 0.11; };
    const auto trajectory = carry({.beta = 4}, wave, {.modes = 96}, plan);
    const auto linear = regimes_of(trajectory).linear;
    ASSERT_TRUE(linear.has_value());
    EXPECT_EQ(linear->leader, 3);
    EXPECT_EQ(linear->until.has_value(), T > 1);
    if (!linear->until) continue;
    for (const MeanFieldReading& r : trajectory.steps)
      EXPECT_EQ(r.amplitude[3] >= 0.1, r.t >= *linear->until) << r.t;
  }
}

// Towards one point on the circle mass leaves the far side like e^{-t}, however many particles
// stand for it; once the last has left, what they show is e^{-2t}.
TEST(MeanFieldRegimes, TheClusteringRateIsTheMeasuresOwn) {
  double rate[3];
  const int particles[] = {1000, 4000, 16'000};
  for (int i = 0; i < 3; ++i) {
    const auto trajectory =
        carry({.beta = 1}, bump(1), quantiles(particles[i]), {.schedule = {.T = 12}});
    EXPECT_NEAR(trajectory.grain * particles[i], 1, 1e-9);
    EXPECT_LT(1 - trajectory.steps.back().order, trajectory.grain);  // flown past what they resolve
    const auto clustering = regimes_of(trajectory).clustering;
    ASSERT_TRUE(clustering.has_value());
    EXPECT_LT(clustering->to, 11);
    rate[i] = -clustering->rate;
    EXPECT_NEAR(rate[i], 1, 0.05) << particles[i];
  }
  EXPECT_NEAR(rate[0] / rate[2], 1, 0.05);
  EXPECT_LT(std::fabs(rate[2] - 1), std::fabs(rate[0] - 1));
  // too few particles resolve nothing of it
  EXPECT_FALSE(regimes_of(carry({.beta = 1}, bump(1), quantiles(60), {.schedule = {.T = 12}}))
                   .clustering.has_value());
}

// Atoms are exact: two of them meet like e^{-t}, and 1 - order like its square.
TEST(MeanFieldRegimes, AtomsHaveNoGrain) {
  const auto trajectory = carry({.beta = 1}, atoms(0.5), quantiles(2), {.schedule = {.T = 8}});
  EXPECT_EQ(trajectory.grain, 0);
  const auto clustering = regimes_of(trajectory).clustering;
  ASSERT_TRUE(clustering.has_value());
  EXPECT_NEAR(clustering->rate, -2, 0.02);
  EXPECT_GT(clustering->to, 7);
  Measure mixed = atoms(0.5);
  mixed.bumps = {{1, {1, 0}, 2}};
  EXPECT_NEAR(carry({.beta = 1}, mixed, quantiles(100), {.schedule = {.T = 0.1}}).grain, 0.5 / 100,
              2e-4);
  EXPECT_EQ(carry({.beta = 1}, bump(1), {.modes = 64}, {.schedule = {.T = 0.1}}).grain, 0);
}

// A flight too short for three steps in the window says nothing, and is no error.
TEST(MeanFieldRegimes, TooFewStepsTellNoRate) {
  Measure wave;
  wave.waves = {{1, 1e-6}};
  const auto trajectory = carry({.beta = 1}, wave, {.modes = 32}, {.schedule = {.T = 1e-9}});
  EXPECT_LT(trajectory.steps.size(), 3u);
  EXPECT_TRUE(regimes_of(trajectory).growth.empty());
}

}  // namespace
}  // namespace murmur
