// march.h: Dormand-Prince steps for coefficients, with decay integrated exactly (Lawson 1967).
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

  // All that a continuation with the same bits needs.
  double t = 0, h = 0;  // h: the next step to be tried; 0: to be chosen
  std::vector<double> y{};
  std::int64_t evaluations = 0;  // by steps taken

  // Finds the next step that is good enough; false where steps become too small. It is taken by
  // `commit`: until then t, h, y and evaluations stay as they are.
  bool find();
  double reach() const { return t + length_; }  // where the step found ends
  // y inside the step found, by a step of its own from t.
  std::vector<double> at(double time);
  void commit();

 private:
  double attempt(double length);  // error of next_; below 1: good
  void stage(int i, double length);
  double first_step() const;

  std::array<std::vector<double>, 7> k_{};
  std::vector<double> next_{};
  // the step found: its length and evaluations, the step after it, its end and the flow there
  double length_ = 0, next_h_ = 0;
  std::int64_t spent_ = 0;
  std::vector<double> end_{}, end_flow_{};
};

}  // namespace murmur::meanfield
