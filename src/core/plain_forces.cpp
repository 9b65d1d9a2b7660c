// plain_forces.cpp: what measures on the sphere take of a dynamics, and what they refuse.
#include "core/plain_forces.h"

#include "murmur/error.h"

namespace murmur {

namespace {

void check_sphere(const Dynamics& dynamics) {
  if (dynamics.manifold != Manifold::sphere)
    refuse_dynamics("this is a measure on the sphere, and the particles move in R^d",
                    "use habitat=sphere");
  if (!dynamics.gain.empty() || !dynamics.gain_end.empty())
    refuse_dynamics("gains have no counterpart here", "leave gains out");
  if (dynamics.normalisation != LayerNorm::post)
    refuse_dynamics("this layer norm has no counterpart here", "use normalisation=post");
}

void check_matrices(const Attention& a) {
  if (!is_identity(a.query) || !is_identity(a.key))
    refuse_dynamics("scores are beta <x, y> here", "use query=identity and key=identity");
  if (!is_identity(a.value) && a.value != scaled_identity(a.value.rows, -1))
    refuse_dynamics("the value is neither the identity nor its negative",
                    "use value=identity or minus-identity");
}

void check_head(const Attention& a) {
  if (!a.query_bias.empty() || !a.key_bias.empty())
    refuse_dynamics("scores have no biases here", "leave biases of query and key out");
  if (!a.value_bias.empty() || a.relative || a.rescaled)
    refuse_dynamics("the value acts on x_j alone here", "use relative=false and no bias");
  if (a.mask != Attention::none || a.alibi != 0)
    refuse_dynamics("a measure has no order of tokens", "use reach=all and alibi=0");
  if (!a.self) refuse_dynamics("a measure sees all of itself", "use self=true");
}

}  // namespace

void refuse_dynamics(const std::string& reason, const std::string& remedy) {
  throw Error(Fault::input, reason, "the dynamics", remedy);
}

PlainForces forces_with_matrices(const Dynamics& dynamics) {
  check_sphere(dynamics);
  const ForcesByKind forces = by_kind(dynamics);
  for (const Sublayer& sublayer : dynamics.sublayers)
    if (sublayer.limited())
      refuse_dynamics("the weights change with time", "use redraw=0 and weights_in_time=constant");
  if (forces.others) refuse_dynamics("one of the forces has no counterpart here", "leave it out");
  if (forces.heads.empty()) refuse_dynamics("nothing attends", "use dynamics=SA or USA");
  if (forces.perceptrons.size() > 1)
    refuse_dynamics("there is more than one perceptron", "give one");
  check_head(*forces.heads[0]);
  if (forces.heads.size() > 1) refuse_dynamics("there is more than one head", "use heads=1");
  PlainForces found{.head = *forces.heads[0]};
  if (!forces.perceptrons.empty()) found.perceptron = *forces.perceptrons[0];
  return found;
}

PlainForces plain_forces(const Dynamics& dynamics) {
  PlainForces plain = forces_with_matrices(dynamics);
  check_matrices(plain.head);
  plain.repulsive = !is_identity(plain.head.value);
  return plain;
}

PlainForces mean_field_forces(const Dynamics& dynamics) {
  PlainForces forces = plain_forces(dynamics);
  const Attention::Weighting weighting = forces.head.weighting;
  if (weighting != Attention::softmax && weighting != Attention::unnormalised)
    refuse_dynamics("this attention has no mean field here", "use dynamics=SA or USA");
  if (kernel_of(dynamics.clock).arc_length)
    refuse_dynamics("the clock U4 counts arc length of particles", "use U1, U2 or U3");
  return forces;
}

}  // namespace murmur
