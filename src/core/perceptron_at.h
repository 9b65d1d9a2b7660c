// perceptron_at.h: the feed-forward force at one point, and its weights if it is a gradient;
// defined in forces.cpp.
#pragma once

#include <optional>

#include "murmur/dynamics.h"

namespace murmur {

double activate(Perceptron::Activation kind, double z);  // s(z)
// s'(z); 0 at z = 0 for relu
double activation_slope(Perceptron::Activation kind, double z);

//   a += W_out s(W_in x + b_in) + b_out,   x and a (d)
void add_perceptron_at(const Perceptron& p, const double* x, double* a);

// Bounds on the rounding error of add_perceptron_at, and on the length of its result: fixed + slope
// |x| each.
struct PerceptronBound {
  double fixed = 0, slope = 0;            // of the error
  double size_fixed = 0, size_slope = 0;  // of the result
};
PerceptronBound perceptron_bound(const Perceptron& p);

// Returns omega of a perceptron that is a gradient, W_out = (omega_m a_m) with a_m the rows of W_in
// and no biases: omega_m = <out_m, a_m> / |a_m|^2 (relative 1e-12). Returns nothing for other
// perceptrons.
std::optional<Vector> gradient_weights(const Perceptron& p);

}  // namespace murmur
