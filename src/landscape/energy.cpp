// energy.cpp: the energy's public face: values and derivatives for atoms as plain data.
#include <cmath>
#include <numbers>

#include "landscape/system.h"
#include "murmur/error.h"

namespace murmur {

using landscape::cloud_of;
using landscape::Terrain;

namespace {

Matrix matrix_of(const Eigen::MatrixXd& m) {
  Matrix result = zeros(static_cast<int>(m.rows()), static_cast<int>(m.cols()));
  for (int i = 0; i < result.rows; ++i)
    for (int j = 0; j < result.cols; ++j) result(i, j) = m(i, j);
  return result;
}

Eigen::VectorXd vector_of(std::span<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

}  // namespace

//   relu z_+^2 / 2;   gelu (z^2 Phi(z) + z pdf(z) - Phi(z)) / 2 + 1/4;   tanh ln cosh z
double primitive(Perceptron::Activation activation, double z) {
  const double size = std::fabs(z);
  switch (activation) {
    case Perceptron::relu:
      return z > 0 ? z * z / 2 : 0;
    case Perceptron::gelu: {
      const double below = std::erfc(-z / std::numbers::sqrt2) / 2;  // Phi
      const double pdf = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
      return ((z * z - 1) * below + z * pdf) / 2 + 0.25;
    }
    case Perceptron::tanh:
      return size + std::log1p(std::exp(-2 * size)) - std::numbers::ln2;
  }
  return 0;
}

void set_potential(const Perceptron& p, Landscape& landscape) {
  const auto refuse = [] {
    throw Error(Fault::input, "the perceptron has no potential", "perceptron",
                "use gradient:M, or W_out = W_in^T diag(omega) without biases");
  };
  for (const Vector* bias : {&p.in_bias, &p.out_bias})
    for (const double value : *bias)
      if (value != 0) refuse();
  if (p.out.rows != p.in.cols || p.out.cols != p.in.rows) refuse();
  landscape.a = p.in;
  landscape.omega.assign(p.in.rows, 0);
  landscape.activation = p.activation;
  for (int m = 0; m < p.in.rows; ++m) {
    double square = 0, along = 0, off = 0, size = 0;
    for (int k = 0; k < p.in.cols; ++k) {
      square += p.in(m, k) * p.in(m, k);
      along += p.in(m, k) * p.out(k, m);
    }
    const double omega = square > 0 ? along / square : 0;
    for (int k = 0; k < p.in.cols; ++k) {
      off = std::max(off, std::fabs(p.out(k, m) - omega * p.in(m, k)));
      size = std::max(size, std::fabs(p.out(k, m)));
    }
    if (off > 1e-12 * size) refuse();
    landscape.omega[m] = omega;
  }
}

double energy(const Landscape& l, const Atoms& mu) { return Terrain(l).energy(cloud_of(l, mu)); }

double first_variation(const Landscape& l, const Atoms& mu, std::span<const double> x) {
  if (static_cast<int>(x.size()) != l.d)
    throw Error(Fault::input, "the point has another number of coordinates", "x", "give d of them");
  return Terrain(l).value(cloud_of(l, mu), vector_of(x));
}

Matrix slope(const Landscape& l, const Atoms& mu) {
  return matrix_of(Terrain(l).slopes(cloud_of(l, mu), nullptr).transpose());
}

Matrix hessian(const Landscape& l, const Atoms& mu) {
  return matrix_of(landscape::system_of(Terrain(l), cloud_of(l, mu), false).matrix);
}

Matrix tangent_frame(std::span<const double> x) {
  return matrix_of(landscape::frame(vector_of(x)));
}

double energy_scale(const Landscape& l) { return Terrain(l).scale(); }

}  // namespace murmur
