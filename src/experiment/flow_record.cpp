// flow_record.cpp: states of a flow in checkpoints, and states with which a run or a branch
// continues.
#include "experiment/flow_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/forces.h"
#include "run/checkpoint.h"
#include "run/file.h"

namespace murmur {

// --- Named arrays of a checkpoint.

namespace {

std::vector<std::int64_t> widened(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

Record record_of(const FlowState& state, double T) {
  Record record;
  record["t"] = array_of(state.t);
  record["T"] = array_of(T);
  record["step"] = array_of(state.step);
  record["rejected"] = array_of(state.rejected);
  record["evaluations"] = array_of(state.evaluations);
  record["next_frame"] = array_of(state.next_frame);
  record["h"] = array_of(state.h);
  record["last_gap"] = array_of(state.last_error);
  record["x"] = array_of(to_rows(state.x));
  record["x"].shape = {static_cast<std::size_t>(state.x.n()),
                       static_cast<std::size_t>(state.x.d())};
  record["group_mass"] = array_of(state.x.mass);
  record["group"] = array_of(widened(state.group));
  record["mass"] = array_of(state.mass);
  return record;
}

const Array& entry(const Record& record, const std::string& name) {
  const auto found = record.find(name);
  if (found == record.end() || found->second.size() == 0)
    throw Error(Fault::input, fmt::format("the checkpoint has no {}", name),
                "checkpoint.safetensors", "delete it to start again from t = 0");
  return found->second;
}

FlowState state_of(const Record& record, Shape shape) {
  const auto real = [&](const char* name) { return entry(record, name).doubles()[0]; };
  const auto count = [&](const char* name) {
    return static_cast<std::int64_t>(entry(record, name).doubles()[0]);
  };
  const Array& x = entry(record, "x");
  const std::vector<double> group = entry(record, "group").doubles();
  const std::vector<double> group_mass = entry(record, "group_mass").doubles();
  const std::vector<double> mass = entry(record, "mass").doubles();
  const bool fits = x.shape.size() == 2 && x.shape[1] == static_cast<std::size_t>(shape.d) &&
                    x.shape[0] == group_mass.size() && x.shape[0] <= group.size() &&
                    group.size() == static_cast<std::size_t>(shape.n) &&
                    mass.size() == group.size();
  if (!fits)
    throw Error(Fault::input, "the checkpoint belongs to another swarm", "checkpoint.safetensors",
                "delete it to start again from t = 0");
  FlowState state;
  state.t = real("t");
  state.step = count("step");
  state.rejected = count("rejected");
  state.evaluations = count("evaluations");
  state.next_frame = count("next_frame");
  state.h = real("h");
  state.last_error = real("last_gap");
  state.x = from_rows({static_cast<int>(x.shape[0]), shape.d}, x.doubles().data());
  state.x.mass = group_mass;
  state.group.assign(group.begin(), group.end());
  state.mass = mass;
  return state;
}

std::int64_t next_frame_of(const Schedule& schedule, std::int64_t next_frame, double reached) {
  if (reached == schedule.T) return next_frame;
  next_frame = std::min(next_frame, schedule.frames());
  while (next_frame > 0 && schedule.time(next_frame - 1) > reached * (1 + 1e-9)) --next_frame;
  return next_frame;
}

Progress progress_of(const FlowReading& r, Pace& pace) {
  Progress p{.done = r.t, .of = r.T, .what = "time", .speed_of = "evaluations"};
  p.position = fmt::format("t {:.4g} / {:.4g}", r.t, r.T);
  p.speed = static_cast<double>(r.evaluations) / std::max(pace.seconds(), 1e-9);
  p.seconds_left = pace.seconds_left(r.t, r.T);
  if (r.clusters >= 0) p.live = fmt::format("{} clusters", r.clusters);
  p.details = {{"t", r.t},
               {"T", r.T},
               {"evaluations", static_cast<double>(r.evaluations_ever)},
               {"evaluations_per_second", p.speed},
               {"clusters", static_cast<double>(r.clusters)}};
  return p;
}

// --- Continuing to a larger T, and branches with new settings.

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
    throw Error(Fault::input, "bdf is verified from t = 0, but a branch starts later", "method",
                "use method=dopri5 in the branch");
}

// Returns the first frame after t, which is itself a frame.
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
                fmt::format("T = {:g} is not after t = {:g}, where the branch starts", e.schedule.T,
                            state.t),
                where, "give a larger T=");
  if (is_fixed(e.flow.method)) {
    const double steps = state.t / e.flow.dt;
    if (std::fabs(steps - std::round(steps)) > 1e-9 * std::fmax(1, steps))
      throw Error(Fault::input,
                  fmt::format("t = {}, where the branch starts, is not a whole number of steps "
                              "dt = {:g}",
                              state.t, e.flow.dt),
                  where, "use method=dopri5, or a dt that fits");
    state.step = static_cast<std::int64_t>(std::llround(steps));
  }
  if (e.flow.method != before.flow.method) {  // else the next step is unchanged
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
    throw Error(
        Fault::input,
        fmt::format("T = {:g} is below the T = {:g} of the run", e.schedule.T, before.schedule.T),
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
    throw Error(Fault::input, "the run has no checkpoint to branch from", parent.string(),
                "continue it to the next checkpoint: murmur simulate --resume RUN");
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
