// dynamics.h: what moves a swarm, as data: manifold, forces, and the clock they are told in.
#pragma once

#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "murmur/attention.h"
#include "murmur/perceptron.h"

namespace murmur {

enum class Manifold {
  sphere,  // S^{d-1}: velocities are projected, x -> x - <x, .> x; retraction x / |x|
  space,   // R^d: velocities as they are, no retraction
};

using Force = std::variant<Attention, Perceptron>;

// The head that a force is; nullptr where it acts on each particle by itself.
const Attention* head_of(const Force& force);

// The four clocks in which USA is published (plain attention only; softmax knows u1 alone):
enum class Clock {
  u1,  // kernel e^{s}
  u2,  // kernel e^{s - beta}
  u3,  // kernel beta e^{s}
  u4,  // u2 divided by its own norm sqrt(n sum_i m_i |v_i|^2), times ln(beta): arc length
};

// Phases are done in turn by the method `layers` (attention, then feed-forward); every other method
// adds them all. Within a phase the forces add.
struct Sublayer {
  std::vector<Force> forces{};
  double from = -std::numeric_limits<double>::infinity();  // active for from <= t < until
  double until = std::numeric_limits<double>::infinity();
  bool active(double t) const { return from <= t && t < until; }
};

// What layer normalisation does to x = r theta, |theta| = 1, under the drift A(theta) of the
// forces:
//   theta' = P A / s,   with r' as said; `pre`, `peri` and `mix` move x itself in R^d.
enum class LayerNorm {
  post,  // s = 1, r = 1: the flow on the sphere
  pre,   // x' = A(x / |x|): s = r, r' = <theta, A>
  peri,  // x' = A / |A|: s = r |A|, r' = <theta, A> / |A|
  mix,   // post while t <= mix_until, then pre
  ngpt,  // s = |A| / speed, r = 1
  sqrt,  // s = sqrt(t + 1), r = 1
};

// What checks, words and engines need to know of a normalisation beside its formula.
struct LayerNormRow {
  LayerNorm norm;
  const char* name;                                     // the word for it
  bool moves_norms = false;                             // x itself moves, in R^d
  bool whole_drift = false;                             // |A| counts what P takes off
  enum Argument { none, time, speed } argument = none;  // of `NAME:VALUE`
};
std::span<const LayerNormRow> layer_norms();
const LayerNormRow& row_of(LayerNorm norm);

// How a clock changes the kernel e^{s} of unnormalised attention.
struct ClockKernel {
  bool over_max = false;    // e^{s - beta}
  bool times_beta = false;  // beta e^{s}
  bool arc_length = false;  // the velocity is divided by its own norm, times ln(beta)
};
ClockKernel kernel_of(Clock clock);

struct Dynamics {
  Manifold manifold = Manifold::sphere;
  std::vector<Sublayer> sublayers{};
  Clock clock = Clock::u1;
  LayerNorm normalisation = LayerNorm::post;
  double mix_until = 0;  // of `mix`
  double speed = 1;      // of `ngpt`
  // The ellipsoid g(t) o u, |u| = 1: layer norm with axis gains. The swarm holds u, on the sphere;
  // u' = P_u g^{-1} o A(t, g o u), with g going straight from `gain` to `gain_end` until
  // gain_until.
  Vector gain{}, gain_end{};  // (d), positive; empty: ones, and no change
  double gain_until = 0;
  double noise =
      0;  // 1/kappa: dX = v dt + sqrt(2 noise) dB, B Brownian on the manifold (u's sphere)
};

// Whether norms move too: `pre`, `peri` and `mix` read forces off x / |x|.
bool moves_norms(const Dynamics& dynamics);

// (d) g(t) of the ellipsoid; empty: ones.
Vector gain_at(const Dynamics& dynamics, double t);

// Throws Error(input) unless every shape in `dynamics` fits particles of d coordinates.
void check(const Dynamics& dynamics, int d);

}  // namespace murmur
