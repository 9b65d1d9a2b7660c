// climb.cpp: the gradient flow in W_2, with steps that keep the energy monotone.
#include <algorithm>
#include <cmath>

#include "flow/methods.h"
#include "flow/runge_kutta.h"
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

// The columns of a cloud of fixed masses as states of the Runge-Kutta driver, put back on the
// sphere; the error is the largest distance of an atom from where the embedded weights take it.
class CloudSystem {
 public:
  using State = MatrixXd;

  CloudSystem(const Terrain& terrain, const Cloud& mu, double tolerance)
      : terrain_(terrain), at_(mu), tolerance_(tolerance) {}

  MatrixXd scratch() const { return MatrixXd::Zero(at_.x.rows(), at_.x.cols()); }
  void velocity(double, const MatrixXd& x, MatrixXd& v) {
    at_.x = x;
    v = velocities(terrain_, at_);
  }
  void combine(const MatrixXd& from, StepPoint, std::span<const StageTerm<MatrixXd>> terms,
               MatrixXd& to) const {
    MatrixXd x = from;
    for (const auto& term : terms) x += term.scale * *term.along;
    to = x.colwise().normalized();
  }
  double error(const StepEstimate<MatrixXd>& estimate) const {
    MatrixXd error = scratch();
    for (const auto& term : estimate.difference) error += estimate.h * term.scale * *term.along;
    return error.colwise().norm().maxCoeff() / tolerance_;
  }
  bool finite(const MatrixXd& v) const { return v.allFinite(); }

 private:
  const Terrain& terrain_;
  Cloud at_;
  const double tolerance_;
};

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
  CloudSystem system(terrain, mu, settings.tolerance);
  std::int64_t evaluations = 0;
  RungeKutta<CloudSystem> driver(system, dormand_prince(), evaluations);
  const StepController controller{
      .grow = 4, .beta = 0, .grow_after_refusal = 4, .order = driver.tableau().order};
  const auto stopped = [&] { return settings.stop && settings.stop(); };
  while (static_cast<int>(climb.times.size()) <= settings.most_steps && t < settings.most_time &&
         !stopped()) {
    driver.begin(t, mu.x);
    const double speed = driver.stage(0).colwise().norm().maxCoeff();
    if (speed <= settings.gradient * terrain.scale()) break;
    h = std::min(h, settings.most_time - t);
    driver.attempt(t, mu.x, h);
    const double error = driver.error(mu.x, h);
    const double energy = terrain.energy({driver.end(), mu.m});
    const bool back = terrain.sign() * (energy - climb.energies.back()) > slack;
    const double factor = controller.next_factor(error, 1, false);
    if (!(error <= 1) || back) {
      ++climb.refused;
      h *= back ? 0.25 : factor;
      if (h * speed < 1e-16) break;
      continue;
    }
    driver.commit(mu.x);
    t += h;
    h *= factor;
    climb.times.push_back(t);
    climb.energies.push_back(energy);
  }
  climb.mu = landscape::atoms_of(mu);
  return climb;
}

}  // namespace murmur
