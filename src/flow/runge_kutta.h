// runge_kutta.h: the one driver of explicit Runge-Kutta methods, over any state that can be summed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "flow/step_control.h"
#include "flow/tableau.h"
#include "murmur/flow.h"

namespace murmur {

// One term of a weighted sum of stages; `node` is c_j of the stage (Lawson's factors ask for it).
template <class State>
struct StageTerm {
  double scale;
  const State* along;
  double node;
};

// Where a weighted sum leads: `node` steps of length h after x.
struct StepPoint {
  double node, h;
};

// What the error of a step is read off: its ends, the embedded end as terms to be added to x (h
// included), and the weights b - b_embedded (h not included).
template <class State>
struct StepEstimate {
  const State& x;
  const State& y;
  double h;
  std::span<const StageTerm<State>> embedded, difference;
};

// What a problem supplies. States are handles that can be swapped: a vector, an aligned array, a
// swarm on its device.
template <class System>
concept RungeKuttaSystem = std::movable<typename System::State> &&
    requires(System& system, double t, const typename System::State& x, typename System::State& y,
             std::span<const StageTerm<typename System::State>> terms,
             const StepEstimate<typename System::State>& estimate, StepPoint to) {
  { system.scratch() } -> std::same_as<typename System::State>;  // of the shape of x, unset
  system.velocity(t, x, y);
  system.combine(x, to, terms, y);  // y = retract(x + sum of terms); y may be x
  { system.error(estimate) } -> std::convertible_to<double>;  // at most 1: good enough
  { system.finite(x) } -> std::convertible_to<bool>;
};

// A step that was found: tried with success, or why none was.
enum class StepEnd { found, too_small, not_finite, out_of_evaluations };
struct FoundStep {
  double h = 0;       // of the step, or the last that was tried
  double error = 1;   // of the step
  double next_h = 0;  // of the step after it
};

template <RungeKuttaSystem System>
class RungeKutta {
 public:
  using State = typename System::State;

  // `evaluations` counts the velocities of steps; those for frames alone are not counted.
  RungeKutta(System& system, const Tableau& tableau, std::int64_t& evaluations)
      : system_(system),
        tableau_(tableau),
        evaluations_(evaluations),
        y_(system.scratch()),
        between_(system.scratch()) {
    for (int i = 0; i < stage_count(); ++i) k_[i] = system.scratch();
  }

  const Tableau& tableau() const { return tableau_; }
  const State& end() const { return y_; }  // of the step tried
  State& end() { return y_; }
  const State& stage(int i) const { return k_[i]; }
  const State& last_stage() const { return k_[tableau_.stages - 1]; }

  // The velocity at x, once for all steps that are tried from there.
  void begin(double t, const State& x) {
    if (!knows_start_) evaluate(t, x, k_[0]);
    knows_start_ = true;
  }
  void begin_with(State& velocity) {  // which is known; leaves another state in its place
    std::swap(k_[0], velocity);
    knows_start_ = true;
  }
  void forget() { knows_start_ = false; }  // x has changed
  bool knows_start() const { return knows_start_; }

  // A step of h from x. The end of an adaptive one is where the last stage stands.
  void attempt(double t, const State& x, double h) {
    stages(t, x, h);
    if (tableau_.estimates == 0)
      system_.combine(x, {1, h}, weighted(tableau_.b, tableau_.stages, h), y_);
  }

  // The stages alone, for an end with more terms than theirs: `terms` and then `combine`.
  void stages(double t, const State& x, double h) {
    begin(t, x);
    for (int i = 1; i < tableau_.stages; ++i) stage_at(i, t, x, h);
    extra_stages_ = false;
  }
  std::span<const StageTerm<State>> terms(double h) {
    return weighted(tableau_.b, tableau_.stages, h);
  }

  // Of the step tried, in units of the tolerance; not finite where the new velocity is not.
  double error(const State& x, double h) {
    const double first = estimate(0, x, h);
    double error = first;
    if (tableau_.estimates == 2) {
      const double second = estimate(1, x, h);
      const double square = first * first + 0.01 * second * second;
      error = square == 0 ? 0 : first * first / std::sqrt(square);
    }
    return system_.finite(last_stage()) ? error : std::numeric_limits<double>::infinity();
  }

  // Tries steps from state.h on until one is good enough. Rejected steps are counted in `state`, of
  // which nothing else changes; begin() was done, and the velocity at x is finite.
  StepEnd find(StepState& state, const State& x, const StepController& controller,
               std::int64_t max_evaluations, FoundStep& step) {
    step.h = state.h;
    for (bool refused = false;; refused = true) {
      if (evaluations_ >= max_evaluations) return StepEnd::out_of_evaluations;
      attempt(state.t, x, step.h);
      step.error = error(x, step.h);
      if (step.error <= 1) {
        step.next_h = step.h * controller.next_factor(step.error, state.last_error, refused);
        return StepEnd::found;
      }
      ++state.rejected;
      const double shorter = step.h * controller.shrink_factor(step.error);
      if (shorter <= 4 * std::numeric_limits<double>::epsilon() * std::fabs(state.t) ||
          shorter < std::numeric_limits<double>::min())
        return std::isfinite(step.error) ? StepEnd::too_small : StepEnd::not_finite;
      step.h = shorter;
    }
  }

  // between() = x(t + theta h) of the step tried.
  void interpolate(const StepState& from, const State& x, double h, double theta) {
    if (!extra_stages_)
      for (int i = tableau_.stages; i < tableau_.dense_stages; ++i) {
        system_.combine(x, {tableau_.c[i], h}, weighted(tableau_.a[i], i, h), between_);
        system_.velocity(from.t + tableau_.c[i] * h, between_, k_[i]);
      }
    extra_stages_ = true;
    system_.combine(x, {theta, h}, weighted(tableau_.dense(theta), tableau_.dense_stages, h),
                    between_);
  }
  const State& between() const { return between_; }
  State& between() { return between_; }

  // x becomes the end of the step tried; where the last stage stands there, its velocity is kept.
  void commit(State& x) {
    std::swap(x, y_);
    knows_start_ = tableau_.estimates > 0;
    if (knows_start_) std::swap(k_[0], k_[tableau_.stages - 1]);
  }

  // A first step for which Euler's error and that of second order are both small; begin() was done.
  template <class Distance>
  double first_step(const StepState& from, const State& x, Tolerance tolerance,
                    const Distance& distance) {
    const Tolerance absolute{0, tolerance.atol + tolerance.rtol};
    euler(x, kNudge);
    const double d1 = distance(x, y_, tolerance) / kNudge;
    if (stands_still(d1)) return kStillStep;
    const double h0 = euler_step(d1, tolerance);
    euler(x, h0);
    evaluate(from.t + h0, y_, k_[1]);
    return first_step_of(d1, distance(k_[0], k_[1], absolute) / h0, h0, tableau_.order);
  }

 private:
  int stage_count() const { return std::max(tableau_.stages, tableau_.dense_stages); }

  void evaluate(double t, const State& x, State& v) {
    system_.velocity(t, x, v);
    ++evaluations_;
  }

  void stage_at(int i, double t, const State& x, double h) {
    system_.combine(x, {tableau_.c[i], h}, weighted(tableau_.a[i], i, h), y_);
    evaluate(t + tableau_.c[i] * h, y_, k_[i]);
  }

  void euler(const State& x, double h) {
    const StageTerm<State> term{h, &k_[0], 0};
    system_.combine(x, {1, h}, {&term, 1}, y_);
  }

  // h w_i k_i, leaving out zero weights
  std::span<const StageTerm<State>> weighted(const StageWeights& weights, int count, double h) {
    std::size_t used = 0;
    for (int i = 0; i < count; ++i)
      if (weights[i] != 0) terms_[used++] = {h * weights[i], &k_[i], tableau_.c[i]};
    return {terms_.data(), used};
  }

  double estimate(int which, const State& x, double h) {
    std::array<StageTerm<State>, kMaxStages> difference;
    std::size_t used = 0;
    for (int i = 0; i < tableau_.stages; ++i) {
      const double weight = tableau_.b[i] - tableau_.embedded[which][i];
      if (weight != 0) difference[used++] = {weight, &k_[i], tableau_.c[i]};
    }
    return system_.error({x,
                          y_,
                          h,
                          weighted(tableau_.embedded[which], tableau_.stages, h),
                          {difference.data(), used}});
  }

  System& system_;
  const Tableau& tableau_;
  std::int64_t& evaluations_;
  State y_, between_;
  std::array<State, kMaxStages> k_{};
  std::array<StageTerm<State>, kMaxStages> terms_{};
  bool knows_start_ = false;   // k_[0] is the velocity at x
  bool extra_stages_ = false;  // those of the interpolant are of this step
};

}  // namespace murmur
