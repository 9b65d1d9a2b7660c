// uniform.cpp: energies told from that of the uniform law, and what is at stake in a certificate.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "landscape/cloud_sums.h"
#include "landscape/system.h"
#include "murmur/theory.h"

namespace murmur::landscape {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// I_l / I_{l-1} of beta, l = 1, 2, ...: the continued fraction, from so far up that I_l is nothing.
std::vector<double> bessel_ratios(double beta) {
  const int top = 64 + static_cast<int>(16 * std::sqrt(beta));
  std::vector<double> ratios(top);
  for (int l = top, next = 0; l >= 1; --l, ++next)
    ratios[l - 1] = 1 / (2 * l / beta + (next > 0 ? ratios[l] : 0));
  return ratios;
}

// On the circle the pair energy is (1 / 2 beta) (I_0 + 2 sum_l I_l |c_l|^2), c_l = sum_j m_j
// e^{i l angle_j}, I_0 + 2 sum_l I_l = e^beta: what a measure has beyond the uniform law is a sum
// of squares, in which nothing cancels.
Told circle_pairs(const Terrain& terrain, const Cloud& mu) {
  const std::vector<double> ratios = bessel_ratios(terrain.beta());
  std::vector<std::complex<double>> z, power;
  for (int j = 0; j < mu.count(); ++j)
    z.push_back(std::complex(mu.x(0, j), mu.x(1, j)) / mu.x.col(j).norm());
  power.assign(z.size(), 1);
  double bessel = 1, all = 1;  // over I_0
  Told sum;
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
// l_i the eigenvalues of D: all terms are positive, so that nothing cancels. They are summed over
// |D| = 1 and relative to the largest, as e^{x - x_max} would be.
Told mean_kernel(const Terrain& terrain) {
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
  // power = (ratio)^k / ((d/2)_k)^2 over e^scale, which it and the sum share.
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
Told pairs(const Terrain& terrain, const Cloud& mu) {
  const Told mean = mean_kernel(terrain);
  const double half = 1 / (2 * terrain.beta());
  CloudSums sums(terrain, mu.count(), CloudSums::Wanted::values);
  if (sums.certified()) {
    const Told all = sums.read(mu).pairs;
    return {all.value - half * mean.value, all.rounding + half * mean.rounding};
  }
  const MatrixXd k = terrain.kernels(mu.x);
  const double above = mu.m.dot((k.array() - mean.value).matrix() * mu.m);
  return {half * above,
          half * (terrain.pair_rounding(mu.count()) * mu.m.dot(k * mu.m) + mean.rounding)};
}

// The mean of ln cosh(size u), u = sin q a coordinate of a uniform point of the sphere, the density
// of q cos^{d-2}: double exponential quadrature over a quarter turn, dense at q = 0, where a large
// size makes an edge (Takahasi and Mori, 1974).
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

// relu and gelu are z / 2 and an even function: their primitives z^2 / 4 and an odd one.
double Terrain::mean_potential() const {
  double sum = 0;
  for (int m = 0; m < units(); ++m)
    sum += omega_[m] * (activation_ == Perceptron::tanh ? mean_log_cosh(d_, a_.row(m).norm())
                                                        : a_.row(m).squaredNorm() / (4 * d_));
  return sum;
}

// A cosine is off by d + 2 roundings, which beta multiplies; then come exp and the sum. A score
// <x, D y> is off by 2 d + 4 of sum_kl |x_k| |D_kl| |y_l| <= sqrt(d) |D|.
double Terrain::pair_rounding(int count) const {
  const double score = has_matrix() ? (2 * d_ + 4) * std::sqrt(d_) * norm_ : d_ + 2;
  return kEpsilon * (score * beta_ + count + 8);
}

double Terrain::potential_rounding() const {
  return kEpsilon * (2 * d_ + units() + 8) * unit_scale_;
}

// Over points spread on the sphere and the axes of the units: never more than the range is.
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

Told above_uniform(const Terrain& terrain, const Cloud& mu) {
  Told told =
      terrain.d() == 2 && !terrain.has_matrix() ? circle_pairs(terrain, mu) : pairs(terrain, mu);
  if (terrain.units() == 0) return told;
  double v = 0;
  for (int i = 0; i < mu.count(); ++i) v += mu.m[i] * terrain.potential(mu.x.col(i));
  told.value += v - terrain.mean_potential();
  told.rounding += 2 * terrain.potential_rounding();
  return told;
}

double stake(const Terrain& terrain, const Told& above) {
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
