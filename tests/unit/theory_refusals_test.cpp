// theory_refusals_test.cpp: closed forms are not evaluated where they do not hold.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "closed_forms.h"
#include "murmur/theory.h"
#include "refused.h"
#include "theory/stationary.h"

namespace murmur::theory {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(TheoryRefusals, SpecialFunctionsAndGrowth) {
  const Growth u4{.law = Law::usa, .clock = Clock::u4};
  const double angle[] = {1};
  expect_refused({
      {"no sphere of so few coordinates", [] { eigenvalue(1, 1, 1); }},
      {"negative degree", [] { eigenvalue(2, 1, -1); }},
      {"beta is negative", [] { eigenvalue(2, -1, 1); }},
      {"divided by beta", [] { uniform_energy(2, 0); }},
      {"positive degree", [] { growth_rate({}, 0); }},
      {"no growth rates", [&] { growth_rate(u4, 1); }},
      {"no such swarm", [] { fastest_mode(1, 1); }},
      {"no such swarm", [] { fastest_mode(2, -1); }},
      {"no such switch", [] { switch_point(2, 0); }},
      {"nothing to predict from", [] { cluster_angles({}, 2); }},
      {"nothing to predict from", [&] { cluster_angles(angle, 0); }},
  });
}

TEST(TheoryRefusals, EquiangularSwarms) {
  Dynamics repulsive;
  repulsive.sublayers = {{.forces = {Attention{.value = {2, 2, {-1, 0, 0, -1}}}}}};
  Dynamics fast;
  fast.clock = Clock::u2;
  fast.sublayers = {{.forces = {Attention{.weighting = Attention::unnormalised}}}};
  expect_refused({
      {"one particle has no cosine", [] { cosine({.n = 1}, 1); }},
      {"beta is negative", [] { cosine({.beta = -1}, 1); }},
      {"no swarm moves from this cosine", [] { cosine({.start = 1}, 1); }},
      {"orthogonal tokens attract", [&] { equiangular_of(repulsive, 2); }},
      {"clock U1", [&] { equiangular_of(fast, 2); }},
      {"the time is out of range", [] { cosine({}, -1); }},
      {"the time is out of range", [] { cosine({}, HUGE_VAL); }},
      {"the cosine is already there", [] { clustering_time({.start = 0.9}, 0.5); }},
      {"a radius is positive", [] { normalised({.radius = 0}, 1); }},
  });
}

TEST(TheoryRefusals, WeightsDrawnAnewAndContraction) {
  expect_refused({
      {"no sphere of so few coordinates", [] { overlap_law({.d = 1}, 1); }},
      {"beta is negative", [] { overlap_rates({.beta = -1}, 0); }},
      {"number of steps is out of range", [] { overlap_rates({.steps = -1}, 0); }},
      {"no pair moves from this cosine", [] { overlap_law({.start = 1}, 1); }},
      {"no such time", [] { overlap_law({}, 0); }},
      {"no swarm moves from this cosine", [] { redrawn_cosine({.start = 1}, 1); }},
      {"the time is out of range", [] { redrawn_cosine({}, -1); }},
      {"no sphere of so few coordinates", [] { redrawn_late_rate(1); }},
      {"no sphere of so few coordinates", [] { contraction(Law::sa, 0, 1); }},
      {"exponent z is out of range", [] { contraction(Law::sa, 0, 2, -1); }},
      {"no boost has this order", [] { boost_of_order(2, 1); }},
      {"the time is out of range", [] { boost_at(2, 1, -1); }},
  });
}

TEST(TheoryRefusals, ClustersAndStairs) {
  const double angles[] = {0, 1}, one[] = {1};
  expect_refused({
      {"the mass is out of range", [] { angle_velocity({.mass = 1}, 1); }},
      {"beta is negative", [] { angle_velocity({.beta = -1}, 1); }},
      {"not in order", [] { lifetime({}, 1, 2); }},
      {"not in order", [] { lifetime({}, kPi, 1); }},
      {"no such mode", [] { escape_rate({.k = 4}, 4); }},
      {"no such mode", [] { escape_rate({.k = 1}, 1); }},
      {"angles and masses differ",
       [&] {
         kuramoto_velocity(Law::sa, 1, {angles, one});
       }},
      {"there are no tokens", [] { staircase({}, {}, 2); }},
      {"angles and counts differ", [&] { staircase(angles, one, 2); }},
      {"ln(beta)", [&] { staircase(angles, {}, 1); }},
      {"there are no tokens", [] { first_level({}); }},
      {"bounds do not hold", [] { metastability({.beta = 1}); }},
      {"bounds do not hold", [] { metastability({.eps = 0}); }},
  });
}

TEST(TheoryRefusals, CentresContextAndLimits) {
  expect_refused({
      {"beta is negative", [] { kernel_peak(-1); }},
      {"no sphere of so few coordinates", [] { cap_measure(1, 1); }},
      {"no cap has this radius", [] { cap_measure(2, 4); }},
      {"every token is a centre", [] { strong_centres(2, 0, 10); }},
      {"every token is a centre", [] { renyi_centres(0); }},
      {"no such swarm", [] { hemisphere_probability(0, 2); }},
      {"no such swarm", [] { context_cosine(1, 1, 10); }},
      {"no such swarm", [] { context_cosine(0.5, 1, 1); }},
      {"the place in the prompt is out of range", [] { retrieval_profile({}, 1, 0); }},
      {"ln(beta) is negative", [] { mode_scale(0.5); }},
  });
}

TEST(TheoryRefusals, NoisyLaws) {
  expect_refused({
      {"no sphere of so few coordinates", [] { continuous_until(1); }},
      {"no such noisy law", [] { StationaryBranch(2, 101); }},
      {"no such noisy law", [] { StationaryBranch(1, 1); }},
      {"the order parameter is out of range", [] { StationaryBranch(2, 1).kappa(1); }},
      {"there is no such noise", [] { StationaryBranch(2, 1).order(0); }},
      {"the order parameter is out of range", [] { StationaryBranch(2, 1).order_from(2, 0); }},
  });
}

}  // namespace
}  // namespace murmur::theory
