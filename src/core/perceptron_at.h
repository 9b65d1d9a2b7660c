// perceptron_at.h: the feed-forward force at one place, in plain loops.
#pragma once

#include "murmur/perceptron.h"

namespace murmur {

double activate(Perceptron::Activation kind, double z);  // s(z)

//   a += W_out s(W_in x + b_in) + b_out,   x and a (d)
void add_perceptron_at(const Perceptron& p, const double* x, double* a);

}  // namespace murmur
