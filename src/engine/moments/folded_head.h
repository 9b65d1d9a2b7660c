// folded_head.h: an Attention made ready for sums: query, key and biases on the target's side.
#pragma once

#include <optional>

#include "murmur/dynamics.h"

namespace murmur::moments {

//   s_ij = beta <Q x_i + b_Q, K x_j + b_K> = <u_i, x_j> + c_i
//   u_i = G x_i + g,   G = beta K^T Q,   g = beta K^T b_Q
//   c_i = <t, x_i> + t_0,   t = beta Q^T b_K,   t_0 = beta <b_Q, b_K>
// folded in long double. Where the products of K and Q cancel, an entry is off by more than its own
// last digit: *_off bounds the length of what is lost.
struct FoldedHead {
  bool divided = true;    // softmax
  bool relative = false;  // V acts on x_j - x_i
  Matrix gaze{};          // G (d, d)
  Vector gaze_bias{};     // (d) g
  Vector tilt{};          // (d) t
  double level = 0;       // t_0, less the exponent that the clock takes off
  double rate = 1;        // of the clock
  Matrix value{};         // (d, d); empty: the identity
  Vector value_bias{};    // (d); empty: zero
  // Norms of Frobenius, and lengths.
  double gaze_size = 0, gaze_bias_size = 0, tilt_size = 0, value_size = 1, value_bias_size = 0;
  double gaze_off = 0, gaze_bias_off = 0, tilt_off = 0, level_off = 0;
  double reach = 0;                // at least |u| of every unit vector, by little
  std::optional<double> length{};  // |u| of every unit vector, where it is one
};
FoldedHead folded(const Attention& head, Clock clock, int d);

}  // namespace murmur::moments
