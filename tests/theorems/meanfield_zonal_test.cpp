// meanfield_zonal_test.cpp: laws symmetric about an axis of R^d held to theory and to the sphere's.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "closed_forms.h"
#include "meanfield/continuum.h"
#include "meanfield/harmonics.h"
#include "murmur/meanfield.h"
#include "murmur/theory.h"
#include "theory/stationary.h"

namespace murmur {
namespace {

theory::Law law_of(Attention::Weighting weighting) {
  return weighting == Attention::softmax ? theory::Law::sa : theory::Law::usa;
}

Measure bump(int d, double kappa) {
  Measure start;
  start.bumps = {{.kappa = kappa, .centre = std::vector<double>(d)}};
  start.bumps[0].centre.back() = 1;
  return start;
}

Measure wave(int d, int k, double height) {  // of that height at the pole
  Measure start;
  start.waves = {{k, 2 * height / meanfield::harmonics(d, k)}};
  return start;
}

TEST(ZonalPolynomials, AreOrthonormalUnderGaussAndHaveTheirSlopes) {
  for (const int d : {3, 4, 8, 64, 128}) {
    constexpr int kDegree = 20;
    const meanfield::Gauss gauss = meanfield::gauss_zonal(d, kDegree + 1);
    for (int k = 0; k <= kDegree; ++k)
      for (int l = 0; l <= kDegree; ++l) {
        double product = 0, slopes = 0;
        for (std::size_t j = 0; j < gauss.node.size(); ++j) {
          const double theta = std::acos(gauss.node[j]);
          const auto p = meanfield::zonal_values(d, kDegree, gauss.node[j]);
          const auto q = meanfield::zonal_slopes(d, kDegree, theta);
          product += gauss.weight[j] * p[k] * p[l];
          slopes += gauss.weight[j] * q[k] * q[l];
        }
        EXPECT_NEAR(product, k == l, 1e-12) << d << " " << k << " " << l;
        // int <grad p_k, grad p_l> = k(k+d-2) delta_kl
        EXPECT_NEAR(slopes / (1 + k * (k + d - 2.0)), k == l ? 1 - 1 / (1 + k * (k + d - 2.0)) : 0,
                    1e-11)
            << d << " " << k << " " << l;
      }
  }
}

TEST(ZonalPolynomials, AtThePoleTheirSquareCountsTheHarmonics) {
  for (const int d : {3, 4, 5, 16, 64})
    for (const int k : {0, 1, 2, 7, 20}) {
      const double p = meanfield::zonal_values(d, k, 1).back();
      EXPECT_NEAR(p * p / meanfield::harmonics(d, k), 1, 1e-11) << d << " " << k;
    }
}

// The same law by spherical harmonics: all but m = 0 vanish, and these move alike.
TEST(ZonalFlow, AtThreeCoordinatesIsThatOfTheSphere) {
  constexpr int kDegree = 16;
  for (const auto weighting : {Attention::softmax, Attention::unnormalised}) {
    const MeanField field{.d = 3, .beta = 4, .weighting = weighting};
    const auto sphere = meanfield::make_sphere(field, kDegree);
    const auto zonal = meanfield::make_zonal(field, kDegree);
    Measure start = bump(3, 2);
    start.bumps.push_back({.kappa = 3, .centre = {0, 0, -1}, .weight = 0.6});
    const meanfield::State full = sphere->start(start), y = zonal->start(start);
    meanfield::State full_change, change;
    sphere->flow(full, full, full_change);
    zonal->flow(y, y, change);
    for (int k = 1; k <= kDegree; ++k) {
      const int at = meanfield::harmonic_index(k, 0) - 1;
      EXPECT_NEAR(y[k - 1], full[at], 1e-12);
      EXPECT_NEAR(change[k - 1], full_change[at], 1e-10) << k;
    }
    EXPECT_NEAR(zonal->read(y).reading.energy, sphere->read(full).reading.energy, 1e-12);
    EXPECT_NEAR(zonal->read(y).reading.free_energy, sphere->read(full).reading.free_energy, 1e-12);
  }
}

TEST(ZonalGrowth, RatesAreThoseOfTheoryInEveryDimension) {
  for (const int d : {4, 5, 8, 16, 64, 128})
    for (const double beta : {1.0, 5.0, 12.0})
      for (const auto weighting : {Attention::softmax, Attention::unnormalised})
        for (const auto solver : {MeanFieldMethod::spectral, MeanFieldMethod::quantiles}) {
          const MeanField field{.d = d, .beta = beta, .weighting = weighting};
          const MeanFieldMethod method{
              .solver = solver, .modes = 24, .particles = 64, .tolerance = {1e-10, 1e-14}};
          for (const int k : {1, 2, 3}) {
            const theory::Growth growth{.law = law_of(weighting), .d = d, .beta = beta};
            const double wanted = theory::growth_rate(growth, k);
            // not so long that a faster mode outgrows it from rounding
            const double fastest = theory::growth_rate(growth, theory::fastest_mode(d, beta));
            const double T = std::fmin(1 / wanted, 4 / fastest);
            const auto trajectory = carry(field, wave(d, k, 1e-4), method, {.schedule = {.T = T}});
            ASSERT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
            const double from = trajectory.steps.front().amplitude[k];
            const double to = trajectory.steps.back().amplitude[k];
            EXPECT_NEAR(std::log(to / from) / trajectory.steps.back().t / wanted, 1, 1e-3)
                << "d " << d << " beta " << beta << " mode " << k << " solver " << solver;
          }
        }
}

TEST(ZonalGrowth, NoiseTakesItsShareAndRatesAreTold) {
  for (const int d : {4, 8, 64}) {
    const MeanField field{
        .d = d, .beta = 3, .weighting = Attention::unnormalised, .noise = 0.3 / d};
    for (const int k : {1, 2}) {
      const theory::Growth growth{.law = theory::Law::usa, .d = d, .beta = 3, .noise = 0.3 / d};
      const double rate = theory::growth_rate(growth, k);
      const auto told = regimes_of(carry(field, wave(d, k, 1e-5), {.modes = 16},
                                         {.schedule = {.T = 2 / std::fabs(rate)}}))
                            .growth;
      ASSERT_FALSE(told.empty()) << d << " " << k;
      EXPECT_EQ(told[0].k, k);
      EXPECT_NEAR(told[0].rate / rate, 1, 1e-3) << d << " " << k;
    }
  }
}

// Gegenbauer's coefficients and sums over pairs of the kernel's mean over the parallels are two
// formulas; they agree as long as the first resolves the law.
TEST(ZonalSolvers, Agree) {
  for (const int d : {4, 8, 32})
    for (const auto weighting : {Attention::softmax, Attention::unnormalised})
      for (const bool repulsive : {false, true}) {
        const MeanField field{.d = d, .beta = 3, .weighting = weighting, .repulsive = repulsive};
        const double T = 0.3;
        const auto spectral =
            carry(field, bump(d, 0.25 * d), {.modes = 64}, {.schedule = {.T = T}});
        const auto pairs =
            carry(field, bump(d, 0.25 * d),
                  {.solver = MeanFieldMethod::quantiles, .particles = 128}, {.schedule = {.T = T}});
        ASSERT_TRUE(spectral.outcome.ok()) << spectral.outcome.what;
        ASSERT_TRUE(pairs.outcome.ok()) << pairs.outcome.what;
        const auto &a = spectral.steps.back(), &b = pairs.steps.back();
        EXPECT_GT(std::fabs(a.order - spectral.steps.front().order), 1e-3);
        EXPECT_NEAR(a.order, b.order, 1e-8) << d;
        EXPECT_NEAR(a.energy / b.energy, 1, 1e-8) << d;
        for (int k = 1; k <= 6; ++k) EXPECT_NEAR(a.amplitude[k], b.amplitude[k], 1e-8) << d;
      }
}

// A perceptron along the axis, in gradient form: its potential is part of the energy, which climbs.
TEST(ZonalSolvers, AgreeBesideAPerceptronAlongTheAxis) {
  MeanField field{.d = 8, .beta = 2, .weighting = Attention::unnormalised};
  field.perceptron =
      Perceptron{.in = zeros(1, 8), .out = zeros(8, 1), .activation = Perceptron::gelu};
  field.perceptron->in(0, 7) = 1.5;
  field.perceptron->out(7, 0) = 1.2;
  const auto spectral = carry(field, bump(8, 1), {.modes = 64}, {.schedule = {.T = 0.3}});
  const auto pairs =
      carry(field, bump(8, 1), {.solver = MeanFieldMethod::quantiles, .particles = 128},
            {.schedule = {.T = 0.3}});
  ASSERT_TRUE(spectral.outcome.ok()) << spectral.outcome.what;
  EXPECT_NEAR(spectral.steps.back().order, pairs.steps.back().order, 1e-8);
  EXPECT_NEAR(spectral.steps.back().energy, pairs.steps.back().energy, 1e-8);
  for (std::size_t i = 1; i < spectral.steps.size(); ++i)
    EXPECT_GT(spectral.steps[i].energy, spectral.steps[i - 1].energy);
}

// Particles on a meridian of the sphere are those of a Gauss grid over all of it.
TEST(ZonalSolvers, ParticlesOnAMeridianAreThoseOfTheSphere) {
  for (const double beta : {0.0, 4.0}) {
    const MeanField field{.d = 3, .beta = beta};
    const auto cloud = meanfield::make_cloud(field, 40);
    const auto zonal = meanfield::make_zonal(field, 40);
    const meanfield::State y = cloud->start(bump(3, 3)), c = zonal->start(bump(3, 3));
    EXPECT_NEAR(cloud->read(y).reading.order, 1 / std::tanh(3.0) - 1 / 3.0, 1e-12);
    meanfield::State moved, changed;
    cloud->flow(y, y, moved);
    zonal->flow(c, c, changed);
    double order = 0;  // d/dt int cos theta
    for (std::size_t i = 0; i < y.size() / 2; ++i)
      order -= y[y.size() / 2 + i] * std::sin(y[i]) * moved[i];
    EXPECT_NEAR(order, changed[0] / std::sqrt(3.0), 1e-9) << beta;
  }
}

TEST(ZonalSolvers, ParticlesContractToOnePoint) {
  const auto trajectory =
      carry({.d = 64, .beta = 4}, wave(64, 1, 0.1),
            {.solver = MeanFieldMethod::quantiles, .particles = 64}, {.schedule = {.T = 40}});
  ASSERT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
  EXPECT_GT(trajectory.steps.back().order, 1 - 1e-9);
  EXPECT_NEAR(trajectory.steps.back().energy, std::exp(4) / 8, 1e-6);
}

TEST(ZonalEnergy, ClimbsAndSoDoesTheFreeEnergyUnderNoise) {
  for (const int d : {4, 8, 64})
    for (const double noise : {0.0, 0.5 / d}) {
      const MeanField field{
          .d = d, .beta = 3, .weighting = Attention::unnormalised, .noise = noise};
      const auto trajectory =
          carry(field, bump(d, 0.2 * d), {.modes = 64}, {.schedule = {.T = 0.2}});
      ASSERT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
      for (std::size_t i = 1; i < trajectory.steps.size(); ++i)
        EXPECT_GE(trajectory.steps[i].free_energy - trajectory.steps[i - 1].free_energy, -1e-12)
            << d << " " << noise << " step " << i;
      EXPECT_GT(trajectory.steps.size(), 4u);
    }
  const auto still = carry({.d = 8, .beta = 5}, {}, {.modes = 16}, {.schedule = {.T = 1}});
  EXPECT_NEAR(still.steps.back().energy, theory::uniform_energy(8, 5), 1e-12);
}

// The law at the end of a noisy flow is the stationary one, found there by a fixed point.
TEST(ZonalNoise, EndsInTheStationaryLaw) {
  for (const int d : {4, 8}) {
    const double kappa = 1.5 * theory::noise_threshold(d, 1);
    const MeanField field{
        .d = d, .beta = 1, .weighting = Attention::unnormalised, .noise = 1 / kappa};
    const auto trajectory =
        carry(field, bump(d, 1), {.modes = 48}, {.schedule = {.T = 40.0 * kappa / d}});
    ASSERT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
    EXPECT_NEAR(trajectory.steps.back().order, stationary_order({d, 1}, kappa, 1), 1e-6) << d;
  }
}

// d/dt ln a_1 of a wave at kappa_c, once the second degree follows it: it is C a_1^2, and C changes
// its sign at beta_* (2606.05140), where order begins to set in with a jump.
double cubic_rate(int d, double beta) {
  const MeanField field{.d = d,
                        .beta = beta,
                        .weighting = Attention::unnormalised,
                        .noise = 1 / theory::noise_threshold(d, beta)};
  Measure start;
  start.waves = {{1, 0.04}};
  const auto trajectory = carry(field, start, {.modes = 16, .tolerance = {1e-11, 1e-15}},
                                {.schedule = {.T = 12, .every = 6}});
  EXPECT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
  const auto& steps = trajectory.steps;
  std::size_t middle = 0;
  while (steps[middle].t < 6) ++middle;
  return std::log(steps.back().amplitude[1] / steps[middle].amplitude[1]);
}

TEST(ZonalNoise, TheTransitionIsContinuousUpToBetaStar) {
  for (const auto& [d, star] : {std::pair{4, 1.575257}, {8, 1.266553}}) {
    EXPECT_NEAR(theory::continuous_until(d), star, 1e-6);
    EXPECT_LT(cubic_rate(d, star - 0.03), 0) << d;
    EXPECT_GT(cubic_rate(d, star + 0.03), 0) << d;
  }
}

// Beyond beta_* an ordered law stands between fold and onset, where a small wave fades.
TEST(ZonalNoise, BeyondBetaStarTwoLawsAreStable) {
  for (const int d : {4, 8}) {
    const double beta = theory::continuous_until(d) + 2;
    const theory::StationaryBranch branch(d, beta);
    ASSERT_LT(branch.fold(), 0.97 * branch.onset());
    const double kappa = 0.5 * (branch.fold() + branch.onset());
    const MeanField field{
        .d = d, .beta = beta, .weighting = Attention::unnormalised, .noise = 1 / kappa};
    const MeanFieldPlan plan{.schedule = {.T = 20.0 * kappa / d}};
    const auto ordered =
        carry(field, bump(d, 2.0 * d), {.modes = 96, .tolerance = {1e-7, 1e-10}}, plan);
    const auto faint = carry(field, wave(d, 1, 0.01), {.modes = 16}, plan);
    ASSERT_TRUE(ordered.outcome.ok()) << ordered.outcome.what;
    EXPECT_NEAR(ordered.steps.back().order, branch.order(kappa), 1e-4) << d;
    EXPECT_LT(faint.steps.back().order, 0.5 * faint.steps.front().order) << d;
  }
}

}  // namespace
}  // namespace murmur
