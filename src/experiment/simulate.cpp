// simulate.cpp: runs an experiment: the loop of a simulation in one process or on ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/mpi/shared_engine.h"
#include "experiment/flow_record.h"
#include "experiment/shared_simulation.h"
#include "experiment/verify.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

// Returns the state of a run: its last checkpoint, or the start.
FlowState load_state(const Experiment& e, const std::optional<Record>& checkpoint) {
  if (!checkpoint) return start(e.swarm);
  FlowState state = state_of(*checkpoint, e.swarm.shape());
  const double reached = entry(*checkpoint, "T").doubles()[0];
  state.next_frame = next_frame_of(e.schedule, state.next_frame, reached);
  return state;
}

std::string merge_line(const Merge& m) {
  return fmt::format(R"({{"event":"merge","t":{},"into":{},"absorbed":{},"mass":{},"left":{}}})",
                     m.t, m.into, m.absorbed, m.mass, m.left);
}

// The largest bound on the error of a drift, if the engine has one, over this field and those of
// earlier sessions.
class DriftError {
 public:
  DriftError(const Field& field, const std::optional<Record>& checkpoint)
      : error_(field.error_bound()) {
    // The engine that made the checkpoint may have had no bound.
    if (error_ != nullptr && checkpoint && checkpoint->contains("pull_error"))
      before_ = entry(*checkpoint, "pull_error").doubles()[0];
  }
  explicit operator bool() const { return error_ != nullptr; }
  double operator*() const { return std::max(before_, error_->worst_ever); }

 private:
  const ErrorBound* error_;
  double before_ = 0;
};

// Returns whether a second method, which reads the frames of the first, checks the simulation.
bool is_verified(const Experiment& e) { return row_of(e.flow.method).stepping == Stepping::cvode; }

const char* status_of(const Outcome& outcome) {
  if (outcome.ok()) return "done";
  return outcome.ending == Ending::interrupted ? "interrupted" : "failed";
}

// Computes the observables of a frame with the field that integrates it.
std::vector<double> observed(const Run&, const Experiment& e, Field& field, double t,
                             const Frame& frame) {
  return observe(field, frame.swarm, frame.host, observe_settings(e, t));
}
// The same for a frame that is complete on every rank: rank 0 computes them for all.
std::vector<double> observed(const SharedRun& run, const Experiment& e, Field& field, double t,
                             const Frame& frame) {
  if (!run.leads()) return {};
  return observe(whole_field(field), frame.host, frame.host, observe_settings(e, t));
}

// Simulates an experiment into a run: of one process (Run, RecordedProcess), or shared by ranks
// (SharedRun, SharedProcess).
template <class Kept, class Process>
class Simulation {
 public:
  Simulation(const Experiment& e, Engine& engine, Kept& run, Process& process)
      : e_(e),
        engine_(engine),
        run_(run),
        process_(process),
        field_(prepare_field(e, engine)),
        state_(load_state(e, run.last_checkpoint())),
        drift_error_(*field_, run.last_checkpoint()),
        evaluations_before_(state_.evaluations) {}

  template <class Verify>
  Outcome integrate(const Verify& verify_run) {
    FlowWatch watch;
    watch.frame = [&](double t, const Frame& frame) { keep(t, frame); };
    watch.merged = [&](const Merge& merge) { run_.event(merge_line(merge)); };
    watch.pause = [&](const FlowState& now, const std::function<FlowState&()>& fetch) {
      return process_.pause(
          now.t, [&] { return record(fetch()); }, [&] { return progress(now); });
    };
    if (run_.last_checkpoint() && run_.last_checkpoint()->count("parting") != 0) {
      const HostSwarm parting =
          unfold(state_, state_.x);  // a branch begins with the state at which it starts
      keep(state_.t, {*engine_.place(parting), parting});
    }
    Outcome outcome = advance({engine_, *field_, e_.flow, e_.random}, e_.schedule, state_, watch);
    const bool verified = is_verified(e_);
    if (outcome.ok()) process_.save(state_.t, record(state_), !verified);
    if (outcome.ok() && verified) outcome = verify_run();
    run_.close(status_of(outcome), numbers(outcome), outcome.what);
    return outcome;
  }

 private:
  void keep(double t, const Frame& frame) {
    const std::vector<double> row = observed(run_, e_, *field_, t, frame);
    const double clusters =
        row.empty() ? std::nan("") : row[observable_column(e_.dynamics, "clusters")];
    clusters_ = std::isnan(clusters) ? -1 : static_cast<int>(clusters);
    run_.append(t, frame.host, row);
  }

  Record record(const FlowState& current) const {
    Record kept = record_of(current, e_.schedule.T);
    if (drift_error_) kept["pull_error"] = array_of(*drift_error_);
    return kept;
  }

  Progress progress(const FlowState& now) {
    return progress_of(
        {now.t, e_.schedule.T, now.evaluations, now.evaluations - evaluations_before_, clusters_},
        process_.pace());
  }

  std::map<std::string, double> numbers(const Outcome& outcome) const {
    std::map<std::string, double> all = {{"t", outcome.t},
                                         {"steps", static_cast<double>(state_.step)},
                                         {"rejected", static_cast<double>(state_.rejected)},
                                         {"evaluations", static_cast<double>(state_.evaluations)},
                                         {"groups", static_cast<double>(state_.x.n())}};
    if (drift_error_) all["pull_error"] = *drift_error_;
    return all;
  }

  const Experiment& e_;
  Engine& engine_;
  Kept& run_;
  Process& process_;
  const std::unique_ptr<Field> field_;
  FlowState state_;
  const DriftError drift_error_;
  const std::int64_t evaluations_before_;
  int clusters_ = -1;
};

}  // namespace

Outcome simulate(const Experiment& e, Engine& engine, Run& run, const ProcessControl& control) {
  const StopScope stop(control.signal);
  RecordedProcess process(run, control, "t");
  return process.guarded([&] {
    Simulation simulation(e, engine, run, process);
    return simulation.integrate([&] { return verify(e, engine, run, control); });
  });
}

void require_shareable(const Experiment& e) {
  if (is_verified(e))
    throw Error(Fault::input, "bdf is checked by a second method, in one process", "method = bdf",
                "use method=dopri5, or start it without mpirun or srun");
}

Outcome simulate_shared(const Experiment& e, Engine& engine, SharedRun& run,
                        const ProcessControl& control) {
  require_shareable(e);
  SharedProcess process(run, control, "t");
  return process.guarded([&] {
    Simulation simulation(e, engine, run, process);
    return simulation.integrate([]() -> Outcome { return {}; });  // methods that need no second one
  });
}

}  // namespace murmur
