// energy.cpp: the energy's public face: values and derivatives for atoms as plain data.
#include <cmath>
#include <numbers>

#include "core/perceptron_at.h"
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
  if (p.out.rows != p.in.cols || p.out.cols != p.in.rows) refuse();
  const std::optional<Vector> weights = gradient_weights(p);
  if (!weights) refuse();
  landscape.a = p.in;
  landscape.omega = *weights;
  landscape.activation = p.activation;
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
