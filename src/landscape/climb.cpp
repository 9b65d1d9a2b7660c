// climb.cpp: the gradient flow in W_2, with steps that keep the energy monotone.
#include <algorithm>
#include <array>
#include <cmath>

#include "flow/tableau.h"
#include "landscape/terrain.h"
#include "murmur/error.h"

namespace murmur {

using Eigen::MatrixXd;
using landscape::Cloud;
using landscape::Terrain;

namespace {

// (d, atoms) along the slope of F, downwards under descent.
MatrixXd velocities(const Terrain& terrain, const Cloud& mu) {
  return -terrain.sign() * terrain.slopes(mu, nullptr);
}

// One step of Dormand and Prince over h, its stages put back on the sphere; the error is the
// largest distance of an atom from where the embedded weights take it.
struct Step {
  Cloud next;
  MatrixXd v;  // (d, atoms) velocities there
  double error;
};
Step dopri5(const Terrain& terrain, const Cloud& mu, const MatrixXd& v, double h) {
  std::array<MatrixXd, 7> k;
  k[0] = v;
  Step step{mu, {}, 0};
  for (int i = 1; i < 7; ++i) {
    MatrixXd x = mu.x;
    for (int j = 0; j < i; ++j)
      if (kDopri5.a[i][j] != 0) x += h * kDopri5.a[i][j] * k[j];
    step.next.x = x.colwise().normalized();
    k[i] = velocities(terrain, step.next);
  }
  MatrixXd error = MatrixXd::Zero(v.rows(), v.cols());
  for (int i = 0; i < 7; ++i) error += h * (kDopri5.b[i] - kDopri5Embedded[i]) * k[i];
  step.error = error.colwise().norm().maxCoeff();
  step.v = k[6];
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
  MatrixXd v = velocities(terrain, mu);
  while (static_cast<int>(climb.times.size()) <= settings.most_steps && t < settings.most_time) {
    if (v.colwise().norm().maxCoeff() <= settings.gradient * terrain.scale()) break;
    h = std::min(h, settings.most_time - t);
    const Step step = dopri5(terrain, mu, v, h);
    const double energy = terrain.energy(step.next);
    const double factor =
        std::clamp(0.9 * std::pow(settings.tolerance / (step.error + 1e-300), 0.2), 0.2, 4.0);
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
    v = step.v;
  }
  climb.mu = landscape::atoms_of(mu);
  return climb;
}

}  // namespace murmur
