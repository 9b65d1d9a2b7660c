// perceptron_at.cpp: the feed-forward force at one place, and its potential where it is a gradient.
#include "core/perceptron_at.h"

#include <algorithm>
#include <cmath>

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

double activation_slope(Perceptron::Activation kind, double z) {
  constexpr double kRootHalf = 0.70710678118654752440, kPdfAt0 = 0.39894228040143267794;
  switch (kind) {
    case Perceptron::relu:
      return z > 0 ? 1.0 : 0.0;
    case Perceptron::gelu:
      return 0.5 * (1 + elementary::erf(z * kRootHalf)) + z * kPdfAt0 * elementary::exp(-z * z / 2);
    case Perceptron::tanh: {
      const double y = elementary::tanh(z);
      return 1 - y * y;
    }
  }
  return 1;
}

double primitive(Perceptron::Activation activation, double z) {
  constexpr double kRootHalf = 0.70710678118654752440, kPdfAt0 = 0.39894228040143267794;
  constexpr double kLn2 = 0.69314718055994530942;
  const double size = std::fabs(z);
  switch (activation) {
    case Perceptron::relu:
      return z > 0 ? z * z / 2 : 0;
    case Perceptron::gelu: {
      const double below = (1 + elementary::erf(z * kRootHalf)) / 2;  // Phi
      const double pdf = kPdfAt0 * elementary::exp(-z * z / 2);
      return ((z * z - 1) * below + z * pdf + 0.5) / 2;
    }
    case Perceptron::tanh:
      return size + elementary::log(1 + elementary::exp(-2 * size)) - kLn2;
  }
  return 0;
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

// With u = 2^-53, w_m the rows of W_in, o_m the columns of W_out, S_m = |b_m| + |w_m| |x| >= |z_m|:
//   z_m      is off by (d + 1) u S_m: d products and as many additions (Higham, Accuracy and
//            Stability of Numerical Algorithms, section 3.1);
//   s(z_m)   by slope times that, and by what the activation rounds, `lost` u S_m, as |s(z)| <=
//   |z|:
//            relu nothing; tanh 1.5 ulp (core/elementary.h); gelu 0.5 z (1 + erf y): erf 1.7 ulp, y
//            two roundings times y erf'(y) <= 0.5, the sum and the product one each;
//   a        by (h + 2) u sum_m |o_m| S_m and as much of b_out: h + 1 additions and a product.
// A hundredth more is left to products of these.
PerceptronBound perceptron_bound(const Perceptron& p) {
  constexpr double kUnit = 0x1p-53, kMore = 1.01;
  const double slope = p.activation == Perceptron::gelu ? 1.13 : 1;
  const double lost = p.activation == Perceptron::gelu   ? 6
                      : p.activation == Perceptron::tanh ? 3
                                                         : 0;
  const double units = slope * (p.in.cols + 1) + lost + p.in.rows + 2;
  PerceptronBound bound;
  for (int m = 0; m < p.in.rows; ++m) {
    double in = 0, out = 0;
    for (int k = 0; k < p.in.cols; ++k) in = std::hypot(in, p.in(m, k));
    for (int k = 0; k < p.out.rows; ++k) out = std::hypot(out, p.out(k, m));
    bound.size_slope += kMore * out * in;
    if (!p.in_bias.empty()) bound.size_fixed += kMore * out * std::fabs(p.in_bias[m]);
  }
  bound.fixed = units * kUnit * bound.size_fixed;
  bound.slope = units * kUnit * bound.size_slope;
  double bias = 0;
  for (const double b : p.out_bias) bias = std::hypot(bias, b);
  bound.size_fixed += kMore * bias;
  bound.fixed += (p.in.rows + 2) * kUnit * kMore * bias;
  return bound;
}

std::optional<Vector> gradient_weights(const Perceptron& p) {
  const auto zero = [](const Vector& v) {
    return std::all_of(v.begin(), v.end(), [](double value) { return value == 0; });
  };
  if (!zero(p.in_bias) || !zero(p.out_bias)) return {};
  Vector weights(p.in.rows);
  for (int m = 0; m < p.in.rows; ++m) {
    double square = 0, along = 0, off = 0, size = 0;
    for (int k = 0; k < p.in.cols; ++k) {
      square += p.in(m, k) * p.in(m, k);
      along += p.in(m, k) * p.out(k, m);
    }
    const double omega = square > 0 ? along / square : 0;
    for (int k = 0; k < p.in.cols; ++k) {
      off = std::max(off, std::abs(p.out(k, m) - omega * p.in(m, k)));
      size = std::max(size, std::abs(p.out(k, m)));
    }
    if (off > 1e-12 * size) return {};
    weights[m] = omega;
  }
  return weights;
}

}  // namespace murmur
