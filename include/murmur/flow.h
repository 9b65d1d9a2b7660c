// flow.h: integrates a swarm in time: methods, schedules, merging, and how an integration can end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "murmur/engine.h"
#include "murmur/swarm.h"

namespace murmur {

// euler with noise is Euler-Maruyama; strang is weakly of second order with noise; bdf is CVODE's.
enum class Method { layers, euler, rk4, dopri5, strang, bdf };

// Whether steps are all of length dt, and times whole multiples of it.
inline bool is_fixed(Method method) { return method != Method::dopri5 && method != Method::bdf; }

// When frames are kept. Times are k * every (every > 0), or 0 and first * ratio^k (ratio > 1), or
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
  double dt = 0.1;        // of layers, euler, rk4, strang
  Tolerance tolerance{};  // of dopri5, bdf
  double merge = 0;       // particles closer than this chord become one; 0: never
  std::int64_t max_evaluations = 1'000'000'000;
  double noise = 0;           // as of the dynamics: layers, euler and strang only
  std::uint64_t seed = 0;     // of the noise
  std::uint32_t replica = 0;  // whose noise
};

struct Merge {  // an event: `absorbed` joined `into` (numbers of original particles)
  double t;
  int into, absorbed;
  double mass;  // of the group after
  int left;     // groups left
};

// Everything an exact continuation needs.
struct FlowState {
  double t = 0;
  std::int64_t step = 0;  // accepted steps so far
  std::int64_t rejected = 0;
  std::int64_t evaluations = 0;  // velocities computed so far
  std::int64_t next_frame = 0;   // the first frame not yet kept
  double h = 0;                  // next step of dopri5; 0: to be chosen
  double last_error = 1;         // error norm of the last accepted step, for the controller
  HostSwarm x{};                 // groups, with their masses
  std::vector<int> group{};      // (n0) row of x that particle i belongs to
  std::vector<double> mass{};    // (n0) original masses
};

enum class Ending {
  finished,
  interrupted,
  not_finite,
  step_too_small,
  too_many_evaluations,
  unresolved,        // a density has become too sharp for its modes (mean fields)
  methods_disagree,  // a second method gave another result (bdf through mergers)
};

struct Outcome {
  Ending ending = Ending::finished;
  double t = 0;
  int particle = -1;
  std::string what{}, remedy{};  // sentences, where the integration did not finish
  bool ok() const { return ending == Ending::finished; }
};

struct FlowWatch {
  std::function<void(double t, const HostSwarm& x)> frame{};  // n0 rows: merged ones repeat
  std::function<void(const Merge&)> merged{};
  // After every accepted step and every frame inside one; true: stop here, resumably. The state
  // shown says how far the integration is; the one to continue from is what `fetch` gives, since
  // the swarm may have to come from a device.
  std::function<bool(const FlowState&, const std::function<FlowState&()>& fetch)> pause{};
};

FlowState start(const HostSwarm& x);

struct Flow {  // what carries the swarm
  Engine& engine;
  Field& field;
  Manifold manifold;
  FlowSettings settings{};
};

// Integrates state to schedule.T. Saving never changes the steps taken: dopri5 and bdf interpolate
// frames.
Outcome advance(const Flow& flow, const Schedule& schedule, FlowState& state,
                const FlowWatch& watch);

// The frame of a state: n0 rows, each at its group's position, with original masses.
HostSwarm unfold(const FlowState& state, const HostSwarm& groups);

}  // namespace murmur
