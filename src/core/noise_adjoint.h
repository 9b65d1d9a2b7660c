// noise_adjoint.h: Brownian steps backwards, along the path that their draws fix.
#pragma once

#include "murmur/engine.h"

namespace murmur {

// What a step of noise hands back: cotangents of where it began, and of its strength D.
struct NoisePush {
  HostSwarm& dx;  // added to
  double& noise;  // added to
};

// Of the term that noise_increment (noise.h) makes at x, w its cotangent.
void add_increment_adjoint(const NoiseStep& step, Manifold manifold, const HostSwarm& x,
                           const HostSwarm& w, NoisePush to);

// Of y = brownian_step(x): w, the cotangent of y, becomes that of x.
void through_brownian_step(const NoiseStep& step, Manifold manifold, const HostSwarm& x,
                           NoisePush w);

}  // namespace murmur
