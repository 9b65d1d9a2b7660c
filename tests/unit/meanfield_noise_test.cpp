// meanfield_noise_test.cpp: bifurcation diagrams: folds, onsets, and words that have no place
// there.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "closed_forms.h"
#include "experiment/meanfield_setup.h"
#include "murmur/meanfield.h"
#include "murmur/theory.h"
#include "refused.h"
#include "theory/stationary.h"

namespace murmur {
namespace {

// Circle: p <- exp((kappa / beta) W * p) / Z on a grid by plain sums, until it stands still.
double iterated_order(double kappa, double beta, double start) {
  constexpr int n = 96;
  std::vector<double> kernel(n), p(n), field(n);
  double mass = 0, order = 0;
  for (int i = 0; i < n; ++i) {
    const double theta = 2 * std::numbers::pi * i / n;
    kernel[i] = std::exp(beta * std::cos(theta)) / beta;
    p[i] = 1 / (1 - 2 * start * std::cos(theta) + start * start);  // Poisson's kernel
    mass += p[i];
  }
  for (int round = 0; round < 100'000; ++round) {
    for (int i = 0; i < n; ++i) {
      field[i] = 0;
      for (int j = 0; j < n; ++j) field[i] += kernel[(i - j + n) % n] * p[j] / mass;
    }
    mass = 0;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      p[i] = std::exp(kappa * (field[i] - field[0]));
      mass += p[i];
      sum += p[i] * std::cos(2 * std::numbers::pi * i / n);
    }
    const double last = std::exchange(order, sum / mass);
    if (std::fabs(order - last) < 1e-13) break;
  }
  return order;
}

TEST(Bifurcation, TheFoldDoesNotDependOnTheSweep) {
  struct Case {
    double beta, fold, froms[3];
  };
  for (const auto& [beta, fold, froms] :
       {Case{4, 0.387069, {0.3, 0.395, 0.4095}}, {8, 0.0156725, {0.012, 0.018, 0.0199}}})
    for (const double from : froms) {
      const Bifurcation b = bifurcation({2, beta}, {.from = from, .to = 2 * from, .points = 5});
      EXPECT_TRUE(b.hysteretic);
      EXPECT_NEAR(b.fold / fold, 1, 2e-6) << beta << " from " << from;
    }
  // The map itself keeps order on one side of the fold and loses it on the other.
  EXPECT_GT(iterated_order(1.001 * 0.387069, 4, 0.9), 0.5);
  EXPECT_LT(iterated_order(0.999 * 0.387069, 4, 0.9), 1e-6);
}

TEST(Bifurcation, OrdersAreThoseTheMapComesTo) {
  EXPECT_NEAR(stationary_order({2, 1}, 1.77, 1), iterated_order(1.77, 1, 0.05), 1e-8);
  EXPECT_NEAR(stationary_order({2, 1}, 3, 1e-3), iterated_order(3, 1, 0.9), 1e-11);
  EXPECT_NEAR(stationary_order({2, 4}, 0.4, 1), iterated_order(0.4, 4, 0.9), 1e-10);
  EXPECT_NEAR(stationary_order({2, 3}, 0.9, 1), iterated_order(0.9, 3, 0.9), 1e-11);
  EXPECT_EQ(theory::stationary_order(0.9, 3), stationary_order({2, 3}, 0.9, 1));
  // On both sides of the unstable law.
  const theory::StationaryBranch branch(2, 4);
  const double unstable = 0.5 * branch.fold_order(), kappa = branch.kappa(unstable);
  EXPECT_LT(kappa, branch.onset());
  EXPECT_EQ(branch.order_from(kappa, 0.99 * unstable), 0);
  EXPECT_GT(branch.order_from(kappa, 1.01 * unstable), branch.fold_order());
}

// At beta = 0 the branch is r = I_1(kappa r) / I_0(kappa r).
TEST(Bifurcation, BranchesHaveTheirClosedForms) {
  for (const double kappa : {2.001, 2.1, 3.0, 20.0})
    EXPECT_NEAR(stationary_order({2, 0}, kappa, 1), theory::kuramoto_order(kappa), 1e-10);
  // d = 3: r = coth(kappa r) - 1 / (kappa r)
  const double r = stationary_order({3, 0}, 5, 1);
  EXPECT_NEAR(r, 1 / std::tanh(5 * r) - 1 / (5 * r), 1e-12);
  // far above the onset the law is a Gaussian cap
  for (const double kappa : {1e3, 1e5, 1e7, 1e9})
    EXPECT_NEAR((1 - stationary_order({3, 2}, kappa, 1)) * kappa * std::exp(2.0), 1,
                2 / kappa + 1e-6)
        << kappa;
}

// A continuous branch has one order at every kappa, however close to its onset.
TEST(Bifurcation, UpIsDownBelowBetaStar) {
  for (const int d : {2, 3, 5})
    for (const double share : {0.4, 0.7, 0.98}) {
      const double beta = share * theory::continuous_until(d);
      const double critical = theory::noise_threshold(d, beta);
      for (const double width : {3e-2, 1e-3, 1e-5}) {
        const Bifurcation b = bifurcation(
            {d, beta},
            {.from = (1 - width) * critical, .to = (1 + width) * critical, .points = 24});
        EXPECT_FALSE(b.hysteretic) << d << " " << beta;
        EXPECT_EQ(b.fold, b.onset);
        EXPECT_EQ(b.jump, 0);
        for (int i = 0; i < 24; ++i) {
          EXPECT_NEAR(b.up[i], b.down[i], 1e-6) << d << " " << beta << " " << b.kappa[i];
          EXPECT_EQ(b.down[i] > 0, b.kappa[i] > critical);
          if (i > 12) {
            EXPECT_GT(b.up[i], b.up[i - 1]);
          }
        }
      }
      // r ~ sqrt(kappa - kappa_c)
      const double near = stationary_order({d, beta}, (1 + 1e-8) * critical, 1);
      EXPECT_NEAR(stationary_order({d, beta}, (1 + 4e-8) * critical, 1) / near, 2, 0.01);
    }
}

TEST(Bifurcation, HysteresisBeginsAtBetaStar) {
  for (const int d : {2, 3, 5, 64}) {
    const double until = theory::continuous_until(d);
    const theory::StationaryBranch below(d, 0.995 * until), above(d, 1.005 * until);
    EXPECT_EQ(below.fold_order(), 0) << d;
    EXPECT_GT(above.fold_order(), 0.01) << d;
    EXPECT_LT(above.fold(), above.onset()) << d;
  }
}

// Along the branch d(free energy)/d kappa = int log(density) dmu / kappa^2, which is above 0; the
// ordered law overtakes the uniform one at the transition.
TEST(Bifurcation, TheTransitionIsWhereTheFreeEnergiesMeet) {
  for (const auto& [d, beta] : {std::pair{2, 4.0}, {2, 8.0}, {3, 3.0}, {5, 2.0}}) {
    const theory::StationaryBranch branch(d, beta);
    const double at = branch.transition();
    EXPECT_TRUE(at > branch.fold() && at < branch.onset()) << d << " " << beta << " " << at;
    const double r = branch.order(at);
    EXPECT_NEAR(branch.free_energy(r), 0, 1e-10 * std::exp(beta)) << d << " " << beta;
    EXPECT_LT(branch.free_energy(branch.order(0.5 * (branch.fold() + at))), 0);
    EXPECT_GT(branch.free_energy(branch.order(branch.onset())), 0);
    const double unstable = branch.fold_order() / 2;
    EXPECT_LT(branch.free_energy(unstable), 0) << "a barrier between the two";
    const double step = 1e-4 * at;
    const double slope = (branch.free_energy(branch.order(at + step)) -
                          branch.free_energy(branch.order(at - step))) /
                         (2 * step);
    EXPECT_GT(slope, 0);
  }
  EXPECT_EQ(theory::StationaryBranch(2, 1).transition(), theory::StationaryBranch(2, 1).onset());
}

TEST(Bifurcation, ReachesManyDimensionsAndSharpAttention) {
  for (const int d : {2, 64, 1000})
    for (const double beta : {0.5, 20.0, 100.0}) {
      const theory::StationaryBranch branch(d, beta);
      EXPECT_NEAR(branch.onset() / theory::noise_threshold(d, beta), 1, 2e-6) << d << " " << beta;
      const double r = branch.order(2 * branch.onset());
      EXPECT_TRUE(r > branch.fold_order() && r <= 1) << d << " " << beta << " " << r;
      if (r < 0.999) {
        EXPECT_NEAR(branch.kappa(r) / branch.onset(), 2, 1e-9) << d << " " << beta;
      }
    }
}

TEST(Bifurcation, RefusesSweepsThatMissTheOnset) {
  for (const BifurcationSweep& sweep :
       {BifurcationSweep{1.8, 3, 5}, {1, 1.7, 5}, {2, 1, 5}, {1, 3, 1}, {0, 3, 5}})
    EXPECT_EQ(fault_of([&] { bifurcation({2, 1}, sweep); }), Fault::input);
  EXPECT_EQ(fault_of([&] { stationary_order({1, 1}, 1, 1); }), Fault::input);
  EXPECT_EQ(fault_of([&] { stationary_order({2, 1}, 0, 1); }), Fault::input);
  EXPECT_EQ(fault_of([&] { stationary_order({2, 1}, 2, 0); }), Fault::input);
}

TEST(MeanFieldSetup, WhatHasNoEffectBesideKappaIsRefused) {
  const auto setup = [](const std::vector<std::string>& words) {
    return make_meanfield(gather({.assignments = words}, meanfield_parameters()));
  };
  const std::vector<std::string> sweep = {"dynamics=USA", "kappa=1:3:5"};
  for (const std::string word :
       {"value=minus-identity", "clock=U2", "perceptron=gaussian:4", "noise=0.1", "activation=tanh",
        "init=mode:1:1e-3", "T=10", "save=final", "solver=spectral", "modes=64", "particles=500",
        "merge=0.1", "rtol=1e-8", "atol=1e-9", "seed=1", "replica=1", "max_evaluations=100"}) {
    const bool of_particles = word == "particles=500" || word == "merge=0.1";
    const std::string company = of_particles ? "solver=quantiles" : "perceptron=gaussian:4";
    EXPECT_NO_THROW(setup({"dynamics=USA", company, word})) << word;
    std::string text;
    EXPECT_EQ(fault_of([&] { setup({sweep[0], sweep[1], word}); }, &text), Fault::input) << word;
    EXPECT_NE(text.find(word), std::string::npos) << text;
  }
  EXPECT_TRUE(setup({sweep[0], sweep[1], "d=5", "beta=1", "threads=1", "noise=0", "clock=U1",
                     "value=identity", "perceptron=none"})
                  .kappas.has_value());
}

}  // namespace
}  // namespace murmur
