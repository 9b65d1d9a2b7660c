// march.cpp: Dormand and Prince's method for coefficients, with decay taken exactly.
#include "meanfield/march.h"

#include <algorithm>
#include <cmath>

#include "flow/tableau.h"

namespace murmur::meanfield {

// y_i = e^{-decay c_i h} y + h sum_j a_ij e^{-decay (c_i - c_j) h} k_j; stage 6 is the new point.
void March::stage(int i, double length, const std::vector<double>& from, std::vector<double>& out) {
  out = from;
  if (!decay.empty())
    for (std::size_t e = 0; e < out.size(); ++e)
      out[e] *= std::exp(-decay[e] * kDopri5.c[i] * length);
  for (int j = 0; j < i; ++j) {
    const double a = length * kDopri5.a[i][j], gap = (kDopri5.c[i] - kDopri5.c[j]) * length;
    if (a == 0) continue;
    for (std::size_t e = 0; e < out.size(); ++e)
      out[e] += a * k_[j][e] * (decay.empty() || gap == 0 ? 1 : std::exp(-decay[e] * gap));
  }
}

double March::attempt(double length, const std::vector<double>& from) {
  for (int i = 1; i < 7; ++i) {
    stage(i, length, from, next_);
    flow(next_, k_[i]);
  }
  evaluations += 6;
  // Component by component: what the last modes lack must stay below what they hold.
  double worst = 0;
  for (std::size_t e = 0; e < next_.size(); ++e) {
    double error = 0;
    for (int j = 0; j < 7; ++j) {
      const double part = (kDopri5.b[j] - kDopri5Embedded[j]) * k_[j][e];
      error += decay.empty() ? part : part * std::exp(-decay[e] * (1 - kDopri5.c[j]) * length);
    }
    if (!std::isfinite(error)) return HUGE_VAL;
    worst = std::fmax(
        worst, std::fabs(length * error) / (tolerance.atol + tolerance.rtol * std::fabs(next_[e])));
  }
  return worst;
}

bool March::step(double until) {
  if (k_[0].empty()) {
    flow(y, k_[0]);
    ++evaluations;
  }
  if (h == 0) {
    double speed = 0;
    for (const double v : k_[0]) speed = std::fmax(speed, std::fabs(v));
    h = speed > 0 ? std::fmin(until - t, 0.01 / speed) : until - t;
  }
  for (;;) {
    const double length = std::fmin(h, until - t);
    if (!(t + length > t)) return false;
    const double error = attempt(length, y);
    const double factor = std::clamp(0.9 * std::pow(error, -0.2), 0.2, 5.0);
    if (error <= 1) {
      t0_ = t;
      std::swap(y0_, y);
      std::swap(k0_, k_[0]);
      y = next_;
      k_[0] = k_[6];
      t = length < h ? until : t + length;
      h = length < h ? std::fmax(h, length * factor) : length * factor;
      return true;
    }
    h = length * (std::isfinite(error) ? factor : 0.2);
  }
}

std::vector<double> March::at(double time) {
  if (time >= t) return y;
  if (time <= t0_) return y0_;
  const std::int64_t before = evaluations;
  std::swap(k_[0], k0_);
  attempt(time - t0_, y0_);
  std::swap(k_[0], k0_);
  evaluations = before;
  return next_;
}

}  // namespace murmur::meanfield
