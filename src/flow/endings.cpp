// endings.cpp: the sentences of integrations that ended before T.
#include "flow/endings.h"

#include <algorithm>
#include <cmath>

namespace murmur {

namespace {

bool is_lost(const HostSwarm& x, int i, Manifold manifold) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    if (!std::isfinite(x.at(i, k))) return true;
    square += x.at(i, k) * x.at(i, k);
  }
  return manifold == Manifold::sphere && square < 0.5;
}

// The first particle of a row, as numbered at the start.
int particle_of(const FlowState& state, int row) {
  const auto particle = std::find(state.group.begin(), state.group.end(), row);
  return static_cast<int>(particle - state.group.begin());
}

}  // namespace

Outcome not_finite(const FlowState& state, Manifold manifold, const HostSwarm& at, double h) {
  int row = 0;
  while (row + 1 < at.n() && !is_lost(at, row, manifold)) ++row;
  return {Ending::not_finite, state.t, particle_of(state, row),
          "a velocity or position stopped being a finite number in a step of " + std::to_string(h),
          "try a smaller dt or beta, clock=U2 (USA overflows beyond beta 709), or method=dopri5"};
}

Outcome out_of_evaluations(double t) {
  return {Ending::too_many_evaluations, t, -1, "the flight used all its velocity evaluations",
          "raise max_evaluations, set merge, or ask for a smaller T"};
}

Outcome slides(const FlowState& state, int row) {
  return {Ending::sliding, state.t, particle_of(state, row),
          "a particle slides along a surface where hard attention switches, and steps by error "
          "control only chatter about it",
          "use method=euler or layers with a small dt, or dynamics=SA with a large beta"};
}

Outcome step_too_small(double t) {
  return {Ending::step_too_small, t, -1, "no step is small enough for the wanted tolerance",
          "raise rtol and atol, set merge, or use a smaller beta"};
}

}  // namespace murmur
