// climb.cpp: the gradient flow in W_2, with steps that keep the energy monotone.
#include <algorithm>
#include <cmath>

#include "flow/methods.h"
#include "flow/runge_kutta.h"
#include "landscape/cloud_sums.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur {

using Eigen::MatrixXd;
using landscape::Cloud;
using landscape::CloudSums;
using landscape::Terrain;

namespace {

// The columns of a cloud of fixed masses as states of the Runge-Kutta driver, put back on the
// sphere; the error is the largest distance of an atom from where the embedded weights take it.
class CloudSystem {
 public:
  using State = MatrixXd;

  CloudSystem(const Terrain& terrain, const Cloud& mu, double tolerance)
      : terrain_(terrain),
        slopes_(terrain, mu.count(), CloudSums::Wanted::slopes),
        values_(terrain, mu.count(), CloudSums::Wanted::values),
        at_(mu),
        tolerance_(tolerance) {}

  MatrixXd scratch() const { return MatrixXd::Zero(at_.x.rows(), at_.x.cols()); }
  // Along the slope of F, downwards under descent.
  void velocity(double, const MatrixXd& x, MatrixXd& v) {
    at_.x = x;
    if (slopes_.certified()) {
      const landscape::CloudReading here = slopes_.read(at_);
      slope_bound_ = std::max(slope_bound_, here.slope_bounds.maxCoeff());
      v = -terrain_.sign() * here.slopes;
    } else {
      v = -terrain_.sign() * terrain_.slopes(at_, nullptr);
    }
  }
  // The energy at x, and a bound on its error where the sums are certified; pairs are exact enough.
  landscape::Told energy(const MatrixXd& x) {
    if (!values_.certified()) return {terrain_.energy({x, at_.m})};
    return values_.read({x, at_.m}).energy;
  }
  double slope_bound() const { return slope_bound_; }
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
  CloudSums slopes_, values_;
  Cloud at_;
  const double tolerance_;
  double slope_bound_ = 0;
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
  CloudSystem system(terrain, mu, settings.tolerance);
  landscape::Told before = system.energy(mu.x);
  Climb climb{.times = {0}, .energies = {before.value}};
  std::int64_t evaluations = 0;
  RungeKutta<CloudSystem> driver(system, dormand_prince(), evaluations);
  const StepController controller{
      .grow = 4, .beta = 0, .grow_after_refusal = 4, .order = driver.tableau().order};
  const auto stopped = [&] {
    stop_point();
    return settings.stop && settings.stop();
  };
  while (static_cast<int>(climb.times.size()) <= settings.most_steps && t < settings.most_time &&
         !stopped()) {
    driver.begin(t, mu.x);
    const double speed = driver.stage(0).colwise().norm().maxCoeff();
    if (speed <= settings.gradient * terrain.scale()) break;
    h = std::min(h, settings.most_time - t);
    driver.attempt(t, mu.x, h);
    const double error = driver.error(mu.x, h);
    const landscape::Told energy = system.energy(driver.end());
    const bool back =
        terrain.sign() * (energy.value - before.value) > slack + energy.rounding + before.rounding;
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
    climb.energies.push_back(energy.value);
    before = energy;
  }
  climb.slope_bound = system.slope_bound();
  climb.mu = landscape::atoms_of(mu);
  return climb;
}

}  // namespace murmur
