// carrier.h: one flight in progress: the swarm on its engine, the stages, and single steps.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "flow/noise.h"
#include "flow/tableau.h"
#include "murmur/flow.h"

namespace murmur {

class Carrier {
 public:
  Carrier(const Flow& flow, FlowState& state, const FlowWatch& watch);

  const Swarm& x() const { return *x_; }
  double h() const { return h_; }            // length of the step found
  void keep(double t, const Swarm& groups);  // hands a frame to the watch, unfolded
  void merge();                              // joins what has met; tells the watch
  bool pause();                              // asks the watch, which may fetch the swarm

  // Steps are found first and committed after: y is the end of the step found.
  void step_fixed();                         // of dt, by layers, euler, rk4 or strang
  std::optional<Outcome> trouble(double h);  // why the flight cannot go on with it, if it cannot
  void commit_fixed();
  std::optional<Outcome> step_adaptive();  // of h(), by dopri5, from the proposal state.h
  const Swarm& interpolate(double theta);  // inside the step found
  void commit_adaptive();

  void fetch_state();  // state.x becomes the swarm as last committed

  const FlowSettings& settings;
  FlowState& state;

 private:
  void evaluate(double t, const Swarm& at, Swarm& v);
  void shift(const std::array<double, 7>& weights, int stages, double h, Swarm& to);
  void stages(const Tableau& tableau, double h);
  void step_layers();
  void step_tableau(const Tableau& tableau);
  void step_strang();
  NoiseStep noise_step(int half, double h) const;
  double first_step();
  bool finite(const Swarm& swarm);
  bool on_manifold(const Swarm& swarm);
  Outcome lost(const Swarm& swarm, Manifold manifold, double h);
  void resize_scratch();

  Engine& engine_;
  Field& field_;
  const Manifold manifold_;
  const FlowWatch& watch_;
  std::unique_ptr<Swarm> x_, y_, between_, noise_;
  std::unique_ptr<Swarm> origin_;              // every particle at 0
  std::array<std::unique_ptr<Swarm>, 7> k_{};  // stages
  std::array<Term, 7> terms_{};
  bool have_first_stage_ = false;          // k_[0] is the velocity at x
  double h_ = 0, error_ = 1, next_h_ = 0;  // of the step found
};

}  // namespace murmur
