// noise.h: Brownian motion on the manifold; every noise_step is a function of who is moved and
// when.
#pragma once

#include <cstdint>

#include "murmur/flow.h"

namespace murmur {

struct NoiseStep {
  Manifold manifold;
  double noise;  // D: dX = sqrt(2 D) dB
  double h;      // how long it blows
  std::uint64_t seed;
  std::uint32_t replica;
  std::int64_t moment;  // 2 step, and 2 step + 1 for the second noise_step of a step
};

// (n, d) sqrt(2 D h) xi, xi standard normal in the tangent space at x: what Euler-Maruyama adds.
HostSwarm noise_increment(const NoiseStep& noise_step, const HostSwarm& x);

// Carries x along Brownian motion for h: exact in R^d and on the circle, weakly of second order on
// other spheres.
void brownian_step(const NoiseStep& noise_step, HostSwarm& x);

}  // namespace murmur
