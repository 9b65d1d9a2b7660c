// companions_test.cpp: simulated swarms against the reductions that predict them.
#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "closed_forms.h"
#include "murmur/theory.h"
#include "support.h"

namespace murmur::testing {
namespace {

using theory::Law;

constexpr double kPi = std::numbers::pi;
constexpr FlowSettings kExact{.tolerance = {1e-12, 1e-13}};

Dynamics under(Law law, double beta) { return law == Law::sa ? sa(beta) : usa(beta); }

double angle_of(const HostSwarm& x, int i) { return std::atan2(x.at(i, 1), x.at(i, 0)); }

// The whole course of rho(t), not its end alone.
TEST(Companions, EquiangularCurve) {
  for (const Law law : {Law::sa, Law::usa}) {
    const theory::Equiangular swarm{.n = 8, .beta = 2, .law = law};
    const double T = theory::clustering_time(swarm, 1e-3);
    const Simulated f = simulated(under(law, 2), orthonormal(8), kExact, {.T = T, .every = T / 7});
    for (std::size_t k = 0; k < f.times.size(); ++k)
      EXPECT_NEAR(dot(f.frames[k], 2, 5), theory::cosine(swarm, f.times[k]), 1e-10) << f.times[k];
    EXPECT_NEAR(dot(f.last(), 2, 5), 1 - 1e-3, 1e-10);
  }
}

struct Pair {
  theory::TwoClusters law;
  double from;
};

// A flight of the predicted lifetime ends at the angle it was predicted for.
TEST(Companions, TwoClustersReachTheAngleOnTime) {
  const Pair pairs[] = {{{.beta = 4}, kPi / 2},
                        {{.beta = 9, .law = Law::usa}, kPi / 2},
                        {{.beta = 4}, 2 * kPi / 3},
                        {{.beta = 9, .law = Law::usa}, 2 * kPi / 3},
                        {{.beta = 9}, 2 * kPi / 3},
                        {{.beta = 6, .mass = .25}, 1.5},
                        {{.beta = 2, .law = Law::usa, .mass = .1}, 2.5}};
  for (const Pair& pair : pairs) {
    const double target = 0.5, T = theory::lifetime(pair.law, pair.from, target);
    const HostSwarm x = circle({0, pair.from}, {pair.law.mass, 1 - pair.law.mass});
    const Simulated f = simulated(under(pair.law.law, pair.law.beta), x, kExact, {.T = T});
    ASSERT_TRUE(f.outcome.ok());
    const double angle = 2 * std::asin(std::sqrt((1 - dot(f.last(), 0, 1)) / 2));
    // what is left of the angle, told as time
    const double late = (angle - target) / -theory::angle_velocity(pair.law, target);
    EXPECT_NEAR(late / T, 0, 1e-8) << pair.law.beta << " from " << pair.from;
  }
}

// The part of mode m in how far clusters stand off the regular polygon.
double polygon_amplitude(const HostSwarm& x, int mode) {
  double sum = 0;
  for (int j = 0; j < x.n(); ++j) {
    const double home = 2 * kPi * j / x.n();
    sum += std::remainder(angle_of(x, j) - home, 2 * kPi) * std::cos(mode * home);
  }
  return sum;
}

TEST(Companions, PolygonsEscapeAtTheirRate) {
  for (const theory::Polygon& polygon :
       {theory::Polygon{3, 4}, theory::Polygon{4, 5}, theory::Polygon{4, 9}, theory::Polygon{6, 9},
        theory::Polygon{5, 3, Law::usa}}) {
    const auto [rate, mode] = theory::fastest_escape(polygon);
    std::vector<double> angles;
    for (int j = 0; j < polygon.k; ++j) {
      const double home = 2 * kPi * j / polygon.k;
      angles.push_back(home + 1e-4 * std::cos(mode * home));
    }
    const double T = 1 / rate;
    const Simulated f = simulated(under(polygon.law, polygon.beta), circle(angles), kExact,
                                  {.T = T, .every = T / 2});
    const double measured =
        std::log(polygon_amplitude(f.last(), mode) / polygon_amplitude(f.frames[1], mode)) /
        (T / 2);
    EXPECT_NEAR(measured / rate, 1, 1e-5) << polygon.k << " at " << polygon.beta;
  }
}

// theta with theta + (eps/k) sin k theta = 2 pi (i + 1/2)/n: quantiles of 1 + eps cos k theta.
std::vector<double> rippled(int n, int k, double eps) {
  std::vector<double> angles;
  for (int i = 0; i < n; ++i) {
    const double level = 2 * kPi * (i + 0.5) / n;
    double theta = level;
    for (int round = 0; round < 20; ++round) theta = level - eps / k * std::sin(k * theta);
    angles.push_back(theta);
  }
  return angles;
}

double mode_amplitude(const HostSwarm& x, int k) {
  std::complex<double> sum = 0;
  for (int i = 0; i < x.n(); ++i) sum += std::polar(1.0, k * angle_of(x, i));
  return std::abs(sum) / x.n();
}

TEST(Companions, RipplesGrowAtTheirRate) {
  for (const Law law : {Law::sa, Law::usa})
    for (const double beta : {1.0, 5.0, 9.0}) {
      const int k = theory::fastest_mode(2, beta);
      const double rate = theory::growth_rate({.law = law, .beta = beta}, k), T = 1 / rate;
      const Simulated f = simulated(under(law, beta), circle(rippled(600, k, 1e-4)),
                                    {.tolerance = {1e-9, 1e-11}}, {.T = T, .every = T / 2});
      EXPECT_NEAR(mode_amplitude(f.frames[0], k), 5e-5, 1e-9);
      const double measured =
          std::log(mode_amplitude(f.last(), k) / mode_amplitude(f.frames[1], k)) / (T / 2);
      EXPECT_NEAR(measured / rate, 1, 1e-5) << beta;
    }
}

// Under V = -I every ripple decays at the rate it would grow at.
TEST(Companions, RipplesDecayInDescent) {
  Dynamics descent =
      dynamics_of(Attention{.beta = 3, .value = {.rows = 2, .cols = 2, .data = {-1, 0, 0, -1}}});
  const int k = 2;
  const double rate = theory::growth_rate({.beta = 3, .descent = true}, k), T = -1 / rate;
  const Simulated f = simulated(descent, circle(rippled(300, k, 1e-4)),
                                {.tolerance = {1e-9, 1e-11}}, {.T = T, .every = T / 2});
  EXPECT_NEAR(
      std::log(mode_amplitude(f.last(), k) / mode_amplitude(f.frames[1], k)) / (T / 2) / rate, 1,
      1e-5);
}

TEST(Companions, NormalisationsOfOrthonormalStarts) {
  for (const auto scheme : {LayerNorm::post, LayerNorm::pre, LayerNorm::peri, LayerNorm::mix,
                            LayerNorm::ngpt, LayerNorm::sqrt}) {
    const bool free =
        scheme == LayerNorm::pre || scheme == LayerNorm::peri || scheme == LayerNorm::mix;
    Dynamics dynamics = sa(1);
    dynamics.manifold = free ? Manifold::space : Manifold::sphere;
    dynamics.normalisation = scheme;
    dynamics.mix_until = 2;
    const Simulated f =
        simulated(dynamics, orthonormal(16), {.tolerance = {1e-11, 1e-12}}, {.T = 6});
    const theory::Shells end = theory::normalised({.scheme = scheme, .mix_until = 2}, 6);
    const double square = dot(f.last(), 3, 3);
    EXPECT_NEAR(dot(f.last(), 3, 4) / square, end.rho, 1e-8) << static_cast<int>(scheme);
    EXPECT_NEAR(std::sqrt(square), end.r, 1e-7) << static_cast<int>(scheme);
  }
}

// Arc-length clock: merges, levels and half-heights of five tokens at beta = 2000.
TEST(Companions, StaircaseIsClimbedOnTime) {
  const double beta = 2000;
  std::vector<double> angles;
  for (const double a : {0., .5, 2., 4., 7.})
    angles.push_back(.5 * a * std::log(2000) / std::sqrt(2000));
  Dynamics dynamics = usa(beta);
  dynamics.clock = Clock::u4;
  const auto stairs = theory::staircase(angles, {}, beta);
  const Simulated f =
      simulated(dynamics, circle(angles), {.tolerance = {1e-9, 1e-9}, .merge = 1e-6},
                {.T = .1, .every = 5e-6});
  ASSERT_EQ(f.merges.size(), 3u);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(f.merges[k].t, stairs[k].full, 1e-6);
  double before = theory::first_level(std::vector<double>(5, 1));
  std::size_t frame = 0;
  for (const theory::Stair& stair : stairs) {
    const auto energy = [&](const HostSwarm& x) {  // 2 beta e^{-beta} E
      double sum = 0;
      for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) sum += std::exp(beta * (dot(x, i, j) - 1)) / 25;
      return sum;
    };
    while (frame < f.frames.size() && energy(f.frames[frame]) < (before + stair.level) / 2) ++frame;
    ASSERT_LT(frame, f.frames.size());
    EXPECT_NEAR(f.times[frame], stair.half, 1e-5) << stair.level;
    before = stair.level;
  }
}

}  // namespace
}  // namespace murmur::testing
