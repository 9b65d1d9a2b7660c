// contraction_test.cpp: rates at which measures contract to one point, and boosts at beta = 0.
#include <gtest/gtest.h>

#include <cmath>

#include "murmur/theory.h"
#include "support.h"

namespace murmur::theory {
namespace {

TEST(Contraction, Rates) {
  EXPECT_EQ(contraction(Law::sa, 0.3, 2).rate, 0.5);
  EXPECT_EQ(contraction(Law::sa, 5, 3).rate, 1);
  EXPECT_EQ(contraction(Law::sa, 0.3, 8).rate, 1);
  EXPECT_EQ(contraction(Law::sa, 0.3, 2, 2).rate, 1);
  EXPECT_DOUBLE_EQ(contraction(Law::usa, 0.3, 2).rate, std::exp(-0.3) / 2);
  EXPECT_DOUBLE_EQ(contraction(Law::usa, 0.3, 16).rate, std::exp(0.3));
  EXPECT_DOUBLE_EQ(contraction(Law::usa, -0.3, 3).rate, std::exp(-0.3));
}

// Of one token beside a heavy cluster, near it and opposite to it.
TEST(Contraction, OneTokenBesideACluster) {
  for (const Law law : {Law::sa, Law::usa}) {
    const Contraction rates = contraction(law, 0.7, 2);
    const Dynamics dynamics = law == Law::sa ? testing::sa(0.7) : testing::usa(0.7);
    for (const bool near : {true, false}) {
      const double theta = near ? 1e-4 : std::acos(-1.0) - 1e-4;
      const auto x = testing::circle({0, theta}, {1 - 1e-9, 1e-9});
      const auto v = testing::velocity(*make_reference_engine(), dynamics, x);
      const double moved = v.at(1, 1) * x.at(1, 0) - v.at(1, 0) * x.at(1, 1);  // theta'
      EXPECT_NEAR(moved / 1e-4, near ? -rates.near : -rates.opposite, 1e-6) << near;
    }
  }
}

TEST(Boosts, ClosedForms) {
  for (const double b : {0.01, 0.5, 3.0, 12.0}) {
    EXPECT_NEAR(std::pow(boosted_spread(2, b), 2) / (4 / (std::exp(b) + 1)), 1, 1e-12) << b;
    if (b < 0.1) continue;  // 1 - coth b + b / sinh^2 b loses digits there
    const double coth = 2 / std::expm1(2 * b), sinh = std::sinh(b);
    EXPECT_NEAR(std::pow(boosted_spread(3, b), 2) / (2 * (b / (sinh * sinh) - coth)), 1, 1e-9) << b;
  }
  for (const int d : {2, 3, 5, 200})
    for (const double order : {0.0, 1e-3, 0.5, 0.99}) {
      const double b = boost_of_order(d, order);
      EXPECT_NEAR(1 - std::pow(boosted_spread(d, b), 2) / 2, order, 1e-13) << d;
    }
  for (const double t : {0.5, 4.0, 20.0})  // sinh(b/2) grows as e^{t/2} on the circle
    EXPECT_NEAR(std::sinh(boost_at(2, 0.2, t) / 2) / (std::sinh(0.1) * std::exp(t / 2)), 1, 1e-10);
  EXPECT_EQ(boost_at(3, 0, 5), 0);
}

// Tokens at quantiles of the uniform circle, boosted: they stay boosts of each other.
TEST(Boosts, TokensFollowThem) {
  std::vector<double> angles;
  constexpr int n = 64;
  constexpr double b = 0.4, t = 3;
  const auto boosted = [](double theta, double by) {
    return 2 * std::atan(std::exp(-by) * std::tan(theta / 2));
  };
  for (int i = 0; i < n; ++i) angles.push_back((2 * (i + 0.5) / n - 1) * std::acos(-1.0));
  std::vector<double> start;
  for (const double theta : angles) start.push_back(boosted(theta, b));
  const auto x = testing::simulated(testing::sa(0), testing::circle(start),
                                    {.tolerance = {1e-12, 1e-13}}, {.T = t})
                     .last();
  const double end = boost_at(2, b, t);
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(std::atan2(x.at(i, 1), x.at(i, 0)), boosted(angles[i], end), 1e-6) << i;
}

}  // namespace
}  // namespace murmur::theory
