// step_control.h: how long the steps of dopri5 are, from the gap between its two orders.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/elementary.h"
#include "murmur/engine.h"

namespace murmur {

// The controller of Hairer, Norsett, Wanner I, section II.4 (PI, Gustafsson):
//   h <- h min(grow, max(shrink, safety gap^-alpha last_error^beta)),   alpha = 1/5 - 3/4 beta
inline constexpr double kSafety = 0.9, kShrink = 0.2, kGrow = 10, kPiBeta = 0.04;
inline constexpr double kPiAlpha = 0.2 - 0.75 * kPiBeta;

// Of a step that is refused.
inline double shrink_factor(double error_norm) {
  return std::isfinite(error_norm)
             ? std::max(kShrink, kSafety * elementary::pow(error_norm, -kPiAlpha))
             : kShrink;
}

// Of the step after one that is taken; grow is 1 where it was refused before, else kGrow.
inline double next_factor(double error_norm, double last_error, double grow) {
  const double factor = kSafety * elementary::pow(std::max(error_norm, 1e-10), -kPiAlpha) *
                        elementary::pow(std::max(last_error, 1e-4), kPiBeta);
  return std::clamp(factor, kShrink, grow);
}

// A first step whose Euler and second-order terms are both small (section II.4 too):
//   d1 = |v| / tol, d2 = |dv/dt| / tol;   h = min(100 h0, (0.01 / max(d1, d2))^{1/5})
// d1 is the gap after an Euler step of kNudge, over kNudge; d2 is looked at after one of h0.
inline constexpr double kNudge = 1e-6;
inline constexpr double kStillStep = 1e-3;  // where nothing moves
inline bool stands_still(double d1) { return !(d1 > 1e-5); }
inline double euler_step(double d1, Tolerance tolerance) {
  return 0.01 / (d1 * std::max(tolerance.rtol, tolerance.atol));
}
inline double first_step_of(double d1, double d2, double h0) {
  const double h1 = elementary::pow(0.01 / std::max(d1, d2), 0.2);
  return std::isfinite(h1) && h1 > 0 ? std::min(100 * h0, h1) : h0;
}

}  // namespace murmur
