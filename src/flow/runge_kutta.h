// runge_kutta.h: the driver of all explicit Runge-Kutta methods: tableaux, step lengths,
// interpolated frames.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "core/elementary.h"
#include "murmur/engine.h"
#include "murmur/flow.h"

namespace murmur {

inline constexpr int kMaxStages = 16;
using StageWeights = std::array<double, kMaxStages>;

// Stage i:  k_i = v(t + c_i h, retract(x + h sum_j a_ij k_j));   x <- retract(x + h sum_i b_i k_i).
// Stage points are retracted: the method is then the usual one for the field x -> v(x / |x|), whose
// flow stays on the sphere, so the order is kept.
struct Tableau {
  int order = 1;
  int stages = 1;  // of every step; with error estimates, the last is at the new point
  std::array<StageWeights, kMaxStages> a{};
  StageWeights b{}, c{};
  // Embedded weights, one row or two. With one, the error of a step is |x_b - x_embedded|. With
  // two, of errors e and e', it is e^2 / sqrt(e^2 + e'^2 / 100) (Hairer, Norsett, Wanner I,
  // equation II.10.17).
  int estimates = 0;  // 0: steps of fixed length only
  int embedded_order = 0;
  std::array<StageWeights, 2> embedded{};
  // x(t + theta h) = x + h sum_i dense(theta)_i k_i over `dense_stages` stages, those beyond
  // `stages` evaluated only for frames.
  int dense_order = 0;
  int dense_stages = 0;
  StageWeights (*dense)(double theta) = nullptr;
};

// The controller of Hairer, Norsett, Wanner I, section II.4 (PI, Gustafsson), for a method of
// order q:
//   h <- h min(grow, max(shrink, safety error^-alpha last_error^beta)),   alpha = 1/q - 3/4 beta
// beta = 0 is the elementary controller.
struct StepController {
  double safety = 0.9, shrink = 0.2, grow = 10, beta = 0.04;
  double grow_after_refusal = 1;
  int order = 5;

  double alpha() const { return 1.0 / order - 0.75 * beta; }

  // The factor after a rejected step.
  double shrink_factor(double error) const {
    return std::isfinite(error) ? std::max(shrink, safety * elementary::pow(error, -alpha()))
                                : shrink;
  }

  // The factor after an accepted step, at the first trial or after rejections.
  double next_factor(double error, double last_error, bool refused) const {
    const double factor = safety * elementary::pow(std::max(error, 1e-10), -alpha()) *
                          elementary::pow(std::max(last_error, 1e-4), beta);
    return std::clamp(factor, shrink, refused ? grow_after_refusal : grow);
  }
};

// A first step whose Euler and second-order terms are both small (also section II.4):
//   d1 = |v| / tol, d2 = |dv/dt| / tol;   h = min(100 h0, (0.01 / max(d1, d2))^{1/q})
// d1 is the error norm after an Euler step of kNudge, over kNudge; d2 is read after one of h0.
inline constexpr double kNudge = 1e-6;
inline constexpr double kStillStep = 1e-3;  // used if nothing moves
inline bool stands_still(double d1) { return !(d1 > 1e-5); }
inline double euler_step(double d1, Tolerance tolerance) {
  return 0.01 / (d1 * std::max(tolerance.rtol, tolerance.atol));
}
inline double first_step_of(double d1, double d2, double h0, int order) {
  const double h1 = elementary::pow(0.01 / std::max(d1, d2), 1.0 / order);
  return std::isfinite(h1) && h1 > 0 ? std::min(100 * h0, h1) : h0;
}

// One term of a weighted sum of stages; `node` is c_j of the stage (Lawson's factors need it).
template <class State>
struct StageTerm {
  double scale;
  const State* along;
  double node;
};

// The time of a weighted sum: `node` steps of length h after x.
struct StepPoint {
  double node, h;
};

// Inputs of the error estimate: both ends of the step, the embedded end as terms to add to x (h
// included), and the weights b - b_embedded (h not included).
template <class State>
struct StepEstimate {
  const State& x;
  const State& y;
  double h;
  std::span<const StageTerm<State>> embedded, difference;
};

// The operations of a problem. States can be swapped: a vector, an aligned array, a swarm on its
// device.
template <class System>
concept RungeKuttaSystem = std::movable<typename System::State> &&
    requires(System& system, double t, const typename System::State& x, typename System::State& y,
             std::span<const StageTerm<typename System::State>> terms,
             const StepEstimate<typename System::State>& estimate, StepPoint to) {
  { system.scratch() } -> std::same_as<typename System::State>;  // of the shape of x, unset
  system.velocity(t, x, y);
  system.combine(x, to, terms, y);  // y = retract(x + sum of terms); y may be x
  { system.error(estimate) } -> std::convertible_to<double>;  // at most 1: the step is accepted
  { system.finite(x) } -> std::convertible_to<bool>;
};

// The step that was accepted, or the last one that was tried.
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

  // `evaluations` counts the velocities of steps, without those that only frames need.
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

  // Computes the velocity at x, once for all steps that are tried from there.
  void begin(double t, const State& x) {
    if (!knows_start_) evaluate(t, x, k_[0]);
    knows_start_ = true;
  }
  // Sets the known velocity; swaps another state into its argument
  void begin_with(State& velocity) {
    std::swap(k_[0], velocity);
    knows_start_ = true;
  }
  void forget() { knows_start_ = false; }  // x has changed
  bool knows_start() const { return knows_start_; }

  // Tries a step of h from x. The end of an adaptive step is the point of the last stage.
  void attempt(double t, const State& x, double h) {
    stages(t, x, h);
    if (tableau_.estimates == 0)
      system_.combine(x, {1, h}, weighted(tableau_.b, tableau_.stages, h), y_);
  }

  // Computes only the stages, for an end with additional terms: call `terms` and then `combine`.
  void stages(double t, const State& x, double h) {
    begin(t, x);
    for (int i = 1; i < tableau_.stages; ++i) stage_at(i, t, x, h);
    extra_stages_ = false;
  }
  std::span<const StageTerm<State>> terms(double h) {
    return weighted(tableau_.b, tableau_.stages, h);
  }

  // The error of the step tried, in units of the tolerance; not finite if the new velocity is not.
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

  // Tries steps, first of length state.h, until one is accepted. Counts rejected steps in `state`
  // and changes nothing else there. Requires begin() and a finite velocity at x.
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

  // x becomes the end of the step tried; if the last stage is there, its velocity is kept.
  void commit(State& x) {
    std::swap(x, y_);
    knows_start_ = tableau_.estimates > 0;
    if (knows_start_) std::swap(k_[0], k_[tableau_.stages - 1]);
  }

  // Returns a first step with small errors of first and second order. Requires begin().
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
  bool extra_stages_ = false;  // the stages of the interpolant belong to this step
};

// The tableau of a method with Stepping::runge_kutta, or of the drift of strang; nullptr for the
// others.
const Tableau* tableau_of(Method method);

// The pair that integrates reductions, coefficients and ascents.
const Tableau& dormand_prince();

}  // namespace murmur
