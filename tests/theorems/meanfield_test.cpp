// meanfield_test.cpp: mean fields held to theory: growth rates, energies, stationary noisy laws.
#include "murmur/meanfield.h"

#include <gtest/gtest.h>

#include <cmath>

#include "closed_forms.h"
#include "murmur/error.h"
#include "murmur/landscape.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "theory/stationary.h"

namespace murmur {
namespace {

theory::Law law_of(Attention::Weighting weighting) {
  return weighting == Attention::softmax ? theory::Law::sa : theory::Law::usa;
}

double measured_rate(const MeanField& field, const MeanFieldMethod& method, int k) {
  const double rate =
      theory::growth_rate({.law = law_of(field.weighting), .d = field.d, .beta = field.beta}, k);
  Measure start;
  start.waves = {{k, 1e-5}};
  const auto trajectory = carry(field, start, method, {.schedule = {.T = 3 / rate}});
  EXPECT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
  for (const ModeGrowth& g : regimes_of(trajectory).growth)
    if (g.k == k) return g.rate;
  return 0;
}

TEST(MeanFieldGrowth, RatesAtTheUniformLawAreThoseOfTheory) {
  for (const int d : {2, 3})
    for (const double beta : {1.0, 2.0, 5.0, 7.0, 9.0})
      for (const auto weighting : {Attention::softmax, Attention::unnormalised})
        for (const auto solver : {MeanFieldMethod::spectral, MeanFieldMethod::quantiles}) {
          const int k = theory::fastest_mode(d, beta);
          const MeanField field{.d = d, .beta = beta, .weighting = weighting};
          const MeanFieldMethod method{
              .solver = solver, .modes = d == 2 ? 64 : 20, .particles = d == 2 ? 2000 : 800};
          const double wanted =
              theory::growth_rate({.law = law_of(weighting), .d = d, .beta = beta}, k);
          EXPECT_NEAR(measured_rate(field, method, k) / wanted, 1, 1e-3)
              << "d " << d << " beta " << beta << " mode " << k;
        }
}

TEST(MeanFieldGrowth, RepulsionDampsAndNoiseTakesItsShare) {
  Measure start;
  start.waves = {{2, 1e-4}};
  const MeanField repulsive{.beta = 3, .repulsive = true};
  const auto fade = regimes_of(carry(repulsive, start, {.modes = 64}, {.schedule = {.T = 3}}));
  ASSERT_FALSE(fade.growth.empty());
  EXPECT_NEAR(fade.growth[0].rate, theory::growth_rate({.d = 2, .beta = 3, .descent = true}, 2),
              1e-4);
  const MeanField noisy{.beta = 3, .weighting = Attention::unnormalised, .noise = 0.2};
  const auto grow = regimes_of(carry(noisy, start, {.modes = 64}, {.schedule = {.T = 1}}));
  ASSERT_FALSE(grow.growth.empty());
  EXPECT_NEAR(grow.growth[0].rate,
              theory::growth_rate({.law = theory::Law::usa, .d = 2, .beta = 3, .noise = 0.2}, 2),
              2e-3);
}

// What is told of twelve waves is each one's own rate; those that products of others feed are not.
TEST(MeanFieldGrowth, EveryRateToldIsWithinAThousandth) {
  const MeanFieldMethod circle{.modes = 96}, sphere{.modes = 32};
  const MeanFieldMethod particles{.solver = MeanFieldMethod::quantiles, .particles = 2000};
  for (const auto& [d, method] : {std::pair{2, circle}, {3, sphere}, {2, particles}})
    for (const auto weighting : {Attention::softmax, Attention::unnormalised})
      for (const double height : {1e-4, 1e-6, 1e-8}) {
        Measure start;
        for (int k = 1; k <= 12; ++k) start.waves.push_back({k, height});
        const theory::Growth law{.law = law_of(weighting), .d = d, .beta = 9};
        const double T = 4 / theory::growth_rate(law, theory::fastest_mode(d, 9));
        const MeanField field{.d = d, .beta = 9, .weighting = weighting};
        const auto growth = regimes_of(carry(field, start, method, {.schedule = {.T = T}})).growth;
        // by particles waves of 1e-8 are fainter than their tolerance, and steps are long for 1e-6
        const bool spectral = method.solver == MeanFieldMethod::spectral;
        const std::size_t min = height > 1e-6 ? 0 : spectral ? 7 : height == 1e-6 ? 3 : 0;
        EXPECT_GE(growth.size(), min) << "d " << d << " " << height;
        for (const ModeGrowth& g : growth)
          EXPECT_NEAR(g.rate / theory::growth_rate(law, g.k), 1, 1e-3)
              << "d " << d << " solver " << method.solver << " mode " << g.k << " " << height;
      }
}

// Degree 6 grows as the square of degree 3, at twice its rate: not its own, and not told.
TEST(MeanFieldGrowth, AWaveThatOthersFeedHasNoRate) {
  for (const int d : {2, 3})
    for (const double small : {1e-8, 1e-5, 1e-3}) {
      Measure start;
      start.waves = {{3, 1e-2}, {6, small}};
      const auto trajectory =
          carry({.d = d, .beta = 9}, start, {.modes = d == 2 ? 96 : 32}, {.schedule = {.T = 2}});
      for (const ModeGrowth& g : regimes_of(trajectory).growth)
        EXPECT_NEAR(g.rate / theory::growth_rate({.d = d, .beta = 9}, g.k), 1, 1e-3)
            << "d " << d << " mode " << g.k << " beside " << small;
    }
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
      const auto trajectory = carry({.d = d, .beta = beta}, start, method, plan);
      EXPECT_EQ(trajectory.outcome.ending, Ending::interrupted) << trajectory.outcome.what;
      const auto linear = regimes_of(trajectory).linear;
      ASSERT_TRUE(linear.has_value());
      EXPECT_EQ(linear->leader, theory::fastest_mode(d, beta)) << d << " " << beta;
    }
}

TEST(MeanFieldEnergy, StartsAtTheUniformOneAndClimbs) {
  for (const auto weighting : {Attention::softmax, Attention::unnormalised})
    for (const int d : {2, 3})
      for (const bool repulsive : {false, true}) {
        Measure start;
        start.waves = {{1, 0.05}, {2, 0.05}};
        const MeanField field{.d = d, .beta = 3, .weighting = weighting, .repulsive = repulsive};
        const MeanFieldMethod method{.modes = d == 2 ? 256 : 32};
        const double T = weighting == Attention::unnormalised ? 0.5 : 3;
        const auto trajectory = carry(field, start, method, {.schedule = {.T = T}});
        for (std::size_t i = 1; i < trajectory.steps.size(); ++i) {
          const double rise = trajectory.steps[i].energy - trajectory.steps[i - 1].energy;
          EXPECT_GE(repulsive ? -rise : rise, -1e-12) << d << " step " << i;
        }
        EXPECT_GT(trajectory.steps.size(), 5u);
      }
  const auto still = carry({.beta = 5}, {}, {.modes = 64}, {.schedule = {.T = 1}});
  EXPECT_NEAR(still.steps.back().energy, theory::uniform_energy(2, 5), 1e-12);
  const auto sphere = carry({.d = 3, .beta = 5}, {}, {.modes = 20}, {.schedule = {.T = 1}});
  EXPECT_NEAR(sphere.steps.back().energy, theory::uniform_energy(3, 5), 1e-12);
}

Perceptron gradient_perceptron(int d, Perceptron::Activation activation) {
  Perceptron p{.in = zeros(3, d), .out = zeros(d, 3), .activation = activation};
  const double a[3][3] = {{1, 0.3, -0.5}, {-0.4, 0.9, 0.2}, {0.1, -0.6, 0.7}};
  const double omega[] = {0.8, -0.5, 0.6};
  for (int m = 0; m < 3; ++m)
    for (int k = 0; k < d; ++k) {
      p.in(m, k) = a[m][k];
      p.out(k, m) = omega[m] * a[m][k];
    }
  return p;
}

// USA beside a perceptron in gradient form, all in units of the clock's own time.
struct WithPerceptron {
  int d;
  Clock clock;
  bool repulsive;
  Perceptron::Activation activation;
  MeanField field() const {
    return {.d = d,
            .beta = 2,
            .weighting = Attention::unnormalised,
            .repulsive = repulsive,
            .clock = clock,
            .perceptron = gradient_perceptron(d, activation)};
  }
  double T() const { return clock == Clock::u2 ? 0.4 : clock == Clock::u3 ? 0.1 : 0.15; }
};
std::vector<WithPerceptron> with_perceptron() {
  std::vector<WithPerceptron> all;
  for (const int d : {2, 3})
    for (const Clock clock : {Clock::u1, Clock::u2, Clock::u3})
      for (const bool repulsive : {false, true})
        for (const auto activation : {Perceptron::relu, Perceptron::gelu, Perceptron::tanh})
          if (d == 2 || activation != Perceptron::relu)
            all.push_back({d, clock, repulsive, activation});
  return all;
}

// The energy that the flow climbs has the perceptron's potential and the clock's kernel: without
// either it would turn back, and the two solvers read it off different things.
TEST(MeanFieldEnergy, WithAGradientPerceptronItClimbsAndBothSolversAgree) {
  for (const WithPerceptron& w : with_perceptron()) {
    Measure start;
    start.waves = {{1, 0.3}, {2, 0.2}};
    // the drift of relu units has kinks, which leave a faint tail at once
    const MeanFieldMethod spectral{.modes = w.d == 2 ? 512 : 32, .most_tail = 1e-4};
    const MeanFieldMethod particles{.solver = MeanFieldMethod::quantiles,
                                    .particles = w.d == 2 ? 4000 : 5000};
    std::vector<double> read[2];
    for (const bool by_particles : {false, true}) {
      MeanFieldPlan plan{.schedule = {.T = w.T(), .every = w.T() / 4}};
      plan.frame = [&](const MeanFieldFrame& frame) {
        read[by_particles].push_back(frame.reading.energy);
      };
      const auto trajectory = carry(w.field(), start, by_particles ? particles : spectral, plan);
      ASSERT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
      ASSERT_GT(trajectory.steps.size(), 4u);
      const double all = trajectory.steps.back().energy - trajectory.steps.front().energy;
      EXPECT_GT(w.repulsive ? -all : all, 1e-3);
      for (std::size_t i = 1; i < trajectory.steps.size(); ++i) {
        const double rise = trajectory.steps[i].energy - trajectory.steps[i - 1].energy;
        EXPECT_GE(w.repulsive ? -rise : rise, -1e-9) << "step " << i;
      }
    }
    ASSERT_EQ(read[0].size(), 5u);
    ASSERT_EQ(read[1].size(), 5u);
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(read[0][i], read[1][i], 1e-6)
          << "d " << w.d << " clock " << static_cast<int>(w.clock) << " repulsive " << w.repulsive
          << " activation " << w.activation << " frame " << i;
  }
}

// Of the same atoms a mean field, a landscape and `simulate` tell the same energy.
TEST(MeanFieldEnergy, OfAtomsIsThatOfTheLandscape) {
  for (const WithPerceptron& w : with_perceptron()) {
    Measure start;
    start.atoms = {{{1, 0}, 2}, {{0, 1}, 1}, {{-0.6, 0.8}, 1}};
    if (w.d == 3) start.atoms = {{{1, 0, 0}, 2}, {{0, 1, 0}, 1}, {{-0.6, 0, 0.8}, 1}};
    const MeanField field = w.field();
    const MeanFieldMethod method{.solver = MeanFieldMethod::quantiles, .particles = 3};
    const double told = carry(field, start, method, {.schedule = {.T = 1e-6}}).steps.front().energy;

    Landscape l{.d = w.d, .beta = field.beta};
    if (w.clock == Clock::u2) l.kernel = Landscape::scaled;
    set_potential(*field.perceptron, l);
    for (double& omega : l.omega) omega *= w.repulsive ? -1 : 1;
    // beta times the kernel is not one of a landscape: E = beta E(omega / beta)
    const double unit = w.clock == Clock::u3 ? field.beta : 1;
    for (double& omega : l.omega) omega /= unit;
    Atoms mu{.x = zeros(3, w.d), .mass = {0.5, 0.25, 0.25}};
    HostSwarm swarm({3, w.d});
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < w.d; ++k) mu.x(i, k) = swarm.at(i, k) = start.atoms[i].place[k];
    swarm.mass = mu.mass;
    EXPECT_NEAR(told, unit * energy(l, mu), 1e-13);
    const Dynamics dynamics = dynamics_of(field);
    EXPECT_NEAR(told, observe(swarm, dynamics, {})[observable_column(dynamics, "energy")], 1e-13);
  }
}

// A perceptron that is no gradient, and one beside softmax, has no potential: attention alone.
TEST(MeanFieldEnergy, OfAttentionAloneWhereThePerceptronHasNoPotential) {
  Measure start;
  start.waves = {{1, 0.3}};
  MeanField field{.beta = 2, .perceptron = gradient_perceptron(2, Perceptron::gelu)};
  EXPECT_FALSE(has_potential(field));
  field.weighting = Attention::unnormalised;
  EXPECT_TRUE(has_potential(field));
  field.perceptron->out(0, 1) += 0.1;
  EXPECT_FALSE(has_potential(field));
  const MeanField alone{.beta = 2, .weighting = Attention::unnormalised};
  for (const Clock clock : {Clock::u1, Clock::u2, Clock::u3}) {
    field.clock = clock;
    EXPECT_EQ(carry(field, start, {.modes = 64}, {.schedule = {.T = 1e-3}}).steps[0].energy,
              carry(alone, start, {.modes = 64}, {.schedule = {.T = 1e-3}}).steps[0].energy);
  }
}

// Past the concentration that ends the spectral solver: one point, at the rates of two clusters.
TEST(MeanFieldEnergy, QuantilesGoOnToOnePoint) {
  Measure start;
  start.waves = {{1, 0.5}};
  const MeanFieldMethod method{
      .solver = MeanFieldMethod::quantiles, .particles = 1000, .tolerance = {1e-8, 1e-10}};
  const auto trajectory = carry({.beta = 1}, start, method, {.schedule = {.T = 20}});
  EXPECT_TRUE(trajectory.outcome.ok());
  EXPECT_GT(trajectory.steps.back().order, 0.9999);
  EXPECT_NEAR(trajectory.steps.back().energy, std::exp(1.0) / 2, 1e-3);
  const auto regimes = regimes_of(trajectory);
  ASSERT_TRUE(regimes.clustering.has_value());
  EXPECT_LT(regimes.clustering->rate, -0.5);
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
    const MeanField field{.beta = 1, .weighting = Attention::unnormalised, .noise = 1 / kappa};
    const MeanFieldMethod method{.modes = 40, .tolerance = {1e-6, 1e-9}};
    const auto trajectory = carry(field, start, method, {.schedule = {.T = 50}});
    ASSERT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
    EXPECT_NEAR(trajectory.steps.back().order, stationary_order({2, 1}, kappa, 1), 5e-4) << kappa;
    for (std::size_t i = 1; i < trajectory.steps.size(); ++i)
      EXPECT_GE(trajectory.steps[i].free_energy, trajectory.steps[i - 1].free_energy - 1e-7);
  }
  Measure start;
  start.waves = {{1, 0.6}};
  const MeanField sphere{.d = 3, .beta = 1, .weighting = Attention::unnormalised, .noise = 1 / 3.5};
  const MeanFieldMethod method{.modes = 24, .tolerance = {1e-6, 1e-9}};
  const auto trajectory = carry(sphere, start, method, {.schedule = {.T = 25}});
  ASSERT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
  EXPECT_NEAR(trajectory.steps.back().order, stationary_order({3, 1}, 3.5, 1), 1e-3);
}

// In every clock, with a potential and without, attracting and repelling.
TEST(MeanFieldNoise, TheFreeEnergyClimbsInEveryClock) {
  for (const Clock clock : {Clock::u1, Clock::u2, Clock::u3})
    for (const bool repulsive : {false, true})
      for (const bool with_perceptron : {false, true}) {
        MeanField field{.beta = 3, .weighting = Attention::unnormalised, .repulsive = repulsive};
        field.clock = clock;
        field.noise = clock == Clock::u2 ? 0.1 : 1;
        if (with_perceptron) field.perceptron = gradient_perceptron(2, Perceptron::gelu);
        Measure start;
        start.bumps = {{8, {0.6, 0.8}, 1}};
        const auto trajectory =
            carry(field, start, {.modes = 96}, {.schedule = {.T = clock == Clock::u2 ? 5.0 : 0.5}});
        ASSERT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
        for (std::size_t i = 1; i < trajectory.steps.size(); ++i) {
          const double rise = trajectory.steps[i].free_energy - trajectory.steps[i - 1].free_energy;
          EXPECT_GE(repulsive ? -rise : rise, -1e-8)
              << static_cast<int>(clock) << repulsive << with_perceptron << " step " << i;
        }
      }
}

// What the flow settles to has the free energy of the stationary law, read without it.
TEST(MeanFieldNoise, SettledFlowsHaveTheFreeEnergyOfTheStationaryLaw) {
  const double beta = 3;  // above beta_*
  const theory::StationaryBranch branch(2, beta);
  for (const double kappa : {1.1 * branch.onset(), 1.2 * branch.onset()}) {
    Measure start;
    start.bumps = {{.kappa = 4, .centre = {1, 0}}};
    const MeanField field{
        .d = 2, .beta = beta, .weighting = Attention::unnormalised, .noise = 1 / kappa};
    const MeanFieldTrajectory flow =
        carry(field, start, {.modes = 48, .tolerance = {1e-7, 1e-10}}, {.schedule = {.T = 40}});
    const MeanFieldReading& end = flow.steps.back();
    EXPECT_NEAR(end.order, branch.order(kappa), 1e-6);
    EXPECT_NEAR(end.free_energy - theory::uniform_energy(2, beta),
                branch.free_energy(branch.order(kappa)), 1e-6)
        << kappa;
  }
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
