// energy.cpp: the public functions of the energy: values and derivatives for atoms as plain data.
#include "observe/energy.h"

#include "core/attention.h"
#include "core/perceptron_at.h"
#include "core/plain_forces.h"
#include "landscape/cloud_sums.h"
#include "landscape/system.h"
#include "murmur/dynamics.h"
#include "murmur/error.h"

namespace murmur {

using landscape::cloud_of;
using landscape::CloudSums;
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

Landscape landscape_of(const Dynamics& dynamics, int d) {
  PlainForces forces = forces_with_matrices(dynamics);
  if (forces.head.weighting != Attention::unnormalised)
    refuse_dynamics("the energy is that of unnormalised attention", "use dynamics=USA");
  if (dynamics.clock != Clock::u1 && dynamics.clock != Clock::u2)
    refuse_dynamics("the kernel is e^{beta x.y} or e^{beta (x.y - 1)}", "use clock=U1 or U2");
  if (dynamics.noise != 0) refuse_dynamics("noise adds an entropy to the energy", "use noise=0");
  const std::optional<double> sign = value_sign(forces.head);
  Matrix scores = score_matrix(forces.head.query, forces.head.key);
  if (!sign && !value_sign({.query = scores, .value = scores}))
    refuse_dynamics("Q^T K is not symmetric, and the value Q^T K y is the gradient of no energy",
                    "use a symmetric one, for example goe, wigner, psd or matrix:2,1;1,2");
  if (!sign)
    refuse_dynamics("the value is neither Q^T K nor its negative",
                    "use value=query-key or minus-query-key");
  if (is_identity(scores)) scores = {};
  const bool repulsive = *sign < 0;
  Landscape l{.d = d,
              .beta = forces.head.beta,
              .kernel = dynamics.clock == Clock::u2 ? Landscape::scaled : Landscape::plain,
              .matrix = std::move(scores),
              .direction = repulsive ? Landscape::descent : Landscape::ascent};
  if (forces.perceptron) {
    // Under descent x' = -P grad F: the perceptron of F is the one that moves tokens, turned round.
    if (repulsive) {
      for (double& entry : forces.perceptron->out.data) entry = -entry;
      for (double& entry : forces.perceptron->out_bias) entry = -entry;
    }
    set_potential(*forces.perceptron, l);
  }
  return l;
}

void set_potential(const Perceptron& p, Landscape& landscape) {
  const auto refuse = [] {
    throw Error(Fault::input, "the perceptron has no potential", "perceptron",
                "use gradient:M, or W_out = W_in^T diag(omega) without biases");
  };
  check(Dynamics{.sublayers = {{{p}}}}, landscape.d);
  const std::optional<Vector> weights = gradient_weights(p);
  if (!weights) refuse();
  landscape.a = p.in;
  landscape.omega = *weights;
  landscape.activation = p.activation;
}

double energy(const Landscape& l, const Atoms& mu) {
  const Terrain terrain(l);
  CloudSums sums(terrain, mu.count(), CloudSums::Wanted::values);
  const landscape::Cloud cloud = cloud_of(l, mu);
  return sums.certified() ? sums.read(cloud).energy.value : terrain.energy(cloud);
}

double energy_above_uniform(const Landscape& l, const Atoms& mu) {
  return landscape::above_uniform(Terrain(l), cloud_of(l, mu)).value;
}

double first_variation(const Landscape& l, const Atoms& mu, std::span<const double> x) {
  if (static_cast<int>(x.size()) != l.d)
    throw Error(Fault::input, "the point has another number of coordinates", "x", "give d of them");
  return Terrain(l).value(cloud_of(l, mu), vector_of(x));
}

Vector first_variations(const Landscape& l, const Atoms& mu, const Matrix& x) {
  if (x.cols != l.d)
    throw Error(Fault::input, "the points have another number of coordinates", "x",
                "give d of them");
  const Terrain terrain(l);
  const landscape::Cloud cloud = cloud_of(l, mu);
  const Eigen::MatrixXd places =
      Eigen::Map<const Eigen::MatrixXd>(x.data.data(), l.d, x.rows);  // rows of x as columns
  CloudSums sums(terrain, mu.count(), CloudSums::Wanted::values);
  const Eigen::VectorXd f = sums.values_at(cloud, places);
  return {f.data(), f.data() + f.size()};
}

Matrix slope(const Landscape& l, const Atoms& mu) {
  const Terrain terrain(l);
  CloudSums sums(terrain, mu.count(), CloudSums::Wanted::slopes);
  const landscape::Cloud cloud = cloud_of(l, mu);
  return matrix_of(
      (sums.certified() ? sums.read(cloud).slopes : terrain.slopes(cloud, nullptr)).transpose());
}

AtAtoms at_atoms(const Landscape& l, const Atoms& mu) {
  const Terrain terrain(l);
  CloudSums sums(terrain, mu.count(), CloudSums::Wanted::slopes);
  const landscape::CloudReading r = sums.read(cloud_of(l, mu));
  const auto plain = [](const Eigen::VectorXd& v) { return Vector(v.data(), v.data() + v.size()); };
  return {.energy = r.energy.value,
          .energy_bound = r.energy.rounding,
          .value = plain(r.values),
          .value_bound = plain(r.value_bounds),
          .slope = matrix_of(r.slopes.transpose()),
          .slope_bound = plain(r.slope_bounds)};
}

Matrix hessian(const Landscape& l, const Atoms& mu) {
  return matrix_of(landscape::system_of(Terrain(l), cloud_of(l, mu), false).matrix);
}

Matrix tangent_frame(std::span<const double> x) {
  return matrix_of(landscape::frame(vector_of(x)));
}

double energy_scale(const Landscape& l) { return Terrain(l).scale(); }

}  // namespace murmur
