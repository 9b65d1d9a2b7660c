// mix_test.cpp: `mix` with fixed steps is `post` while t <= mix_until, step by step, then `pre`.
#include <gtest/gtest.h>

#include "support.h"

namespace murmur::testing {
namespace {

// Attention that does not commute with rotations, then a perceptron strong enough to throw tokens
// far off the sphere.
Dynamics strong(LayerNorm normalisation, double mix_until) {
  Dynamics dynamics = dynamics_of(Attention{.beta = 2, .value = random_matrix(3, 3, 1)});
  Sublayer own;
  own.forces.emplace_back(
      Perceptron{.in = random_matrix(9, 3, 2, 2), .out = random_matrix(3, 9, 3, 2)});
  dynamics.sublayers.push_back(own);
  dynamics.normalisation = normalisation;
  dynamics.mix_until = mix_until;
  if (moves_norms(dynamics)) dynamics.manifold = Manifold::space;
  return dynamics;
}

// Token i at length 1 + i / 4 in the direction it had.
HostSwarm lengthened(HostSwarm x) {
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < x.d(); ++k) x.at(i, k) *= 1 + 0.25 * i;
  return x;
}

HostSwarm directions(HostSwarm x) {
  for (int i = 0; i < x.n(); ++i) {
    const double length = std::sqrt(dot(x, i, i));
    for (int k = 0; k < x.d(); ++k) x.at(i, k) /= length;
  }
  return x;
}

double length_of(const HostSwarm& x, int i) { return std::sqrt(dot(x, i, i)); }

// Layers and Euler steps are the same maps of directions; rk4 differs from post's by its own error.
TEST(Mix, StepsAsPostDoesAndKeepsLengths) {
  const HostSwarm x = random_sphere({12, 3}, 4);
  const struct {
    Method method;
    double dt, apart;
  } cases[] = {{Method::layers, 0.1, 1e-10},
               {Method::euler, 0.1, 1e-10},
               {Method::rk4, 0.0125, 1e-4},
               {Method::strang, 0.0125, 1e-2}};
  for (const auto& c : cases) {
    const FlowSettings settings{.method = c.method, .dt = c.dt};
    const Simulated post = simulated(strong(LayerNorm::post, 0), x, settings, {.T = 3});
    const Simulated mix = simulated(strong(LayerNorm::mix, 5), lengthened(x), settings, {.T = 3});
    ASSERT_TRUE(mix.outcome.ok());
    EXPECT_GT(largest_difference(post.last(), x), 0.5);
    EXPECT_LT(largest_difference(directions(mix.last()), post.last()), c.apart)
        << static_cast<int>(c.method);
    for (int i = 0; i < x.n(); ++i) EXPECT_NEAR(length_of(mix.last(), i), 1 + 0.25 * i, 1e-12);
  }
}

// Later steps are those of pre, from wherever the tokens are.
TEST(Mix, StepsAsPreDoesAfterwards) {
  const HostSwarm x = random_sphere({12, 3}, 4);
  for (const Method method : {Method::layers, Method::euler, Method::rk4}) {
    const FlowSettings settings{.method = method, .dt = 0.125};
    const Simulated mix =
        simulated(strong(LayerNorm::mix, 1), x, settings, {.T = 2, .every = 0.125});
    EXPECT_NEAR(length_of(mix.frames[8], 5), 1, 1e-12);
    const Simulated pre =
        simulated(strong(LayerNorm::pre, 0), mix.frames[9], settings, {.T = 0.875});
    EXPECT_EQ(to_rows(pre.last()), to_rows(mix.last()));
    EXPECT_GT(std::fabs(length_of(mix.last(), 5) - 1), 0.1);
  }
}

// rk4 keeps its order: halving the step makes the error 16 times smaller.
TEST(Mix, KeepsTheOrderOfRungeAndKutta) {
  const HostSwarm x = random_sphere({12, 3}, 4);
  Dynamics dynamics = dynamics_of(Attention{.beta = 2}, Manifold::space);
  dynamics.normalisation = LayerNorm::mix;
  dynamics.mix_until = 5;
  const HostSwarm exact = simulated(dynamics, x, {.tolerance = {1e-13, 1e-14}}, {.T = 2}).last();
  const auto error = [&](double dt) {
    return largest_difference(
        simulated(dynamics, x, {.method = Method::rk4, .dt = dt}, {.T = 2}).last(), exact);
  };
  EXPECT_NEAR(std::log2(error(0.125) / error(0.0625)), 4, 0.5);
}

// Noise in R^d moves lengths; of the rest of a step they are kept.
TEST(Mix, LeavesNoiseAlone) {
  const HostSwarm x = random_sphere({12, 3}, 4);
  Dynamics still = dynamics_of(Attention{.value = scaled_identity(3, 0)}, Manifold::space);
  still.normalisation = LayerNorm::mix;
  still.mix_until = 5;
  still.noise = 0.1;
  Dynamics pre = still;
  pre.normalisation = LayerNorm::pre;
  for (const Method method : {Method::layers, Method::euler, Method::strang}) {
    const Carried carried{{.method = method, .dt = 0.125}, {.seed = 7}};
    const HostSwarm a = simulated_by(still, x, carried, {.T = 1}).last();
    const HostSwarm b = simulated_by(pre, x, carried, {.T = 1}).last();
    EXPECT_LT(largest_difference(a, b), 1e-14);
    EXPECT_GT(largest_difference(a, x), 0.1);
  }
}

}  // namespace
}  // namespace murmur::testing
