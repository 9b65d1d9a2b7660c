// meanfield_run.cpp: carries a measure into a run: frames, densities, checkpoints, progress.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiment/flow_record.h"
#include "experiment/meanfield_setup.h"
#include "murmur/error.h"
#include "murmur/stop.h"
#include "run/formats.h"
#include "run/npy.h"

namespace murmur {

namespace {

constexpr int kColumns = 12;    // amplitudes in observables.csv
constexpr int kPlainCells = 7;  // of a reading in a checkpoint, before mean and amplitudes

std::vector<double> row_of(const MeanFieldReading& r) {
  std::vector<double> row = {r.energy, r.free_energy, r.order, r.tail, r.min, r.max};
  row.insert(row.end(), r.amplitude.begin() + 1, r.amplitude.begin() + 1 + kColumns);
  return row;
}

Array table_of(std::vector<double> values, std::size_t columns) {
  const std::size_t rows = values.size() / columns;
  return {{rows, columns}, std::move(values)};
}

// (steps, 7 + d + kModesRead + 1): every reading so far, which phases are told from.
Array array_of_steps(const std::vector<MeanFieldReading>& steps) {
  std::vector<double> cells;
  for (const MeanFieldReading& r : steps) {
    cells.insert(cells.end(), {r.t, r.energy, r.free_energy, r.order, r.tail, r.min, r.max});
    cells.insert(cells.end(), r.mean.begin(), r.mean.end());
    cells.insert(cells.end(), r.amplitude.begin(), r.amplitude.end());
  }
  return table_of(std::move(cells), kPlainCells + steps.front().mean.size() + kModesRead + 1);
}

std::vector<MeanFieldReading> steps_of(const Record& record, int d) {
  const Array& array = entry(record, "steps");
  const std::size_t width = kPlainCells + d + kModesRead + 1;
  if (array.shape.size() != 2 || array.shape[1] != width)
    throw Error(Fault::input, "the checkpoint is of another measure", "checkpoint.safetensors",
                "delete it to start again from t = 0");
  const std::vector<double> cells = array.doubles();
  std::vector<MeanFieldReading> steps;
  for (auto at = cells.begin(); at != cells.end(); at += width) {
    MeanFieldReading& r = steps.emplace_back();
    r = {.t = at[0], .energy = at[1], .free_energy = at[2], .order = at[3], .tail = at[4]};
    r.min = at[5];
    r.max = at[6];
    r.mean.assign(at + kPlainCells, at + kPlainCells + d);
    r.amplitude.assign(at + kPlainCells + d, at + width);
  }
  return steps;
}

Record record_of(const MeanFieldSetup& s, const MeanFieldTrajectory& so_far,
                 const MeanFieldState& state) {
  Record record;
  if (moves_swarm(s.field, s.method)) {
    record = record_of(state.flow, s.schedule.T);
  } else {
    record["t"] = array_of(state.flow.t);
    record["T"] = array_of(s.schedule.T);
    record["h"] = array_of(state.flow.h);
    record["evaluations"] = array_of(state.flow.evaluations);
    record["next_frame"] = array_of(state.flow.next_frame);
    record["coefficients"] = array_of(state.coefficients);
  }
  record["steps"] = array_of_steps(so_far.steps);
  return record;
}

// The trajectory that a checkpoint interrupted.
MeanFieldTrajectory trajectory_of(const MeanFieldSetup& s, const Record& record) {
  const auto real = [&](const char* name) { return entry(record, name).doubles()[0]; };
  MeanFieldTrajectory trajectory;
  FlowState& flow = trajectory.state.flow;
  if (moves_swarm(s.field, s.method)) {
    flow = state_of(record, {static_cast<int>(entry(record, "group").size()), s.field.d});
  } else {
    flow.t = real("t");
    flow.h = real("h");
    flow.evaluations = static_cast<std::int64_t>(real("evaluations"));
    flow.next_frame = static_cast<std::int64_t>(real("next_frame"));
    trajectory.state.coefficients = entry(record, "coefficients").doubles();
  }
  flow.next_frame = next_frame_of(s.schedule, flow.next_frame, real("T"));
  trajectory.steps = steps_of(record, s.field.d);
  return trajectory;
}

// An array whose rows are kept frame by frame, as far as the checkpoint says.
class FrameRows {
 public:
  FrameRows(const Run& run, const char* name, const std::vector<std::size_t>& shape) {
    const std::filesystem::path path = run.directory() / name;
    if (run.last_checkpoint()) {
      kept_ = static_cast<std::int64_t>(entry(*run.last_checkpoint(), "densities").doubles()[0]);
      file_ = GrowingNpy::open(path);
      file_.cut(kept_);
    } else {
      std::filesystem::remove(path);
      file_ = GrowingNpy::create(path, Element::f64, shape);
    }
  }
  void append(const std::vector<double>& row) {
    file_.put(kept_, std::as_bytes(std::span(row)));
    file_.count(++kept_);
  }
  std::int64_t sync() {
    file_.sync();
    return kept_;
  }

 private:
  GrowingNpy file_{};
  std::int64_t kept_ = 0;
};

// labels.npy (labels), label_modes.npy (frames, labels, 12) the amplitudes of their laws, and
// label_density.npy (labels, cells) the densities of the last frame.
class LabelRows {
 public:
  LabelRows(const Run& run, const MeanFieldSetup& s)
      : directory_(run.directory()),
        labels_(labels_of(s.field, s.start, s.method)),
        modes_(run, "label_modes.npy", {labels_.size(), kColumns}) {
    write_npy(directory_ / "labels.npy", {{labels_.size()}, labels_});
  }
  void append(const MeanFieldFrame& frame) {
    std::vector<double> row;
    for (const MeanFieldReading& r : frame.labels)
      row.insert(row.end(), r.amplitude.begin() + 1, r.amplitude.begin() + 1 + kColumns);
    modes_.append(row);
    last_ = table_of(frame.label_density, frame.density.size());
  }
  void sync() {
    modes_.sync();
    if (last_) write_npy(directory_ / "label_density.npy", *last_);
  }

 private:
  std::filesystem::path directory_;
  std::vector<double> labels_;
  FrameRows modes_;
  std::optional<Array> last_{};  // of the last frame, once there is one
};

}  // namespace

std::vector<std::string> meanfield_outputs() {
  return {"grid.npy", "density.npy", "labels.npy", "label_modes.npy", "label_density.npy"};
}

std::vector<std::string> meanfield_columns() {
  std::vector<std::string> names = {"energy", "free_energy", "order", "tail", "least", "greatest"};
  for (int k = 1; k <= kColumns; ++k) names.push_back(fmt::format("mode_{}", k));
  return names;
}

MeanFieldTrajectory simulate(const MeanFieldSetup& s, Run& run, const ProcessControl& control) {
  const StopScope stop(control.signal);
  RecordedProcess process(run, control, "t");
  MeanFieldPlan plan{.schedule = s.schedule};
  if (run.last_checkpoint()) plan.from = trajectory_of(s, *run.last_checkpoint());
  const std::int64_t evaluations_before = plan.from ? plan.from->state.flow.evaluations : 0;
  const Array grid = table_of(density_cells(s.field, s.method), s.field.d);
  write_npy(run.directory() / "grid.npy", grid);
  FrameRows densities(run, "density.npy", {grid.shape[0]});
  std::optional<LabelRows> labels;
  if (s.field.causal) labels.emplace(run, s);
  const auto record = [&](const MeanFieldTrajectory& so_far, const MeanFieldState& state) {
    Record kept = record_of(s, so_far, state);
    if (labels) labels->sync();
    kept["densities"] = array_of(densities.sync());
    return kept;
  };
  plan.frame = [&](const MeanFieldFrame& frame) {
    HostSwarm mean({1, s.field.d});
    for (int k = 0; k < s.field.d; ++k) mean.at(0, k) = frame.reading.mean[k];
    run.append(frame.reading.t, mean, row_of(frame.reading));
    densities.append(frame.density);
    if (labels) labels->append(frame);
  };
  plan.pause = [&](const MeanFieldTrajectory& now, const std::function<MeanFieldState()>& fetch) {
    return process.pause(
        now.steps.back().t, [&] { return record(now, fetch()); },
        [&] {
          Progress p = progress_of({now.steps.back().t, s.schedule.T, now.evaluations,
                                    now.evaluations - evaluations_before},
                                   process.pace());
          p.live = fmt::format("energy {:.6g}", now.steps.back().energy);
          return p;
        });
  };
  MeanFieldTrajectory trajectory = carry(s.field, s.start, s.method, plan);
  if (labels) labels->sync();
  if (trajectory.outcome.ok())
    process.save(trajectory.state.flow.t, record(trajectory, trajectory.state), true);
  return trajectory;
}

}  // namespace murmur
