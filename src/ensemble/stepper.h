// stepper.h: single steps of eight swarms: one length of step for all of them.
#pragma once

#include <optional>

#include "ensemble/waves.h"
#include "flow/tableau.h"

namespace murmur::ensemble {

// What ended a flight, and in which of the eight swarms (-1: in all of them).
struct Trouble {
  Ending ending;
  int swarm;
};

class Stepper {
 public:
  Stepper(const ReplicasSetting& setting, Block& block);

  // A step of dt by layers, euler or rk4. Trouble in swarms not asked for is theirs alone.
  std::optional<Trouble> step_fixed();

  // A step of dopri5 is found first and committed after: x stays, and can be interpolated.
  std::optional<Trouble> find_step();
  void commit();
  void show(double theta);  // x between the ends of the step found, until `commit` or `hide`
  void hide();
  double t() const { return t_; }
  double h() const { return h_; }  // of the step found

 private:
  const double* at_x() const { return block_.x.get(); }
  void velocity(const double* x, double* v) const;
  void shift(const std::array<double, 7>& weights, int stages, double h, double* to);
  void stages(const Tableau& tableau, double h);
  double error_norm(const double* a, const double* b, Tolerance tolerance) const;
  std::optional<int> lost(const double* a) const;  // the first swarm with what is not finite
  double first_step();

  const ReplicasSetting& setting_;
  Block& block_;
  const Shape shape_;
  const Waves waves_;
  PairSums pairs_{};
  Array sums_, totals_, weights_, y_, between_;
  std::array<Array, 7> k_{};
  bool have_first_stage_ = false;
  alignas(64) Lanes lengths_{};
  double t_ = 0, h_ = 0, next_h_ = 0, error_ = 1, last_error_ = 1;
};

}  // namespace murmur::ensemble
