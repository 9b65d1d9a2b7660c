// head.h: an Attention made ready: its query, key and biases folded to the target's side.
#pragma once

#include <vector>

#include "engine/simd/panels.h"
#include "murmur/dynamics.h"

namespace murmur::simd {

// With 2 as the base of the exponential,
//   beta <Q x_i + b_Q, K x_j + b_K> log2(e) = <u_i, x_j> + c_i,
//   u_i = G x_i + g,   G = beta log2(e) K^T Q,     g = beta log2(e) K^T b_Q
//   c_i = <t, x_i> + t_0,   t = beta log2(e) Q^T b_K,   t_0 = beta log2(e) <b_Q, b_K>
// so that sources are the particles themselves, whatever the head. A narrow head, where Q and K
// have k rows, far fewer than d, has keys for sources instead, and values of few coordinates where
// V is of low rank, V = A B:
//   u_i = beta log2(e) (Q x_i + b_Q) against K x_j + b_K,   and sum_j a_ij B x_j, then A
struct Head {
  bool softmax = true, relative = false, self = true, past = false;
  bool isotropic = true;  // G = gaze_scale I and g = 0
  double gaze_scale = 0;
  Affine gaze{};               // G, g; unless isotropic or narrow
  int k = 0;                   // rows of Q and K of a narrow head; otherwise 0
  int r = 0;                   // rank of its V where values are B x; 0: they are the particles
  Vector tilt{};               // (d) t; empty means zero
  double level = 0;            // t_0, less the exponent that the clock takes off
  double rate = 1;             // of the clock
  bool value_is_scale = true;  // V = value_scale I
  double value_scale = 1;      // 1 where it is not
  Affine value{};              // V; unless it is a scale or the head is narrow
  Vector value_bias{};         // (d); empty means zero
  bool narrow() const { return k > 0; }
};

// The narrow heads of a sublayer, whose maps of the particles are one before the sums over pairs
// and one after them.
struct NarrowHeads {
  std::vector<Head> heads{};
  Affine seen{};  // (sum of 2k + r, d): of each head u, K x + b_K and B x, one below the other
  Affine said{};  // (d, sum of r, or of d where r is 0): A of each head side by side
};

bool is_narrow(const Attention& a, int d);
Head fold(const Attention& a, Clock clock, int d);
NarrowHeads fold_narrow(const std::vector<Attention>& heads, Clock clock, int d);

// The heads of a sublayer, where those that attend alike are one, whose V and b_V are their sums.
std::vector<Attention> merged(const std::vector<Attention>& heads, int d);

}  // namespace murmur::simd
