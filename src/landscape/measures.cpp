// measures.cpp: the best measure with free masses: conic particles, then sliding Frank-Wolfe.
#include "landscape/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace murmur::landscape {

namespace {

constexpr double kDust = 1e-9;  // mass below which an atom is removed; the certificate decides

Cloud with_atoms(const Cloud& mu, const std::vector<VectorXd>& more, double mass) {
  const auto n = mu.count(), extra = static_cast<int>(more.size());
  Cloud all{MatrixXd(mu.x.rows(), n + extra), VectorXd(n + extra)};
  all.x.leftCols(n) = mu.x;
  all.m.head(n) = (1 - mass) * mu.m;
  for (int k = 0; k < extra; ++k) all.x.col(n + k) = more[k];
  all.m.tail(extra).setConstant(extra > 0 ? mass / extra : 0);
  all.m /= all.m.sum();
  return all;
}

// Each atom moves to the local minimum of sign F in its basin, where atoms of one basin merge.
Cloud gathered(const Terrain& terrain, const Cloud& mu) {
  Cloud next = mu;
  for (int i = 0; i < mu.count(); ++i) next.x.col(i) = descended(terrain, mu, mu.x.col(i));
  return merged(next, 1e-6);
}

double worth(const Terrain& terrain, const Cloud& mu) {
  return terrain.sign() * terrain.energy(mu);
}

// Masses and positions together, after the masses alone where the energy is convex in them.
Cloud improved(const Terrain& terrain, const Cloud& mu) {
  const Cloud start = terrain.is_convex() ? weighed(terrain, mu) : mu;
  return without_dust(merged(minimised(terrain, start, true, 1e-9), 1e-6), kDust);
}

// One atom for each local minimum where the energy is no worse.
Cloud simplified(const Terrain& terrain, const Cloud& mu) {
  const Cloud fewer = improved(terrain, gathered(terrain, mu));
  const double slack = 1e-12 * terrain.scale();
  return fewer.count() < mu.count() && worth(terrain, fewer) <= worth(terrain, mu) + slack ? fewer
                                                                                           : mu;
}

// A quarter of the gap that is certified, or of what rounding makes of it.
double goal_at(const Terrain& terrain, const Cloud& mu, const SearchSettings& settings) {
  const double gap = settings.certify.tolerance * stake(terrain, above_uniform(terrain, mu));
  return std::max(gap, gap_rounding(terrain, mu)) / 4;
}

// Polished, and then further where the levels of F on the atoms are still apart by what the goal
// is.
bool polish_below(const Terrain& terrain, Cloud& mu, PolishSettings settings, double goal) {
  if (!polish(terrain, mu, settings)) return false;
  settings.gradient = goal / 2 / terrain.scale();
  Cloud finer = mu;
  if (polish(terrain, finer, settings)) mu = finer;
  return true;
}

}  // namespace

//   r_i *= e^{-eta sign (F_i - mean F)},   x_i moves by -eta sign P grad F(x_i),   m_i = r_i^2
Cloud conic(const Terrain& terrain, Cloud mu, int steps) {
  double eta = 1 / terrain.scale(), value = worth(terrain, mu);
  for (int k = 0; k < steps; ++k) {
    VectorXd f;
    const MatrixXd v = terrain.sign() * terrain.slopes(mu, &f);
    const double mean = mu.m.dot(f);
    Cloud next = mu;
    next.x = (mu.x - eta * v).colwise().normalized();
    next.m = mu.m.array() * (-2 * eta * terrain.sign() * (f.array() - mean)).cwiseMin(50).exp();
    next.m /= next.m.sum();
    const double reached = worth(terrain, next);
    if (reached > value + 1e-15 * terrain.scale()) {
      eta /= 4;
      continue;
    }
    mu = without_dust(next, kDust);
    value = worth(terrain, mu);
    eta *= 1.2;
  }
  return mu;
}

Optimised best_measure(const Terrain& terrain, Cloud& mu, const SearchSettings& settings,
                       const Stop& stopped) {
  constexpr int kMostRounds = 40;
  const PolishSettings exact{
      .free_masses = true, .gradient = settings.gradient, .merge = settings.merge};
  mu = improved(terrain, merged(conic(terrain, mu, 60), settings.merge));
  // With D > 0 the minimiser may have no atoms, and nothing to sharpen: that F is nowhere lower
  // than its mean less the goal is enough.
  const bool least = terrain.has_matrix() && terrain.is_convex();
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostRounds && !stopped(); ++round) {
    mu = simplified(terrain, mu);
    // Near a minimiser without atoms each round gains less than the rounding of the energy.
    if (round > 4 && !least && worth(terrain, mu) > before - 1e-14 * terrain.scale())
      return Optimised::stalled;
    if (mu.count() * terrain.d() > kMostOptimised) return Optimised::spread;
    before = worth(terrain, mu);
    const double goal = goal_at(terrain, mu, settings);
    Cloud sharp = mu;
    const bool sharpened = polish_below(terrain, sharp, exact, goal) &&
                           sharp.m.minCoeff() > kDust &&
                           worth(terrain, sharp) <= worth(terrain, mu) + goal;
    if (sharpened) mu = sharp;
    const double mean = terrain.sign() * mu.m.dot(terrain.values(mu));
    std::vector<VectorXd> better;
    for (const VectorXd& x : valleys(terrain, mu))
      if (terrain.sign() * terrain.value(mu, x) < mean - goal) better.push_back(x);
    if (better.empty() && (sharpened || least)) return Optimised::reached;
    if (better.empty()) better = valleys(terrain, mu);
    if (terrain.is_convex()) {
      mu = improved(terrain, with_atoms(mu, better, 1e-3));
    } else {
      mu = improved(terrain, conic(terrain, with_atoms(mu, {better.front()}, 1e-2), 400));
    }
  }
  return Optimised::stalled;
}

}  // namespace murmur::landscape
