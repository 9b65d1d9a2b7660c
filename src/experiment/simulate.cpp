// simulate.cpp: the whole program in one function: an experiment becomes a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/flow_record.h"
#include "experiment/verify.h"
#include "murmur/error.h"
#include "murmur/experiment.h"

namespace murmur {

namespace {

// Where a run stands: its last checkpoint, or the start.
FlowState where_it_stands(const Experiment& e, const Run& run) {
  if (!run.last_checkpoint()) return start(e.swarm);
  FlowState state = state_of(*run.last_checkpoint(), e.swarm.shape());
  const double reached = entry(*run.last_checkpoint(), "T").doubles()[0];
  state.next_frame = next_frame_of(e.schedule, state.next_frame, reached);
  return state;
}

std::string merge_line(const Merge& m) {
  return fmt::format(R"({{"event":"merge","t":{},"into":{},"absorbed":{},"mass":{},"left":{}}})",
                     m.t, m.into, m.absorbed, m.mass, m.left);
}

// The largest bound on the error of a drift, where the engine knows one: of this field, and of
// those that carried the run before.
class DriftError {
 public:
  DriftError(const Field& field, const Run& run) : certificate_(field.certificate()) {
    if (certificate_ == nullptr || !run.last_checkpoint()) return;
    const Record& checkpoint = *run.last_checkpoint();  // of an engine that may have known none
    if (checkpoint.contains("pull_error")) before_ = entry(checkpoint, "pull_error").doubles()[0];
  }
  explicit operator bool() const { return certificate_ != nullptr; }
  double operator*() const { return std::max(before_, certificate_->worst_ever); }

 private:
  const FieldCertificate* certificate_;
  double before_ = 0;
};

const char* status_of(const Outcome& outcome) {
  if (outcome.ok()) return "done";
  return outcome.ending == Ending::interrupted ? "interrupted" : "failed";
}

}  // namespace

Outcome simulate(const Experiment& e, Engine& engine, Run& run, const ProcessControl& control) {
  RecordedProcess process(run, control, "t");
  return process.guarded([&] {
    const auto field = prepare_field(e, engine);
    const std::size_t cluster_column = observable_column(e.dynamics, "clusters");
    FlowState state = where_it_stands(e, run);
    const DriftError drift_error(*field, run);
    const std::int64_t evaluations_before = state.evaluations;
    int clusters = -1;

    const auto record = [&](const FlowState& current) {
      Record kept = record_of(current, e.schedule.T);
      if (drift_error) kept["pull_error"] = array_of(*drift_error);
      return kept;
    };
    FlowWatch watch;
    watch.frame = [&](double t, const Frame& frame) {
      const std::vector<double> row =
          observe(*field, frame.swarm, frame.host, observe_settings(e, t));
      clusters = std::isnan(row[cluster_column]) ? -1 : static_cast<int>(row[cluster_column]);
      run.append(t, frame.host, row);
    };
    watch.merged = [&](const Merge& merge) { run.event(merge_line(merge)); };
    watch.pause = [&](const FlowState& now, const std::function<FlowState&()>& fetch) {
      return process.pause(
          now.t, [&] { return record(fetch()); },
          [&] {
            return progress_of({now.t, e.schedule.T, now.evaluations,
                                now.evaluations - evaluations_before, clusters},
                               process.pace());
          });
    };
    if (run.last_checkpoint() && run.last_checkpoint()->count("parting") != 0) {
      const HostSwarm parting = unfold(state, state.x);  // a branch begins with where it parted
      watch.frame(state.t, {*engine.place(parting), parting});
    }
    Outcome outcome = advance({engine, *field, e.flow, e.random}, e.schedule, state, watch);
    const bool verified = row_of(e.flow.method).stepping == Stepping::cvode;  // by a second method
    if (outcome.ok()) process.save(state.t, record(state), !verified);
    if (outcome.ok() && verified) outcome = verify(e, engine, run, control);
    std::map<std::string, double> numbers = {
        {"t", outcome.t},
        {"steps", static_cast<double>(state.step)},
        {"rejected", static_cast<double>(state.rejected)},
        {"evaluations", static_cast<double>(state.evaluations)},
        {"groups", static_cast<double>(state.x.n())}};
    if (drift_error) numbers["pull_error"] = *drift_error;
    run.close(status_of(outcome), numbers, outcome.what);
    return outcome;
  });
}

}  // namespace murmur
