// ensemble_waves_test.cpp: Fourier sums on the circle agree with sums over pairs, isolated
// particles included, and are not used where pairs are more accurate.
#include <numbers>

#include "contenders.h"
#include "ensemble/block.h"
#include "murmur/random.h"

namespace murmur::testing {
namespace {

using ensemble::AlignedArray;
using ensemble::block_size;
using ensemble::kSwarms;
using ensemble::LanePairSums;
using ensemble::Waves;
using ensemble::zeros;

ReplicasSetting sa_on_circle(int n, double beta, Method method = Method::euler) {
  return {.shape = {n, 2}, .beta = beta, .method = method};
}

// The angle of particle i: spread, all but one at one place, or in three clusters. Places in the
// first swarms are 0 and pi, where cosines and sines of many times an angle are hardest.
double angle(int kind, int swarm, int i, int n) {
  const Draw who{.seed = 7,
                 .particle = static_cast<std::uint32_t>(i),
                 .replica = static_cast<std::uint32_t>(swarm)};
  const double turn = 2 * std::numbers::pi * who.uniform(0);
  const double place = swarm == 0 ? 0 : swarm == 1 ? std::numbers::pi : 0.7 * swarm;
  if (kind == 0) return turn;
  if (kind == 1) return i + 1 == n ? place + 0.4 * (swarm + 1) : place + 1e-9 * turn;
  return place + 1.3 * (i % 3) + 0.05 * turn;
}

AlignedArray swarms(int kind, int n) {
  AlignedArray x = zeros(block_size({n, 2}));
  for (int i = 0; i < n; ++i)
    for (int swarm = 0; swarm < kSwarms; ++swarm) {
      const double t = angle(kind, swarm, i, n);
      x[2 * i * kSwarms + swarm] = std::cos(t);
      x[(2 * i + 1) * kSwarms + swarm] = std::sin(t);
    }
  return x;
}

// The largest difference of a coordinate of a velocity of SA.
double velocities_apart(const AlignedArray& x, const Waves& waves, double beta) {
  const Shape shape = waves.sums().shape;
  const AlignedArray sums = zeros(block_size(shape)), totals = zeros(block_size(shape));
  const double slope = beta * std::numbers::log2e;
  const LanePairSums pairs{.shape = shape,
                           .slope = slope,
                           .offset = slope,
                           .deep = 2 * slope > 980,
                           .sums = sums.get(),
                           .totals = totals.get()};
  const AlignedArray by_waves = zeros(block_size(shape)), by_pairs = zeros(block_size(shape));
  ensemble::velocity(waves.sums(), x.get(), by_waves.get());
  ensemble::velocity(pairs, x.get(), by_pairs.get());
  double most = 0;
  for (std::size_t e = 0; e < block_size(shape); ++e) {
    const double apart = std::fabs(by_waves[e] - by_pairs[e]);
    if (!(apart <= most)) most = apart;  // a NaN too
  }
  return most;
}

TEST(EnsembleWaves, VelocitiesAreThoseOfPairs) {
  int seen = 0;
  for (const std::int64_t target : compiled_targets()) {
    const OnTarget on(target);
    for (const int n : {9, 16, 31, 32, 64, 301})
      for (const double beta : {0.0, 1e-6, 0.1, 1.0, 4.0, 9.0, 16.0, 50.0, 400.0}) {
        const Waves waves(sa_on_circle(n, beta), {n, 2});
        if (!waves) continue;
        ++seen;
        for (const int kind : {0, 1, 2})
          EXPECT_LE(velocities_apart(swarms(kind, n), waves, beta), 2e-13 + n * 1e-15)
              << hwy::TargetName(target) << ", n = " << n << ", beta = " << beta << ", " << kind;
      }
  }
  EXPECT_GE(seen, 30);
}

TEST(EnsembleWaves, StandBackWherePairsAreBetter) {
  EXPECT_TRUE(Waves(sa_on_circle(32, 0.1), {32, 2}));
  EXPECT_TRUE(Waves(sa_on_circle(32, 9, Method::layers), {32, 2}));
  EXPECT_FALSE(Waves(sa_on_circle(32, 30), {32, 2}));
  EXPECT_TRUE(Waves(sa_on_circle(64, 30), {64, 2}));
  EXPECT_FALSE(Waves(sa_on_circle(4, 4), {4, 2}));
  EXPECT_FALSE(Waves(sa_on_circle(1, 0), {1, 2}));
  EXPECT_FALSE(Waves(sa_on_circle(32, 1e308), {32, 2}));
  EXPECT_FALSE(Waves(sa_on_circle(32, -1), {32, 2}));
  EXPECT_FALSE(Waves({.shape = {32, 3}}, {32, 3}));
}

//   e^{beta (cos 0 - 1)} = a_0 + 2 (a_1 + a_2 + ...) = 1
TEST(EnsembleWaves, SeriesAddUpToTheWeightOfAParticleWithItself) {
  for (const double beta : {0.5, 4.0, 15.0}) {
    const Waves waves(sa_on_circle(32, beta), {32, 2});
    ASSERT_TRUE(waves);
    double sum = waves.sums().along[0] / 32;
    for (int k = 1; k <= waves.sums().orders; ++k) sum += waves.sums().along[k];
    EXPECT_NEAR(sum, 1, 1e-14);
  }
}

}  // namespace
}  // namespace murmur::testing
