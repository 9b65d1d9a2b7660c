// polish.cpp: convergence to a critical point: trust regions for minima, Newton for any index.
#include <algorithm>
#include <cmath>

#include "landscape/decompose.h"
#include "landscape/system.h"

namespace murmur::landscape {

namespace {

constexpr double kNoMass = 1e-13;  // atoms of less are removed

// tau at which p + tau q has that length.
double to_boundary(const VectorXd& p, const VectorXd& q, double radius) {
  const double a = q.squaredNorm(), b = p.dot(q), c = p.squaredNorm() - radius * radius;
  return (-b + std::sqrt(std::max(0.0, b * b - a * c))) / a;
}

// Conjugate gradients on g . p + p^t B p / 2 within the radius (Steihaug, SIAM J. Numer. Anal. 20,
// 1983).
VectorXd steihaug(const MatrixXd& b, const VectorXd& g, double radius) {
  VectorXd p = VectorXd::Zero(g.size()), residual = g, q = -g;
  const double goal = g.norm() * std::min(0.1, std::sqrt(g.norm() / (1e-300 + b.norm())));
  for (int k = 0; k < 2 * g.size() + 10; ++k) {
    const VectorXd bq = b * q;
    const double curvature = q.dot(bq), square = residual.squaredNorm();
    if (!(curvature > 1e-14 * b.norm() * q.squaredNorm())) return p + to_boundary(p, q, radius) * q;
    const double alpha = square / curvature;
    if ((p + alpha * q).norm() >= radius) return p + to_boundary(p, q, radius) * q;
    p += alpha * q;
    residual += alpha * bq;
    if (residual.norm() <= goal) break;
    q = -residual + residual.squaredNorm() / square * q;
  }
  return p;
}

}  // namespace

Cloud minimised(const Terrain& terrain, Cloud mu, bool free_masses, double gradient) {
  constexpr int kMostSteps = 300;
  double radius = 0.2;
  double energy = terrain.sign() * terrain.energy(mu);
  System system = system_of(terrain, mu, free_masses);
  for (int k = 0; k < kMostSteps && radius > 1e-12 && !terrain.stopped(); ++k) {
    if (system.residual <= gradient * terrain.scale()) break;
    const MatrixXd b = terrain.sign() * system.matrix;
    const VectorXd g = terrain.sign() * system.gradient;
    const VectorXd step = steihaug(b, g, radius);
    const double promised = -(g.dot(step) + step.dot(b * step) / 2);
    if (promised <= 1e-16 * terrain.scale()) break;  // below the rounding of energies
    const Cloud next = moved(system, mu, step, 1);
    const double reached = terrain.sign() * terrain.energy(next),
                 ratio = (energy - reached) / promised;
    if (ratio < 0.25) radius = 0.25 * step.norm();
    if (ratio > 0.75 && step.norm() > 0.9 * radius) radius = std::min(1.0, 2 * radius);
    if (!(ratio > 1e-3)) continue;
    mu = free_masses ? without_dust(next, kNoMass) : next;
    energy = terrain.sign() * terrain.energy(mu);
    system = system_of(terrain, mu, free_masses);
  }
  return mu;
}

//   step = -sum_k q_k (q_k . g) lambda_k / (lambda_k^2 + nu |g|^2)
bool polish(const Terrain& terrain, Cloud& mu, const PolishSettings& settings) {
  double nu = 1;
  mu = merged(mu, settings.merge);
  System system = system_of(terrain, mu, settings.free_masses);
  Spectrum spectrum = spectrum_of(system.matrix);
  const auto rests = [&] {
    return system.residual <= settings.gradient * terrain.scale() &&
           system.balance <= settings.balance;
  };
  for (int k = 0; k < settings.most_steps && nu < 1e20 && !terrain.stopped(); ++k) {
    if (rests()) return true;
    const VectorXd& lambda = spectrum.values;
    const double largest = lambda.cwiseAbs().maxCoeff(), square = system.gradient.squaredNorm();
    VectorXd along = spectrum.vectors.transpose() * system.gradient;
    for (int e = 0; e < along.size(); ++e)
      along[e] *= std::fabs(lambda[e]) <= 1e-14 * largest
                      ? 0
                      : -lambda[e] / (lambda[e] * lambda[e] + nu * square);
    Cloud next = moved(system, mu, spectrum.vectors * along, 0.5);
    if (settings.free_masses) next = without_dust(next, kNoMass);
    next = merged(next, settings.merge);
    System there = system_of(terrain, next, settings.free_masses);
    const bool fewer = next.count() < mu.count();
    if (!fewer && !(there.gradient.squaredNorm() < square) && !(there.residual < system.residual)) {
      nu = nu == 0 ? 1 : 10 * nu;
      continue;
    }
    nu = nu < 1e-8 ? 0 : 0.1 * nu;
    mu = std::move(next);
    system = std::move(there);
    spectrum = spectrum_of(system.matrix);
  }
  return rests();
}

}  // namespace murmur::landscape
