// observe_test.cpp: which observables a dynamics has, and that threads and samples do not lie.
#include "murmur/observe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur {
namespace {

using Names = std::vector<std::string>;

Dynamics one(Attention head, Manifold manifold = Manifold::sphere) {
  return {.manifold = manifold, .sublayers = {Sublayer{{std::move(head)}}}};
}

bool has(const Dynamics& dynamics, const std::string& name) {
  const Names names = observable_names(dynamics);
  return std::find(names.begin(), names.end(), name) != names.end();
}

double value(const HostSwarm& x, const Dynamics& dynamics, const std::string& name,
             const ObserveSettings& settings = {}) {
  const Names names = observable_names(dynamics);
  const auto at = std::find(names.begin(), names.end(), name) - names.begin();
  return observe(x, dynamics, settings).at(static_cast<std::size_t>(at));
}

HostSwarm random_swarm(Shape shape, std::uint64_t seed, bool sphere = true) {
  HostSwarm x(shape);
  double total = 0;
  for (int i = 0; i < shape.n; ++i) {
    const Draw draw{.seed = seed, .particle = static_cast<std::uint32_t>(i)};
    double square = 0;
    for (int k = 0; k < shape.d; ++k) {
      x.at(i, k) = draw.normal(static_cast<std::uint16_t>(k));
      square += x.at(i, k) * x.at(i, k);
    }
    for (int k = 0; k < shape.d && sphere; ++k) x.at(i, k) /= std::sqrt(square);
    x.mass[i] = 0.5 + draw.uniform(1000);
    total += x.mass[i];
  }
  for (double& m : x.mass) m /= total;
  return x;
}

Matrix random_matrix(int rows, int cols, std::uint64_t seed) {
  Matrix m = zeros(rows, cols);
  const Draw draw{.seed = seed, .stream = Stream::query};
  for (std::size_t e = 0; e < m.data.size(); ++e) {
    m.data[e] = draw.normal(static_cast<std::uint16_t>(e));
  }
  return m;
}

Attention matrices(Matrix query, Matrix key, Matrix value) {
  Attention head;
  head.query = std::move(query);
  head.key = std::move(key);
  head.value = std::move(value);
  return head;
}

Matrix symmetric(int d, std::uint64_t seed) {
  Matrix m = random_matrix(d, d, seed);
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < i; ++j) m(i, j) = m(j, i);
  }
  return m;
}

TEST(ObservableTable, ListsColumnsInOrder) {
  Names names;
  for (const Observable& o : observables()) {
    names.emplace_back(o.name);
    EXPECT_GT(std::string(o.symbol).size(), 0U);
    EXPECT_GT(std::string(o.meaning).size(), 10U);
  }
  const Names expected = {"energy",      "energy_scaled", "clusters",          "largest_cluster",
                          "order",       "mean_cos",      "min_cos",           "max_cos",
                          "close_pairs", "norm_drift",    "attention_entropy", "effective_rank",
                          "cluster_tol", "pairs"};
  EXPECT_EQ(observable_names(one({.beta = 4})), expected);
  Names every = expected;  // and what R^d alone has
  every.insert(std::find(every.begin(), every.end(), "attention_entropy"), "radius");
  EXPECT_EQ(names, every);
}

TEST(ObservableTable, LeavesOutWhatADynamicsHasNot) {
  const Dynamics space = one({.beta = 1}, Manifold::space);
  EXPECT_TRUE(has(space, "energy"));
  EXPECT_FALSE(has(space, "energy_scaled"));
  EXPECT_FALSE(has(space, "norm_drift"));
  EXPECT_TRUE(has(space, "radius"));
  const Dynamics alone{.sublayers = {Sublayer{{Perceptron{}}}}};
  EXPECT_FALSE(has(alone, "energy"));
  EXPECT_FALSE(has(alone, "energy_scaled"));
  EXPECT_FALSE(has(alone, "attention_entropy"));
  EXPECT_TRUE(has(alone, "norm_drift"));
  for (const Dynamics& dynamics : {space, alone, one({.beta = 0})}) {
    EXPECT_EQ(observe(random_swarm({5, 3}, 1), dynamics, {}).size(),
              observable_names(dynamics).size());
  }
}

TEST(ObservableTable, EnergyNeedsAGradientForce) {
  const Matrix d = symmetric(3, 1), skew = random_matrix(3, 3, 2), minus = scaled_identity(3, -1);
  Matrix minus_d = d, near_d = d, off_d = d;
  for (double& entry : minus_d.data) entry = -entry;
  near_d(0, 1) *= 1 + 1e-14;
  off_d(0, 1) *= 1 + 1e-9;
  const Matrix identity = scaled_identity(3, 1), none;
  EXPECT_TRUE(has(one({.beta = 4}), "energy"));
  EXPECT_TRUE(has(one({.beta = 4, .weighting = Attention::unnormalised}), "energy"));
  EXPECT_TRUE(has(one(matrices(none, none, minus)), "energy"));
  EXPECT_TRUE(has(one(matrices(identity, none, identity)), "energy"));
  EXPECT_TRUE(has(one(matrices(none, d, d)), "energy"));
  EXPECT_TRUE(has(one(matrices(d, none, minus_d)), "energy"));
  EXPECT_TRUE(has(one(matrices(none, d, near_d)), "energy"));
  Attention biased;
  biased.query_bias = {0, 0, 0};
  EXPECT_TRUE(has(one(biased), "energy"));
  biased.query_bias = {0, 1, 0};
  EXPECT_FALSE(has(one(biased), "energy"));

  EXPECT_FALSE(has(one({.beta = 0}), "energy"));
  EXPECT_FALSE(has(one(matrices(none, d, none)), "energy"));
  EXPECT_FALSE(has(one(matrices(none, d, off_d)), "energy"));
  EXPECT_FALSE(has(one(matrices(none, skew, skew)), "energy"));
  EXPECT_FALSE(has(one(matrices(none, none, scaled_identity(3, 2))), "energy"));
  EXPECT_FALSE(has(one({.beta = 1, .relative = true}), "energy"));
  EXPECT_FALSE(has(one({.beta = 1, .mask = Attention::causal}), "energy"));
  EXPECT_FALSE(has({.sublayers = {Sublayer{{Attention{}, Attention{}}}}}, "energy"));
  EXPECT_FALSE(has({.sublayers = {Sublayer{{Attention{}}}, Sublayer{{Perceptron{}}}}}, "energy"));
}

TEST(Measure, EnergyWithAMatrixIsTheDoubleSum) {
  const Matrix d = symmetric(4, 3);
  for (const Manifold manifold : {Manifold::sphere, Manifold::space}) {
    const HostSwarm x = random_swarm({70, 4}, 5, manifold == Manifold::sphere);
    for (const bool identity : {true, false}) {
      double sum = 0;
      for (int i = 0; i < x.n(); ++i) {
        for (int j = 0; j < x.n(); ++j) {
          double score = 0;
          for (int k = 0; k < 4; ++k) {
            for (int l = 0; l < 4; ++l) {
              score += x.at(i, k) * (identity ? (k == l ? 1 : 0) : d(k, l)) * x.at(j, l);
            }
          }
          sum += x.mass[i] * x.mass[j] * std::exp(0.7 * score);
        }
      }
      Attention head = identity ? Attention{} : matrices(d, {}, d);
      head.beta = 0.7;
      EXPECT_NEAR(value(x, one(head, manifold), "energy"), sum / 1.4, 1e-12 * sum);
    }
  }
}

TEST(Measure, ThreadsNeverShow) {
  const Matrix d = symmetric(3, 4);
  const Attention tall = matrices(random_matrix(2, 3, 5), random_matrix(2, 3, 6), {});
  const Attention causal{.beta = 1, .mask = Attention::causal};
  const Dynamics many{.sublayers = {Sublayer{{tall, causal}}}};
  const HostSwarm x = random_swarm({1500, 3}, 7);
  for (const int max_exact : {20'000, 100}) {
    for (const Dynamics& dynamics : {many, one(matrices({}, d, d)), one({.beta = 9})}) {
      ObserveSettings settings{.max_exact = max_exact, .sample_pairs = 300'000, .threads = 1};
      const std::vector<double> serial = observe(x, dynamics, settings);
      for (const int threads : {2, 3, 7, 0}) {
        settings.threads = threads;
        const std::vector<double> row = observe(x, dynamics, settings);
        ASSERT_EQ(row.size(), serial.size());
        for (std::size_t c = 0; c < row.size(); ++c) {
          EXPECT_EQ(std::bit_cast<std::uint64_t>(row[c]), std::bit_cast<std::uint64_t>(serial[c]));
        }
      }
    }
  }
}

// Standard errors of 4e5 pairs: 0.6 / 600 for cosines, energies below that; a row in a thousand of
// entropies varies little. Five of them is the bound.
TEST(Measure, SamplesAgreeWithAllPairs) {
  const Dynamics dynamics = one({.beta = 2});
  const HostSwarm x = random_swarm({3000, 3}, 8);
  const ObserveSettings all{.pair_threshold = 0.9};
  const ObserveSettings some{
      .pair_threshold = 0.9, .seed = 3, .max_exact = 1000, .sample_pairs = 400'000};
  const auto off = [&](const char* name) {
    return std::abs(value(x, dynamics, name, some) - value(x, dynamics, name, all));
  };
  EXPECT_LT(off("mean_cos"), 5e-3);
  EXPECT_LT(off("close_pairs"), 2e-3);
  EXPECT_LT(off("energy_scaled"), 3e-3);
  EXPECT_LT(off("energy"), 3e-3 * std::exp(2) / 4);
  EXPECT_LT(off("attention_entropy"), 1e-2);
  EXPECT_LT(off("max_cos"), 1e-3);
  EXPECT_LT(off("min_cos"), 1e-3);
  EXPECT_GT(off("mean_cos"), 0);
  EXPECT_EQ(off("clusters"), 0);
  EXPECT_EQ(off("order"), 0);
  EXPECT_EQ(value(x, dynamics, "pairs", some), 400'000);
  EXPECT_EQ(value(x, dynamics, "pairs", all), 3000.0 * 2999 / 2);

  ObserveSettings other = some;
  other.seed = 4;
  EXPECT_EQ(observe(x, dynamics, some), observe(x, dynamics, some));
  EXPECT_NE(value(x, dynamics, "mean_cos", some), value(x, dynamics, "mean_cos", other));
}

TEST(Measure, SamplesOfEqualScoresAreExact) {
  HostSwarm x = random_swarm({200, 3}, 12);
  for (int i = 0; i < 200; ++i) {
    x.at(i, 0) = 1;
    x.at(i, 1) = x.at(i, 2) = 0;
  }
  const ObserveSettings some{.max_exact = 10, .sample_pairs = 500};
  EXPECT_NEAR(value(x, one({.beta = 3}), "energy_scaled", some), 1, 1e-14);
  EXPECT_EQ(value(x, one({.beta = 3}), "mean_cos", some), 1);
}

TEST(Measure, ALoneParticleHasNoPairs) {
  HostSwarm x(Shape{1, 3});
  x.at(0, 1) = 1;
  const Dynamics dynamics = one({.beta = 2});
  for (const ObserveSettings& settings : {ObserveSettings{}, ObserveSettings{.max_exact = 0}}) {
    for (const char* name : {"mean_cos", "min_cos", "max_cos", "close_pairs"}) {
      EXPECT_TRUE(std::isnan(value(x, dynamics, name, settings))) << name;
    }
    EXPECT_NEAR(value(x, dynamics, "energy", settings), std::exp(2) / 4, 1e-15);
    EXPECT_EQ(value(x, dynamics, "energy_scaled", settings), 1);
    EXPECT_EQ(value(x, dynamics, "clusters", settings), 1);
    EXPECT_EQ(value(x, dynamics, "pairs", settings), 0);
    EXPECT_EQ(value(x, dynamics, "attention_entropy", settings), 0);
  }
  EXPECT_TRUE(std::isnan(value(x, one({.beta = 2, .self = false}), "attention_entropy")));
}

TEST(Measure, OverflowAndBrokenFramesAreEmptyCells) {
  const HostSwarm x = random_swarm({50, 3}, 9);
  EXPECT_TRUE(std::isnan(value(x, one({.beta = 720}), "energy")));
  EXPECT_TRUE(std::isfinite(value(x, one({.beta = 720}), "energy_scaled")));
  EXPECT_TRUE(std::isfinite(value(x, one({.beta = 1e6}), "attention_entropy")));
  EXPECT_TRUE(std::isfinite(value(x, one({.beta = 700}), "energy")));

  HostSwarm broken = x;
  broken.at(7, 1) = std::numeric_limits<double>::quiet_NaN();
  const Dynamics dynamics = one({.beta = 2});
  for (const std::string& name : observable_names(dynamics)) {
    EXPECT_EQ(std::isnan(value(broken, dynamics, name)), name != "cluster_tol") << name;
  }
}

TEST(Measure, CosinesInSpaceForgetLengths) {
  const Dynamics space = one({.beta = 1}, Manifold::space);
  const double rows[] = {3, 0, 0, 5, -2, 0, 0.5, 0.5};
  const HostSwarm x = from_rows({4, 2}, rows);
  EXPECT_DOUBLE_EQ(value(x, space, "min_cos"), -1);
  EXPECT_DOUBLE_EQ(value(x, space, "max_cos"), std::sqrt(0.5));
  EXPECT_NEAR(value(x, space, "mean_cos"), (-1 + std::sqrt(0.5)) / 6, 1e-15);
}

TEST(Measure, NormDriftIsTheWorst) {
  HostSwarm x = random_swarm({20, 5}, 10);
  EXPECT_LT(value(x, one({}), "norm_drift"), 1e-15);
  for (int k = 0; k < 5; ++k) x.at(4, k) *= 0.75;
  for (int k = 0; k < 5; ++k) x.at(9, k) *= 1.125;
  EXPECT_NEAR(value(x, one({}), "norm_drift"), 0.25, 1e-15);
}

TEST(Measure, RefusesSettingsOutOfRange) {
  const HostSwarm x = random_swarm({3, 2}, 11);
  EXPECT_THROW(observe(x, one({}), {.cluster_tol = 0}), Error);
  EXPECT_THROW(observe(x, one({}), {.sample_pairs = 0}), Error);
  EXPECT_THROW(observe(x, one({}), {.max_exact = -1}), Error);
}

}  // namespace
}  // namespace murmur
