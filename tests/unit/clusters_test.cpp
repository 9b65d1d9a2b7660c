// clusters_test.cpp: clusters against a slow union of all close pairs, by both ways to find them.
#include "observe/clusters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "murmur/random.h"

namespace murmur {
namespace {

Draw draw(std::uint64_t seed, int particle) {
  return {.seed = seed, .particle = static_cast<std::uint32_t>(particle)};
}

void normalise(HostSwarm& x, int i, double length = 1) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
  for (int k = 0; k < x.d(); ++k) x.at(i, k) *= length / std::sqrt(square);
}

// n points around `centres` random directions at distance about `spread`; 0 centres: uniform.
HostSwarm lumpy(Shape shape, int centres, double spread, std::uint64_t seed) {
  HostSwarm x(shape);
  for (int i = 0; i < shape.n; ++i) {
    for (int k = 0; k < shape.d; ++k) {
      const auto coordinate = static_cast<std::uint16_t>(k);
      const double noise = draw(seed, i).normal(coordinate);
      x.at(i, k) =
          centres == 0 ? noise : draw(seed + 1, i % centres).normal(coordinate) + spread * noise;
    }
    normalise(x, i);
  }
  return x;
}

// The definition, pair by pair.
std::vector<int> labels_by_definition(const HostSwarm& x, Closeness closeness) {
  std::vector<int> label(static_cast<std::size_t>(x.n()));
  std::iota(label.begin(), label.end(), 0);
  for (int i = 0; i < x.n(); ++i) {
    for (int j = i + 1; j < x.n(); ++j) {
      double dot = 0, square = 0;
      for (int k = 0; k < x.d(); ++k) {
        dot += x.at(i, k) * x.at(j, k);
        square += (x.at(i, k) - x.at(j, k)) * (x.at(i, k) - x.at(j, k));
      }
      const bool close = closeness.manifold == Manifold::sphere
                             ? dot > 1 - closeness.tol
                             : square < closeness.tol * closeness.tol;
      if (!close || label[i] == label[j]) continue;
      const int keep = std::min(label[i], label[j]), lose = std::max(label[i], label[j]);
      for (int& l : label) l = l == lose ? keep : l;
    }
  }
  std::vector<int> number(label.size(), -1);
  int count = 0;
  for (int& l : label) {
    if (number[l] < 0) number[l] = count++;
    l = number[l];
  }
  return label;
}

void expect_both_right(const HostSwarm& x, Closeness closeness) {
  const std::vector<int> expected = labels_by_definition(x, closeness);
  for (const Clusters& found : {clusters_directly(x, closeness), clusters_by_cells(x, closeness)}) {
    ASSERT_EQ(found.label, expected);
    std::vector<int> size(static_cast<std::size_t>(found.count));
    std::vector<double> mass(size.size());
    for (int i = 0; i < x.n(); ++i) {
      ASSERT_LT(expected[i], found.count);
      ++size[expected[i]];
      mass[expected[i]] += x.mass[i];
    }
    EXPECT_EQ(found.size, size);
    EXPECT_EQ(found.mass, mass);
  }
}

TEST(Clusters, BothWaysAgreeWithTheDefinition) {
  std::uint64_t seed = 1;
  for (const Manifold manifold : {Manifold::sphere, Manifold::space}) {
    for (const int d : {1, 2, 3, 4, 7, 40}) {
      for (const int n : {1, 2, 33, 300, 700}) {
        for (const double tol : {1e-9, 1e-4, 1e-2, 0.2, 1.0, 3.0}) {
          for (const double spread : {0.0, 0.003, 0.1}) {
            SCOPED_TRACE(testing::Message() << "d " << d << " n " << n << " tol " << tol
                                            << " spread " << spread << " seed " << seed);
            const int centres = spread == 0 ? (n % 2) * 5 : 6;
            expect_both_right(lumpy({n, d}, centres, spread, seed++), {manifold, tol});
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Clusters, NormsThatDriftStillGetTheExactAnswer) {
  for (const double drift : {1e-7, 3e-4, 2e-3, 0.1}) {
    for (const int d : {2, 3, 5}) {
      HostSwarm x = lumpy({400, d}, 7, 0.02, 99);
      for (int i = 0; i < x.n(); ++i) normalise(x, i, 1 + drift * std::sin(i));
      for (const double tol : {1e-4, 1e-3, 1e-2}) expect_both_right(x, {Manifold::sphere, tol});
      for (int i = 0; i < x.n(); ++i) normalise(x, i, 1 - 0.02);
      for (const double tol : {1e-3, 0.05}) expect_both_right(x, {Manifold::sphere, tol});
    }
  }
}

// Short particles count as farther apart than their chord says: 40 around a circle of radius 0.98
// are linked to nobody at a tolerance for which unit ones would be.
TEST(Clusters, ShortParticlesAreFartherApart) {
  for (const int d : {2, 3}) {
    HostSwarm x(Shape{40, d});
    for (int i = 0; i < 40; ++i) {
      x.at(i, 0) = 0.98 * std::cos(0.05 * std::numbers::pi * i);
      x.at(i, 1) = 0.98 * std::sin(0.05 * std::numbers::pi * i);
    }
    expect_both_right(x, {Manifold::sphere, 0.05});
    EXPECT_EQ(clusters_by_cells(x, {Manifold::sphere, 0.05}).count, 40);
    for (int i = 0; i < 40; ++i) normalise(x, i);
    EXPECT_EQ(clusters_by_cells(x, {Manifold::sphere, 0.05}).count, 1);
  }
}

// Grid points exactly one tolerance apart are not linked; a hair less and they all are.
TEST(Clusters, TheBoundaryIsStrict) {
  HostSwarm x(Shape{125, 3});
  for (int i = 0; i < 125; ++i) {
    x.at(i, 0) = i / 25 * 0.25;
    x.at(i, 1) = i / 5 % 5 * 0.25;
    x.at(i, 2) = i % 5 * 0.25;
  }
  expect_both_right(x, {Manifold::space, 0.25});
  EXPECT_EQ(clusters(x, Manifold::space, 0.25).count, 125);
  EXPECT_EQ(clusters(x, Manifold::space, std::nextafter(0.25, 1)).count, 1);
}

TEST(Clusters, AChainIsOneCluster) {
  for (const int n : {100, 5000}) {
    HostSwarm x(Shape{n, 2});
    const double step = 6.0 / n;
    for (int i = 0; i < n; ++i) {
      x.at(i, 0) = std::cos(step * i);
      x.at(i, 1) = std::sin(step * i);
    }
    const double gap = 1 - std::cos(step);
    EXPECT_EQ(clusters(x, Manifold::sphere, 1.01 * gap).count, 1);
    EXPECT_EQ(clusters(x, Manifold::sphere, 0.99 * gap).count, n);
  }
}

TEST(Clusters, AreNumberedByFirstMemberAndKeepMasses) {
  HostSwarm x(Shape{5, 2});
  for (const int i : {0, 3, 4}) x.at(i, 1) = 1;
  x.at(1, 0) = x.at(2, 1) = -1;
  x.mass = {0.1, 0.2, 0.3, 0.15, 0.25};
  const Clusters found = clusters(x, Manifold::sphere);
  EXPECT_EQ(found.count, 3);
  EXPECT_EQ(found.label, (std::vector<int>{0, 1, 2, 0, 0}));
  EXPECT_EQ(found.size, (std::vector<int>{3, 1, 1}));
  EXPECT_DOUBLE_EQ(found.mass[0], 0.5);
  EXPECT_DOUBLE_EQ(found.mass[1], 0.2);
  EXPECT_DOUBLE_EQ(found.mass[2], 0.3);
}

// The default tolerance is a chain of cosines above 0.999: kinetic.py's five points are apart.
TEST(Clusters, FivePointsOfTheKineticExample) {
  const double rows[] = {.99806638, .06215705,  .97712061, .21268594,  -.24578194,
                         .96932515, -.97354734, .2284854,  -.99892629, -.04632772};
  EXPECT_EQ(clusters(from_rows({5, 2}, rows), Manifold::sphere).count, 5);
}

// A million particles, in one point, in a ball of a few tolerances, and on two close points: none
// of it may cost n^2, which would take hours.
TEST(Clusters, DegenerateMillionsAreQuick) {
  const std::clock_t begin = std::clock();  // processor time: a busy machine does not change it
  const int n = 1'000'000;
  HostSwarm x(Shape{n, 3});
  for (int i = 0; i < n; ++i) x.at(i, 2) = 1;
  EXPECT_EQ(clusters(x, Manifold::sphere).count, 1);
  for (const double size : {0.02, 0.05, 0.2}) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 2; ++k) {
        x.at(i, k) = size * (draw(5, i).uniform(static_cast<std::uint16_t>(k)) - 0.5);
      }
      x.at(i, 2) = 1;
      normalise(x, i);
    }
    EXPECT_EQ(clusters(x, Manifold::sphere).count, 1);
  }
  for (int i = 0; i < n; ++i) {
    x.at(i, 0) = i % 2 == 0 ? 0.0 : 0.05;
    x.at(i, 1) = 0;
    x.at(i, 2) = 1;
    normalise(x, i);
  }
  EXPECT_EQ(clusters(x, Manifold::sphere).count, 2);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 60);
}

TEST(Clusters, RefusesWhatHasNoAnswer) {
  HostSwarm x(Shape{3, 2});
  for (const double tol : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(clusters(x, Manifold::space, tol), Error);
  }
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e200}) {
    x.at(1, 1) = bad;
    EXPECT_THROW(clusters(x, Manifold::space), Error);
  }
}

// 1000 particles around the circle are one component, as wide as can be; three heaps are not.
TEST(Clusters, ChainsAreTold) {
  const Dynamics dynamics{};
  HostSwarm x(Shape{1000, 2});
  for (int i = 0; i < x.n(); ++i) {
    const double angle = 2 * std::numbers::pi * i / x.n();
    x.at(i, 0) = std::cos(angle);
    x.at(i, 1) = std::sin(angle);
  }
  const ClusterCounts chain = count_clusters(x, dynamics);
  EXPECT_EQ(chain.count, 1);
  EXPECT_TRUE(chain.chained);
  EXPECT_EQ(chain.coarser, 1);
  EXPECT_EQ(count_clusters(x, dynamics, 1e-4).finer, 1000);  // 1 - cos of neighbours is 2e-5
  for (int i = 0; i < x.n(); ++i) {
    const double angle = 2 * (i % 3) + 0.01 * std::sin(i);
    x.at(i, 0) = std::cos(angle);
    x.at(i, 1) = std::sin(angle);
  }
  const ClusterCounts heaps = count_clusters(x, dynamics);
  EXPECT_EQ(heaps.count, 3);
  EXPECT_EQ(heaps.finer, 3);
  EXPECT_EQ(heaps.coarser, 3);
  EXPECT_FALSE(heaps.chained);
  EXPECT_NEAR(heaps.width, 5e-5, 1e-6);  // 0.01^2 / 2
}

TEST(Clusters, OfNobodyAreNone) {
  EXPECT_EQ(clusters(HostSwarm(Shape{0, 3}), Manifold::sphere).count, 0);
}

}  // namespace
}  // namespace murmur
