// theory_test.cpp: the closed forms give the published and derived numbers to their printed digits.
#include "murmur/theory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "closed_forms.h"
#include "murmur/error.h"
#include "theory/numeric.h"

namespace murmur::theory {
namespace {

constexpr double kPi = std::numbers::pi;

// Half a unit of the last of `digits` significant ones, and a hair for values that end in 5.
double half_unit(double printed, int digits) {
  return 0.5001 * std::pow(10, std::floor(std::log10(std::fabs(printed))) - digits + 1);
}
#define EXPECT_PRINTED(value, printed, digits) \
  EXPECT_NEAR(value, printed, half_unit(printed, digits))

TEST(Numeric, QuadratureAndFlight) {
  EXPECT_NEAR(quadrature([](double x) { return std::exp(x); }, 0, 1), std::numbers::e - 1, 1e-14);
  EXPECT_NEAR(quadrature([](double x) { return 1 / (1e-4 + x * x); }, -1, 1),
              200 * std::atan(100.0), 1e-10);
  EXPECT_NEAR(quadrature([](double x) { return std::exp(30 * x); }, 0, 1) / (std::expm1(30) / 30),
              1, 1e-13);
  const auto turn = [](double, const State& y) { return State{-y[1], y[0]}; };
  const State y = carry(turn, {1, 0}, 0, 10);
  EXPECT_NEAR(y[0], std::cos(10), 1e-13);
  EXPECT_NEAR(y[1], std::sin(10), 1e-13);
  EXPECT_NEAR(root([](double x) { return x * x - 2; }, 0, 2), std::numbers::sqrt2, 1e-15);
}

TEST(Bessel, AgreesWithItsSeriesAndItsAsymptotics) {
  for (const double order : {0.0, 0.5, 1.0, 2.5, 7.0, 31.5})
    for (const double x : {0.01, 0.7, 3.0, 20.0}) {
      double term = std::pow(x / 2, order) / std::tgamma(order + 1), sum = 0;
      for (int k = 0; k < 200; ++k) {
        sum += term;
        term *= x * x / 4 / ((k + 1) * (k + 1 + order));
      }
      EXPECT_NEAR(scaled_bessel(order, x) / (sum * std::exp(-x)), 1, 2e-14) << order << " " << x;
    }
  // Hankel: sqrt(2 pi x) e^{-x} I_nu = sum_k prod_{j<=k} -(4 nu^2 - (2j-1)^2) / (8 j x)
  for (const double order : {0.0, 1.0, 4.5, 12.0, 150.5, 200.0}) {
    const double x = 1e4;
    double term = 1, sum = 0;
    for (int k = 1; k < 60; ++k) {
      sum += term;
      term *= -(4 * order * order - (2 * k - 1) * (2 * k - 1)) / (8 * k * x);
    }
    EXPECT_NEAR(scaled_bessel(order, x) * std::sqrt(2 * kPi * x) / sum, 1, 1e-13) << order;
  }
}

// I_{nu-1} - I_{nu+1} = (2 nu / x) I_nu at order 200; nothing overflows.
TEST(Bessel, HighOrdersAndArguments) {
  for (const double order : {200.0, 199.5})
    for (const double x : {50.0, 1000.0, 1e4}) {
      const double mid = log_bessel(order, x);
      const double difference = std::exp(log_bessel(order - 1, x) - mid) - bessel_ratio(order, x);
      EXPECT_NEAR(difference * x / (2 * order), 1, 1e-10);
    }
  // order 200 at 1/2: the first terms of the series, far below the least double
  const double lead = 200 * std::log(0.25) - std::lgamma(201) + std::log1p(0.0625 / 201);
  EXPECT_NEAR(log_bessel(200, 0.5), lead, 1e-7);
  EXPECT_EQ(log_bessel(0, 0), 0);
  EXPECT_THROW(log_bessel(0.3, 1), Error);
  EXPECT_THROW(log_bessel(1, -1), Error);
}

// lambda_k by quadrature of e^{beta t} P_k(t) (1 - t^2)^{(d-3)/2}, P_k Gegenbauer with P_k(1) = 1.
TEST(FunkHecke, AgreesWithQuadrature) {
  for (const int d : {2, 3, 4, 6})
    for (const int k : {0, 1, 2, 5}) {
      const double beta = 3, alpha = d / 2.0 - 1;
      const auto harmonic = [&](double x) {
        if (d == 2) return std::cos(k * x);
        double before = 1, now = 2 * alpha * std::cos(x), one_before = 1, one = 2 * alpha;
        if (k == 0) return 1.0;
        for (int m = 2; m <= k; ++m) {
          const double a = 2 * (m + alpha - 1) / m, b = (m + 2 * alpha - 2) / m;
          before = std::exchange(now, a * std::cos(x) * now - b * before);
          one_before = std::exchange(one, a * one - b * one_before);
        }
        return now / one;
      };
      const auto ring = [&](double x) { return std::pow(std::sin(x), d - 2); };
      const auto weighed = [&](double x) {
        return std::exp(beta * std::cos(x)) * harmonic(x) * ring(x);
      };
      EXPECT_NEAR(quadrature(weighed, 0, kPi) / quadrature(ring, 0, kPi) / eigenvalue(d, beta, k),
                  1, 1e-11)
          << d << " " << k;
    }
}

TEST(UniformEnergy, Printed) {
  EXPECT_PRINTED(uniform_energy(2, 1), 0.633033, 6);
  EXPECT_PRINTED(uniform_energy(2, 5), 2.723987, 7);
  EXPECT_PRINTED(uniform_energy(3, 1), 0.587601, 6);
  EXPECT_PRINTED(uniform_energy(3, 5), 1.484064, 7);
}

TEST(Equiangular, CosinesAndLateRates) {
  EXPECT_NEAR(cosine({.n = 8, .beta = 1}, 3), 0.970493827, 5e-10);
  EXPECT_NEAR(cosine({.n = 8, .beta = 1, .law = Law::usa}, 0.8), 0.416079473, 5e-10);
  EXPECT_NEAR(cosine({.n = 32, .beta = 4}, 3), 0.332986702, 5e-10);
  EXPECT_NEAR(cosine({.n = 32, .beta = 4, .law = Law::usa}, 0.12), 0.008560837, 5e-10);
  for (const double t : {0.1, 1.0, 3.0})
    EXPECT_NEAR(cosine({.n = 2, .beta = 0}, t), std::tanh(t), 1e-13);
  EXPECT_EQ(late_rate(Law::sa, 4), 2);
  const auto rate = [](Law law, double t, double dt) {
    const Equiangular swarm{.n = 32, .beta = 4, .law = law};
    return std::log((1 - cosine(swarm, t)) / (1 - cosine(swarm, t + dt))) / dt;
  };
  EXPECT_NEAR(rate(Law::sa, 14, 0.5), 2, 2e-6);
  const double late = clustering_time({.n = 32, .beta = 4, .law = Law::usa}, 1e-5);
  EXPECT_NEAR(rate(Law::usa, late, 0.01) / late_rate(Law::usa, 4), 1, 1e-4);
}

// rho(t*(delta)) = 1 - delta; and by a flight that knows nothing of quadratures (scheme `post`),
// whose early errors the slow start at beta = 9 multiplies.
TEST(Equiangular, FlightAndQuadratureAgree) {
  for (const double beta : {0.0, 1.0, 4.0, 9.0}) {
    for (const Law law : {Law::sa, Law::usa}) {
      const Equiangular swarm{.n = 32, .beta = beta, .law = law, .start = -0.02};
      EXPECT_NEAR(cosine(swarm, clustering_time(swarm, 0.2)), 0.8, 1e-12) << beta;
    }
    const Equiangular swarm{.n = 32, .beta = beta, .start = -0.02};
    const Normalised trajectory{.n = 32, .beta = beta, .start = -0.02};
    EXPECT_NEAR(normalised(trajectory, clustering_time(swarm, 0.2)).rho, 0.8,
                beta < 9 ? 1e-12 : 1e-10);
  }
}

TEST(PhaseCurve, TableAndInverse) {
  const double beta[] = {.1, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const double n32[] = {5.192, 5.270, 5.458, 5.898, 6.954, 9.544, 15.995, 32.233, 73.446, 178.731};
  const double n128[] = {5.881, 5.909, 5.979, 6.148, 6.570, 7.634, 10.353, 17.350, 35.467, 82.593};
  for (int k = 0; k < 10; ++k) {
    EXPECT_NEAR(clustering_time({.n = 32, .beta = beta[k]}, 1e-3), n32[k], 5.01e-4) << beta[k];
    EXPECT_NEAR(clustering_time({.n = 128, .beta = beta[k]}, 1e-3), n128[k], 5.01e-4) << beta[k];
  }
  const double times[] = {10, 15, 20, 30}, inverse[] = {5.1099, 5.8941, 6.3447, 6.9065};
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(clustering_beta({.n = 32}, 1e-3, times[k]), inverse[k], 5.01e-5);
  EXPECT_NEAR(clustering_beta({.n = 128}, 1e-3, 10), 5.9124, 5.01e-5);
  EXPECT_NEAR(clustering_beta({.n = 128}, 1e-3, 30), 7.7849, 5.01e-5);
  EXPECT_THROW(clustering_beta({.n = 32}, 1e-3, 1), Error);
}

struct GrowthRow {
  double beta;
  int k;
  double sa, usa;
  int usa_digits, next;
  double ratio;
  int ratio_digits;
};

void check_growth(int d, const GrowthRow& row) {
  const Growth sa{.d = d, .beta = row.beta};
  const Growth usa{.law = Law::usa, .d = d, .beta = row.beta};
  EXPECT_EQ(fastest_mode(d, row.beta), row.k) << d << " " << row.beta;
  EXPECT_PRINTED(growth_rate(sa, row.k), row.sa, 6) << d << " " << row.beta;
  EXPECT_PRINTED(growth_rate(usa, row.k), row.usa, row.usa_digits) << d << " " << row.beta;
  int next = row.k == 1 ? 2 : 1;
  for (int k = 1; k <= 2 * row.k + 2; ++k)
    if (k != row.k && growth_rate(sa, k) > growth_rate(sa, next)) next = k;
  EXPECT_EQ(next, row.next) << d << " " << row.beta;
  EXPECT_NEAR(growth_rate(usa, next) / growth_rate(usa, row.k), row.ratio,
              0.501 * std::pow(10, -row.ratio_digits))
      << d << " " << row.beta;
}

TEST(Growth, TableOnTheCircle) {
  const GrowthRow rows[] = {
      {1, 1, .446390, .565159, 6, 2, .961, 3},    {2, 2, .604451, 1.37790, 6, 3, .695, 3},
      {3, 2, .613346, 2.99362, 6, 3, .962, 3},    {4, 3, .664389, 7.50887, 6, 2, .855, 3},
      {5, 3, .682678, 18.5961, 6, 4, .879, 3},    {7, 4, .691484, 116.580, 6, 3, .939, 3},
      {9, 4, .704497, 770.430, 6, 5, .943, 3},    {12, 5, .713938, 13528.4, 6, 4, .937, 3},
      {16, 6, .714267, 638160, 6, 5, .983, 3},    {20, 6, .720105, 3.13666e7, 6, 7, .981, 3},
      {25, 7, .725797, 4.19116e9, 6, 8, .966, 3}, {50, 10, .730829, 2.14319e20, 6, 11, .980, 3}};
  for (const GrowthRow& row : rows) check_growth(2, row);
}

TEST(Growth, TableOnTheSphere) {
  const GrowthRow rows[] = {
      {1, 1, .626071, .735759, 6, 2, .584, 3},    {2, 2, .582084, 1.05557, 6, 1, .923, 3},
      {3, 2, .656727, 2.19300, 6, 3, .757, 3},    {4, 2, .655495, 4.47210, 6, 3, .936, 3},
      {5, 3, .672349, 9.97809, 6, 2, .928, 3},    {7, 3, .694714, 54.4176, 6, 4, .935, 3},
      {9, 4, .703145, 316.536, 6, 3, .944, 3},    {12, 4, .705777, 4786.19, 6, 5, .984, 3},
      {16, 5, .719317, 199748, 6, 6, .960, 3},    {20, 6, .722285, 8.76069e6, 6, 5, .967, 3},
      {25, 7, .720601, 1.03774e9, 6, 6, .994, 3}, {50, 10, .727210, 3.77037e19, 6, 9, 1.0000, 4}};
  for (const GrowthRow& row : rows) check_growth(3, row);
}

TEST(Growth, SwitchPoints) {
  const double circle[] = {1.0445,  3.1654,  6.2113,  10.2285, 15.2363,
                           21.2405, 28.2430, 36.2446, 45.2457};
  const double sphere[] = {1.8162,  4.4253,  7.9624,  12.4774, 17.9849,
                           24.4891, 31.9918, 40.4936, 49.9948};
  for (int k = 1; k <= 9; ++k) {
    EXPECT_NEAR(switch_point(2, k), circle[k - 1], 5.01e-5) << k;
    EXPECT_NEAR(switch_point(3, k), sphere[k - 1], 5.01e-5) << k;
    for (const int d : {2, 3, 8}) {
      const double at = switch_point(d, k);
      const Growth growth{.d = d, .beta = at};
      EXPECT_NEAR(growth_rate(growth, k + 1) / growth_rate(growth, k), 1, 1e-10);
      EXPECT_EQ(fastest_mode(d, at - 1e-8), k);
      EXPECT_EQ(fastest_mode(d, at + 1e-8), k + 1);
    }
  }
}

TEST(Growth, LimitsClocksNoiseAndDescent) {
  for (const int d : {2, 3, 8}) {  // beta -> 0: only k = 1, at (d-1)/d
    EXPECT_NEAR(growth_rate({.d = d, .beta = 0}, 1), (d - 1.0) / d, 1e-15);
    EXPECT_NEAR(growth_rate({.d = d, .beta = 1e-6}, 1), (d - 1.0) / d, 1e-5);
    EXPECT_EQ(growth_rate({.d = d, .beta = 0}, 2), 0);
  }
  const double beta = 1e4;  // greatest rate -> 2/e at k ~ sqrt(2 beta)
  const int k = fastest_mode(2, beta);
  EXPECT_NEAR(k, std::sqrt(2 * beta), 1);
  EXPECT_NEAR(growth_rate({.beta = beta}, k), 2 / std::numbers::e, 1e-4);
  const Growth u1{.law = Law::usa, .d = 3, .beta = 5};
  Growth other = u1;
  other.clock = Clock::u2;
  EXPECT_NEAR(growth_rate(other, 3) / growth_rate(u1, 3), std::exp(-5), 1e-14);
  other.clock = Clock::u3;
  EXPECT_NEAR(growth_rate(other, 3) / growth_rate(u1, 3), 5, 1e-13);
  other = u1;
  other.noise = 0.25;
  EXPECT_NEAR(growth_rate(other, 3), growth_rate(u1, 3) - 12 * 0.25, 1e-12);
  other = u1;
  other.descent = true;
  EXPECT_EQ(growth_rate(other, 3), -growth_rate(u1, 3));
  EXPECT_THROW(growth_rate({.clock = Clock::u2}, 1), Error);
  const double angles[] = {0.3, 0.3 + 2 * kPi / 3, 0.3 + 4 * kPi / 3};
  const std::vector<double> places = cluster_angles(angles, 3);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(places[j], angles[j], 1e-14);
}

}  // namespace
}  // namespace murmur::theory
