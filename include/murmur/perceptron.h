// perceptron.h: the feed-forward sublayer: a force that depends on the particle's own position.
#pragma once

#include "murmur/matrix.h"

namespace murmur {

//   A_i = W_out s(W_in x_i + b_in) + b_out     (2312.10794)
// In gradient form, W_out = W_in^T diag(omega) without biases, it is the gradient of
// V(x) = sum_m omega_m phi(a_m . x), a_m the rows of W_in (2601.21366, whose phi is twice ours).
struct Perceptron {
  Matrix in{};                                             // (h, d)
  Vector in_bias{};                                        // (h); empty means zero
  Matrix out{};                                            // (d, h)
  Vector out_bias{};                                       // (d); empty means zero
  enum Activation { relu, gelu, tanh } activation = relu;  // gelu: z Phi(z), the exact one
};

// phi with phi' = s and phi(0) = 0, the primitive of the activation:
//   relu z_+^2 / 2;   gelu ((z^2 - 1) Phi(z) + z pdf(z)) / 2 + 1/4;   tanh ln cosh z
double primitive(Perceptron::Activation activation, double z);

}  // namespace murmur
