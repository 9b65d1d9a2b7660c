// dynamics.h: the equation of motion of a swarm, as data: manifold, forces and unit of time.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "murmur/matrix.h"

namespace murmur {

//   s_ij = beta <Q x_i + b_Q, K x_j + b_K>
//   softmax (SA):  A_i = sum_j a_ij (V x_j + b_V),   a_ij = m_j e^{s_ij} / sum_k m_k e^{s_ik}
//   unnormalised (USA):  A_i = sum_j m_j e^{s_ij} (V x_j + b_V)
//   hard:          A_i = mean of V x_j + b_V over the j of greatest s_ij, weighted by m_j
//   sinkhorn:      A_i = sum_j a_ij (V x_j + b_V),   a_ij = p_i m_j e^{s_ij} q_j with
//                  p, q such that sum_j a_ij = 1 and sum_i m_i a_ij = m_j
// SA and USA: 2312.10794; hard: 2407.01602, 2508.09628; sinkhorn: 2110.11773.
// The sums run over all j, or over j <= i with a causal mask (2411.04990); with or without j = i.
// An empty sum is A_i = 0. With a slope a = alibi > 0, which needs the causal mask, softmax adds
// -a (i - j) to s_ij, and unnormalised attention replaces m_j by
// e^{-a (i - j)} / sum_k e^{-a (i - k)} (2605.09213).
struct Attention {                  // one head; several heads are several forces
  double beta = 1.0;                // inverse temperature; 0: all weights are equal
  Matrix query{}, key{};            // (k, d) each; empty means identity
  Matrix value{};                   // (d, d); empty means identity
  Vector query_bias{}, key_bias{};  // (k); empty means zero
  Vector value_bias{};              // (d); empty means zero
  bool relative = false;  // value acts on x_j - x_i (Euclidean, V-rescaled, pure attraction)
  bool self = true;       // whether i attends to itself
  enum Mask : int { none, causal } mask = none;  // causal: the sums run over j <= i
  enum Weighting : int { softmax, unnormalised, hard, sinkhorn } weighting = softmax;
  double alibi = 0;       // slope a of the bias -a (i - j) of earlier tokens
  bool rescaled = false;  // x is z = e^{-tV} x of 2305.05465: scores of e^{tV} z; with relative
};

//   A_i = W_out s(W_in x_i + b_in) + b_out     (2312.10794)
// In gradient form, W_out = W_in^T diag(omega) without biases, it is the gradient of V(x) = sum_m
// omega_m phi(a_m . x), a_m the rows of W_in (2601.21366, where phi is twice as large).
struct Perceptron {
  Matrix in{};                                                   // (h, d)
  Vector in_bias{};                                              // (h); empty means zero
  Matrix out{};                                                  // (d, h)
  Vector out_bias{};                                             // (d); empty means zero
  enum Activation : int { relu, gelu, tanh } activation = relu;  // gelu: z Phi(z), the exact one
};

// phi with phi' = s and phi(0) = 0, the primitive of the activation:
//   relu z_+^2 / 2;   gelu ((z^2 - 1) Phi(z) + z pdf(z)) / 2 + 1/4;   tanh ln cosh z
double primitive(Perceptron::Activation activation, double z);

enum class Manifold {
  sphere,  // S^{d-1}: velocities are projected, x -> x - <x, .> x; retraction x / |x|
  space,   // R^d: velocities as they are, no retraction
};

// The limit of many heads: the mean of unnormalised attention with scores beta <x, S y>, S = Q^T K,
// over a law of S that is invariant under rotations. Between unit vectors of cosine c = <x_i, x_j>,
// with k(c) = E e^{beta <x, S y>} (derived in docs/many-heads.md; clocks as those of Attention):
//   A_i = value sum_j m_j k(c) x_j                  V of its own, of mean `value` times the
//   identity A_i = value sum_j m_j grad_x k(c) / beta        V = value S: `gradient`
struct ManyHeads {
  double beta = 1.0;
  enum Law {
    gaussian,  // S of independent entries of variance 1/d:             k = e^{beta^2 / 2d}
    product,   // S = G^T G', both such matrices (k rows = d):          k = (1 - s^2)^{-d/2}
    goe,  // S symmetric, off-diagonal 1/d, diagonal 2/d:          k = e^{beta^2 (1 + c^2) / 2d}
    psd,  // S = G G^T / d, G standard normal:                     k = ((1 - s c)^2 - s^2)^{-d/2}
  } law = goe;  // s = beta / d: below 1 for `product`, below 1/2 for `psd`
  double value = 1;
  bool gradient = false;
};

using Force = std::variant<Attention, Perceptron, ManyHeads>;

// Returns the head if the force is one; nullptr if it acts on each particle separately.
const Attention* head_of(const Force& force);

// The four units of time in which USA is published (unnormalised attention; softmax has only u1):
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
  bool limited() const { return std::isfinite(from) || std::isfinite(until); }
  // The same forces with other matrices: they change linearly from `forces` at `from` to these at
  // `until`; empty: no change.
  std::vector<Force> forces_end{};
};

// Returns the forces of a sublayer at time t; with `forces_end` every matrix and bias is
// interpolated linearly.
std::vector<Force> forces_at(const Sublayer& sublayer, double t);

// Layer normalisation: the motion of x = r theta, |theta| = 1, under the drift A(theta) of the
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

// Properties of a normalisation for checks, parsers and engines.
struct LayerNormRow {
  LayerNorm norm;
  const char* name;                                     // its name
  bool moves_norms = false;                             // x itself moves in R^d
  bool whole_drift = false;                             // |A| includes the part that P removes
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

// Returns the name of a value, in Python and for parameters with these values; "" after the last
// one. Values count from 0.
const char* word_of(Attention::Weighting value);
const char* word_of(Attention::Mask value);
const char* word_of(Perceptron::Activation value);
const char* word_of(Manifold value);
const char* word_of(Clock value);

struct Dynamics {
  Manifold manifold = Manifold::sphere;
  std::vector<Sublayer> sublayers{};
  Clock clock = Clock::u1;
  LayerNorm normalisation = LayerNorm::post;
  double mix_until = 0;  // of `mix`
  double speed = 1;      // of `ngpt`
  // The ellipsoid g(t) o u, |u| = 1: layer norm with one gain per coordinate. The swarm holds u, on
  // the sphere; u' = P_u g^{-1} o A(t, g o u), g(t) linear from `gain` at 0 to `gain_end` at
  // gain_until.
  Vector gain{}, gain_end{};  // (d), positive; empty: ones, and no change
  double gain_until = 0;
  // 1/kappa: dX = v dt + sqrt(2 noise) dB, B Brownian on the manifold (u's sphere)
  double noise = 0;
  // Times at which forces jump, ascending: no step crosses one, and every stage of a step has the
  // forces at its beginning. Weights that are drawn repeatedly and blocks of a trained swarm have
  // none here.
  std::vector<double> jump_times{};
};

// All forces of a dynamics by kind, sublayer after sublayer, for code that supports only some kinds
// and has to refuse the rest.
struct ForcesByKind {
  std::vector<const Attention*> heads{};
  std::vector<const Perceptron*> perceptrons{};
  bool others = false;  // whether there are forces of other kinds
};
ForcesByKind by_kind(const Dynamics& dynamics);

// Whether |x_i| changes too: `pre`, `peri` and `mix` evaluate forces at x / |x|.
bool moves_norms(const Dynamics& dynamics);

// Returns (d) g(t) of the ellipsoid; empty: ones.
Vector gain_at(const Dynamics& dynamics, double t);

// Throws Error(input) unless every shape in `dynamics` fits particles of d coordinates.
void check(const Dynamics& dynamics, int d);

}  // namespace murmur
