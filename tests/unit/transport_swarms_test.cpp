// transport_swarms_test.cpp: assigned, entropic and sliced distances of swarms in R^d and on S^2.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "murmur/transport.h"
#include "support.h"
#include "unit/refused.h"

namespace murmur::testing {
namespace {

constexpr double kPi = std::numbers::pi;

HostSwarm random_cloud(Shape shape, std::uint64_t seed, double shift = 0) {
  HostSwarm x(shape);
  for (int i = 0; i < shape.n; ++i)
    for (int k = 0; k < shape.d; ++k)
      x.at(i, k) = shift + Draw{.seed = seed, .particle = static_cast<std::uint32_t>(i)}.normal(
                               static_cast<std::uint16_t>(k));
  return x;
}

double apart(const HostSwarm& x, int i, const HostSwarm& y, int j, Ground ground) {
  double square = 0, inner = 0;
  for (int k = 0; k < x.d(); ++k) {
    square += std::pow(x.at(i, k) - y.at(j, k), 2);
    inner += x.at(i, k) * y.at(j, k);
  }
  return ground == Ground::chord ? std::sqrt(square) : std::acos(std::clamp(inner, -1.0, 1.0));
}

double brute_force(const HostSwarm& x, const HostSwarm& y, Ground ground, int p) {
  std::vector<int> order(x.n());
  std::iota(order.begin(), order.end(), 0);
  double min = 1e9;
  do {
    double sum = 0;
    for (int i = 0; i < x.n(); ++i) sum += std::pow(apart(x, i, y, order[i], ground), p);
    min = std::min(min, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return std::pow(min / x.n(), 1.0 / p);
}

HostSwarm masses_doubled_at(HostSwarm x, int i) {
  x.mass[i] *= 2;
  const double total = std::accumulate(x.mass.begin(), x.mass.end(), 0.0);
  for (double& m : x.mass) m /= total;
  return x;
}

TEST(Assignment, IsTheBestOfAllPermutations) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Shape shape{1 + static_cast<int>(seed % 6), 2 + static_cast<int>(seed % 3)};
    const HostSwarm x = random_sphere(shape, seed), y = random_sphere(shape, 1000 + seed);
    for (const Ground ground : {Ground::chord, Ground::arc})
      for (const int p : {1, 2}) {
        const Assignment found = assignment_distance(x, y, ground, p);
        ASSERT_NEAR(found.distance, brute_force(x, y, ground, p), 1e-12) << seed;
        ASSERT_LE(found.min, found.distance);
        ASSERT_NEAR(found.min, found.distance, 1e-12) << seed;
      }
  }
}

TEST(Assignment, OnTheCircleIsTheBestShift) {
  for (const int n : {2, 17, 200}) {
    const HostSwarm x = random_sphere({n, 2}, 5), y = random_sphere({n, 2}, 6);
    for (const int p : {1, 2})
      EXPECT_NEAR(assignment_distance(x, y, Ground::arc, p).distance,
                  circle_distance(circle_atoms(x), circle_atoms(y), p).distance, 1e-12)
          << n;
  }
}

// Its own prices prove a matching of many to be the best.
TEST(Assignment, OfManyIsProvedByItsPrices) {
  const HostSwarm x = random_sphere({700, 3}, 1), y = random_sphere({700, 3}, 2);
  const Assignment found = assignment_distance(x, y, Ground::arc);
  EXPECT_NEAR(found.min, found.distance, 1e-12);
  std::vector<int> seen = found.partner;
  std::sort(seen.begin(), seen.end());
  for (int i = 0; i < 700; ++i) ASSERT_EQ(seen[i], i);
  EXPECT_NEAR(assignment_distance(y, x, Ground::arc).distance, found.distance, 1e-12);
  EXPECT_EQ(assignment_distance(x, x, Ground::arc).distance, 0);
}

TEST(Assignment, OfATranslateIsTheTranslation) {
  const HostSwarm x = random_cloud({300, 4}, 3);
  HostSwarm y = x;
  for (int i = 0; i < 300; ++i) y.at(i, 1) += 0.75;
  EXPECT_NEAR(assignment_distance(x, y, Ground::chord).distance, 0.75, 1e-13);
  EXPECT_NEAR(assignment_distance(x, y, Ground::chord, 1).distance, 0.75, 1e-13);
}

TEST(Entropic, BracketsTheExactDistance) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Ground ground = seed % 2 == 0 ? Ground::arc : Ground::chord;
    const HostSwarm x = random_sphere({60, 3}, seed), y = random_sphere({60, 3}, 50 + seed);
    const double exact = assignment_distance(x, y, ground).distance;
    double width = 1e9;
    for (const double epsilon : {0.1, 0.02, 0.004}) {
      const EntropicDistance found =
          entropic_distance(x, y, {.ground = ground, .epsilon = epsilon, .max_sweeps = 4000});
      ASSERT_LE(found.margin_error, 1e-6) << seed << " " << epsilon;
      ASSERT_LE(found.min, exact + 1e-12) << seed << " " << epsilon;
      ASSERT_GE(found.most, exact - 1e-12) << seed << " " << epsilon;
      ASSERT_LT(found.most - found.min, width);
      width = found.most - found.min;
    }
    EXPECT_LT(width, 0.1 * exact) << seed;
  }
}

// Debiased, a translate is as far as the translation at any eps, and a swarm is at its own place.
TEST(Entropic, HasNoBiasForTranslates) {
  const HostSwarm x = random_cloud({80, 3}, 9);
  HostSwarm y = x;
  for (int i = 0; i < 80; ++i) y.at(i, 2) += 1.5;
  for (const double epsilon : {1.0, 0.1, 0.01}) {
    const EntropicDistance found = entropic_distance(x, y, {.epsilon = epsilon, .tolerance = 1e-8});
    EXPECT_NEAR(found.distance, 1.5, 1e-6) << epsilon;
    EXPECT_LE(found.min, 1.5 + 1e-12);
    EXPECT_GE(found.most, 1.5 - 1e-12);
    EXPECT_LT(entropic_distance(x, x, {.epsilon = epsilon, .tolerance = 1e-8}).distance, 1e-4);
  }
}

// Cut short, it says so, and its bracket still holds.
TEST(Entropic, CutShortStillBrackets) {
  const HostSwarm x = random_cloud({50, 2}, 1), y = random_cloud({50, 2}, 2, 0.5);
  const double exact = assignment_distance(x, y, Ground::chord).distance;
  const EntropicDistance found = entropic_distance(x, y, {.epsilon = 1e-4, .max_sweeps = 3});
  EXPECT_GT(found.margin_error, 1e-6);
  EXPECT_LE(found.min, exact);
  EXPECT_GE(found.most, exact);
}

TEST(Entropic, TakesOtherCountsAndMasses) {
  const HostSwarm x = masses_doubled_at(random_sphere({31, 2}, 1), 3),
                  y = random_sphere({47, 2}, 2);
  const double exact = circle_w2(circle_atoms(x), circle_atoms(y));
  const EntropicDistance found = entropic_distance(x, y, {.ground = Ground::arc, .epsilon = 4e-3});
  EXPECT_LE(found.min, exact + 1e-12);
  EXPECT_GE(found.most, exact - 1e-12);
  EXPECT_NEAR(found.distance, exact, 0.1 * exact);
}

// On a line a slice is the whole; on the circle so is a great circle.
TEST(Sliced, IsExactWhereSlicesAreTheWhole) {
  const HostSwarm x = random_cloud({40, 1}, 1), y = random_cloud({25, 1}, 2, 1);
  const std::vector<double> a(x.axis(0), x.axis(0) + 40), b(y.axis(0), y.axis(0) + 25);
  const SlicedDistance line = sliced_distance(x, y, {.slices = 8});
  EXPECT_NEAR(line.distance, line_distance({a}, {b}), 1e-13);
  EXPECT_LT(line.error, 1e-13);
  const HostSwarm u = masses_doubled_at(random_sphere({40, 2}, 1), 0),
                  v = random_sphere({30, 2}, 2);
  const SlicedDistance round = sliced_distance(u, v, {.ground = Ground::arc, .slices = 8});
  EXPECT_NEAR(round.distance, circle_w2(circle_atoms(u), circle_atoms(v)), 1e-12);
  EXPECT_LT(round.error, 1e-12);
}

// A translate by h in R^d is h / sqrt d away in the mean square over lines.
TEST(Sliced, OfATranslateWithinItsError) {
  const HostSwarm x = random_cloud({50, 5}, 4);
  HostSwarm y = x;
  for (int i = 0; i < 50; ++i) y.at(i, 0) += 2;
  int inside = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SlicedDistance found = sliced_distance(x, y, {.slices = 400, .seed = seed});
    inside += std::fabs(found.distance - 2 / std::sqrt(5)) < 2 * found.error ? 1 : 0;
    EXPECT_LT(found.error, 0.04);
  }
  EXPECT_GE(inside, 16);  // 19 of 20 on average
}

// On lines SW2 <= W2 / sqrt d, up to the error of the slices.
TEST(Sliced, IsSmallerThanTheDistance) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const HostSwarm x = random_sphere({60, 3}, seed), y = random_sphere({60, 3}, 90 + seed);
    const SlicedDistance found = sliced_distance(x, y, {.slices = 200, .seed = seed});
    EXPECT_LT(found.distance,
              assignment_distance(x, y, Ground::chord).distance / std::sqrt(3) + 3 * found.error);
    EXPECT_GT(found.distance, 0);
  }
  const HostSwarm x = random_sphere({60, 3}, 1);
  EXPECT_EQ(sliced_distance(x, x).distance, 0);
}

TEST(Transport, SameBitsForAnyNumberOfThreads) {
  const HostSwarm x = masses_doubled_at(random_sphere({500, 3}, 1), 7),
                  y = random_sphere({450, 3}, 2);
  const auto entropic = [&](int threads) {
    return entropic_distance(x, y, {.ground = Ground::arc, .max_sweeps = 4, .threads = threads});
  };
  const EntropicDistance one = entropic(1);
  for (const int threads : {2, 5}) {
    const EntropicDistance many = entropic(threads);
    EXPECT_EQ(one.distance, many.distance);
    EXPECT_EQ(one.min, many.min);
    EXPECT_EQ(one.most, many.most);
    for (const Ground ground : {Ground::arc, Ground::chord})
      EXPECT_EQ(
          sliced_distance(x, y, {.ground = ground, .slices = 33, .threads = 1}).distance,
          sliced_distance(x, y, {.ground = ground, .slices = 33, .threads = threads}).distance);
  }
}

TEST(Transport, WrongRequestsOfSwarmsAreRefused) {
  const HostSwarm x = random_sphere({5, 3}, 1), y = random_sphere({4, 3}, 2);
  const HostSwarm flat = random_sphere({5, 2}, 1), heavy = masses_doubled_at(x, 1);
  HostSwarm lost = x, origin = x;
  lost.at(2, 1) = std::nan("");
  for (int k = 0; k < 3; ++k) origin.at(0, k) = 0;
  const std::function<void()> wrong[] = {
      [&] { assignment_distance(x, y, Ground::arc); },
      [&] { assignment_distance(x, heavy, Ground::arc); },
      [&] { assignment_distance(x, flat, Ground::arc); },
      [&] { assignment_distance(x, lost, Ground::chord); },
      [&] { assignment_distance(x, x, Ground::chord, 4); },
      [&] {
        assignment_distance(HostSwarm({2001, 2}), HostSwarm({2001, 2}), Ground::chord);
      },
      [&] { entropic_distance(x, origin, {.ground = Ground::arc}); },
      [&] { entropic_distance(x, y, {.epsilon = 0}); },
      [&] {
        entropic_distance(HostSwarm({5000, 2}), HostSwarm({2, 2}));
      },
      [&] { sliced_distance(x, flat); },
      [&] { sliced_distance(x, y, {.slices = 1}); },
      [&] { line_distance({}, {}); },
  };
  for (const auto& act : wrong) EXPECT_EQ(fault_of(act), Fault::input);
}

// Where arcs and chords differ most: opposite points.
TEST(Transport, ArcsAndChords) {
  const HostSwarm east = circle({0}), west = circle({kPi});
  EXPECT_NEAR(assignment_distance(east, west, Ground::arc).distance, kPi, 1e-15);
  EXPECT_NEAR(assignment_distance(east, west, Ground::chord).distance, 2, 1e-15);
  const EntropicDistance found = entropic_distance(east, west, {.ground = Ground::arc});
  EXPECT_NEAR(found.distance, kPi, 1e-14);
  EXPECT_NEAR(found.min, kPi, 1e-14);
  EXPECT_NEAR(found.most, kPi, 1e-14);
}

}  // namespace
}  // namespace murmur::testing
