// branch.cpp: the states that a run goes on with: as it is to a larger T, or, as a branch, under
// new settings.
#include <fmt/format.h>

#include <cmath>

#include "experiment/flow_record.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/forces.h"
#include "run/checkpoint.h"
#include "run/file.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;

void check_swarms(const std::string& parent, const Experiment& before, const Experiment& e) {
  const auto refuse = [&](const char* what) {
    throw Error(Fault::input, fmt::format("{} cannot change in a branch", what), parent,
                "start a new run: murmur simulate RUN KEY=VALUE takes the other settings over");
  };
  if (!(before.swarm.shape() == e.swarm.shape())) refuse("the number of particles or coordinates");
  if (before.swarm.mass != e.swarm.mass) refuse("the masses");
  if (before.dynamics.manifold != e.dynamics.manifold) refuse("the manifold");
  if (row_of(e.flow.method).stepping == Stepping::cvode)
    throw Error(Fault::input, "bdf is verified from t = 0, where a branch was not", "method",
                "use method=dopri5 in the branch");
}

// The first frame after t, which is one itself.
std::int64_t first_frame_after(const Schedule& schedule, double t) {
  std::int64_t low = 0, high = schedule.frames();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (schedule.time(middle) > t * (1 + 1e-9))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

FlowState branch_state(FlowState state, const Experiment& before, const Experiment& e,
                       const std::string& where) {
  check_swarms(where, before, e);
  if (e.schedule.T <= state.t * (1 + 1e-9))
    throw Error(Fault::input,
                fmt::format("T = {:g} is not beyond t = {:g}, where the branch parts", e.schedule.T,
                            state.t),
                where, "give a larger T=");
  if (is_fixed(e.flow.method)) {
    const double steps = state.t / e.flow.dt;
    if (std::fabs(steps - std::round(steps)) > 1e-9 * std::fmax(1, steps))
      throw Error(Fault::input,
                  fmt::format("t = {}, where the branch parts, is not a whole number of steps "
                              "dt = {:g}",
                              state.t, e.flow.dt),
                  where, "use method=dopri5, or a dt that fits");
    state.step = static_cast<std::int64_t>(std::llround(steps));
  }
  if (e.flow.method != before.flow.method) {  // else the next step is the one it would have taken
    state.h = 0;
    state.last_error = 1;
  }
  state.rejected = state.evaluations = 0;
  state.next_frame = first_frame_after(e.schedule, state.t);
  return state;
}

FlowState resumed_state(FlowState state, const Experiment& before, const Experiment& e,
                        const std::string& where) {
  check_swarms(where, before, e);
  if (e.schedule.T < before.schedule.T)
    throw Error(Fault::input,
                fmt::format("T = {:g} is below the T = {:g} that was flown for", e.schedule.T,
                            before.schedule.T),
                where, "give a larger T, or none");
  state.next_frame = next_frame_of(e.schedule, state.next_frame, before.schedule.T);
  return state;
}

FlowState state_at(double t, const HostSwarm& frame, FlowState state) {
  for (int i = 0; i < frame.n(); ++i)
    for (int k = 0; k < frame.d(); ++k) state.x.at(state.group[i], k) = frame.at(i, k);
  state.t = t;
  return state;
}

RunBranch branch_from(const fs::path& parent, const Experiment& before, const Experiment& e) {
  check_swarms(parent.string(), before, e);
  const std::optional<Checkpoint> last = read_checkpoint(parent);
  if (!last)
    throw Error(Fault::input, "the run has no checkpoint to part from", parent.string(),
                "let it come to one: murmur simulate --resume RUN");
  const FlowState state =
      branch_state(state_of(last->state, e.swarm.shape()), before, e, parent.string());
  Record record = record_of(state, e.schedule.T);
  record["parting"] = array_of(state.t);
  const auto bound = last->state.find("pull_error");
  record["pull_error"] = bound == last->state.end() ? array_of(0.0) : bound->second;
  std::error_code ignored;
  return {fs::weakly_canonical(parent, ignored).string(),
          sha256_of_text(read_text(parent / "config.toml")), state.t, std::move(record)};
}

}  // namespace murmur
