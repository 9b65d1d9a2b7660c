// observables_test.cpp: observables against closed forms, and their symmetries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "murmur/observe.h"
#include "murmur/random.h"

namespace murmur {
namespace {

constexpr double pi = std::numbers::pi;

Dynamics one(Attention head, Manifold manifold = Manifold::sphere) {
  return {.manifold = manifold, .sublayers = {Sublayer{{std::move(head)}}}};
}

double value(const HostSwarm& x, const Dynamics& dynamics, const std::string& name,
             const ObserveSettings& settings = {}) {
  const std::vector<std::string> names = observable_names(dynamics);
  const auto at = std::find(names.begin(), names.end(), name) - names.begin();
  return observe(x, dynamics, settings).at(static_cast<std::size_t>(at));
}

HostSwarm polygon(int n) {
  HostSwarm x(Shape{n, 2});
  for (int i = 0; i < n; ++i) {
    x.at(i, 0) = std::cos(2 * pi * i / n);
    x.at(i, 1) = std::sin(2 * pi * i / n);
  }
  return x;
}

HostSwarm frame(int n, int d) {
  HostSwarm x(Shape{n, d});
  for (int i = 0; i < std::min(n, d); ++i) x.at(i, i) = 1;
  return x;
}

HostSwarm uniform(Shape shape, std::uint64_t seed) {
  HostSwarm x(shape);
  for (int i = 0; i < shape.n; ++i) {
    const Draw draw{.seed = seed, .particle = static_cast<std::uint32_t>(i)};
    double square = 0;
    for (int k = 0; k < shape.d; ++k) {
      x.at(i, k) = draw.normal(static_cast<std::uint16_t>(k));
      square += x.at(i, k) * x.at(i, k);
    }
    for (int k = 0; k < shape.d; ++k) x.at(i, k) /= std::sqrt(square);
  }
  return x;
}

// The trapezoid rule is exact up to I_n(beta): a polygon has the energy of the uniform circle,
// I_0(beta) / (2 beta).
TEST(ObservedEnergy, OfTheUniformCircle) {
  EXPECT_NEAR(value(polygon(64), one({.beta = 1}), "energy"), 0.633033, 5e-7);
  EXPECT_NEAR(value(polygon(64), one({.beta = 5}), "energy"), 2.723987, 5e-7);
  for (const double beta : {0.3, 1.0, 5.0, 9.0}) {
    const double exact = std::cyl_bessel_i(0, beta) / (2 * beta);
    EXPECT_NEAR(value(polygon(101), one({.beta = beta}), "energy"), exact, 1e-13 * exact);
  }
}

// A Fibonacci lattice has the energy of the uniform sphere, sinh(beta) / (2 beta^2), up to O(1/n).
TEST(ObservedEnergy, OfTheUniformSphere) {
  const int n = 4000;
  HostSwarm x(Shape{n, 3});
  for (int i = 0; i < n; ++i) {
    const double z = 1 - (2 * i + 1.0) / n, r = std::sqrt(1 - z * z);
    const double angle = 2 * pi * i / std::numbers::phi;
    x.at(i, 0) = r * std::cos(angle);
    x.at(i, 1) = r * std::sin(angle);
    x.at(i, 2) = z;
  }
  EXPECT_NEAR(value(x, one({.beta = 1}), "energy"), 0.587601, 1e-5);
  EXPECT_NEAR(value(x, one({.beta = 5}), "energy"), 1.484064, 1e-5);
  for (const double beta : {1.0, 5.0}) {
    const double exact = std::sinh(beta) / (2 * beta * beta);
    EXPECT_NEAR(value(x, one({.beta = beta}), "energy"), exact, 1e-5 * exact);
  }
}

TEST(ObservedCollapse, AtOnePoint) {
  for (const int d : {2, 3, 10}) {
    for (const double beta : {0.5, 4.0, 30.0}) {
      HostSwarm x(Shape{37, d});
      for (int i = 0; i < 37; ++i) x.at(i, 0) = 0.6, x.at(i, 1) = 0.8;
      const Dynamics dynamics = one({.beta = beta});
      const double top = std::exp(beta) / (2 * beta);
      EXPECT_NEAR(value(x, dynamics, "energy"), top, 1e-14 * top);
      EXPECT_NEAR(value(x, dynamics, "energy_scaled"), 1, 1e-14);
      EXPECT_NEAR(value(x, dynamics, "order"), 1, 1e-14);
      EXPECT_NEAR(value(x, dynamics, "effective_rank"), 1, 1e-14);
      EXPECT_NEAR(value(x, dynamics, "attention_entropy"), std::log(37), 1e-13);
      EXPECT_EQ(value(x, dynamics, "clusters"), 1);
      EXPECT_NEAR(value(x, dynamics, "largest_cluster"), 1, 1e-14);
      EXPECT_EQ(value(x, dynamics, "close_pairs"), 1);
    }
  }
}

// 2 beta e^{-beta} E = sum_q m_q^2 for clusters far apart.
TEST(ObservedCollapse, FarClustersShowTheirMasses) {
  HostSwarm x = frame(4, 4);
  x.mass = {0.1, 0.2, 0.3, 0.4};
  const Dynamics dynamics = one({.beta = 60});
  EXPECT_NEAR(value(x, dynamics, "energy_scaled"), 0.3, 1e-15);
  EXPECT_NEAR(value(x, dynamics, "energy") * 120 * std::exp(-60), 0.3, 1e-14);
  EXPECT_EQ(value(x, dynamics, "clusters"), 4);
  EXPECT_EQ(value(x, dynamics, "largest_cluster"), 0.4);
  EXPECT_NEAR(value(x, dynamics, "attention_entropy"), 0, 1e-20);
}

// Weights e^beta for oneself and 1 for the n - 1 others.
TEST(ObservedFrame, OrthonormalParticles) {
  for (const int n : {2, 5, 16}) {
    for (const double beta : {0.0, 1.0, 4.0}) {
      const HostSwarm x = frame(n, n + 3);
      const Dynamics dynamics = one({.beta = beta});
      EXPECT_EQ(value(x, dynamics, "mean_cos"), 0);
      EXPECT_EQ(value(x, dynamics, "min_cos"), 0);
      EXPECT_EQ(value(x, dynamics, "max_cos"), 0);
      EXPECT_EQ(value(x, dynamics, "close_pairs"), 0);
      EXPECT_NEAR(value(x, dynamics, "order"), 1 / std::sqrt(n), 1e-15);
      EXPECT_NEAR(value(x, dynamics, "effective_rank"), n, 1e-13 * n);
      const double z = std::exp(beta) + n - 1;
      EXPECT_NEAR(value(x, dynamics, "attention_entropy"), std::log(z) - beta * std::exp(beta) / z,
                  1e-14);
      const double scaled = (1 + (n - 1) * std::exp(-beta)) / n;
      EXPECT_NEAR(value(x, dynamics, "energy_scaled"), scaled, 1e-15);
    }
  }
}

TEST(ObservedFrame, AntipodalPair) {
  HostSwarm x = frame(2, 3);
  x.at(1, 1) = 0;
  x.at(1, 0) = -1;
  const Dynamics dynamics = one({.beta = 2});
  EXPECT_EQ(value(x, dynamics, "order"), 0);
  EXPECT_EQ(value(x, dynamics, "mean_cos"), -1);
  EXPECT_EQ(value(x, dynamics, "clusters"), 2);
  EXPECT_NEAR(value(x, dynamics, "effective_rank"), 1, 1e-15);
  EXPECT_NEAR(value(x, dynamics, "energy"), std::cosh(2) / 4, 1e-15);
  EXPECT_NEAR(value(x, dynamics, "energy_scaled"), (1 + std::exp(-4)) / 2, 1e-15);
}

// Singular values 2, 1, 1: p = 1/2, 1/4, 1/4 and the entropy is 1.5 ln 2.
TEST(ObservedRank, OfUnequalSingularValues) {
  HostSwarm x(Shape{6, 4});
  for (int i = 0; i < 4; ++i) x.at(i, 2) = 1;
  x.at(4, 0) = x.at(5, 3) = -1;
  EXPECT_NEAR(value(x, one({}), "effective_rank"), std::pow(2, 1.5), 1e-14);
  const HostSwarm circle = polygon(12);
  EXPECT_NEAR(value(circle, one({}), "effective_rank"), 2, 1e-14);
}

// m_q n copies of a particle are one particle of mass m_q.
TEST(ObservedMasses, StandForCopies) {
  const std::vector<int> copies = {1, 3, 2, 4};
  HostSwarm few = uniform({4, 3}, 3), many(Shape{10, 3});
  for (int q = 0, i = 0; q < 4; ++q) {
    few.mass[q] = copies[q] / 10.0;
    for (int c = 0; c < copies[q]; ++c, ++i) {
      for (int k = 0; k < 3; ++k) many.at(i, k) = few.at(q, k);
    }
  }
  const Dynamics dynamics = one({.beta = 3});
  for (const char* name : {"energy", "energy_scaled", "order", "clusters", "largest_cluster"}) {
    EXPECT_NEAR(value(few, dynamics, name), value(many, dynamics, name), 1e-14) << name;
  }
}

// Three particles by hand: row 1 sees itself, row 2 two, row 3 all three.
TEST(ObservedEntropy, CausalByHand) {
  HostSwarm x = frame(3, 2);
  x.at(2, 0) = x.at(2, 1) = std::sqrt(0.5);
  x.mass = {0.5, 0.25, 0.25};
  const auto entropy = [](std::vector<double> w) {
    double z = 0, h = 0;
    for (const double v : w) z += v;
    for (const double v : w) h -= v / z * std::log(v / z);
    return h;
  };
  const double e2 = std::exp(2), mid = std::exp(2 * std::sqrt(0.5));
  const double row2 = entropy({0.5, 0.25 * e2}), row3 = entropy({0.5 * mid, 0.25 * mid, 0.25 * e2});
  Attention head{.beta = 2, .mask = Attention::causal};
  EXPECT_NEAR(value(x, one(head), "attention_entropy"), (0 + row2 + row3) / 3, 1e-15);
  head.self = false;  // row 1 sees nobody and does not count
  EXPECT_NEAR(value(x, one(head), "attention_entropy"), (0 + entropy({0.5, 0.25})) / 2, 1e-15);
  head.mask = Attention::none;
  const double row1 = entropy({0.25, 0.25 * mid}), row2b = entropy({0.5, 0.25 * mid});
  EXPECT_NEAR(value(x, one(head), "attention_entropy"), (row1 + row2b + entropy({0.5, 0.25})) / 3,
              1e-15);
}

// Queries, keys and biases against the plain definition; two heads give the mean.
TEST(ObservedEntropy, WithMatricesAndBiases) {
  const HostSwarm x = uniform({60, 3}, 4);
  Attention head{.beta = 1.7};
  head.query = {2, 3, {1, -2, 0.5, 0.3, 1, 1}};
  head.key = {2, 3, {0.2, 1, -1, 2, 0, 0.7}};
  head.query_bias = {0.5, -1};
  head.key_bias = {2, 0.25};
  double total = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<double> w(60);
    double z = 0, h = 0;
    for (int j = 0; j < 60; ++j) {
      double score = 0;
      for (int r = 0; r < 2; ++r) {
        double q = head.query_bias[r], k = head.key_bias[r];
        for (int c = 0; c < 3; ++c) {
          q += head.query(r, c) * x.at(i, c);
          k += head.key(r, c) * x.at(j, c);
        }
        score += q * k;
      }
      z += w[j] = std::exp(1.7 * score);
    }
    for (const double v : w) h -= v / z * std::log(v / z);
    total += h / 60;
  }
  EXPECT_NEAR(value(x, one(head), "attention_entropy"), total, 1e-13);
  const Dynamics two{.sublayers = {Sublayer{{head}}, Sublayer{{Attention{.beta = 0}}}}};
  EXPECT_NEAR(value(x, two, "attention_entropy"), (total + std::log(60)) / 2, 1e-13);
  head.weighting = Attention::unnormalised;
  EXPECT_NEAR(value(x, one(head), "attention_entropy"), total, 1e-13);
}

// Turns by `angle` in each of the planes (k, k + 1) after the other.
HostSwarm rotated(HostSwarm x, double angle) {
  for (int k = 0; k + 1 < x.d(); ++k) {
    for (int i = 0; i < x.n(); ++i) {
      const double a = x.at(i, k), b = x.at(i, k + 1);
      x.at(i, k) = std::cos(angle) * a - std::sin(angle) * b;
      x.at(i, k + 1) = std::sin(angle) * a + std::cos(angle) * b;
    }
  }
  return x;
}

HostSwarm reversed(const HostSwarm& x) {
  HostSwarm y(x.shape());
  for (int i = 0; i < x.n(); ++i) {
    y.mass[i] = x.mass[x.n() - 1 - i];
    for (int k = 0; k < x.d(); ++k) y.at(i, k) = x.at(x.n() - 1 - i, k);
  }
  return y;
}

TEST(ObservedSymmetry, NeitherNamesNorAxesMatter) {
  for (const Manifold manifold : {Manifold::sphere, Manifold::space}) {
    for (const Shape shape : {Shape{50, 2}, Shape{333, 3}, Shape{20, 31}}) {
      HostSwarm x = uniform(shape, 6);
      double total = 0;
      for (int i = 0; i < shape.n; ++i) total += x.mass[i] = 1 + i % 7;
      for (double& m : x.mass) m /= total;
      const Dynamics dynamics = one({.beta = 3}, manifold);
      const ObserveSettings settings{.cluster_tol = 0.01, .pair_threshold = 0.5};
      const std::vector<double> row = observe(x, dynamics, settings);
      for (const HostSwarm& same : {reversed(x), rotated(x, 0.7), rotated(reversed(x), 2.1)}) {
        const std::vector<double> other = observe(same, dynamics, settings);
        for (std::size_t c = 0; c < row.size(); ++c) {
          EXPECT_NEAR(row[c], other[c], 1e-12 * (1 + std::abs(row[c])))
              << observable_names(dynamics)[c];
        }
      }
    }
  }
}

}  // namespace
}  // namespace murmur
