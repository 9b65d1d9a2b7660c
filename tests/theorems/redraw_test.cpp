// redraw_test.cpp: cosines under weights that are drawn anew, held to their diffusion limits.
#include <gtest/gtest.h>

#include <cmath>

#include "murmur/experiment.h"
#include "murmur/theory.h"
#include "support.h"

namespace murmur::theory {
namespace {

// The generator at two tokens of cosine rho, by moments of one small push of every entry of V:
//   L f = (1/2d) sum_ab d^2/de^2 f(x pushed by the entry (a, b) for a time e),
// carried exactly (c = 1) or by one straight step (c = 0).
struct Pair {
  std::vector<double> x, y;
};
Pair straight(const Pair& at, int a, int b, double e, double beta) {
  double rho = 0;
  for (std::size_t k = 0; k < at.x.size(); ++k) rho += at.x[k] * at.y[k];
  const double p = 1 / (1 + std::exp(-beta * (1 - rho)));
  Pair to = at;
  to.x[a] += e * (p * at.x[b] + (1 - p) * at.y[b]);
  to.y[a] += e * (p * at.y[b] + (1 - p) * at.x[b]);
  for (std::vector<double>* z : {&to.x, &to.y}) {
    double square = 0;
    for (const double value : *z) square += value * value;
    for (double& value : *z) value /= std::sqrt(square);
  }
  return to;
}
double pushed(const Pair& at, int a, int b, double e, const RedrawnPair& pair) {
  const int steps = pair.steps == 0 ? 4000 : pair.steps;
  Pair to = at;
  for (int k = 0; k < steps; ++k) to = straight(to, a, b, e / steps, pair.beta);
  double rho = 0;
  for (std::size_t k = 0; k < to.x.size(); ++k) rho += to.x[k] * to.y[k];
  return rho;
}

TEST(Redraw, RatesAreTheGeneratorOfPushes) {
  for (const int d : {2, 3, 5})
    for (const int steps : {1, 2, 0})
      for (const double beta : {0.0, 2.0})
        for (const double rho : {-0.6, 0.0, 0.7}) {
          const RedrawnPair pair{.d = d, .beta = beta, .steps = steps};
          Pair at{std::vector<double>(d), std::vector<double>(d)};
          at.x[0] = 1;
          at.y[0] = rho;
          at.y[1] = std::sqrt(1 - rho * rho);
          constexpr double e = 2e-3;
          double drift = 0, variance = 0;
          for (int a = 0; a < d; ++a)
            for (int b = 0; b < d; ++b) {
              const double up = pushed(at, a, b, e, pair), down = pushed(at, a, b, -e, pair);
              drift += (up + down - 2 * rho) / (2 * d * e * e);
              variance += std::pow((up - down) / (2 * e), 2) / d;
            }
          const OverlapRates rates = overlap_rates(pair, rho);
          const double slack = steps == 0 ? 1e-3 : 2e-5;  // 4000 steps: c = 1 - 1/4000
          EXPECT_NEAR(rates.drift, drift, slack) << d << " " << steps << " " << beta << " " << rho;
          EXPECT_NEAR(rates.variance, variance, 2e-5) << d << " " << steps << " " << beta;
        }
}

// At beta = 0, artanh(rho) of the flow moves by (2d - 3 + rho)/(4d) with a noise of variance 1/d.
TEST(Redraw, UniformAttentionInClosedForm) {
  for (const int d : {2, 3, 10})
    for (const double rho : {-0.9, 0.2, 0.8}) {
      const OverlapRates flow = overlap_rates({.d = d}, rho);
      const double slope = 1 - rho * rho;
      EXPECT_NEAR(flow.variance, slope * slope / d, 1e-15);
      EXPECT_NEAR(flow.drift / slope + rho * flow.variance / (slope * slope),
                  (2 * d - 3 + rho) / (4.0 * d), 1e-14);
      const OverlapRates layers = overlap_rates({.d = d, .steps = 1}, rho);
      EXPECT_NEAR(layers.drift, slope * (d - 2 - rho) / (2 * d), 1e-14);
    }
}

// d/ds E rho = E drift and so on, from laws at neighbouring times; and nothing is lost.
TEST(Redraw, LawsSolveTheFokkerPlanckEquation) {
  for (const RedrawnPair& pair : {RedrawnPair{.d = 2}, RedrawnPair{.d = 3, .beta = 2, .start = 0.4},
                                  RedrawnPair{.d = 40, .steps = 1, .start = -0.5}}) {
    const double s = 0.8, h = 0.01;
    const OverlapLaw law = overlap_law(pair, s);
    EXPECT_NEAR(overlap_moment(law, 0), 1, 1e-12);
    double drift = 0, square = 0;
    for (std::size_t i = 0; i < law.rho.size(); ++i) {
      const OverlapRates rates = overlap_rates(pair, law.rho[i]);
      drift += law.weight[i] * rates.drift;
      square += law.weight[i] * (2 * law.rho[i] * rates.drift + rates.variance);
    }
    const OverlapLaw before = overlap_law(pair, s - h), after = overlap_law(pair, s + h);
    for (const int power : {1, 2})
      EXPECT_NEAR((overlap_moment(after, power) - overlap_moment(before, power)) / (2 * h),
                  power == 1 ? drift : square, 2e-4)
          << pair.d << " " << power;
    double last = 0;
    for (double rho = -0.99; rho < 1; rho += 0.01) {
      EXPECT_GE(overlap_below(law, rho), last - 1e-12);
      last = overlap_below(law, rho);
    }
    EXPECT_EQ(overlap_below(law, -1), 0);
    EXPECT_EQ(overlap_below(law, 1), 1);
  }
}

// artanh(rho) moves by half of the late rate near rho = 1, whatever beta and c. Near -1 it comes
// back in high dimension and is held where attention is sharp.
TEST(Redraw, LateRatesAtBothEnds) {
  const auto along = [](const RedrawnPair& pair, double rho) {
    const OverlapRates rates = overlap_rates(pair, rho);
    const double slope = 1 - rho * rho;
    return rates.drift / slope + rho * rates.variance / (slope * slope);
  };
  for (const int d : {2, 3, 6})
    for (const int steps : {0, 1, 3})
      for (const double beta : {0.0, 1.0, 5.0}) {
        const RedrawnPair pair{.d = d, .beta = beta, .steps = steps};
        const double p = 1 / (1 + std::exp(-2 * beta)), q = 1 - p;
        const double c = steps == 0 ? 1 : 1 - 1.0 / steps;
        EXPECT_NEAR(along(pair, 1 - 1e-7), redrawn_late_rate(d) / 2, 1e-5) << d << " " << beta;
        EXPECT_NEAR(along(pair, -1 + 1e-7), ((d - 2) * 2 * p * q - p * p - q * q + c * q) / d,
                    1e-5);
      }
  const OverlapLaw sharp = overlap_law({.d = 3, .beta = 2}, 40), wide = overlap_law({.d = 8}, 40);
  EXPECT_GT(overlap_below(sharp, -0.999), 0.2);  // opposite for ever
  EXPECT_LT(overlap_below(wide, 0.999), 1e-6);
}

// In eight dimensions all pairs meet.
TEST(Redraw, PairsThatMeetDoSoAtTheLateRate) {
  const RedrawnPair pair{.d = 8};
  const auto mean = [&](double s) {  // of -ln(1 - rho)
    const OverlapLaw law = overlap_law(pair, s);
    double sum = 0;
    for (std::size_t i = 0; i < law.rho.size(); ++i)
      if (law.rho[i] < 1) sum -= law.weight[i] * std::log1p(-law.rho[i]);
    return sum;
  };
  EXPECT_NEAR(mean(21) - mean(20), redrawn_late_rate(8), 2e-3);
}

TEST(Redraw, WideSwarmsAreLogistic) {
  for (const int n : {2, 8, 50})
    for (const double s : {0.5, 2.0, 10.0}) {
      const double start = 0.1, a = ((n - 1) * start + 1) / (1 - start) * std::exp(s);
      EXPECT_NEAR(redrawn_cosine({.n = n, .beta = 0, .start = start}, s), (a - 1) / (a + n - 1),
                  1e-12);
    }
  for (const Law law : {Law::sa, Law::usa})
    for (const double beta : {0.0, 3.0}) {  // layers tend to the flow, with an error of order DT^2
      const Equiangular swarm{.n = 8, .beta = beta, .law = law};
      const double s = law == Law::sa ? 1 : 0.02;
      double error[2];
      for (const int fine : {0, 1}) {
        const double dt = std::sqrt(s) / (fine ? 20 : 10);
        double rho = 0;
        for (int k = 0; k < (fine ? 400 : 100); ++k) rho = redrawn_layer(swarm, dt, rho);
        error[fine] = rho - redrawn_cosine(swarm, s);
      }
      EXPECT_NEAR(error[0] / error[1], 4, 0.3) << beta;
    }
  // Two tokens of large d: the drift without its terms of order 1/d.
  for (const double rho : {-0.5, 0.3})
    EXPECT_NEAR(overlap_rates({.d = 1'000'000, .beta = 2}, rho).drift,
                redrawn_velocity({.n = 2, .beta = 2}, rho), 1e-5);
}

// Pairs under `redraw` itself: the mean of their cosine.
struct Drawn {
  double mean, error;
};
Drawn simulated_mean(ExperimentSpec spec, int replicas) {
  double sum = 0, squares = 0;
  for (int r = 0; r < replicas; ++r) {
    spec.random.replica = static_cast<std::uint32_t>(r);
    const Experiment e = make_experiment(spec);
    const HostSwarm x = testing::simulated(e.dynamics, e.swarm, e.flow, e.schedule).last();
    double rho = 0;
    for (int k = 0; k < x.d(); ++k) rho += x.at(0, k) * x.at(1, k);
    sum += rho;
    squares += rho * rho;
  }
  const double mean = sum / replicas;
  return {mean, std::sqrt((squares / replicas - mean * mean) / replicas)};
}

ExperimentSpec redrawn(int d, Method method, MatrixChoice::Kind value) {
  ExperimentSpec spec;
  spec.n = 2;
  spec.d = d;
  spec.dynamics.beta = 0;
  spec.dynamics.value = {value};
  spec.dynamics.redraw = 0.2;
  spec.init = InitialLaw{InitialLaw::orthonormal};
  spec.method = method;
  spec.dt = 0.2;
  spec.T = 6.4;  // s = 1.28
  spec.save = SaveChoice{SaveChoice::final};
  spec.tolerance = {1e-4, 1e-6};  // of the flow, far below what draws differ by
  spec.engine = {.name = "reference", .threads = 1};
  spec.random.seed = 1117;
  return spec;
}

// The first limit is Ito's, the second Stratonovich's: at d = 2 the means are 0.00 and 0.10.
TEST(Redraw, LayersAndFlowHaveDifferentLimits) {
  for (const int steps : {1, 0}) {
    const Drawn ours = simulated_mean(
        redrawn(2, steps == 1 ? Method::layers : Method::dopri5, MatrixChoice::gaussian), 1500);
    const double predicted = overlap_moment(overlap_law({.d = 2, .steps = steps}, 1.28), 1);
    const double other = overlap_moment(overlap_law({.d = 2, .steps = 1 - steps}, 1.28), 1);
    EXPECT_NEAR(ours.mean, predicted, 3.5 * ours.error) << steps;
    EXPECT_GT(std::fabs(ours.mean - other), 4 * ours.error) << steps;
  }
}

// A symmetric V of the law goe moves two tokens as a Gaussian one does in twice the time.
TEST(Redraw, SymmetricWeightsRunTwiceAsFast) {
  const Drawn ours = simulated_mean(redrawn(3, Method::dopri5, MatrixChoice::goe), 1000);
  EXPECT_NEAR(ours.mean, overlap_moment(overlap_law({.d = 3}, 2.56), 1), 3.5 * ours.error);
  EXPECT_GT(ours.mean - overlap_moment(overlap_law({.d = 3}, 1.28), 1), 5 * ours.error);
}

}  // namespace
}  // namespace murmur::theory
