// noise.h: Brownian motion on the manifold; every draw is a function of who is moved and when.
#pragma once

#include "murmur/engine.h"

namespace murmur {

// Row 0 of x is particle `first`.

// (n, d) sqrt(2 D h) xi, xi standard normal in the tangent space at x: what Euler-Maruyama adds.
HostSwarm noise_increment(const NoiseStep& step, Manifold manifold, const HostSwarm& x,
                          int first = 0);

// Carries x along Brownian motion for h: exact in R^d and on the circle, weakly of second order on
// other spheres.
void brownian_step(const NoiseStep& step, Manifold manifold, HostSwarm& x, int first = 0);

}  // namespace murmur
