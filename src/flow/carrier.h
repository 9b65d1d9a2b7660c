// carrier.h: a swarm on its way through time: on its engine, with the stages of single steps.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "flow/runge_kutta.h"
#include "flow/sliding.h"
#include "murmur/flow.h"

namespace murmur {

// The terms of a step as the field takes them, with room for one of noise.
struct Terms {
  std::array<Term, kMaxStages + 1> list{};
  std::size_t count = 0;

  explicit Terms(std::span<const StageTerm<std::unique_ptr<Swarm>>> stages = {}) {
    for (const auto& term : stages) add(term.scale, **term.along);
  }
  void add(double scale, const Swarm& along) { list[count++] = {scale, &along}; }
  operator std::span<const Term>() const { return {list.data(), count}; }
};

// A stretch of time between two jumps of the forces.
struct Piece {
  double from = -std::numeric_limits<double>::infinity();
  double until = std::numeric_limits<double>::infinity();
  // The nearest time within: a stage at the very end still has the forces of the piece.
  double nearest(double t) const {
    return std::max(from, std::min(t, std::nextafter(until, from)));
  }
};

// The piece of t among ascending jumps; one that comes less than `slack` after t has been passed.
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
  // A number that is not finite has no distance to itself.
  bool finite(const State& v) { return std::isfinite(field_.error_norm(*v, *v, {0, 1})); }

  Piece piece{};  // of the step at hand

 private:
  Field& field_;
  const Tolerance tolerance_;
  State like_, embedded_;
};

class Carrier {
 public:
  Carrier(const Flow& flow, FlowState& state, const FlowWatch& watch);

  void prepare();  // allocates the stages, before the first step and after each merging
  const Swarm& x() const { return *x_; }
  double h() const { return found_.h; }      // length of the step found
  void keep(double t, const Swarm& groups);  // hands a frame to the watch, unfolded
  void merge();                              // joins what has met; tells the watch
  bool pause();                              // asks the watch, which may fetch the swarm

  // Steps are found first and committed after.
  void step_fixed();                         // of dt, by methods with fixed steps
  std::optional<Outcome> trouble(double h);  // why the flow cannot go on with it, if it cannot
  void commit_fixed();
  std::optional<Outcome> step_adaptive();  // of h(), from the proposal state.h
  const Swarm& interpolate(double theta);  // inside the step found
  void commit_adaptive();
  // Where a particle slides along a jump of the velocity. Found out by steps on the side, which
  // leave no trace: a function of the state, and so the same after an interruption.
  std::optional<Outcome> sliding();

  void fetch_state();  // state.x becomes the swarm as last committed
  // Within a catch of Stopped: the step at hand is undone, and the watch is asked as after a step.
  // Where it does not leave, nobody knows of the stop, and Stopped is thrown on.
  Outcome stopped();

  const FlowSettings& settings;
  FlowState& state;

 private:
  using State = SwarmSystem::State;
  struct Drift {  // what a step of fixed length adds, noise apart
    Terms terms;
    double last_t;  // of its last velocity
    bool noisy;     // whether noise, if there is any, comes with it
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
  Outcome lost(const Swarm& swarm, Manifold manifold, double h);
  void enter_piece();  // of the step that begins at state.t

  Engine& engine_;
  Field& field_;
  const Manifold manifold_;
  const bool jumps_;             // velocities do, from place to place
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

}  // namespace murmur
