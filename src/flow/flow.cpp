// flow.cpp: the loops that carry a swarm through time.
#include "murmur/flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "flow/carrier.h"
#include "flow/step_watch.h"
#include "flow/stiff.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur {

FlowState start(const HostSwarm& x) {
  FlowState state;
  state.x = x;
  state.mass = x.mass;
  state.group.resize(x.n());
  for (int i = 0; i < x.n(); ++i) state.group[i] = i;
  return state;
}

HostSwarm unfold(const FlowState& state, const HostSwarm& groups) {
  if (static_cast<int>(state.group.size()) == groups.n()) return groups;
  HostSwarm x({static_cast<int>(state.group.size()), groups.d()});
  x.mass = state.mass;
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) x.at(i, k) = groups.at(state.group[i], k);
  return x;
}

namespace {

// Fixed steps: t = k dt, and frames fall on steps (the experiment has seen to that).
Outcome advance_fixed(Carrier& carrier, const Schedule& schedule, const StepWatch& steps) {
  FlowState& state = carrier.state;
  const double dt = carrier.settings.dt;
  const std::int64_t frames = schedule.frames();
  const auto step_of = [&](std::int64_t frame) {
    return static_cast<std::int64_t>(std::llround(schedule.time(frame) / dt));
  };
  while (state.next_frame < frames) {
    for (; state.next_frame < frames && step_of(state.next_frame) <= state.step; ++state.next_frame)
      carrier.keep(schedule.time(state.next_frame), carrier.x());
    if (state.next_frame == frames) break;
    carrier.merge();
    carrier.step_fixed();
    if (const auto end = carrier.trouble(dt)) return *end;
    if (steps) steps({state.t, dt, carrier.x()});
    carrier.commit_fixed();
    if (carrier.pause()) return {Ending::interrupted, state.t, -1, {}, {}};
  }
  return {Ending::finished, schedule.T, -1, {}, {}};
}

// Adaptive steps. A step that reaches T is not committed: the state stays before it, so a later
// continuation to a larger T repeats that step and goes on as if T had been larger from the start.
Outcome advance_adaptive(Carrier& carrier, const Schedule& schedule, const StepWatch& steps) {
  FlowState& state = carrier.state;
  const std::int64_t frames = schedule.frames();
  if (state.next_frame == 0 && schedule.time(0) == 0) {
    carrier.keep(0, carrier.x());
    state.next_frame = 1;
  }
  // A stop may have come before the last look was over.
  if (state.step > 0)
    if (const auto end = carrier.sliding()) return *end;
  while (state.next_frame < frames) {
    carrier.merge();
    if (const auto end = carrier.step_adaptive()) return *end;
    if (steps) steps({state.t, carrier.h(), carrier.x()});
    const double reached = state.t + carrier.h();
    for (; state.next_frame < frames && schedule.time(state.next_frame) <= reached;) {
      const double t = schedule.time(state.next_frame);
      carrier.keep(t, carrier.interpolate((t - state.t) / carrier.h()));
      ++state.next_frame;  // a pause here is resumable: the step is not committed, only its frames
      if (state.next_frame < frames && carrier.pause())
        return {Ending::interrupted, state.t, -1, {}, {}};
    }
    if (state.next_frame == frames) break;
    carrier.commit_adaptive();
    if (const auto end = carrier.sliding()) return *end;
    if (carrier.pause()) return {Ending::interrupted, state.t, -1, {}, {}};
  }
  return {Ending::finished, schedule.T, -1, {}, {}};
}

void check_settings(const FlowSettings& settings, const Dynamics& dynamics) {
  const double noise = dynamics.noise;
  if (noise > 0 && !row_of(settings.method).takes_noise)
    throw Error(Fault::input, "this method takes no noise", "method",
                "use strang, euler or layers, or noise=0");
  if (noise > 0 && settings.merge > 0)
    throw Error(Fault::input, "particles that have met part again under noise", "merge",
                "use merge=0, or noise=0");
  if (row_of(settings.method).stepping == Stepping::cvode && settings.merge > 0)
    throw Error(Fault::input, "bdf does not merge", "merge", "use merge=0, or method=dopri5");
  if (row_of(settings.method).stepping == Stepping::cvode && !dynamics.jump_times.empty())
    throw Error(Fault::input, "bdf takes long steps across the jumps of the weights", "method",
                "use method=dopri5, or weights_in_time=linear");
}

}  // namespace

Outcome advance(const Flow& flow, const Schedule& schedule, FlowState& state,
                const FlowWatch& watch) {
  return advance_watched(flow, schedule, state, {watch, {}});
}

Outcome advance_watched(const Flow& flow, const Schedule& schedule, FlowState& state,
                        const StepsAndFrames& watches) {
  const FlowWatch& watch = watches.frames;
  check_settings(flow.settings, flow.field.dynamics());
  if (row_of(flow.settings.method).stepping == Stepping::cvode)
    return advance_stiff(flow, schedule, state, watch);
  Carrier carrier(flow, state, watch);
  const auto carried = [&] {
    try {
      carrier.prepare();
      return is_fixed(flow.settings.method) ? advance_fixed(carrier, schedule, watches.steps)
                                            : advance_adaptive(carrier, schedule, watches.steps);
    } catch (const Stopped&) {
      return carrier.stopped();
    }
  };
  const Outcome outcome = carried();
  carrier.fetch_state();
  const bool cut_short = !outcome.ok() && outcome.ending != Ending::interrupted;
  const bool kept = state.next_frame > 0 && schedule.time(state.next_frame - 1) >= state.t;
  if (cut_short && !kept) carrier.keep(state.t, carrier.x());  // the last good frame
  return outcome;
}

}  // namespace murmur
