// describe.cpp: what a rest point is: spectrum, index, zeros and whether it is of second order.
#include <algorithm>
#include <cmath>

#include "landscape/system.h"

namespace murmur {

namespace landscape {

namespace {

// Below this share of the largest eigenvalue, or of the terms that it is the difference of.
constexpr double kZero = 1e-10, kRounding = 1e-14;

// d(d-1)/2 - (d-r)(d-r-1)/2: rotations that move atoms spanning r dimensions.
int rotations(const Cloud& mu) {
  const auto d = static_cast<int>(mu.x.rows());
  Eigen::ColPivHouseholderQR<MatrixXd> qr(mu.x);
  qr.setThreshold(1e-8);
  const auto r = static_cast<int>(qr.rank());
  return d * (d - 1) / 2 - (d - r) * (d - r - 1) / 2;
}

}  // namespace

// Tokens of equal mass that share an atom may part: such moves, sum 0 within the atom, have the
// eigenvalues of F's own second derivative, each one time less than there are tokens.
CriticalPoint describe(const Terrain& terrain, const Cloud& mu, int n) {
  const System system = system_of(terrain, mu, n == 0);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(system.matrix, Eigen::EigenvaluesOnly);
  CriticalPoint point{.mu = atoms_of(mu),
                      .energy = terrain.energy(mu),
                      .gradient_norm = system.residual / terrain.scale()};
  const VectorXd& all = spectrum.eigenvalues();
  point.spectrum.assign(all.data(), all.data() + all.size());
  point.splitting = zeros(mu.count(), terrain.d() - 1);
  for (int i = 0; i < mu.count(); ++i) {
    const MatrixXd second = terrain.local(mu, mu.x.col(i)).second;
    const VectorXd own =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(second, Eigen::EigenvaluesOnly).eigenvalues();
    const auto tokens = n == 0 ? 1 : std::lround(n * mu.m[i]);
    for (int k = 0; k < own.size(); ++k) {
      point.splitting(i, k) = own[k];
      for (long copy = 1; copy < tokens; ++copy) point.spectrum.push_back(own[k]);
    }
  }
  std::sort(point.spectrum.begin(), point.spectrum.end());
  double zero = kRounding * terrain.scale();
  for (const double value : point.spectrum) zero = std::max(zero, kZero * std::fabs(value));
  const auto leaves = [&](double value) { return -terrain.sign() * value > zero; };
  for (const double value : point.spectrum) {
    if (std::fabs(value) <= zero) ++point.zeros;
    if (leaves(value)) ++point.index;
  }
  const Vector& apart = point.splitting.data;
  point.second_order =
      point.index == 0 && (n > 0 || std::none_of(apart.begin(), apart.end(), leaves));
  point.expected_zeros = terrain.units() == 0 ? rotations(mu) : 0;
  return point;
}

}  // namespace landscape

CriticalPoint describe(const Landscape& l, const Atoms& mu, int n) {
  return landscape::describe(landscape::Terrain(l), landscape::cloud_of(l, mu), n);
}

}  // namespace murmur
