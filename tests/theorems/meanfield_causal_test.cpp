// meanfield_causal_test.cpp: causal attention of infinitely many tokens: waves by label, the
// earliest law, and swarms that tend to it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "murmur/engine.h"
#include "murmur/error.h"
#include "murmur/flow.h"
#include "murmur/meanfield.h"
#include "murmur/theory.h"

namespace murmur {
namespace {

theory::Law law_of(Attention::Weighting weighting) {
  return weighting == Attention::softmax ? theory::Law::sa : theory::Law::usa;
}

Measure wave(int k, double eps) {
  Measure start;
  start.waves = {{k, eps}};
  return start;
}

Measure prompt(double share, const Measure& first, const Measure& rest) {
  Measure start = rest;
  start.before = {{share, first}};
  return start;
}

MeanFieldFrame last_frame(const MeanField& field, const Measure& start,
                          const MeanFieldMethod& method, double T) {
  MeanFieldFrame last;
  MeanFieldPlan plan{.schedule = {.T = T}};
  plan.frame = [&last](const MeanFieldFrame& frame) { last = frame; };
  const auto trajectory = carry(field, start, method, plan);
  EXPECT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
  return last;
}

// Where all labels begin alike under SA, each attends to the mean of equal laws.
TEST(CausalMeanField, FromOneLawIsThatOfAttentionToAll) {
  for (const auto solver : {MeanFieldMethod::spectral, MeanFieldMethod::quantiles}) {
    const MeanFieldMethod method{.solver = solver, .modes = 64, .particles = 200, .labels = 4};
    const Measure law = wave(2, 0.3);
    const auto all = last_frame({.beta = 3}, law, method, 1).reading;
    const auto one = last_frame({.beta = 3, .causal = true}, law, method, 1);
    const auto two = last_frame({.beta = 3, .causal = true}, prompt(0.3, law, law), method, 1);
    ASSERT_EQ(one.labels.size(), 1u);
    ASSERT_EQ(two.labels.size(), 6u);
    for (const MeanFieldReading& r : {one.reading, two.reading, two.labels[0], two.labels[3]})
      for (int k = 1; k <= 6; ++k) EXPECT_NEAR(r.amplitude[k], all.amplitude[k], 1e-7) << k;
  }
}

// a_s' = s_k (1/s) int_0^s a_r dr, or without 1/s, by differences of the closed form in t.
TEST(CausalTheory, AmplitudesSolveTheLinearisedEquation) {
  for (const auto law : {theory::Law::sa, theory::Law::usa})
    for (const double noise : {0.0, 0.1})
      for (const double share : {0.2, 0.7}) {
        const theory::Growth growth{.law = law, .d = 2, .beta = 3, .noise = noise};
        const double rate = theory::growth_rate({.law = law, .d = 2, .beta = 3}, 2);
        const auto a = [&](double s, double t) {
          return theory::causal_amplitude(growth, 2, {.share = share, .s = s, .t = t});
        };
        for (const double s : {0.1, 0.5, 0.9}) {
          const double t = 0.4, h = 1e-4;
          const int cells = 2000;
          double sum = 0;  // midpoints, with the jump at `share` between cells
          for (int i = 0; i < cells; ++i) sum += a((i + 0.5) / cells * s, t) * s / cells;
          const double wanted = rate * sum / (law == theory::Law::sa ? s : 1) - 4 * noise * a(s, t);
          EXPECT_NEAR((a(s, t + h) - a(s, t - h)) / (2 * h), wanted, 2e-3 * rate) << s << share;
          EXPECT_NEAR(a(s, 0), s <= share ? 1 : 0, 1e-12);
        }
      }
  EXPECT_NEAR(theory::causal_amplitude({.d = 2, .beta = 3}, 2, {.share = 0.3, .s = 0.3, .t = 1}),
              std::exp(theory::growth_rate({.d = 2, .beta = 3}, 2)), 1e-10);
}

// The solver's amplitudes against the closed form, and the order of its sum over labels.
TEST(CausalMeanField, AWaveOfThePrefixSpreadsAsPredicted) {
  struct Case {
    int d, modes;
    double noise;
  };
  for (const auto weighting : {Attention::softmax, Attention::unnormalised})
    for (const auto& [d, modes, noise] : {Case{2, 12, 0}, {2, 12, 0.2}, {3, 6, 0}, {6, 12, 0}}) {
      const MeanField field{
          .d = d, .beta = 2, .weighting = weighting, .noise = noise, .causal = true};
      const theory::Growth growth{.law = law_of(weighting), .d = d, .beta = 2, .noise = noise};
      const double T = 2 / theory::growth_rate({.law = law_of(weighting), .d = d, .beta = 2}, 1),
                   share = 0.2;
      double error[2] = {};
      for (const int fine : {0, 1}) {
        const MeanFieldMethod method{.modes = modes, .labels = fine ? 32 : 16};
        const Measure start = prompt(share, wave(1, 2e-7), {});
        const auto labels = labels_of(field, start, method);
        const MeanFieldFrame frame = last_frame(field, start, method, T);
        ASSERT_EQ(frame.labels.size(), labels.size());
        for (std::size_t i = 0; i < labels.size(); ++i) {
          if (i > 0 && labels[i] == share && labels[i - 1] == share) continue;  // just after it
          const double wanted =
              theory::causal_amplitude(growth, 1, {.share = share, .s = labels[i], .t = T});
          error[fine] =
              std::fmax(error[fine], std::fabs(frame.labels[i].amplitude[1] / 1e-7 - wanted));
        }
      }
      EXPECT_LT(error[1], 5e-3) << d << " " << noise;
      EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.1) << d << " " << noise;
    }
}

// Amplitudes s^p are eigenfunctions of Hardy's operator, of eigenvalue 1 / (1 + p).
TEST(CausalMeanField, PowersOfTheLabelGrowAtTheirOwnRates) {
  const double rate = theory::growth_rate({.d = 2, .beta = 2}, 1);
  for (const double p : {0.5, 1.0, 2.0}) {
    Measure start = wave(1, 1e-6);
    for (int i = 60; i > 0; --i) {
      const double until = std::exp(-0.1 * i);
      start.before.push_back({until, wave(1, 1e-6 * std::pow(until * std::exp(-0.05), p))});
    }
    const MeanField field{.beta = 2, .causal = true};
    const auto frame = last_frame(field, start, {.modes = 6, .labels = 2}, 1 / rate);
    const double begin = 0.5e-6 / (1 + p);  // int_0^1 s^p ds
    EXPECT_NEAR(std::log(frame.reading.amplitude[1] / begin), 1 / (1 + p), 0.03) << p;
  }
}

// From a start that is not symmetric about it: opposite there is an unstable balance.
TEST(CausalMeanField, EverythingIsDrawnToTheEarliestLaw) {
  Measure first, rest;
  first.atoms = {{{1, 0}, 1}};
  rest.bumps = {{.kappa = 0.5, .centre = {0, 1}}};
  const MeanFieldMethod method{.solver = MeanFieldMethod::quantiles, .particles = 40, .labels = 4};
  const MeanField field{.beta = 1, .causal = true};
  const Measure start = prompt(0.2, first, rest);
  const auto early = last_frame(field, start, method, 3);
  const auto late = last_frame(field, start, method, 60);
  for (std::size_t i = 1; i < late.labels.size(); ++i) {
    EXPECT_GT(late.labels[i].mean[0], 1 - 1e-6) << i;
    if (i > 1) {  // earlier labels have come nearer
      EXPECT_LT(early.labels[i].mean[0], early.labels[i - 1].mean[0]) << i;
    }
  }
  EXPECT_NEAR(early.labels[0].mean[0], 1, 1e-12);
}

// Tokens drawn from the laws of their labels, under the same forces, at time T.
class Swarms {
 public:
  Swarms(const MeanField& field, double share, double kappa)
      : field_(field), share_(share), kappa_(kappa) {}

  // The first moment of a swarm of n.
  std::vector<double> mean(int n, unsigned seed, double T) const {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    HostSwarm x({n, 2});
    for (int i = 0; i < n; ++i) {
      double theta = 2 * std::numbers::pi * uniform(random);
      while (i < share_ * n && uniform(random) > std::exp(kappa_ * (std::cos(theta) - 1)))
        theta = 2 * std::numbers::pi * uniform(random);
      x.at(i, 0) = std::cos(theta);
      x.at(i, 1) = std::sin(theta);
    }
    const auto engine = make_simd_engine(Precision::f64, 1);
    const auto prepared = engine->prepare(dynamics_of(field_), x.shape());
    FlowState state = start(x);
    HostSwarm end({n, 2});
    FlowWatch watch;
    watch.frame = [&end](double, const HostSwarm& frame) { end = frame; };
    const Flow flow{*engine, *prepared, {.tolerance = {1e-5, 1e-7}}};
    EXPECT_TRUE(advance(flow, {.T = T}, state, watch).ok());
    std::vector<double> mean(2);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 2; ++k) mean[k] += end.at(i, k) / n;
    return mean;
  }

 private:
  MeanField field_;
  double share_, kappa_;
};

// Root mean square distance of a swarm's first moment from the limit: n^{-1/2}.
TEST(CausalSwarms, TendToTheMeanFieldAtTheRateOfSampling) {
  constexpr double kT = 1.5, kShare = 0.25;
  for (const auto weighting : {Attention::softmax, Attention::unnormalised}) {
    const MeanField field{.beta = 1, .weighting = weighting, .causal = true};
    Measure first;
    first.bumps = {{.kappa = 2, .centre = {1, 0}}};
    const auto limit =
        last_frame(field, prompt(kShare, first, {}), {.modes = 128, .labels = 32}, kT).reading;
    ASSERT_GT(limit.order, 0.2);
    const Swarms swarms(field, kShare, 2);
    std::vector<double> distance;
    for (const int n : {64, 256, 1024}) {
      constexpr int kSwarms = 48;
      double square = 0;
      for (int r = 0; r < kSwarms; ++r) {
        const auto mean = swarms.mean(n, 1000 * n + r, kT);
        square += std::pow(mean[0] - limit.mean[0], 2) + std::pow(mean[1] - limit.mean[1], 2);
      }
      distance.push_back(std::sqrt(square / kSwarms));
    }
    // standard error of each distance about 7 %, of the slope over a factor 16 about 0.04
    EXPECT_NEAR(std::log(distance[0] / distance[2]) / std::log(16.0), 0.5, 0.12)
        << distance[0] << " " << distance[1] << " " << distance[2];
    EXPECT_LT(distance[2], 0.12);
  }
}

// n times the mean square of the first moment of n tokens, linearised: a token attends to those
// before it and, with weight e^beta in place of I_0(beta), to itself, which does not move it:
//   a_i' = s_k sum_{j < i} a_j / (i - 1 + e^beta / I_0(beta)),   here for its transpose
double discrete_variance(int n, double c, double beta) {
  const double own = std::exp(beta - theory::log_bessel(0, beta));
  std::vector<double> w(n, 1), slope(n), stage(n), sum(n);
  const auto find_slope = [&](const std::vector<double>& at) {
    double later = 0;
    for (int j = n - 1; j >= 0; --j) {
      slope[j] = c * later;
      later += at[j] / (j + own);
    }
  };
  constexpr int kSteps = 40;
  const double node[] = {0.5, 0.5, 1}, share[] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
  for (int step = 0; step < kSteps; ++step) {  // Runge and Kutta's method
    sum = w;
    stage = w;
    for (int s = 0; s < 4; ++s) {
      find_slope(stage);
      for (int i = 0; i < n; ++i) {
        sum[i] += share[s] / kSteps * slope[i];
        if (s < 3) stage[i] = w[i] + node[s] / kSteps * slope[i];
      }
    }
    w = sum;
  }
  double square = 0;
  for (const double v : w) square += v * v / n;
  return square;
}

// From independent uniform tokens, causal attention spreads a swarm's first moment by I_0(2 s_1 t)
// more than attention to all does, in the limit; at n tokens by less, since the first ones attend
// to themselves.
TEST(CausalSwarms, FluctuationsGrowByTheirOwnLaw) {
  constexpr int kTokens = 512, kSwarms = 400;
  const theory::Growth growth{.d = 2, .beta = 1};
  const double c = 0.75, T = c / theory::growth_rate(growth, 1);
  const double limit = theory::causal_variance(growth, 1, T);
  EXPECT_NEAR(limit, std::exp(2 * c + theory::log_bessel(0, 2 * c)), 1e-9);
  const double many = discrete_variance(1'000'000, c, 1), few = discrete_variance(kTokens, c, 1);
  EXPECT_NEAR(many / limit, 1, 0.005);
  EXPECT_LT(few, 0.85 * limit);
  double square[2] = {};
  for (const bool causal : {false, true}) {
    const Swarms swarms({.beta = 1, .causal = causal}, 0, 0);
    for (int r = 0; r < kSwarms; ++r) {
      const auto mean = swarms.mean(kTokens, 77 + r, T);
      square[causal] += (mean[0] * mean[0] + mean[1] * mean[1]) * kTokens / kSwarms;
    }
  }
  // squares of complex Gaussians: a standard error of 5 % each
  EXPECT_NEAR(square[0] / std::exp(2 * c), 1, 0.15);
  EXPECT_NEAR(square[1] / few, 1, 0.15);
}

TEST(CausalTheory, VarianceIsTheSumOverTheTokensInfluence) {
  for (const auto law : {theory::Law::sa, theory::Law::usa}) {
    const theory::Growth growth{.law = law, .d = 3, .beta = 2};
    const double t = 1, c = theory::growth_rate(growth, 1) * t;
    double sum = 0;  // int I_0(2 sqrt(c y))^2 over e^{-y} dy, or over y in (0, 1)
    const int cells = 200'000;
    const double to = law == theory::Law::sa ? 60 : 1;
    for (int i = 0; i < cells; ++i) {
      const double y = to * (i + 0.5) / cells;
      sum += std::exp(2 * theory::log_bessel(0, 2 * std::sqrt(c * y)) -
                      (law == theory::Law::sa ? y : 0)) *
             to / cells;
    }
    EXPECT_NEAR(theory::causal_variance(growth, 1, t) / sum, 1, 1e-5);
  }
}

}  // namespace
}  // namespace murmur
