// noise.h: Brownian motion on the manifold, and its adjoint; every draw is a function of particle
// and step.
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

// Cotangents of the start of a noise step, and of its strength D.
struct NoisePush {
  HostSwarm& dx;  // added to
  double& noise;  // added to
};

// Adds the adjoint of noise_increment at x; w is the cotangent of its result.
void add_increment_adjoint(const NoiseStep& step, Manifold manifold, const HostSwarm& x,
                           const HostSwarm& w, NoisePush to);

// Adjoint of y = brownian_step(x): w, the cotangent of y, becomes that of x.
void through_brownian_step(const NoiseStep& step, Manifold manifold, const HostSwarm& x,
                           NoisePush w);

}  // namespace murmur
