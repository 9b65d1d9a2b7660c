// reductions.cpp: what mean fields, landscapes and theory take of a dynamics, and what they refuse.
#include "murmur/reductions.h"

#include <cmath>

#include "murmur/error.h"

namespace murmur {

namespace {

[[noreturn]] void refuse(const std::string& reason, const std::string& remedy) {
  throw Error(Fault::input, reason, "the dynamics", remedy);
}

// One head with Q = K = I and V = +-I on the round sphere, and a perceptron if there is one.
struct PlainForces {
  Attention head{};
  bool repulsive = false;
  std::optional<Perceptron> perceptron{};
};

void check_sphere(const Dynamics& dynamics) {
  if (dynamics.manifold != Manifold::sphere)
    refuse("this is a measure on the sphere, and the particles move in R^d", "use habitat=sphere");
  if (!dynamics.gain.empty() || !dynamics.gain_end.empty())
    refuse("gains have no counterpart here", "leave gains out");
  if (dynamics.normalisation != LayerNorm::post)
    refuse("this layer norm has no counterpart here", "use normalisation=post");
}

void check_head(const Attention& a) {
  if (!is_identity(a.query) || !is_identity(a.key) || !a.query_bias.empty() || !a.key_bias.empty())
    refuse("scores are beta <x, y> here", "use query=identity and key=identity");
  if (!a.value_bias.empty() || a.relative || a.rescaled)
    refuse("the value acts on x_j alone here", "use relative=false and no bias");
  if (a.mask != Attention::none || a.alibi != 0)
    refuse("a measure has no order of tokens", "use reach=all and alibi=0");
  if (!a.self) refuse("a measure sees all of itself", "use self=true");
}

void add_force(const Perceptron& perceptron, bool&, PlainForces& forces) {
  if (forces.perceptron) refuse("there is more than one perceptron", "give one");
  forces.perceptron = perceptron;
}

void add_force(const Attention& head, bool& attends, PlainForces& forces) {
  forces.head = head;
  if (attends) refuse("there is more than one head", "use heads=1");
  attends = true;
  check_head(forces.head);
  forces.repulsive = !is_identity(forces.head.value);
  if (forces.repulsive && forces.head.value != scaled_identity(forces.head.value.rows, -1))
    refuse("the value is neither the identity nor its negative",
           "use value=identity or minus-identity");
}

theory::Law law_of(Attention::Weighting weighting) {
  return weighting == Attention::softmax ? theory::Law::sa : theory::Law::usa;
}

PlainForces plain_forces(const Dynamics& dynamics) {
  check_sphere(dynamics);
  PlainForces forces;
  bool attends = false;
  for (const Sublayer& sublayer : dynamics.sublayers) {
    if (std::isfinite(sublayer.from) || std::isfinite(sublayer.until))
      refuse("the weights change with time", "use redraw=0");
    for (const Force& force : sublayer.forces)
      std::visit([&](const auto& f) { add_force(f, attends, forces); }, force);
  }
  if (!attends) refuse("nothing attends", "use dynamics=SA or USA");
  return forces;
}

}  // namespace

MeanField mean_field_of(const Dynamics& dynamics, int d) {
  PlainForces forces = plain_forces(dynamics);
  const Attention::Weighting weighting = forces.head.weighting;
  if (weighting != Attention::softmax && weighting != Attention::unnormalised)
    refuse("this attention has no mean field here", "use dynamics=SA or USA");
  if (dynamics.clock == Clock::u4)
    refuse("the clock U4 counts arc length of particles", "use U1, U2 or U3");
  return {.d = d,
          .beta = forces.head.beta,
          .weighting = weighting,
          .repulsive = forces.repulsive,
          .clock = dynamics.clock,
          .perceptron = std::move(forces.perceptron),
          .noise = dynamics.noise};
}

Landscape landscape_of(const Dynamics& dynamics, int d) {
  PlainForces forces = plain_forces(dynamics);
  if (forces.head.weighting != Attention::unnormalised)
    refuse("the energy is that of unnormalised attention", "use dynamics=USA");
  if (dynamics.clock != Clock::u1 && dynamics.clock != Clock::u2)
    refuse("the kernel is e^{beta x.y} or e^{beta (x.y - 1)}", "use clock=U1 or U2");
  if (dynamics.noise != 0) refuse("noise adds an entropy to the energy", "use noise=0");
  Landscape l{.d = d,
              .beta = forces.head.beta,
              .kernel = dynamics.clock == Clock::u2 ? Landscape::scaled : Landscape::plain,
              .direction = forces.repulsive ? Landscape::descent : Landscape::ascent};
  if (forces.perceptron) {
    // Under descent x' = -P grad F: the perceptron of F is the one that moves tokens, turned round.
    if (forces.repulsive) {
      for (double& entry : forces.perceptron->out.data) entry = -entry;
      for (double& entry : forces.perceptron->out_bias) entry = -entry;
    }
    set_potential(*forces.perceptron, l);
  }
  return l;
}

theory::Growth theory::growth_of(const Dynamics& dynamics, int d) {
  const MeanField field = mean_field_of(dynamics, d);
  if (field.perceptron) refuse("rates are those of attention alone", "use perceptron=none");
  return {.law = law_of(field.weighting),
          .d = d,
          .beta = field.beta,
          .clock = field.clock,
          .noise = field.noise,
          .descent = field.repulsive};
}

theory::Equiangular theory::equiangular_of(const Dynamics& dynamics, int n) {
  const Growth growth = growth_of(dynamics, n);  // n tokens move in n dimensions
  if (growth.noise != 0) refuse("cosines stay equal without noise alone", "use noise=0");
  if (growth.descent) refuse("orthogonal tokens attract here", "use value=identity");
  if (growth.clock != Clock::u1) refuse("times are those of the clock U1", "use clock=U1");
  return {.n = n, .beta = growth.beta, .law = growth.law};
}

}  // namespace murmur
