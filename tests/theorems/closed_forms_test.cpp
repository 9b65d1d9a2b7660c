// closed_forms_test.cpp: simulations against solutions in closed form or by quadrature.
#include <gtest/gtest.h>

#include <numbers>

#include "support.h"

namespace murmur::testing {
namespace {

constexpr FlowSettings kExact{.tolerance = {1e-12, 1e-13}};

struct Equiangular {
  int n;
  double beta, T, rho;
  bool normalised;
};

void PrintTo(const Equiangular& c, std::ostream* out) {
  *out << (c.normalised ? "SA" : "USA") << " n=" << c.n << " beta=" << c.beta;
}

// From an orthonormal start all pairs keep one common cosine rho(t): 2312.10794, Theorem 6.8.
class OrthonormalStart : public ::testing::TestWithParam<Equiangular> {};

TEST_P(OrthonormalStart, KeepsOneCosine) {
  const Equiangular c = GetParam();
  const Simulated f =
      simulated(c.normalised ? sa(c.beta) : usa(c.beta), orthonormal(c.n), kExact, {.T = c.T});
  ASSERT_TRUE(f.outcome.ok());
  for (int i = 0; i < c.n; ++i)
    for (int j = 0; j < i; ++j) EXPECT_NEAR(dot(f.last(), i, j), c.rho, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(C1, OrthonormalStart,
                         ::testing::Values(Equiangular{8, 1, 3, 0.970493827, true},
                                           Equiangular{8, 1, 0.8, 0.416079473, false},
                                           Equiangular{32, 4, 3, 0.332986702, true},
                                           Equiangular{32, 4, 0.12, 0.008560837, false}));

// Two particles at beta = 0: rho(t) = tanh t from a right angle, tan(th/2) decays as e^{-t}.
TEST(TwoParticles, BetaZero) {
  const Simulated f =
      simulated(sa(0), circle({0, std::numbers::pi / 2}), kExact, {.T = 2, .every = 0.1});
  for (std::size_t k = 0; k < f.times.size(); ++k)
    EXPECT_NEAR(dot(f.frames[k], 0, 1), std::tanh(f.times[k]), 1e-11);
  const Simulated g = simulated(sa(0), circle({0, 2}), kExact, {.T = 1.5});
  EXPECT_NEAR(std::tan(std::acos(dot(g.last(), 0, 1)) / 2), std::tan(1.0) * std::exp(-1.5), 1e-11);
}

// Late rate of 1 - rho: 2 for SA, 2 e^beta for USA.
TEST(OrthonormalLateRate, IsTwo) {
  const auto rate = [](const Dynamics& dynamics, double t, double dt) {
    const Simulated f = simulated(dynamics, orthonormal(8), kExact, {.T = t + dt, .every = dt});
    const double a = 1 - dot(f.frames[f.frames.size() - 2], 0, 1), b = 1 - dot(f.last(), 0, 1);
    return std::log(a / b) / dt;
  };
  EXPECT_NEAR(rate(sa(1), 7, 0.5), 2, 1e-4);
  EXPECT_NEAR(rate(usa(1), 3.6, 0.2), 2 * std::exp(1.0), 1e-3);
}

// The time at which the angle of a two-cluster state first falls to `target`, by bisection.
double time_to_angle(const Dynamics& dynamics, const HostSwarm& x, double target, double guess) {
  double low = 0.99 * guess, high = 1.01 * guess;
  for (int halving = 0; halving < 30; ++halving) {
    const double middle = (low + high) / 2;
    const Simulated f = simulated(dynamics, x, kExact, {.T = middle});
    const double angle = 2 * std::asin(std::sqrt((1 - dot(f.last(), 0, 1)) / 2));
    (angle > target ? low : high) = middle;
  }
  return (low + high) / 2;
}

struct Lifetime {
  double angle, beta;
  bool normalised;
  double expected;
  double light;  // mass of the first cluster
};
void PrintTo(const Lifetime& c, std::ostream* out) {
  *out << (c.normalised ? "SA" : "USA") << " beta=" << c.beta << " from " << c.angle;
}
class TwoClusters : public ::testing::TestWithParam<Lifetime> {};

TEST_P(TwoClusters, LiveAsLongAsPredicted) {
  const Lifetime c = GetParam();
  const double target = 0.1;
  const double time =
      time_to_angle(c.normalised ? sa(c.beta) : usa(c.beta),
                    circle({0, c.angle}, {c.light, 1 - c.light}), target, c.expected);
  EXPECT_NEAR(time / c.expected, 1, 3e-6);
}

INSTANTIATE_TEST_SUITE_P(
    C4, TwoClusters,
    ::testing::Values(Lifetime{std::numbers::pi / 2, 4, true, 10.0219, 0.5},
                      Lifetime{std::numbers::pi / 2, 4, false, .312261, 0.5},
                      Lifetime{std::numbers::pi / 2, 9, true, 465.896, 0.5},
                      Lifetime{std::numbers::pi / 2, 9, false, .114623, 0.5},
                      Lifetime{2 * std::numbers::pi / 3, 4, true, 60.5123, 0.5},
                      Lifetime{2 * std::numbers::pi / 3, 9, false, 12.0305, 0.5},
                      Lifetime{1.5, 6, true, 17.3207, 0.25}));

// Masses stand for copies: 1 + 3 particles of equal mass move as two of masses 1/4, 3/4.
TEST(Masses, StandForCopies) {
  const HostSwarm two = circle({0, 1.5}, {0.25, 0.75}), four = circle({0, 1.5, 1.5, 1.5});
  for (const Dynamics& dynamics : {sa(6), usa(2)}) {
    const Simulated a = simulated(dynamics, two, kExact, {.T = 3}),
                    b = simulated(dynamics, four, kExact, {.T = 3});
    EXPECT_NEAR(dot(a.last(), 0, 1), dot(b.last(), 0, 1), 1e-11);
    EXPECT_NEAR(dot(b.last(), 1, 3), 1, 1e-15);
  }
}

// The five points of 2410.06833's kinetic figure: when chains of cos > 0.999 lose a link.
std::vector<double> merger_times(const FlowSettings& settings, double T, double every) {
  const double rows[] = {.99806638, .06215705,  .97712061, .21268594,  -.24578194,
                         .96932515, -.97354734, .2284854,  -.99892629, -.04632772};
  const Simulated f = simulated(sa(4), from_rows({5, 2}, rows), settings, {.T = T, .every = every});
  std::vector<double> times;
  int before = 5;
  for (std::size_t k = 0; k < f.frames.size(); ++k) {
    int links = 0;  // on the circle these points stay in order: chains are consecutive links
    for (int i = 0; i < 4; ++i) links += dot(f.frames[k], i, i + 1) > 0.999 ? 1 : 0;
    for (; before > 5 - links; --before) times.push_back(f.times[k]);
  }
  return times;
}

TEST(FivePoints, MergeWhenTheirPaperSays) {
  const std::vector<double> layers = merger_times({.method = Method::layers, .dt = 0.1}, 400, 0.1);
  const double published[] = {1.4, 2.6, 5.7, 364.1};
  ASSERT_EQ(layers.size(), 4u);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(layers[k], published[k], 0.05);
  const std::vector<double> exact = merger_times({.tolerance = {1e-10, 1e-12}}, 340, 0.01);
  const double flow[] = {1.27, 2.41, 5.20, 328.37};
  ASSERT_EQ(exact.size(), 4u);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(exact[k], flow[k], 0.011);
}

}  // namespace
}  // namespace murmur::testing
