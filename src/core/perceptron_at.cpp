// perceptron_at.cpp: the feed-forward force at one place, in plain loops.
#include "core/perceptron_at.h"

#include "core/elementary.h"

namespace murmur {

double activate(Perceptron::Activation kind, double z) {
  constexpr double kRootHalf = 0.70710678118654752440;
  switch (kind) {
    case Perceptron::relu:
      return z > 0 ? z : 0.0;
    case Perceptron::gelu:
      return 0.5 * z * (1 + elementary::erf(z * kRootHalf));
    case Perceptron::tanh:
      return elementary::tanh(z);
  }
  return z;
}

void add_perceptron_at(const Perceptron& p, const double* x, double* a) {
  for (int m = 0; m < p.in.rows; ++m) {
    double z = p.in_bias.empty() ? 0.0 : p.in_bias[m];
    for (int k = 0; k < p.in.cols; ++k) z += p.in(m, k) * x[k];
    const double s = activate(p.activation, z);
    for (int k = 0; k < p.out.rows; ++k) a[k] += p.out(k, m) * s;
  }
  if (!p.out_bias.empty())
    for (int k = 0; k < p.out.rows; ++k) a[k] += p.out_bias[k];
}

}  // namespace murmur
