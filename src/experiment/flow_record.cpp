// flow_record.cpp: the state of a flow as named arrays, for checkpoints.
#include "experiment/flow_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "murmur/error.h"

namespace murmur {

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
    throw Error(Fault::input, "the checkpoint is of another swarm", "checkpoint.safetensors",
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

}  // namespace murmur
