// integrate.h: Dormand-Prince steps for coefficients, with decay integrated exactly (Lawson 1967).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "flow/runge_kutta.h"

namespace murmur::meanfield {

//   y' = f(y) - decay y,   component by component
// as a system for the Runge-Kutta driver: stages are those for e^{decay t} y, after Lawson (1967).
// The nodes of dopri5 are non-decreasing, so every factor e^{-decay (c_i - c_j) h} is at most 1.
class CoefficientSystem {
 public:
  using State = std::vector<double>;

  std::function<void(const State& y, State& f)> flow{};
  State decay{};  // (size), 0 or above; empty: none
  Tolerance tolerance{};

  State scratch() const { return {}; }
  void velocity(double, const State& y, State& f) const { flow(y, f); }
  // y_i = e^{-decay c_i h} y + sum_j scale_j e^{-decay (c_i - c_j) h} k_j
  void combine(const State& x, StepPoint to, std::span<const StageTerm<State>> terms,
               State& y) const;
  // Component by component, so that high modes are accurate relative to their own size.
  double error(const StepEstimate<State>& estimate) const;
  bool finite(const State&) const { return true; }  // `error` checks it
};

struct March {
  explicit March(CoefficientSystem of);
  March(const March&) = delete;
  March& operator=(const March&) = delete;

  CoefficientSystem system;

  // Everything that a bit-identical continuation needs: t, h (the next step to try; 0: choose it),
  // evaluations (of committed steps), and y.
  StepState at{};
  std::vector<double> y{};

  // Computes the next step of sufficient accuracy; returns false if steps become too small.
  // `commit` takes the step: until then `at` and y do not change.
  bool find();
  double end_time() const { return at.t + found_.h; }  // of the step found
  // Returns y inside the step found, by a separate step from t.
  std::vector<double> inside(double time);
  void commit();

 private:
  double first_step() const;

  std::int64_t tried_ = 0;  // evaluations, including those of rejected steps
  RungeKutta<CoefficientSystem> driver_;
  FoundStep found_{};
  std::int64_t spent_ = 0;                  // evaluations of the step found
  std::vector<double> end_{}, end_flow_{};  // of the step found
};

}  // namespace murmur::meanfield
