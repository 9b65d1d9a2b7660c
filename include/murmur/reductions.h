// reductions.h: mean fields, landscapes and theory out of the one description of the forces.
#pragma once

#include "murmur/dynamics.h"
#include "murmur/landscape.h"
#include "murmur/meanfield.h"
#include "murmur/theory.h"

namespace murmur {

// Each takes what it needs of a dynamics on the unit sphere of R^d, and refuses the rest with
// Error(input) and a reason. None knows R^d, gains, layer norms but post, several heads, Q or K but
// the identity, V but I and -I, biases, relative or rescaled values, masks, alibi, self = false, or
// weights that change with time.

// The swarm of infinitely many tokens: softmax or unnormalised attention in the clocks U1 to U3,
// with a perceptron and noise.
MeanField mean_field_of(const Dynamics& dynamics, int d);

// The energy that tokens climb (V = I) or descend (V = -I): unnormalised attention in the clock U1
// (kernel plain) or U2 (scaled), beside a perceptron in gradient form; no noise.
Landscape landscape_of(const Dynamics& dynamics, int d);

namespace theory {

// Growth of harmonics at the uniform law: as a mean field, without a perceptron.
Growth growth_of(const Dynamics& dynamics, int d);

// n tokens with equal cosines, from orthogonal ones: V = I in the clock U1, without perceptron and
// noise.
Equiangular equiangular_of(const Dynamics& dynamics, int n);

}  // namespace theory

}  // namespace murmur
