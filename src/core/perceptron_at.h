// perceptron_at.h: the feed-forward force at one place, and its potential where it is a gradient.
#pragma once

#include <optional>

#include "murmur/dynamics.h"

namespace murmur {

double activate(Perceptron::Activation kind, double z);  // s(z)
// s'(z); of relu 0 at z = 0
double activation_slope(Perceptron::Activation kind, double z);

//   a += W_out s(W_in x + b_in) + b_out,   x and a (d)
void add_perceptron_at(const Perceptron& p, const double* x, double* a);

// A bound on the error that rounding leaves in the sum of add_perceptron_at, and on the length of
// that sum: fixed + slope |x| each.
struct PerceptronBound {
  double fixed = 0, slope = 0;            // of the error
  double size_fixed = 0, size_slope = 0;  // of the sum
};
PerceptronBound perceptron_bound(const Perceptron& p);

// The omega of a perceptron that is a gradient, W_out = (omega_m a_m) with a_m the rows of W_in and
// no biases: omega_m = <out_m, a_m> / |a_m|^2 (relative 1e-12). Nothing where it is none.
std::optional<Vector> gradient_weights(const Perceptron& p);

}  // namespace murmur
