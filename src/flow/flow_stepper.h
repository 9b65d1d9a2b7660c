// flow_stepper.h: single steps of a swarm by every method, the ways a flow ends early, and flows
// whose steps are shown.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "flow/runge_kutta.h"
#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/flow.h"

namespace murmur {

// An accepted step of length h from x at time t. The last one of an adaptive method may reach
// beyond the end of the schedule; its frames do not.
struct StepTaken {
  double t, h;
  const Swarm& x;
};
using StepWatch = std::function<void(const StepTaken&)>;

// Each step is shown before the frames that lie within it (adaptive methods), and after the frame
// at its beginning (fixed steps).
struct StepsAndFrames {
  const FlowWatch& frames;
  StepWatch steps{};
};

// As `advance`, but not for Stepping::cvode, whose steps are not shown.
Outcome advance_watched(const Flow& flow, const Schedule& schedule, FlowState& state,
                        const StepsAndFrames& watches);

// Whether velocities jump as particles move: hard attention switches from one token to another.
bool velocity_jumps(const Dynamics& dynamics);

// If velocities jump, kStepsLookedAt trial steps are taken after every kStepsBetweenLooks accepted
// steps.
inline constexpr int kStepsBetweenLooks = 1024;
inline constexpr int kStepsLookedAt = 64;

// Detects sliding. If the velocities on both sides of a surface point towards it, a particle slides
// along it and its velocity jumps back and forth within almost every step; error control then makes
// the steps so short that time almost stops (Filippov 1988, section 4). A particle that crosses a
// surface jumps in one or two steps only, and then not again until the steps have grown, each by a
// factor of ten at most.
class SlidingDetector {
 public:
  explicit SlidingDetector(int rows) : steps_(rows) {}

  // Adds one step: the velocity of its first stage, and those of the others. Differences up to
  // `least` are not jumps.
  void add(const HostSwarm& first, std::span<const HostSwarm> others, double least);
  // Returns the row that jumped in the most steps, if in at least a quarter of kStepsLookedAt; else
  // -1.
  int row() const;

 private:
  std::vector<int> steps_;  // (rows) in how many it jumped
};

// The threshold above which a difference of velocities within a step of h counts as a jump: a
// thousandth of the greatest drift, since smaller ones shorten no step; a hundred times the smooth
// change of the velocity, on the scale |x|; and a few tolerances, which steps limited by stability
// leave around a rest point.
struct JumpScale {
  double drift = 0, size = 1;  // max |A_i|, max |x_i|
  Tolerance tolerance{};
  double least(double h) const;
};

// The outcomes of a flow that ends before T. `at` holds numbers that are not finite, or not on the
// manifold, after a step of h.
Outcome not_finite(const FlowState& state, Manifold manifold, const HostSwarm& at, double h);
Outcome out_of_evaluations(double t);
Outcome step_too_small(double t);
Outcome slides(const FlowState& state, int row);  // a row of state.x

// The terms of a step in the form that Field::retract takes, with room for a noise term.
struct Terms {
  std::array<Term, kMaxStages + 1> list{};
  std::size_t count = 0;

  explicit Terms(std::span<const StageTerm<std::unique_ptr<Swarm>>> stages = {}) {
    for (const auto& term : stages) add(term.scale, **term.along);
  }
  void add(double scale, const Swarm& along) { list[count++] = {scale, &along}; }
  operator std::span<const Term>() const { return {list.data(), count}; }
};

// An interval of time between two jumps of the forces.
struct Piece {
  double from = -std::numeric_limits<double>::infinity();
  double until = std::numeric_limits<double>::infinity();
  // Returns the nearest time inside, so that a stage at the end still has the forces of this
  // interval.
  double nearest(double t) const {
    return std::max(from, std::min(t, std::nextafter(until, from)));
  }
};

// Returns the interval of t among ascending jumps. A jump less than `slack` after t counts as
// passed.
Piece piece_of(const std::vector<double>& jumps, double t, double slack);

// Swarms of one engine and field as states of the Runge-Kutta driver.
class SwarmSystem {
 public:
  using State = std::unique_ptr<Swarm>;

  SwarmSystem(Field& field, Tolerance tolerance, const Swarm& like)
      : field_(field), tolerance_(tolerance), like_(like.like()), embedded_(like.like()) {}

  State scratch() const { return like_->like(); }
  void velocity(double t, const State& x, State& v) { field_.velocity(piece.nearest(t), *x, *v); }
  void combine(const State& x, StepPoint, std::span<const StageTerm<State>> terms, State& y);
  double error(const StepEstimate<State>& estimate);
  // The distance of a number that is not finite to itself is not finite.
  bool finite(const State& v) { return std::isfinite(field_.error_norm(*v, *v, {0, 1})); }

  Piece piece{};  // of the current step

 private:
  Field& field_;
  const Tolerance tolerance_;
  State like_, embedded_;
};

class FlowStepper {
 public:
  FlowStepper(const Flow& flow, FlowState& state, const FlowWatch& watch);

  void prepare();  // allocates the stages, before the first step and after each merging
  const Swarm& x() const { return *x_; }
  double h() const { return found_.h; }  // length of the step found
  void emit_frame(
      double t,
      const Swarm& groups);  // passes a frame to the watch, with one row for each original particle
  void merge();              // merges particles that have met, and reports it to the watch
  bool pause();              // asks the watch, which may fetch the swarm

  // Steps are found first and committed after.
  void step_fixed();                               // of dt, by methods with fixed steps
  std::optional<Outcome> failure_after(double h);  // why the step of h cannot be committed, if so
  void commit_fixed();
  std::optional<Outcome> step_adaptive();  // of h(), from the proposal state.h
  const Swarm& interpolate(double theta);  // inside the step found
  void commit_adaptive();
  // Returns an outcome if a particle slides along a jump of the velocity. It takes trial steps that
  // do not change the state, so the answer is the same after an interruption.
  std::optional<Outcome> sliding();

  void fetch_state();  // state.x becomes the swarm as last committed
  // For use while Stopped is handled: undoes the current step, and asks the watch as after a step.
  // If the watch does not end the flow, Stopped is thrown again.
  Outcome stopped();

  const FlowSettings& settings;
  FlowState& state;

 private:
  using State = SwarmSystem::State;
  struct Drift {  // what a step of fixed length adds, except noise
    Terms terms;
    double last_t;  // of its last velocity
    bool noisy;     // whether noise, if any, is added too
  };
  void add_drift(const Swarm& from, Drift drift, Swarm& to);
  double last_velocity() const;
  JumpScale jump_scale();
  void step_layers();
  void step_tableau();
  void step_strang();
  NoiseStep noise_step(int half, double h) const;
  State& end() { return driver_ ? driver_->end() : y_; }  // of the step found
  bool on_manifold(const Swarm& swarm);
  Outcome not_finite_outcome(const Swarm& swarm, Manifold manifold, double h);
  void enter_piece();  // of the step that begins at state.t

  Engine& engine_;
  Field& field_;
  const Manifold manifold_;
  const bool jumps_;             // velocities jump as particles move
  const double noise_strength_;  // D of dX = v dt + sqrt(2 D) dB
  const RandomKey random_;
  const MethodRow& row_;
  const FlowWatch& watch_;
  std::optional<SwarmSystem> system_{};
  std::optional<RungeKutta<SwarmSystem>> driver_{};  // of methods that have a tableau
  State x_, y_, between_, noise_;
  State origin_;           // every particle at 0
  StepState committed_{};  // at x_
  FoundStep found_{};
  bool to_jump_ = false;  // the step found ends where the forces jump
};

// Merges pairs closer than `delta` (chord), nearest first, until none is left. The merged particle
// is at the mass-weighted mean, retracted. Updates state.x and state.group.
std::vector<Merge> merge_close(FlowState& state, double delta, Manifold manifold);

}  // namespace murmur
