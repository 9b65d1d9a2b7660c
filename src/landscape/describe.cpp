// describe.cpp: spectrum, index, zeros and second-order conditions of a critical point.
#include <algorithm>
#include <cmath>

#include "landscape/decompose.h"
#include "landscape/system.h"

namespace murmur {

namespace landscape {

namespace {

// Below this share of the largest eigenvalue, or of the terms that it is the difference of.
constexpr double kZero = 1e-10, kRounding = 1e-14;
constexpr double kReached = 1e-6;  // singular value above which atoms span a dimension

// Dimension of the orbit under rotations that fix every a_m and commute with D: those of the c
// dimensions orthogonal to all a_m, of which the atoms span r: c(c-1)/2 - (c-r)(c-r-1)/2, added
// over the eigenspaces of D; c = d without a perceptron and a matrix.
int rotations(const Terrain& terrain, const Cloud& mu) {
  int all = 0;
  for (const MatrixXd& free : terrain.symmetric_spaces()) {  // (d, c)
    const auto c = static_cast<int>(free.cols());
    int r = 0;
    if (c > 0) {
      for (const double size : singular_values_of(free.transpose() * mu.x))
        r += size > kReached ? 1 : 0;
    }
    all += c * (c - 1) / 2 - (c - r) * (c - r - 1) / 2;
  }
  return all;
}

// Of second derivatives, as a share of their terms: with a matrix these are beta |D|^2 k and more.
double rounding_of(const Terrain& terrain, const Cloud& mu) {
  if (!terrain.has_matrix()) return kRounding;
  return terrain.pair_rounding(mu.count()) * (1 + terrain.beta() * terrain.score_norm());
}

}  // namespace

// Tokens of equal mass that share an atom may separate: such moves, of sum 0 within the atom, have
// the eigenvalues of F's own second derivative, each with multiplicity (tokens - 1). Moves of whole
// atoms may be slower than those by e^beta, so each kind has its own threshold for zero.
CriticalPoint describe(const Terrain& terrain, const Cloud& mu, int n) {
  const System system = system_of(terrain, mu, n == 0);
  CriticalPoint point{.mu = atoms_of(mu),
                      .energy = terrain.energy(mu),
                      .above_uniform = above_uniform(terrain, mu).value,
                      .gradient_norm = system.residual / terrain.scale(),
                      .balance = system.balance};
  const double terms =
      n == 0 ? terrain.scale() : (1 + terrain.beta()) * terrain.term_lengths(mu).maxCoeff();
  const double rounding = rounding_of(terrain, mu);
  // The rounding error of eigenvalues of a matrix of that size.
  const auto zero_of = [&](const VectorXd& values, double size) {
    const double largest = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0;
    return std::max(kZero * largest, rounding * size);
  };
  const auto leaves = [&](double value, double zero) { return -terrain.sign() * value > zero; };
  const auto count = [&](const VectorXd& values, double zero, long times) {
    for (const double value : values) {
      point.spectrum.insert(point.spectrum.end(), times, value);
      if (std::fabs(value) <= zero) point.zeros += static_cast<int>(times);
      if (leaves(value, zero)) point.index += static_cast<int>(times);
    }
  };
  const auto min_leaves = [&](const MatrixXd& m, double size) {
    const VectorXd values = eigenvalues_of(m);
    const double zero = zero_of(values, size);
    return std::any_of(values.begin(), values.end(), [&](double v) { return leaves(v, zero); });
  };
  const VectorXd whole = eigenvalues_of(system.matrix);
  count(whole, zero_of(whole, terms), 1);
  MatrixXd worst = system.matrix;
  bool out = false;  // an unstable direction, with the worse side of every edge
  point.splitting = zeros(mu.count(), terrain.d() - 1);
  for (int i = 0, t = terrain.d() - 1; i < mu.count(); ++i) {
    const MatrixXd second = terrain.local(mu, mu.x.col(i)).second,
                   edge = terrain.worst_of_edges(mu.x.col(i));
    const VectorXd own = eigenvalues_of(second);
    const long more = n == 0 ? 0 : std::lround(n * mu.m[i]) - 1;
    for (int k = 0; k < own.size(); ++k) point.splitting(i, k) = own[k];
    count(own, zero_of(own, terrain.scale()), more);
    point.edges += static_cast<int>(terrain.edges_at(mu.x.col(i)).size());
    worst.block(i * t, i * t, t, t) += edge;
    if (n == 0 || more > 0) out = out || min_leaves(second + edge, terrain.scale());
  }
  std::sort(point.spectrum.begin(), point.spectrum.end());
  point.second_order = point.index == 0 && !out && !min_leaves(worst, terms);
  point.expected_zeros = rotations(terrain, mu);
  return point;
}

}  // namespace landscape

CriticalPoint describe(const Landscape& l, const Atoms& mu, int n) {
  return landscape::describe(landscape::Terrain(l), landscape::cloud_of(l, mu), n);
}

}  // namespace murmur
