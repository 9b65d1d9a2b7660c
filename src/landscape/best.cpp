// best.cpp: the best of all measures in closed form, where the energy is not convex.
#include <algorithm>
#include <cmath>

#include "landscape/decompose.h"
#include "landscape/system.h"

namespace murmur {

namespace landscape {

// Ascent. Write D = A - B with A, B >= 0 its positive and negative part. The kernel is
//   e^{beta <x, D y>} = e^{beta <x, A y>} (cosh - sinh)(beta <x, B y>),
// a difference of two positive definite kernels; without the second, mean k is at most
//   max_x e^{beta <x, A x>} cosh(beta <x, B x>),
// since K(x, y)^2 <= K(x, x) K(y, y). With s the part of |x|^2 in the range of B its logarithm is
// at most beta l+ (1 - s) + ln cosh(beta l- s), convex in s, so that s = 0 or s = 1: e^{beta l+}
// or cosh(beta l-). The Dirac at an eigenvector of l+ has the first; half a Dirac at an eigenvector
// of -l- and half at its negative have the second.
// Descent. By Jensen mean k >= e^{beta <m, D m>}, m the mean of mu, |m| <= 1: at least
// e^{-beta l-}, which the Dirac at an eigenvector of -l- has.
BestPairs best_pairs(const Terrain& terrain) {
  const double low = terrain.least_score(), high = terrain.most_score();
  const auto pair = [&](double s) { return (terrain.kernel(s) + terrain.kernel(-s)) / 2; };
  BestPairs best;
  const bool descent = terrain.sign() > 0;
  best.antipodal = !descent && low < 0 && pair(low) > terrain.kernel(high);
  const bool at_low = descent || best.antipodal;
  best.mean_kernel = best.antipodal ? pair(low) : terrain.kernel(at_low ? low : high);
  if (!terrain.has_matrix() || terrain.is_convex()) return best;
  best.axis = (at_low ? terrain.eigenspaces().front() : terrain.eigenspaces().back()).col(0);
  double other = terrain.kernel(at_low ? high : low);
  if (best.antipodal) other = low * high < 0 ? pair(0) : pair(high);
  best.range = std::fabs(best.mean_kernel - other) / (2 * terrain.beta());
  // A multiple of the identity has no axes.
  if (terrain.eigenspaces().size() == 1) best.range = 0;
  return best;
}

}  // namespace landscape

bool certifies_energy(const Landscape& l) { return landscape::Terrain(l).is_convex(); }

std::optional<KnownBest> known_best(const Landscape& l) {
  const landscape::Terrain terrain(l);
  if (terrain.units() > 0 || terrain.is_convex()) return std::nullopt;
  const landscape::BestPairs best = landscape::best_pairs(terrain);
  KnownBest known{.energy = best.mean_kernel / (2 * terrain.beta())};
  landscape::Cloud mu{Eigen::MatrixXd::Zero(l.d, 1), Eigen::VectorXd::Ones(1)};
  mu.x(0, 0) = 1;  // without a matrix: any point
  if (terrain.has_matrix()) mu.x.col(0) = best.axis;
  if (best.antipodal) {
    mu.x.conservativeResize(Eigen::NoChange, 2);
    mu.x.col(1) = -mu.x.col(0);
    mu.m = Eigen::VectorXd::Constant(2, 0.5);
  }
  known.mu = landscape::atoms_of(mu);
  return known;
}

}  // namespace murmur
