// march.cpp: Dormand-Prince steps for coefficients, with decay integrated exactly (Lawson 1967).
#include "meanfield/march.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "flow/methods.h"

namespace murmur::meanfield {

void CoefficientSystem::combine(const State& x, StepPoint to,
                                std::span<const StageTerm<State>> terms, State& y) const {
  y = x;
  if (!decay.empty())
    for (std::size_t e = 0; e < y.size(); ++e) y[e] *= std::exp(-decay[e] * to.node * to.h);
  for (const StageTerm<State>& term : terms) {
    const double since = (to.node - term.node) * to.h;
    for (std::size_t e = 0; e < y.size(); ++e)
      y[e] += term.scale * (*term.along)[e] *
              (decay.empty() || since == 0 ? 1 : std::exp(-decay[e] * since));
  }
}

double CoefficientSystem::error(const StepEstimate<State>& estimate) const {
  double worst = 0;
  for (std::size_t e = 0; e < estimate.y.size(); ++e) {
    double error = 0;
    for (const StageTerm<State>& term : estimate.difference) {
      const double part = term.scale * (*term.along)[e];
      error += decay.empty() ? part : part * std::exp(-decay[e] * (1 - term.node) * estimate.h);
    }
    if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
    worst = std::fmax(worst, std::fabs(estimate.h * error) /
                                 (tolerance.atol + tolerance.rtol * std::fabs(estimate.y[e])));
  }
  return worst;
}

March::March(CoefficientSystem of)
    : system(std::move(of)), driver_(system, dormand_prince(), tried_) {}

// A hundredth of the time in which y changes by its own size; independent of T.
double March::first_step() const {
  double size = 0, speed = 0;
  for (const double v : y) size = std::fmax(size, std::fabs(v));
  for (const double v : driver_.stage(0)) speed = std::fmax(speed, std::fabs(v));
  return speed > 0 ? std::fmin(1, 0.01 * (size > 0 ? size : 1) / speed) : 1;
}

bool March::find() {
  driver_.begin(at.t, y);
  tried_ = at.evaluations == 0 ? 1 : 0;  // the flow at the start; elsewhere the last stage knew it
  StepState from = at;
  if (from.h == 0) from.h = first_step();
  const StepController controller{
      .grow = 5, .beta = 0, .grow_after_refusal = 5, .order = driver_.tableau().order};
  constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();
  if (driver_.find(from, y, controller, kNoLimit, found_) != StepEnd::found) return false;
  spent_ = tried_;
  end_ = driver_.end();
  end_flow_ = driver_.last_stage();
  return true;
}

std::vector<double> March::inside(double time) {
  if (time <= at.t) return y;
  if (time >= end_time()) return end_;
  driver_.attempt(at.t, y, time - at.t);
  return driver_.end();
}

void March::commit() {
  at.t = end_time();
  at.h = found_.next_h;
  at.evaluations += spent_;
  std::swap(y, end_);
  driver_.begin_with(end_flow_);
}

}  // namespace murmur::meanfield
