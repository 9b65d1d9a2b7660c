// march.h: Dormand and Prince's method for coefficients, with decay taken exactly.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "murmur/engine.h"

namespace murmur::meanfield {

//   y' = f(y) - decay y,   component by component
// Stages are those of dopri5 for e^{decay t} y, after Lawson (1967): its nodes never go back, so
// every factor e^{-decay (c_i - c_j) h} is at most 1.
struct March {
  std::function<void(const std::vector<double>& y, std::vector<double>& f)> flow{};
  std::vector<double> decay{};  // (size), 0 or above; empty: none
  Tolerance tolerance{};

  double t = 0, h = 0;  // h: the next step; 0: to be chosen
  std::vector<double> y{};
  std::int64_t evaluations = 0;  // by steps

  // Takes one step that is good enough, not beyond `until`; false where steps become too small.
  bool step(double until);
  // y at t0 <= time <= t of the last step, by a step of its own from t0: nothing else changes.
  std::vector<double> at(double time);

 private:
  double attempt(double length, const std::vector<double>& from);  // error of next_; below 1: good
  void stage(int i, double length, const std::vector<double>& from, std::vector<double>& out);

  std::array<std::vector<double>, 7> k_{};
  std::vector<double> next_{};
  double t0_ = 0;
  std::vector<double> y0_{}, k0_{};  // where the last step began
};

}  // namespace murmur::meanfield
