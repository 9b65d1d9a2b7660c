// transport_test.cpp: distances between measures against brute force, axioms and closed forms.
#include "murmur/transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "murmur/random.h"
#include "support.h"
#include "unit/refused.h"

namespace murmur::testing {
namespace {

constexpr double kPi = std::numbers::pi;

// Random numbers one after another, for cases.
struct Dice {
  std::uint64_t seed;
  std::uint32_t count = 0;
  double uniform() {
    return Draw{.seed = seed, .stream = Stream::pairs, .particle = count++}.uniform(0);
  }
  int below(int n) { return static_cast<int>(uniform() * n); }
  std::vector<double> angles(int n, double spread = 2 * kPi) {
    std::vector<double> a(n);
    for (double& x : a) x = spread * uniform() - 1;
    return a;
  }
  std::vector<double> masses(int n) {
    std::vector<double> m(n);
    for (double& x : m) x = 0.05 + uniform();
    return m;
  }
};

double arc(double a, double b) {
  const double apart = std::fabs(std::remainder(a - b, 2 * kPi));
  return std::min(apart, kPi);
}

// The least over all permutations of the mean of arc^p.
double brute_force(const std::vector<double>& a, const std::vector<double>& b, int p) {
  std::vector<int> order(a.size());
  std::iota(order.begin(), order.end(), 0);
  double min = 1e9;
  do {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(arc(a[i], b[order[i]]), p);
    min = std::min(min, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return std::pow(min / static_cast<double>(a.size()), 1.0 / p);
}

// Each angle as often as its whole mass says.
std::vector<double> repeated(const std::vector<double>& angle, const std::vector<double>& mass) {
  std::vector<double> all;
  for (std::size_t i = 0; i < angle.size(); ++i)
    for (int k = 0; k < static_cast<int>(mass[i]); ++k) all.push_back(angle[i]);
  return all;
}

//   W1 = min over c of int |F - G - c|: the weighted median of F - G
double median_w1(const CircleMeasure& a, const CircleMeasure& b) {
  struct Edge {
    double angle, step;
  };
  std::vector<Edge> edges;
  for (const CirclePiece& piece : a.pieces) edges.push_back({piece.from, piece.mass});
  for (const CirclePiece& piece : b.pieces) edges.push_back({piece.from, -piece.mass});
  std::sort(edges.begin(), edges.end(), [](auto& x, auto& y) { return x.angle < y.angle; });
  std::vector<std::pair<double, double>> level;  // F - G, length
  double height = 0;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    height += edges[k].step;
    const double next = k + 1 < edges.size() ? edges[k + 1].angle : edges[0].angle + 2 * kPi;
    level.push_back({height, next - edges[k].angle});
  }
  std::sort(level.begin(), level.end());
  double half = 0, median = 0, sum = 0;
  for (const auto& [value, length] : level) {
    if (half <= kPi) median = value;
    half += length;
  }
  for (const auto& [value, length] : level) sum += length * std::fabs(value - median);
  return sum;
}

TEST(CircleDistance, IsThatOfAllPermutations) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Dice dice{seed};
    const int n = 1 + dice.below(6);
    const double spread = seed % 3 == 0 ? 0.5 : 9;
    const std::vector<double> a = dice.angles(n, spread), b = dice.angles(n, spread);
    for (const int p : {1, 2})
      ASSERT_NEAR(circle_distance(circle_atoms(a), circle_atoms(b), p).distance,
                  brute_force(a, b, p), 1e-13)
          << seed << " p " << p;
  }
}

// Whole masses are as many atoms of equal masses: the tangents must find what the shifts do.
TEST(CircleDistance, OfMassesIsThatOfRepeatedAtoms) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Dice dice{1000 + seed};
    const int n = 1 + dice.below(8), m = 1 + dice.below(8), total = 8 + dice.below(40);
    const std::vector<double> a = dice.angles(n), b = dice.angles(m);
    std::vector<double> u(n, 1), v(m, 1);
    for (int k = n; k < total; ++k) ++u[dice.below(n)];
    for (int k = m; k < total; ++k) ++v[dice.below(m)];
    for (const int p : {1, 2}) {
      const CircleDistance found = circle_distance(circle_atoms(a, u), circle_atoms(b, v), p);
      const double exact =
          circle_distance(circle_atoms(repeated(a, u)), circle_atoms(repeated(b, v)), p).distance;
      ASSERT_NEAR(found.distance, exact, 1e-13) << seed << " p " << p;
      ASSERT_LE(found.min, found.distance);
      ASSERT_NEAR(found.min, exact, 1e-7) << seed << " p " << p;
    }
  }
}

TEST(CircleDistance, W1IsTheWeightedMedian) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Dice dice{5000 + seed};
    const int n = 1 + dice.below(30), m = 1 + dice.below(30);
    const CircleMeasure a = circle_atoms(dice.angles(n), dice.masses(n));
    const CircleMeasure b = circle_atoms(dice.angles(m), dice.masses(m));
    ASSERT_NEAR(circle_w1(a, b), median_w1(a, b), 1e-13) << seed;
  }
}

TEST(CircleDistance, IsAMetricThatRotationsKeep) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Dice dice{9000 + seed};
    const int n = 1 + dice.below(12);
    std::vector<double> angle[3], mass[3];
    for (int k = 0; k < 3; ++k) {
      angle[k] = dice.angles(n + k);
      mass[k] = dice.masses(n + k);
    }
    const double turn = 20 * dice.uniform() - 10;
    for (const int p : {1, 2}) {
      const auto w = [&](int i, int j, double by) {
        std::vector<double> x = angle[i], y = angle[j];
        for (double& e : x) e += by;
        for (double& e : y) e += by;
        return circle_distance(circle_atoms(x, mass[i]), circle_atoms(y, mass[j]), p).distance;
      };
      ASSERT_EQ(w(0, 0, 0), 0) << seed;
      ASSERT_GT(w(0, 1, 0), 1e-6) << seed;
      ASSERT_NEAR(w(0, 1, 0), w(1, 0, 0), 1e-13) << seed;
      ASSERT_LE(w(0, 2, 0), w(0, 1, 0) + w(1, 2, 0) + 1e-13) << seed;
      ASSERT_NEAR(w(0, 1, turn), w(0, 1, 0), 1e-12) << seed;
    }
    ASSERT_LE(circle_w1(circle_atoms(angle[0], mass[0]), circle_atoms(angle[1], mass[1])),
              circle_w2(circle_atoms(angle[0], mass[0]), circle_atoms(angle[1], mass[1])) + 1e-13);
  }
}

TEST(CircleDistance, OfPermutedOrSplitAtomsIsNothing) {
  Dice dice{77};
  std::vector<double> angle = dice.angles(1000), mass = dice.masses(1000);
  const CircleMeasure whole = circle_atoms(angle, mass);
  std::vector<double> halves = angle, half = mass;
  for (double& m : half) m /= 2;
  halves.insert(halves.end(), angle.rbegin(), angle.rend());
  half.insert(half.end(), half.rbegin(), half.rend());
  EXPECT_LT(circle_w2(whole, circle_atoms(halves, half)), 1e-13);
  for (double& a : angle) a += 2 * kPi;
  EXPECT_LT(circle_w2(whole, circle_atoms(angle, mass)), 1e-12);
}

TEST(CircleDistance, ClosedForms) {
  const auto dirac = [](double angle) { return circle_atoms(std::vector{angle}); };
  EXPECT_NEAR(circle_w2(dirac(0.3), dirac(2.0)), 1.7, 1e-15);
  EXPECT_NEAR(circle_w2(dirac(-3.0), dirac(3.0)), 2 * kPi - 6, 1e-15);
  EXPECT_NEAR(circle_w2(dirac(1), circle_uniform()), kPi / std::sqrt(3), 1e-14);
  EXPECT_NEAR(circle_w1(circle_uniform(), dirac(5)), kPi / 2, 1e-14);
  EXPECT_EQ(circle_w2(circle_uniform(), circle_uniform()), 0);
  // k equal atoms at equal angles: each serves an arc of 2 pi / k around it.
  for (const int k : {2, 3, 7, 100}) {
    std::vector<double> gon(k);
    for (int i = 0; i < k; ++i) gon[i] = 0.123 + 2 * kPi * i / k;
    EXPECT_NEAR(circle_w2(circle_atoms(gon), circle_uniform()), kPi / k / std::sqrt(3), 1e-14);
    EXPECT_NEAR(circle_w1(circle_atoms(gon), circle_uniform()), kPi / k / 2, 1e-14);
  }
  // Measures of small support, one a translate of the other.
  Dice dice{3};
  std::vector<double> a = dice.angles(50, 0.4), b = a;
  const std::vector<double> mass = dice.masses(50);
  for (double& angle : b) angle += 0.7;
  EXPECT_NEAR(circle_w2(circle_atoms(a, mass), circle_atoms(b, mass)), 0.7, 1e-14);
  EXPECT_NEAR(circle_w1(circle_atoms(a, mass), circle_atoms(b, mass)), 0.7, 1e-14);
  // Densities 1 +- eps cos theta: far from antipodes W1 = (1/2pi) int |2 eps sin| = 4 eps / pi.
  const auto wave = [](double eps) {
    return circle_quantiles(
        [eps](double s) {
          double theta = 2 * kPi * s;
          for (int newton = 0; newton < 50; ++newton)
            theta -= (theta + eps * std::sin(theta) - 2 * kPi * s) / (1 + eps * std::cos(theta));
          return theta;
        },
        20'000);
  };
  EXPECT_NEAR(circle_w1(wave(0.1), wave(-0.1)), 0.4 / kPi, 1e-8);
}

// Quantile particles stand for what lies between them.
TEST(CircleDistance, OfQuantileParticlesToTheUniformLaw) {
  std::vector<double> angle(64);
  for (int i = 0; i < 64; ++i) angle[i] = 2 * kPi * (i + 0.25) / 64;
  EXPECT_LT(circle_w2(circle_between(angle), circle_uniform()), 1e-14);
  const HostSwarm x = circle(angle);
  EXPECT_NEAR(circle_w2(circle_atoms(x), circle_uniform()), kPi / 64 / std::sqrt(3), 1e-14);
}

TEST(CircleDistance, WrongRequestsAreRefused) {
  const std::function<void()> wrong[] = {
      [] { circle_atoms(std::vector<double>{}); },
      [] { circle_atoms(std::vector{std::nan("")}); },
      [] {
        circle_atoms(std::vector{1.0, 2.0}, std::vector{1.0});
      },
      [] { circle_atoms(std::vector{1.0}, std::vector{-1.0}); },
      [] { circle_quantiles([](double s) { return -s; }, 10); },
      [] { circle_quantiles([](double s) { return s; }, 10); },
      [] { circle_distance(circle_uniform(), circle_uniform(), 3); },
      [] { circle_distance({}, circle_uniform()); },
      [] {
        circle_atoms(random_sphere({3, 3}, 0));
      },
  };
  for (const auto& act : wrong) EXPECT_EQ(fault_of(act), Fault::input);
}

}  // namespace
}  // namespace murmur::testing
