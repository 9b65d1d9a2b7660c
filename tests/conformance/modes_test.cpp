// modes_test.cpp: powers in the harmonics of each degree, through moments, within their bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "contenders.h"
#include "engine/moments/head_sums.h"
#include "murmur/observe.h"

namespace murmur::testing {
namespace {

using Long = long double;

// sum_ij m_i m_j C_k(x_i . x_j) / C_k(1) of the directions, with Gegenbauer's index of dimension d.
std::vector<Long> exact_powers(const HostSwarm& x, int modes, int d) {
  const Long nu = d / 2.0L - 1;
  std::vector<Long> length(x.n()), power(modes + 1);
  for (int i = 0; i < x.n(); ++i) {
    for (int k = 0; k < x.d(); ++k) length[i] += Long{x.at(i, k)} * x.at(i, k);
    length[i] = std::sqrt(length[i]);
  }
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j <= i; ++j) {
      Long c = 0;
      for (int k = 0; k < x.d(); ++k) c += Long{x.at(i, k)} * x.at(j, k);
      c /= length[i] * length[j];
      const Long weight = (i == j ? 1 : 2) * Long{x.mass[i]} * x.mass[j];
      Long before = 1, now = c;
      power[0] += weight;
      for (int k = 1; k <= modes; ++k) {
        power[k] += weight * now;
        before = std::exchange(now, (2 * (k + nu) * c * now - k * before) / (2 * nu + k));
      }
    }
  return power;
}

// Spread evenly, gathered, or doubled and opposite; lengths of all kinds, masses over six decades.
HostSwarm swarm(Shape shape, int kind) {
  HostSwarm x = random_sphere(shape, 12);
  double sum = 0;
  for (int i = 0; i < shape.n; ++i) {
    const Draw draw{.seed = 2, .particle = static_cast<std::uint32_t>(i)};
    for (int k = 0; k < shape.d; ++k) {
      if (kind == 1) x.at(i, k) = x.at(0, k) + 0.01 * x.at(i, k);
      if (kind == 2) x.at(i, k) = (i % 3 == 0 ? -1 : 1) * x.at(i % 5, k);
      x.at(i, k) *= 0.1 + 3 * draw.uniform(0);
    }
    sum += x.mass[i] = kind == 0 ? std::pow(10, -6 * draw.uniform(1)) : 1;
  }
  for (double& m : x.mass) m /= sum;
  return x;
}

TEST(Modes, OfEveryDegreeAreWithinTheirBounds) {
  for (const std::int64_t target : compiled_targets()) {
    const OnTarget on(target);
    for (const auto& [d, modes] : {std::pair{2, 40}, {3, 40}, {4, 24}, {5, 12}})
      for (const int kind : {0, 1, 2}) {
        const HostSwarm x = swarm({700, d}, kind);
        const auto got = moments::mode_sums(x, modes, 2);
        ASSERT_TRUE(got);
        const std::vector<Long> wanted = exact_powers(x, modes, d);
        const std::vector<Long> other = exact_powers(x, modes, d + 1);  // of one dimension more
        for (int k = 0; k <= modes; ++k) {
          EXPECT_LE(std::fabs(static_cast<double>(got->power[k] - wanted[k])), got->bound[k])
              << "d " << d << " kind " << kind << " degree " << k;
          EXPECT_LE(got->bound[k], 1e-12);
          if (k == 2) {
            EXPECT_GT(std::fabs(static_cast<double>(got->power[k] - other[k])), got->bound[k]);
          }
        }
      }
  }
}

// What show and measure read: all pairs of any number of particles, up to five coordinates.
TEST(Modes, OfManyParticlesAreNoSample) {
  for (const int d : {3, 4, 5}) {
    const HostSwarm x = swarm({2100, d}, 0);
    const std::vector<Long> wanted = exact_powers(x, 8, d);
    const ObserveSettings sampling{.max_exact = 10, .sample_pairs = 1000};
    const std::vector<double> power = mode_powers(x, 8, sampling);
    for (int k = 0; k <= 8; ++k)
      EXPECT_NEAR(power[k], static_cast<double>(wanted[k]), 1e-13) << d << " " << k;
    ObserveSettings more = sampling;
    more.threads = 3;
    EXPECT_EQ(mode_powers(x, 8, more), power);
  }
  EXPECT_FALSE(moments::mode_sums(swarm({10, 6}, 0), 3, 1));
  EXPECT_FALSE(moments::mode_sums(swarm({10, 5}, 0), 27, 1));
}

}  // namespace
}  // namespace murmur::testing
