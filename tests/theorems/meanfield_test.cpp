// meanfield_test.cpp: mean fields held to theory: growth rates, energies, stationary noisy laws.
#include "murmur/meanfield.h"

#include <gtest/gtest.h>

#include <cmath>

#include "murmur/error.h"
#include "murmur/theory.h"

namespace murmur {
namespace {

theory::Law law_of(Attention::Scale scale) {
  return scale == Attention::softmax ? theory::Law::sa : theory::Law::usa;
}

double measured_rate(const MeanField& field, const MeanFieldMethod& method, int k) {
  const double rate =
      theory::growth_rate({.law = law_of(field.scale), .d = field.d, .beta = field.beta}, k);
  Measure start;
  start.waves = {{k, 1e-5}};
  const auto course = carry(field, start, method, {.schedule = {.T = 3 / rate}});
  EXPECT_TRUE(course.outcome.ok()) << course.outcome.what;
  for (const ModeGrowth& g : phases_of(course).growth)
    if (g.k == k) return g.rate;
  return 0;
}

TEST(MeanFieldGrowth, RatesAtTheUniformLawAreThoseOfTheory) {
  for (const int d : {2, 3})
    for (const double beta : {1.0, 2.0, 5.0, 7.0, 9.0})
      for (const auto scale : {Attention::softmax, Attention::plain})
        for (const auto solver : {MeanFieldMethod::spectral, MeanFieldMethod::quantiles}) {
          const int k = theory::fastest_mode(d, beta);
          const MeanField field{.d = d, .beta = beta, .scale = scale};
          const MeanFieldMethod method{
              .solver = solver, .modes = d == 2 ? 64 : 20, .particles = d == 2 ? 2000 : 800};
          const double wanted =
              theory::growth_rate({.law = law_of(scale), .d = d, .beta = beta}, k);
          EXPECT_NEAR(measured_rate(field, method, k) / wanted, 1, 1e-3)
              << "d " << d << " beta " << beta << " mode " << k;
        }
}

TEST(MeanFieldGrowth, RepulsionDampsAndNoiseTakesItsShare) {
  Measure start;
  start.waves = {{2, 1e-4}};
  const MeanField repulsive{.beta = 3, .repulsive = true};
  const auto fade = phases_of(carry(repulsive, start, {.modes = 64}, {.schedule = {.T = 3}}));
  ASSERT_FALSE(fade.growth.empty());
  EXPECT_NEAR(fade.growth[0].rate, theory::growth_rate({.d = 2, .beta = 3, .descent = true}, 2),
              1e-4);
  const MeanField noisy{.beta = 3, .scale = Attention::plain, .noise = 0.2};
  const auto grow = phases_of(carry(noisy, start, {.modes = 64}, {.schedule = {.T = 1}}));
  ASSERT_FALSE(grow.growth.empty());
  EXPECT_NEAR(grow.growth[0].rate,
              theory::growth_rate({.law = theory::Law::usa, .d = 2, .beta = 3, .noise = 0.2}, 2),
              2e-3);
}

// All modes from the same height: the fastest leads when the linear phase ends.
TEST(MeanFieldGrowth, ThePredictedModeLeadsAtTheEndOfTheLinearPhase) {
  for (const double beta : {2.0, 5.0, 7.0, 9.0})
    for (const int d : {2, 3}) {
      Measure start;
      for (int k = 1; k <= 12; ++k) start.waves.push_back({k, 2e-6});
      MeanFieldPlan plan{.schedule = {.T = 40}};
      plan.stop = [d](const MeanFieldReading& r) {
        for (int k = 1; k <= kModesRead; ++k)
          if (r.amplitude[k] >= (d == 2 ? 0.1 : 0.2 / (2 * k + 1))) return true;
        return false;
      };
      const MeanFieldMethod method{.modes = d == 2 ? 96 : 32};
      const auto course = carry({.d = d, .beta = beta}, start, method, plan);
      EXPECT_EQ(course.outcome.ending, Ending::interrupted) << course.outcome.what;
      EXPECT_EQ(phases_of(course).leader, theory::fastest_mode(d, beta)) << d << " " << beta;
    }
}

TEST(MeanFieldEnergy, StartsAtTheUniformOneAndClimbs) {
  for (const auto scale : {Attention::softmax, Attention::plain})
    for (const int d : {2, 3})
      for (const bool repulsive : {false, true}) {
        Measure start;
        start.waves = {{1, 0.05}, {2, 0.05}};
        const MeanField field{.d = d, .beta = 3, .scale = scale, .repulsive = repulsive};
        const MeanFieldMethod method{.modes = d == 2 ? 256 : 32};
        const double T = scale == Attention::plain ? 0.5 : 3;
        const auto course = carry(field, start, method, {.schedule = {.T = T}});
        for (std::size_t i = 1; i < course.steps.size(); ++i) {
          const double rise = course.steps[i].energy - course.steps[i - 1].energy;
          EXPECT_GE(repulsive ? -rise : rise, -1e-12) << d << " step " << i;
        }
        EXPECT_GT(course.steps.size(), 5u);
      }
  const auto still = carry({.beta = 5}, {}, {.modes = 64}, {.schedule = {.T = 1}});
  EXPECT_NEAR(still.steps.back().energy, theory::uniform_energy(2, 5), 1e-12);
  const auto sphere = carry({.d = 3, .beta = 5}, {}, {.modes = 20}, {.schedule = {.T = 1}});
  EXPECT_NEAR(sphere.steps.back().energy, theory::uniform_energy(3, 5), 1e-12);
}

// Past the concentration that ends the spectral solver: one point, at the rates of two clusters.
TEST(MeanFieldEnergy, QuantilesGoOnToOnePoint) {
  Measure start;
  start.waves = {{1, 0.5}};
  const MeanFieldMethod method{
      .solver = MeanFieldMethod::quantiles, .particles = 1000, .tolerance = {1e-8, 1e-10}};
  const auto course = carry({.beta = 1}, start, method, {.schedule = {.T = 20}});
  EXPECT_TRUE(course.outcome.ok());
  EXPECT_GT(course.steps.back().order, 0.9999);
  EXPECT_NEAR(course.steps.back().energy, std::exp(1.0) / 2, 1e-3);
  const auto phases = phases_of(course);
  ASSERT_TRUE(phases.clustering.has_value());
  EXPECT_LT(phases.clustering->rate, -0.5);
}

// mu ~ exp((kappa / beta) W * mu), r as published for d = 2; the flow comes to the same laws.
TEST(MeanFieldNoise, StationaryOrdersAreThePublishedOnes) {
  EXPECT_NEAR(stationary_order({2, 0}, 2.5, 1), 0.589708, 1e-6);
  EXPECT_NEAR(stationary_order({2, 0}, 4, 1), 0.831462, 1e-6);
  EXPECT_EQ(stationary_order({2, 1}, 1.4, 1), 0);
  EXPECT_NEAR(stationary_order({2, 1}, 2.2, 1), 0.6766, 5e-5);
  EXPECT_NEAR(stationary_order({2, 1}, 3, 1), 0.8640, 5e-5);
  EXPECT_NEAR(stationary_order({2, 3}, 0.9, 1), theory::stationary_order(0.9, 3), 1e-8);
}

TEST(MeanFieldNoise, TheFlowSettlesThere) {
  for (const double kappa : {1.4, 2.2, 3.0}) {
    Measure start;
    start.waves = {{1, kappa < 2 ? 0.2 : 0.8}};
    const MeanField field{.beta = 1, .scale = Attention::plain, .noise = 1 / kappa};
    const MeanFieldMethod method{.modes = 40, .tolerance = {1e-6, 1e-9}};
    const auto course = carry(field, start, method, {.schedule = {.T = 50}});
    ASSERT_TRUE(course.outcome.ok()) << course.outcome.what;
    EXPECT_NEAR(course.steps.back().order, stationary_order({2, 1}, kappa, 1), 5e-4) << kappa;
    for (std::size_t i = 1; i < course.steps.size(); ++i)
      EXPECT_GE(course.steps[i].free_energy, course.steps[i - 1].free_energy - 1e-7);
  }
  Measure start;
  start.waves = {{1, 0.6}};
  const MeanField sphere{.d = 3, .beta = 1, .scale = Attention::plain, .noise = 1 / 3.5};
  const MeanFieldMethod method{.modes = 24, .tolerance = {1e-6, 1e-9}};
  const auto course = carry(sphere, start, method, {.schedule = {.T = 25}});
  ASSERT_TRUE(course.outcome.ok()) << course.outcome.what;
  EXPECT_NEAR(course.steps.back().order, stationary_order({3, 1}, 3.5, 1), 1e-3);
}

TEST(MeanFieldNoise, HysteresisOnlyAboveBetaStar) {
  struct Case {
    int d;
    double beta;
  };
  for (const auto& [d, beta] : {Case{2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2.5}}) {
    const double critical = theory::noise_threshold(d, beta);
    const Bifurcation b =
        bifurcation({d, beta}, {.from = 0.6 * critical, .to = 1.5 * critical, .points = 10});
    EXPECT_NEAR(b.onset / critical, 1, 0.01) << d << " " << beta;
    EXPECT_EQ(b.hysteretic, beta > theory::continuous_until(d)) << d << " " << beta;
    if (b.hysteretic) {
      EXPECT_LT(b.fold, b.onset);
      const double between = 0.5 * (b.fold + b.onset);
      EXPECT_GT(stationary_order({d, beta}, between, 1), 0.3);
      EXPECT_EQ(stationary_order({d, beta}, between, 1e-3), 0);
    }
  }
}

}  // namespace
}  // namespace murmur
