// climb.cpp: the gradient flow in W_2, its steps held to the energy: it never turns back.
#include <algorithm>
#include <cmath>

#include "landscape/terrain.h"
#include "murmur/error.h"

namespace murmur {

using Eigen::MatrixXd;
using landscape::Cloud;
using landscape::Terrain;

namespace {

// Heun's step from x along v over h; the error is its distance from Euler's.
struct Step {
  Cloud next;
  double error;
};
Step heun(const Terrain& terrain, const Cloud& mu, const MatrixXd& v, double h) {
  Cloud euler = mu;
  euler.x = (mu.x + h * v).colwise().normalized();
  const MatrixXd there = -terrain.sign() * terrain.slopes(euler, nullptr);
  Step step{mu, 0};
  step.next.x = (mu.x + h / 2 * (v + there)).colwise().normalized();
  step.error = (step.next.x - euler.x).colwise().norm().maxCoeff();
  return step;
}

}  // namespace

Climb climb(const Landscape& landscape, const Atoms& start, const ClimbSettings& settings) {
  if (!(settings.tolerance > 0) || settings.most_steps < 0)
    throw Error(Fault::input, "these steps cannot be taken", "tolerance, most_steps",
                "give a tolerance above 0 and steps of 0 or more");
  const Terrain terrain(landscape);
  Cloud mu = landscape::cloud_of(landscape, start);
  const double slack = 1e-14 * terrain.scale();
  double t = 0, h = 0.01 / terrain.scale();
  Climb climb{.times = {0}, .energies = {terrain.energy(mu)}};
  MatrixXd v = -terrain.sign() * terrain.slopes(mu, nullptr);
  while (static_cast<int>(climb.times.size()) <= settings.most_steps && t < settings.most_time) {
    if (v.colwise().norm().maxCoeff() <= settings.gradient * terrain.scale()) break;
    h = std::min(h, settings.most_time - t);
    const Step step = heun(terrain, mu, v, h);
    const double energy = terrain.energy(step.next);
    const double factor =
        std::clamp(0.9 * std::sqrt(settings.tolerance / (step.error + 1e-300)), 0.2, 4.0);
    const bool back = terrain.sign() * (energy - climb.energies.back()) > slack;
    if (step.error > settings.tolerance || back) {
      ++climb.refused;
      h *= back ? 0.25 : factor;
      if (h * v.colwise().norm().maxCoeff() < 1e-16) break;
      continue;
    }
    mu = step.next;
    t += h;
    h *= factor;
    climb.times.push_back(t);
    climb.energies.push_back(energy);
    v = -terrain.sign() * terrain.slopes(mu, nullptr);
  }
  climb.mu = landscape::atoms_of(mu);
  return climb;
}

}  // namespace murmur
