// energy.cpp: the public functions of the energy, and the energy relative to that of the uniform
// law.
#include "observe/energy.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "core/forces.h"
#include "core/plain_forces.h"
#include "landscape/cloud_sums.h"
#include "landscape/system.h"
#include "murmur/dynamics.h"
#include "murmur/error.h"
#include "murmur/theory.h"

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
    // Under descent x' = -P grad F: the perceptron of F is the negative of the one that moves
    // tokens.
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

namespace murmur::landscape {

// --- Energy relative to that of the uniform law, and the scale of a certificate.

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// I_l / I_{l-1} of beta, l = 1, 2, ...: by the continued fraction, started where I_l is negligible.
std::vector<double> bessel_ratios(double beta) {
  const int top = 64 + static_cast<int>(16 * std::sqrt(beta));
  std::vector<double> ratios(top);
  for (int l = top, next = 0; l >= 1; --l, ++next)
    ratios[l - 1] = 1 / (2 * l / beta + (next > 0 ? ratios[l] : 0));
  return ratios;
}

// On the circle the pair energy is (1 / 2 beta) (I_0 + 2 sum_l I_l |c_l|^2), c_l = sum_j m_j
// e^{i l angle_j}, I_0 + 2 sum_l I_l = e^beta: the difference to the uniform law is a sum of
// squares, so nothing cancels.
Rounded circle_pairs(const Terrain& terrain, const Cloud& mu) {
  const std::vector<double> ratios = bessel_ratios(terrain.beta());
  std::vector<std::complex<double>> z, power;
  for (int j = 0; j < mu.count(); ++j)
    z.push_back(std::complex(mu.x(0, j), mu.x(1, j)) / mu.x.col(j).norm());
  power.assign(z.size(), 1);
  double bessel = 1, all = 1;  // over I_0
  Rounded sum;
  for (std::size_t l = 1; l <= ratios.size(); ++l) {
    bessel *= ratios[l - 1];
    all += 2 * bessel;
    std::complex<double> c = 0;
    for (std::size_t j = 0; j < z.size(); ++j) c += mu.m[static_cast<int>(j)] * (power[j] *= z[j]);
    const double off = kEpsilon * static_cast<double>(4 * l + z.size());  // of c
    sum.value += bessel * std::norm(c);
    sum.rounding += bessel * off * (2 * std::abs(c) + off);
  }
  const double unit = terrain.most_kernel() / all / terrain.beta();
  const double share = 4 * kEpsilon * static_cast<double>(ratios.size());
  return {unit * sum.value, unit * (sum.rounding + share * sum.value)};
}

// The mean of k over two independent uniform points. With a matrix, by the moments of <x, D y>,
//   mean e^{beta <x, D y>} = sum_k (beta^2 / 4)^k c_k / ((d/2)_k)^2,
//   sum_k c_k t^k = prod_i (1 - t l_i^2)^{-1/2},   k c_k = (1/2) sum_i S_i,
//   S_i = sum_{j=1..k} l_i^{2j} c_{k-j} = l_i^2 (c_{k-1} + S_i before),
// l_i the eigenvalues of D: all terms are positive, so nothing cancels. They are summed for |D| = 1
// and relative to the largest term, like e^{x - x_max}.
Rounded mean_kernel(const Terrain& terrain) {
  const double beta = terrain.beta(), norm = terrain.score_norm();
  if (!terrain.has_matrix()) {
    const double log = theory::log_eigenvalue(terrain.d(), beta, 0) - beta;
    const double mean = terrain.most_kernel() * std::exp(log);
    return {mean, kEpsilon * (16 + std::fabs(log)) * mean};
  }
  constexpr double kLarge = 1e200;
  const double half = terrain.d() / 2.0, ratio = beta * norm * beta * norm / 4;
  std::vector<double> square, sums(terrain.d(), 0);
  for (const MatrixXd& space : terrain.eigenspaces()) {
    const double l = terrain.scores_between(space.col(0), space.col(0))(0, 0) / norm;
    square.insert(square.end(), space.cols(), l * l);
  }
  // power = (ratio)^k / ((d/2)_k)^2 e^{-scale}; `sum` has the same factor.
  double c = 1, power = 1, sum = 1, scale = 0;
  int k = 1;
  for (; k < 10 * (beta * norm + 100); ++k) {
    double next = 0;
    for (std::size_t i = 0; i < square.size(); ++i) next += sums[i] = square[i] * (c + sums[i]);
    c = next / (2 * k);
    power *= ratio / ((half + k - 1) * (half + k - 1));
    sum += power * c;
    if (power < 1 && power * c < 1e-18 * sum) break;
    if (sum < kLarge) continue;
    sum /= kLarge;
    power /= kLarge;
    scale += std::log(kLarge);
  }
  const double mean = terrain.most_kernel() * std::exp(scale - beta * norm) * sum;
  return {mean, kEpsilon * (16 + 8.0 * k + scale) * mean};
}

// (1 / 2 beta) sum_ij m_i m_j (k_ij - mean k) in any dimension.
Rounded pairs(const Terrain& terrain, const Cloud& mu) {
  const Rounded mean = mean_kernel(terrain);
  const double half = 1 / (2 * terrain.beta());
  CloudSums sums(terrain, mu.count(), CloudSums::Wanted::values);
  if (sums.certified()) {
    const Rounded all = sums.read(mu).pairs;
    return {all.value - half * mean.value, all.rounding + half * mean.rounding};
  }
  const MatrixXd k = terrain.kernels(mu.x);
  const double above = mu.m.dot((k.array() - mean.value).matrix() * mu.m);
  return {half * above,
          half * (terrain.pair_rounding(mu.count()) * mu.m.dot(k * mu.m) + mean.rounding)};
}

// The mean of ln cosh(size u), u = sin q a coordinate of a uniform point of the sphere, the density
// of q cos^{d-2}: double exponential quadrature over a quarter turn, dense at q = 0, where the
// integrand has an edge for a large size (Takahasi and Mori, 1974).
double mean_log_cosh(int d, double size) {
  constexpr double kStep = 0.01, kEnd = 3.5;
  double sum = 0, mass = 0;
  for (double t = -kEnd; t <= kEnd; t += kStep) {
    const double steep = std::numbers::pi / 2 * std::sinh(t);
    const double q = std::numbers::pi / 2 / (1 + std::exp(-2 * steep));
    const double weight =
        std::cosh(t) / std::pow(std::cosh(steep), 2) * std::pow(std::cos(q), d - 2);
    sum += weight * primitive(Perceptron::tanh, size * std::sin(q));
    mass += weight;
  }
  return sum / mass;
}

}  // namespace

// relu and gelu are z / 2 plus an even function, so their primitives are z^2 / 4 plus an odd one.
double Terrain::mean_potential() const {
  double sum = 0;
  for (int m = 0; m < units(); ++m)
    sum += omega_[m] * (activation_ == Perceptron::tanh ? mean_log_cosh(d_, a_.row(m).norm())
                                                        : a_.row(m).squaredNorm() / (4 * d_));
  return sum;
}

// A cosine has an error of d + 2 roundings, times beta; exp and the sum add more. A score <x, D y>
// has an error of 2 d + 4 roundings of sum_kl |x_k| |D_kl| |y_l| <= sqrt(d) |D|.
double Terrain::pair_rounding(int count) const {
  const double score = has_matrix() ? (2 * d_ + 4) * std::sqrt(d_) * norm_ : d_ + 2;
  return kEpsilon * (score * beta_ + count + 8);
}

double Terrain::potential_rounding() const {
  return kEpsilon * (2 * d_ + units() + 8) * unit_scale_;
}

// Uses points spread on the sphere and the axes of the units, so it is a lower bound of the range.
double Terrain::potential_range() const {
  if (units() == 0) return 0;
  double min = std::numeric_limits<double>::infinity(), max = -min;
  const auto look = [&](const VectorXd& x) {
    const double v = potential(x);
    min = std::min(min, v);
    max = std::max(max, v);
  };
  const MatrixXd x = spread_points(d_);
  for (int i = 0; i < x.cols(); ++i) look(x.col(i));
  for (int m = 0; m < units(); ++m) {
    const double size = a_.row(m).norm();
    if (!(size > 0)) continue;
    look(a_.row(m).transpose() / size);
    look(-a_.row(m).transpose() / size);
  }
  return max - min > 2 * potential_rounding() ? max - min : 0;
}

Rounded above_uniform(const Terrain& terrain, const Cloud& mu) {
  Rounded above =
      terrain.d() == 2 && !terrain.has_matrix() ? circle_pairs(terrain, mu) : pairs(terrain, mu);
  if (terrain.units() == 0) return above;
  double v = 0;
  for (int i = 0; i < mu.count(); ++i) v += mu.m[i] * terrain.potential(mu.x.col(i));
  above.value += v - terrain.mean_potential();
  above.rounding += 2 * terrain.potential_rounding();
  return above;
}

double stake(const Terrain& terrain, const Rounded& above) {
  double least = std::fabs(above.value);
  for (const double range : {terrain.potential_range(), best_pairs(terrain).range})
    if (range > 0) least = std::min(least, range);
  return least;
}

double gap_rounding(const Terrain& terrain, const Cloud& mu) {
  double most = 0;  // sum of the pair terms of F, all positive
  MatrixXd scratch;
  const MatrixXd& from = terrain.sources(mu.x, scratch);
  const auto look = [&](const VectorXd& x) {
    double sum = 0;
    for (int j = 0; j < mu.count(); ++j) sum += mu.m[j] * terrain.kernel(from.col(j).dot(x));
    most = std::max(most, sum / terrain.beta());
  };
  const MatrixXd x = spread_points(terrain.d());
  for (int i = 0; i < x.cols(); ++i) look(x.col(i));
  for (int i = 0; i < mu.count(); ++i) look(mu.x.col(i));
  return 2 * (terrain.pair_rounding(mu.count()) * most + terrain.potential_rounding());
}

}  // namespace murmur::landscape
