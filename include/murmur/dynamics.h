// dynamics.h: the equation of motion of a swarm, as data: manifold, forces and unit of time.
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

// The four units of time in which USA is published (unnormalised attention; softmax has u1 alone):
enum class Clock {
  u1,  // kernel e^{s}: 2312.10794, 2410.23228, 2512.01868
  u2,  // kernel e^{s - beta}: 2410.06833
  u3,  // kernel beta e^{s}: 2605.09213
  // u2 divided by its own norm sqrt(n sum_i m_i |v_i|^2), times ln(beta): arc length; the staircase
  // of 2410.06833's companion code
  u4,
};

// The method `layers` applies sublayers in turn (attention, then feed-forward); every other method
// adds them all. Within a sublayer the forces add.
struct Sublayer {
  std::vector<Force> forces{};
  double from = -std::numeric_limits<double>::infinity();  // active for from <= t < until
  double until = std::numeric_limits<double>::infinity();
  bool active(double t) const { return from <= t && t < until; }
};

// What layer normalisation does to x = r theta, |theta| = 1, under the drift A(theta) of the
// forces:
//   theta' = P A / s,   with r' as given; `pre`, `peri` and `mix` integrate x itself in R^d
// (2510.22026, 2512.01868).
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
  // The ellipsoid g(t) o u, |u| = 1: layer norm with one gain a coordinate. The swarm holds u, on
  // the sphere; u' = P_u g^{-1} o A(t, g o u), g(t) linear from `gain` at 0 to `gain_end` at
  // gain_until.
  Vector gain{}, gain_end{};  // (d), positive; empty: ones, and no change
  double gain_until = 0;
  double noise =
      0;  // 1/kappa: dX = v dt + sqrt(2 noise) dB, B Brownian on the manifold (u's sphere)
};

// Whether |x_i| changes too: `pre`, `peri` and `mix` evaluate forces at x / |x|.
bool moves_norms(const Dynamics& dynamics);

// (d) g(t) of the ellipsoid; empty: ones.
Vector gain_at(const Dynamics& dynamics, double t);

// Throws Error(input) unless every shape in `dynamics` fits particles of d coordinates.
void check(const Dynamics& dynamics, int d);

}  // namespace murmur
