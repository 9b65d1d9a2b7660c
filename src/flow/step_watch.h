// step_watch.h: a flow whose steps are shown as they are taken, for those who go back through them.
#pragma once

#include <functional>

#include "murmur/flow.h"

namespace murmur {

// A step that was found good: from x at time t, for h. The last one of an adaptive method may reach
// beyond the end of the schedule; its frames lie within.
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

// As `advance`, but not for Stepping::cvode, which shows no steps.
Outcome advance_watched(const Flow& flow, const Schedule& schedule, FlowState& state,
                        const StepsAndFrames& watches);

}  // namespace murmur
