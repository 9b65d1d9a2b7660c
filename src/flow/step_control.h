// step_control.h: how long the steps of adaptive methods are, from the estimated error of a step.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/elementary.h"
#include "murmur/engine.h"

namespace murmur {

// The controller of Hairer, Norsett, Wanner I, section II.4 (PI, Gustafsson), for a method of
// order q:
//   h <- h min(grow, max(shrink, safety error^-alpha last_error^beta)),   alpha = 1/q - 3/4 beta
// beta = 0 is the elementary controller.
struct StepController {
  double safety = 0.9, shrink = 0.2, grow = 10, beta = 0.04;
  double grow_after_refusal = 1;
  int order = 5;

  double alpha() const { return 1.0 / order - 0.75 * beta; }

  // Of a step that is refused.
  double shrink_factor(double error) const {
    return std::isfinite(error) ? std::max(shrink, safety * elementary::pow(error, -alpha()))
                                : shrink;
  }

  // Of the step after one that is taken, at the first trial or after refusals.
  double next_factor(double error, double last_error, bool refused) const {
    const double factor = safety * elementary::pow(std::max(error, 1e-10), -alpha()) *
                          elementary::pow(std::max(last_error, 1e-4), beta);
    return std::clamp(factor, shrink, refused ? grow_after_refusal : grow);
  }
};

// A first step whose Euler and second-order terms are both small (section II.4 too):
//   d1 = |v| / tol, d2 = |dv/dt| / tol;   h = min(100 h0, (0.01 / max(d1, d2))^{1/q})
// d1 is the error norm after an Euler step of kNudge, over kNudge; d2 is read after one of h0.
inline constexpr double kNudge = 1e-6;
inline constexpr double kStillStep = 1e-3;  // where nothing moves
inline bool stands_still(double d1) { return !(d1 > 1e-5); }
inline double euler_step(double d1, Tolerance tolerance) {
  return 0.01 / (d1 * std::max(tolerance.rtol, tolerance.atol));
}
inline double first_step_of(double d1, double d2, double h0, int order) {
  const double h1 = elementary::pow(0.01 / std::max(d1, d2), 1.0 / order);
  return std::isfinite(h1) && h1 > 0 ? std::min(100 * h0, h1) : h0;
}

}  // namespace murmur
