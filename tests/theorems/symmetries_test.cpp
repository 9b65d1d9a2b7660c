// symmetries_test.cpp: what every sphere dynamics keeps, and the identities of its energy.
#include <gtest/gtest.h>

#include "core/elementary.h"
#include "support.h"

namespace murmur::testing {
namespace {

constexpr FlowSettings kExact{.tolerance = {1e-11, 1e-12}};

double energy(const HostSwarm& x, double beta) {
  double sum = 0;
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j < x.n(); ++j) sum += x.mass[i] * x.mass[j] * std::exp(beta * dot(x, i, j));
  return sum / (2 * beta);
}

// dE/dt by a five-point difference along the exact flow against the identity's right side.
TEST(Energy, GrowsAtTheIdentityRate) {
  const double beta = 3;
  const HostSwarm x = random_sphere({20, 3}, 7);
  for (const bool normalised : {false, true}) {
    const Dynamics dynamics = normalised ? sa(beta) : usa(beta);
    const double h = normalised ? 2e-3 : 1e-4;
    const Simulated f =
        simulated(dynamics, x, {.tolerance = {1e-13, 1e-14}}, {.T = 4 * h, .every = h});
    ASSERT_EQ(f.frames.size(), 5u);
    const auto E = [&](int k) { return energy(f.frames[k], beta); };
    const double difference = (E(0) - 8 * E(1) + 8 * E(3) - E(4)) / (12 * h);
    const HostSwarm& mid = f.frames[2];
    const auto engine = make_reference_engine();
    const HostSwarm v = velocity(*engine, dynamics, mid);
    double identity = 0;
    for (int i = 0; i < mid.n(); ++i) {
      double square = 0, z = 0;
      for (int k = 0; k < 3; ++k) square += v.at(i, k) * v.at(i, k);
      for (int j = 0; j < mid.n(); ++j) z += mid.mass[j] * std::exp(beta * dot(mid, i, j));
      identity += mid.mass[i] * square * (normalised ? z : 1);
    }
    EXPECT_NEAR(difference / identity, 1, 1e-8);
  }
}

TEST(Energy, FallsWhenValueIsMinusIdentity) {
  Attention repulsive{
      .beta = 2, .value = scaled_identity(3, -1), .weighting = Attention::unnormalised};
  const Simulated f =
      simulated(dynamics_of(repulsive), random_sphere({24, 3}, 3), kExact, {.T = 2, .every = 0.1});
  for (std::size_t k = 1; k < f.frames.size(); ++k)
    EXPECT_LE(energy(f.frames[k], 2), energy(f.frames[k - 1], 2) * (1 + 1e-12));
}

TEST(Energy, GrowsAtEveryFrame) {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    for (const Dynamics& dynamics : {sa(5), usa(2)}) {
      const double beta = std::get<Attention>(dynamics.sublayers[0].forces[0]).beta;
      const Simulated f =
          simulated(dynamics, random_sphere({16, 3}, seed), kExact, {.T = 5, .every = 0.1});
      for (std::size_t k = 1; k < f.frames.size(); ++k)
        EXPECT_GE(energy(f.frames[k], beta), energy(f.frames[k - 1], beta) * (1 - 1e-10));
    }
}

Matrix rotation(int d, std::uint64_t seed) {  // Gram-Schmidt of a random matrix
  Matrix m = random_matrix(d, d, seed);
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j <= i; ++j) {
      double product = 0, square = 0;
      for (int k = 0; k < d; ++k) product += m(i, k) * m(j, k);
      if (j < i)
        for (int k = 0; k < d; ++k) m(i, k) -= product * m(j, k);
      else
        for (int k = 0; k < d; ++k) square += m(i, k) * m(i, k);
      if (j == i)
        for (int k = 0; k < d; ++k) m(i, k) /= std::sqrt(square);
    }
  }
  return m;
}

HostSwarm turned(const Matrix& r, const HostSwarm& x) {
  HostSwarm y = x;
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < x.d(); ++k) {
      y.at(i, k) = 0;
      for (int c = 0; c < x.d(); ++c) y.at(i, k) += r(k, c) * x.at(i, c);
    }
  return y;
}

TEST(Sphere, RotationTurnsTheVelocity) {
  const auto engine = make_reference_engine();
  for (const int d : {2, 3, 5, 8})
    for (const Dynamics& dynamics : {sa(4), usa(2), sa(-3)}) {
      const HostSwarm x = random_sphere({17, d}, d);
      const Matrix r = rotation(d, 5);
      EXPECT_LT(largest_difference(velocity(*engine, dynamics, turned(r, x)),
                                   turned(r, velocity(*engine, dynamics, x))),
                1e-13);
    }
}

TEST(Sphere, PermutationPermutesTheVelocity) {
  const auto engine = make_reference_engine();
  const HostSwarm x = random_sphere({13, 3}, 1);
  HostSwarm y = x;
  const auto from = [](int i) { return (i * 5 + 3) % 13; };
  for (int i = 0; i < 13; ++i)
    for (int k = 0; k < 3; ++k) y.at(i, k) = x.at(from(i), k);
  const HostSwarm v = velocity(*engine, sa(4), x), w = velocity(*engine, sa(4), y);
  for (int i = 0; i < 13; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(w.at(i, k), v.at(from(i), k), 1e-15);
}

TEST(Sphere, NormsStayOne) {
  for (const Method method : {Method::layers, Method::euler, Method::rk4, Method::dopri5}) {
    const Simulated f = simulated(sa(9), random_sphere({32, 3}, 4), {.method = method}, {.T = 10});
    for (int i = 0; i < 32; ++i) EXPECT_NEAR(dot(f.last(), i, i), 1, 5e-16);
  }
}

TEST(Sphere, OneParticleAndAntipodalPairRest) {
  const auto engine = make_reference_engine();
  const HostSwarm one = random_sphere({1, 3}, 9);
  EXPECT_LT(largest_difference(velocity(*engine, sa(4), one), HostSwarm({1, 3})), 1e-15);
  HostSwarm pair({2, 3});
  pair.at(0, 0) = 1;
  pair.at(1, 0) = -1;
  for (const Dynamics& dynamics : {sa(4), usa(4)})
    EXPECT_EQ(largest_difference(velocity(*engine, dynamics, pair), HostSwarm({2, 3})), 0);
}

TEST(Sphere, DuplicatesStayTogether) {
  HostSwarm x = random_sphere({10, 3}, 2);
  for (int k = 0; k < 3; ++k) x.at(7, k) = x.at(2, k);
  const Simulated f = simulated(sa(6), x, kExact, {.T = 8});
  for (int k = 0; k < 3; ++k) EXPECT_EQ(f.last().at(7, k), f.last().at(2, k));
}

// Causal with V = I: the first token never moves and all the others come to it (2411.04990).
TEST(Causal, AllComeToTheFirst) {
  const Attention causal{.beta = 1,
                         .query = random_matrix(3, 3, 1),
                         .key = random_matrix(3, 3, 2),
                         .mask = Attention::causal};
  const HostSwarm x = random_sphere({12, 3}, 6);
  const Simulated f = simulated(dynamics_of(causal), x, {.tolerance = {1e-8, 1e-10}}, {.T = 40});
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(f.last().at(0, k), x.at(0, k), 1e-14);
  for (int i = 1; i < 12; ++i) EXPECT_GT(dot(f.last(), i, 0), 0.999);
}

// Self or not is the same USA flow; the four clocks run along the same orbits.
TEST(Usa, SelfTermAndClocksKeepTheOrbit) {
  const auto engine = make_reference_engine();
  const HostSwarm x = random_sphere({9, 3}, 8);
  const HostSwarm v = velocity(*engine, usa(3), x);
  const Dynamics no_self =
      dynamics_of(Attention{.beta = 3, .self = false, .weighting = Attention::unnormalised});
  EXPECT_LT(largest_difference(velocity(*engine, no_self, x), v), 1e-14);
  double square = 0;
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < 3; ++k) square += v.at(i, k) * v.at(i, k);
  const std::pair<Clock, double> clocks[] = {{Clock::u2, std::exp(-3.0)},
                                             {Clock::u3, 3.0},
                                             {Clock::u4, std::log(3.0) / std::sqrt(square)}};
  for (const auto& [clock, factor] : clocks) {
    Dynamics dynamics = usa(3);
    dynamics.clock = clock;
    HostSwarm scaled = v;
    for (int i = 0; i < 9; ++i)
      for (int k = 0; k < 3; ++k) scaled.at(i, k) *= factor;
    EXPECT_LT(largest_difference(velocity(*engine, dynamics, x), scaled), 1e-13);
  }
}

}  // namespace
}  // namespace murmur::testing
