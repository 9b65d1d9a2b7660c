// endings.h: the ways in which an integration can end before T, each with its sentence.
#pragma once

#include "murmur/flow.h"

namespace murmur {

// `at` holds the numbers that are not finite, or have left the manifold, after a step of h.
Outcome not_finite(const FlowState& state, Manifold manifold, const HostSwarm& at, double h);
Outcome out_of_evaluations(double t);
Outcome step_too_small(double t);
Outcome slides(const FlowState& state, int row);  // a row of state.x

}  // namespace murmur
