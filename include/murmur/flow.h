// flow.h: integrates a swarm in time: methods, schedules, merging, and how an integration can end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "murmur/engine.h"
#include "murmur/random.h"
#include "murmur/swarm.h"

namespace murmur {

// A new method is a value here and a row in src/flow/methods.cpp.
enum class Method { layers, euler, rk4, dopri5, strang, bdf, tsit5, dop853 };

// How a method takes its steps.
enum class Stepping {
  layers,       // sublayer by sublayer
  runge_kutta,  // by a tableau
  strang,       // by parts: noise, drift, noise
  cvode,        // by CVODE
};

// Properties of a method for commands, estimates, help and the page.
struct MethodRow {
  Method method;
  const char* name;         // its name
  const char* meaning;      // one line
  const char* citation;     // reference
  const char* explanation;  // with $dt, $rtol, ... replaced by method_text (experiment.h)
  Stepping stepping;
  int order;               // as measured by tests/theorems/order_test.cpp
  int stages = 1;          // velocities computed in a step; 0: it varies
  int embedded_order = 0;  // of its own error estimate; 0: steps of fixed length dt
  int dense_order = 0;     // of its interpolant; 0: frames are at steps
  bool takes_noise = false;
};
std::span<const MethodRow> methods();
const MethodRow& row_of(Method method);
std::string method_names();  // separated by commas

// Whether all steps have length dt, and times are multiples of it.
inline bool is_fixed(Method method) { return row_of(method).embedded_order == 0; }

// The times of frames. They are k * every (every > 0), or 0 and first * ratio^k (ratio > 1), or
// neither; the last time T is always kept.
struct Schedule {
  double T = 10;
  double every = 0;
  double first = 0, ratio = 0;

  double time(std::int64_t frame) const;  // of frame 0, 1, ..., never beyond T
  std::int64_t frames() const;            // how many in all
};

struct FlowSettings {
  Method method = Method::dopri5;
  double dt = 0.1;        // of methods with fixed steps
  Tolerance tolerance{};  // of the others
  double merge = 0;       // particles closer than this chord merge; 0: never
  std::int64_t max_evaluations = 1'000'000'000;
};

struct Merge {  // an event: `absorbed` joined `into` (numbers of original particles)
  double t;
  int into, absorbed;
  double mass;  // of the group after
  int left;     // groups left
};

// The position of a flow, and its next step.
struct StepState {
  double t = 0;
  std::int64_t step = 0;  // accepted steps so far
  std::int64_t rejected = 0;
  std::int64_t evaluations = 0;  // velocities computed so far
  double h = 0;                  // next step of an adaptive method; 0: to be chosen
  double last_error = 1;         // of the last accepted step, for the controller
};

// All data for an exact continuation.
struct FlowState : StepState {
  std::int64_t next_frame = 0;  // the first frame not yet kept
  HostSwarm x{};                // groups, with their masses
  std::vector<int> group{};     // (n0) row of x that particle i belongs to
  std::vector<double> mass{};   // (n0) original masses
};

enum class Ending {
  finished,
  interrupted,
  not_finite,
  step_too_small,
  too_many_evaluations,
  sliding,           // along a surface where hard attention switches, under an adaptive method
  unresolved,        // a density has become too sharp for its modes (mean fields)
  methods_disagree,  // a second method gave another result (bdf with mergers)
};

struct Outcome {
  Ending ending = Ending::finished;
  double t = 0;
  int particle = -1;
  std::string what{}, remedy{};  // sentences, if the integration did not finish
  bool ok() const { return ending == Ending::finished; }
};

// A frame with n0 rows, in which merged particles repeat: on its engine and in host memory.
struct Frame {
  const Swarm& swarm;                                 // on its engine, for sums by the field
  const HostSwarm& host;                              // the same points in host memory
  operator const HostSwarm&() const { return host; }  // for a watch that needs only this
};

struct FlowWatch {
  std::function<void(double t, const Frame& frame)> frame{};
  std::function<void(const Merge&)> merged{};
  // Called after every accepted step and every frame inside one; true: stop here, resumably. The
  // given state has the position of the integration; `fetch` returns the state to continue from,
  // since the swarm may have to be copied from a device.
  std::function<bool(const FlowState&, const std::function<FlowState&()>& fetch)> pause{};
};

FlowState start(const HostSwarm& x);

struct Flow {  // how a swarm is integrated
  Engine& engine;
  Field& field;  // prepared for a dynamics, which has manifold and noise
  FlowSettings settings{};
  RandomKey random{};  // of the noise
};

// Integrates `state` to schedule.T. Saving never changes the steps taken: adaptive methods
// interpolate frames.
Outcome advance(const Flow& flow, const Schedule& schedule, FlowState& state,
                const FlowWatch& watch);

// Returns the frame of a state: n0 rows, each at its group's position, with original masses.
HostSwarm unfold(const FlowState& state, const HostSwarm& groups);

}  // namespace murmur
