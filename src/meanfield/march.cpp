// march.cpp: Dormand-Prince steps for coefficients, with decay integrated exactly (Lawson 1967).
#include "meanfield/march.h"

#include <algorithm>
#include <cmath>

#include "flow/tableau.h"

namespace murmur::meanfield {

// y_i = e^{-decay c_i h} y + h sum_j a_ij e^{-decay (c_i - c_j) h} k_j; stage 6 is the new point.
void March::stage(int i, double length) {
  next_ = y;
  if (!decay.empty())
    for (std::size_t e = 0; e < next_.size(); ++e)
      next_[e] *= std::exp(-decay[e] * kDopri5.c[i] * length);
  for (int j = 0; j < i; ++j) {
    const double a = length * kDopri5.a[i][j], gap = (kDopri5.c[i] - kDopri5.c[j]) * length;
    if (a == 0) continue;
    for (std::size_t e = 0; e < next_.size(); ++e)
      next_[e] += a * k_[j][e] * (decay.empty() || gap == 0 ? 1 : std::exp(-decay[e] * gap));
  }
}

double March::attempt(double length) {
  for (int i = 1; i < 7; ++i) {
    stage(i, length);
    flow(next_, k_[i]);
  }
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

// A hundredth of the time in which y would change by itself; the end of the flight has no say.
double March::first_step() const {
  double size = 0, speed = 0;
  for (const double v : y) size = std::fmax(size, std::fabs(v));
  for (const double v : k_[0]) speed = std::fmax(speed, std::fabs(v));
  return speed > 0 ? std::fmin(1, 0.01 * (size > 0 ? size : 1) / speed) : 1;
}

bool March::find() {
  if (k_[0].empty()) flow(y, k_[0]);
  spent_ = evaluations == 0 ? 1 : 0;  // the flow at the start; elsewhere the last stage knew it
  length_ = h > 0 ? h : first_step();
  for (;;) {
    if (!(t + length_ > t)) return false;
    const double error = attempt(length_);
    spent_ += 6;
    const double factor = std::clamp(0.9 * std::pow(error, -0.2), 0.2, 5.0);
    if (error <= 1) {
      next_h_ = length_ * factor;
      end_ = next_;
      end_flow_ = k_[6];
      return true;
    }
    length_ *= std::isfinite(error) ? factor : 0.2;
  }
}

std::vector<double> March::at(double time) {
  if (time <= t) return y;
  if (time >= reach()) return end_;
  attempt(time - t);
  return next_;
}

void March::commit() {
  t = reach();
  h = next_h_;
  std::swap(y, end_);
  std::swap(k_[0], end_flow_);
  evaluations += spent_;
}

}  // namespace murmur::meanfield
