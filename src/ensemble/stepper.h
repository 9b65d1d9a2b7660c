// stepper.h: single steps of eight swarms at once, all of one length.
#pragma once

#include <optional>

#include "ensemble/waves.h"
#include "flow/runge_kutta.h"

namespace murmur::ensemble {

// What ended a simulation, and in which of the eight swarms (-1: in all of them).
struct Trouble {
  Ending ending;
  int swarm;
};

// Eight swarms side by side as states of the Runge-Kutta driver.
class LaneSystem {
 public:
  using State = AlignedArray;

  LaneSystem(const ReplicasSetting& setting, Shape shape);

  AlignedArray scratch() const { return zeros(block_size(shape_)); }
  void velocity(double t, const AlignedArray& x, AlignedArray& v) const;
  // y = normalise(x + sum of terms)
  void combine(const AlignedArray& x, StepPoint to, std::span<const StageTerm<AlignedArray>> terms,
               AlignedArray& y);
  double error(const StepEstimate<AlignedArray>& estimate);
  bool finite(const AlignedArray& v) const { return !lost(v); }

  void layer(double dt, AlignedArray& x);  // x <- normalise(x + dt A)
  // The largest of the eight; infinite where one is not finite.
  double error_norm(const AlignedArray& a, const AlignedArray& b, Tolerance tolerance) const;
  std::optional<int> lost(const AlignedArray& a) const;  // the first swarm with what is not finite
  const AlignedArray& embedded() const { return embedded_; }  // end of the last estimate
  double length(int swarm) const { return lengths_[swarm]; }

 private:
  const ReplicasSetting& setting_;
  const Shape shape_;
  const Waves waves_;
  LanePairSums pairs_{};
  AlignedArray sums_, totals_, weights_, embedded_;
  alignas(64) Lanes lengths_{};
};

class Stepper {
 public:
  Stepper(const ReplicasSetting& setting, Block& block);

  // A step of dt by layers or a method of fixed steps. Trouble in swarms not asked for is theirs.
  std::optional<Trouble> step_fixed();

  // An adaptive step is found first and committed after: x stays, and can be interpolated.
  std::optional<Trouble> find_step();
  void commit();
  void show(double theta);  // x between the ends of the step found, until `commit` or `hide`
  void hide();
  double t() const { return state_.t; }
  double h() const { return found_.h; }  // of the step found

 private:
  const ReplicasSetting& setting_;
  Block& block_;
  LaneSystem system_;
  StepState state_{};
  FoundStep found_{};
  std::optional<RungeKutta<LaneSystem>> driver_{};  // none for layers
};

}  // namespace murmur::ensemble
