// fly.cpp: the whole program in one function: an experiment becomes a run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "experiment/verify.h"
#include "murmur/error.h"
#include "murmur/experiment.h"

namespace murmur {

namespace {

std::vector<std::int64_t> widened(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

// A flow's state as named arrays. `T` tells a continuation which frames are already kept.
Record record_of(const FlowState& state, double T) {
  Record record;
  record["t"] = array_of(state.t);
  record["T"] = array_of(T);
  record["step"] = array_of(state.step);
  record["rejected"] = array_of(state.rejected);
  record["evaluations"] = array_of(state.evaluations);
  record["next_frame"] = array_of(state.next_frame);
  record["h"] = array_of(state.h);
  record["last_gap"] = array_of(state.last_gap);
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
  state.last_gap = real("last_gap");
  state.x = from_rows({static_cast<int>(x.shape[0]), shape.d}, x.doubles().data());
  state.x.mass = group_mass;
  state.group.assign(group.begin(), group.end());
  state.mass = mass;
  return state;
}

// Where a run stands: its last checkpoint, or the start. After T was raised, the first frame still
// to be kept is the first one beyond the old T.
FlowState where_it_stands(const Experiment& e, const Run& run) {
  if (!run.last_checkpoint()) return start(e.swarm);
  FlowState state = state_of(*run.last_checkpoint(), e.swarm.shape());
  const double reached = entry(*run.last_checkpoint(), "T").doubles()[0];
  if (reached == e.schedule.T) return state;
  state.next_frame = std::min(state.next_frame, e.schedule.frames());
  while (state.next_frame > 0 && e.schedule.time(state.next_frame - 1) > reached * (1 + 1e-9))
    --state.next_frame;
  return state;
}

std::string merge_line(const Merge& m) {
  return fmt::format(R"({{"event":"merge","t":{},"into":{},"absorbed":{},"mass":{},"left":{}}})",
                     m.t, m.into, m.absorbed, m.mass, m.left);
}

const char* status_of(const Outcome& outcome) {
  if (outcome.ok()) return "done";
  return outcome.ending == Ending::interrupted ? "interrupted" : "failed";
}

}  // namespace

Outcome fly(const Experiment& e, Run& run, const FlightControl& control) {
  using Time = std::chrono::steady_clock;
  const auto since = [](Time::time_point then) {
    return std::chrono::duration<double>(Time::now() - then).count();
  };
  const auto engine = make_engine(e.engine, e.swarm.shape(), e.dynamics);
  const auto field = engine->prepare(e.dynamics, e.swarm.shape());
  const std::vector<std::string> columns = observable_names(e.dynamics);
  const auto cluster_column =
      std::find(columns.begin(), columns.end(), "clusters") - columns.begin();
  FlowState state = where_it_stands(e, run);
  const std::int64_t evaluations_before = state.evaluations;
  const Time::time_point began = Time::now();
  Time::time_point last_checkpoint = began, last_report = began;
  int clusters = -1;

  const auto save = [&](const FlowState& current) {
    run.event(fmt::format(R"({{"event":"checkpoint","t":{}}})", current.t));
    run.checkpoint(record_of(current, e.schedule.T));
    last_checkpoint = Time::now();
  };
  FlowWatch watch;
  watch.frame = [&](double t, const HostSwarm& frame) {
    MeasureSettings settings = e.measure;
    settings.t = t;
    const std::vector<double> row = measure(frame, e.dynamics, settings);
    clusters = std::isnan(row[cluster_column]) ? -1 : static_cast<int>(row[cluster_column]);
    run.append(t, frame, row);
  };
  watch.merged = [&](const Merge& merge) { run.event(merge_line(merge)); };
  watch.pause = [&](const FlowState& now, const std::function<FlowState&()>& fetch) {
    const bool stop = control.signal != nullptr && *control.signal != 0;
    if (stop || since(last_checkpoint) >= control.checkpoint_seconds) save(fetch());
    if (control.report && since(last_report) >= 0.1) {
      last_report = Time::now();
      const auto done = static_cast<double>(now.evaluations - evaluations_before);
      control.report({now.t, e.schedule.T, now.evaluations, done / since(began), clusters});
    }
    return stop;
  };

  Outcome outcome;
  try {
    outcome = advance({*engine, *field, e.dynamics.habitat, e.flow}, e.schedule, state, watch);
    if (outcome.ok()) save(state);
    if (outcome.ok() && e.flow.method == Method::bdf) outcome = verify(e, run, control);
  } catch (const Error& error) {  // the disk, most likely: say so in the manifest if it can be said
    try {
      run.close("failed", {{"t", state.t}}, error.summary);
    } catch (const Error&) {
    }
    throw;
  }
  run.close(status_of(outcome),
            {{"t", outcome.t},
             {"steps", static_cast<double>(state.step)},
             {"rejected", static_cast<double>(state.rejected)},
             {"evaluations", static_cast<double>(state.evaluations)},
             {"groups", static_cast<double>(state.x.n())}},
            outcome.what);
  return outcome;
}

}  // namespace murmur
