// perceptron.h: the force that a particle exerts on itself: the feed-forward block.
#pragma once

#include "murmur/matrix.h"

namespace murmur {

//   A_i = W_out s(W_in x_i + b_in) + b_out
struct Perceptron {
  Matrix in{};                                             // (h, d)
  Vector in_bias{};                                        // (h); empty means zero
  Matrix out{};                                            // (d, h)
  Vector out_bias{};                                       // (d); empty means zero
  enum Activation { relu, gelu, tanh } activation = relu;  // gelu: z Phi(z), the exact one
};

// phi with phi' = s and phi(0) = 0, of which potentials are made:
//   relu z_+^2 / 2;   gelu ((z^2 - 1) Phi(z) + z pdf(z)) / 2 + 1/4;   tanh ln cosh z
double primitive(Perceptron::Activation activation, double z);

}  // namespace murmur
