// flow.cpp: integrates a swarm over a schedule, by fixed and by adaptive steps.
#include "murmur/flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/elementary.h"
#include "flow/flow_stepper.h"
#include "flow/stiff.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

constexpr double kSlack = 1e-9;  // a time this close (relative) to T is the end

// k * every, by division where every is 1 / whole: 3 * 0.1 is then 0.3.
double grid_time(double every, std::int64_t k) {
  const double parts = std::round(1 / every);
  const bool whole = std::fabs(every * parts - 1) < 1e-15;
  return whole ? static_cast<double>(k) / parts : static_cast<double>(k) * every;
}

// Frames strictly before T.
std::int64_t frames_before_end(const Schedule& s) {
  const double end = s.T * (1 - kSlack);
  if (s.every > 0) return s.T > 0 ? static_cast<std::int64_t>(std::ceil(end / s.every)) : 0;
  if (s.ratio <= 1) return 0;
  std::int64_t count = 1;  // t = 0
  if (s.first < end)
    count += static_cast<std::int64_t>(
        std::ceil(elementary::log(end / s.first) / elementary::log(s.ratio)));
  return count;
}

}  // namespace

std::int64_t Schedule::frames() const { return frames_before_end(*this) + 1; }

double Schedule::time(std::int64_t frame) const {
  const bool last = frame >= frames_before_end(*this);
  if (every > 0) {  // the end stays on the grid: a longer run then passes through the same times
    const double t = grid_time(every, frame);
    return last && !(std::fabs(t - T) <= kSlack * T) ? T : t;
  }
  if (last) return T;
  if (frame == 0) return 0;
  return first * elementary::pow(ratio, static_cast<double>(frame - 1));
}

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

// Fixed steps: t = k dt, and frames fall on steps (the experiment checks that).
Outcome advance_fixed(FlowStepper& stepper, const Schedule& schedule, const StepWatch& steps) {
  FlowState& state = stepper.state;
  const double dt = stepper.settings.dt;
  const std::int64_t frames = schedule.frames();
  const auto step_of = [&](std::int64_t frame) {
    return static_cast<std::int64_t>(std::llround(schedule.time(frame) / dt));
  };
  while (state.next_frame < frames) {
    for (; state.next_frame < frames && step_of(state.next_frame) <= state.step; ++state.next_frame)
      stepper.emit_frame(schedule.time(state.next_frame), stepper.x());
    if (state.next_frame == frames) break;
    stepper.merge();
    stepper.step_fixed();
    if (const auto end = stepper.failure_after(dt)) return *end;
    if (steps) steps({state.t, dt, stepper.x()});
    stepper.commit_fixed();
    if (stepper.pause()) return {Ending::interrupted, state.t, -1, {}, {}};
  }
  return {Ending::finished, schedule.T, -1, {}, {}};
}

// Adaptive steps. A step that reaches T is not committed: the state is the one before it, so a
// later continuation to a larger T repeats that step and continues as if T had been larger from the
// start.
Outcome advance_adaptive(FlowStepper& stepper, const Schedule& schedule, const StepWatch& steps) {
  FlowState& state = stepper.state;
  const std::int64_t frames = schedule.frames();
  if (state.next_frame == 0 && schedule.time(0) == 0) {
    stepper.emit_frame(0, stepper.x());
    state.next_frame = 1;
  }
  // A stop may have come during the last check for sliding.
  if (state.step > 0)
    if (const auto end = stepper.sliding()) return *end;
  while (state.next_frame < frames) {
    stepper.merge();
    if (const auto end = stepper.step_adaptive()) return *end;
    if (steps) steps({state.t, stepper.h(), stepper.x()});
    const double reached = state.t + stepper.h();
    for (; state.next_frame < frames && schedule.time(state.next_frame) <= reached;) {
      const double t = schedule.time(state.next_frame);
      stepper.emit_frame(t, stepper.interpolate((t - state.t) / stepper.h()));
      ++state.next_frame;  // a pause here is resumable: the step is not committed, only its frames
      if (state.next_frame < frames && stepper.pause())
        return {Ending::interrupted, state.t, -1, {}, {}};
    }
    if (state.next_frame == frames) break;
    stepper.commit_adaptive();
    if (const auto end = stepper.sliding()) return *end;
    if (stepper.pause()) return {Ending::interrupted, state.t, -1, {}, {}};
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
  FlowStepper stepper(flow, state, watch);
  const auto carried = [&] {
    try {
      stepper.prepare();
      return is_fixed(flow.settings.method) ? advance_fixed(stepper, schedule, watches.steps)
                                            : advance_adaptive(stepper, schedule, watches.steps);
    } catch (const Stopped&) {
      return stepper.stopped();
    }
  };
  const Outcome outcome = carried();
  stepper.fetch_state();
  const bool cut_short = !outcome.ok() && outcome.ending != Ending::interrupted;
  const bool kept = state.next_frame > 0 && schedule.time(state.next_frame - 1) >= state.t;
  if (cut_short && !kept) stepper.emit_frame(state.t, stepper.x());  // the last good frame
  return outcome;
}

}  // namespace murmur
