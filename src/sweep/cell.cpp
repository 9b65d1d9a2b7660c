// cell.cpp: simulates the replicas of one cell, and writes and reads its file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "ensemble/cuda/replicas.h"
#include "ensemble/ensemble.h"
#include "experiment/initial.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/manifest.h"
#include "run/sha256.h"
#include "sweep/cells.h"

namespace murmur {

namespace {

constexpr int kMostTogether = 1024;  // particles: the ensemble kernel holds n^2 numbers per replica
constexpr std::int64_t kAtOnce = 512;  // replicas in memory at once; a multiple of any vector width

using Readings = std::vector<double>;  // (times, kKept)

struct Simulations {
  Outcome outcome{};
  std::int64_t replica = 0;          // the replica that failed, if the outcome is not `finished`
  std::vector<Readings> readings{};  // one per replica
};

// What the replicas of a cell share.
struct CellContext {
  const Sweep& sweep;
  const Cell& cell;
  const CellControl& control;
  WordedSpec worded;      // of replica 0, on one thread
  Experiment experiment;  // of replica 0
  std::vector<double> times;

  WordedSpec of(std::int64_t replica) const {
    WordedSpec own = worded;
    own.spec.random.replica = static_cast<std::uint32_t>(replica);
    return own;
  }
  bool interrupted() const { return control.signal != nullptr && *control.signal != 0; }
};

bool on_gpu(const CellContext& c) { return c.experiment.engine.name == "cuda"; }

bool runs_as_replicas(const CellContext& c) {
  const Experiment& e = c.experiment;
  return (c.worded.spec.engine.name == "auto" || on_gpu(c)) && !c.worded.spec.masses &&
         e.engine.precision == Precision::f64 && e.flow.merge == 0 && e.swarm.n() >= 2 &&
         e.swarm.n() <= kMostTogether && e.flow.max_evaluations == FlowSettings{}.max_evaluations &&
         replicas_know(e.dynamics, e.flow.method) &&
         (!on_gpu(c) || gpu_replicas_know(replicas_of(e.dynamics, e.flow, e.swarm.shape())));
}

Simulations simulate_together(const CellContext& c, std::int64_t first, std::int64_t count) {
  const Experiment& e = c.experiment;
  ReplicasSetting setting = replicas_of(e.dynamics, e.flow, e.swarm.shape());
  setting.pair_threshold = e.observe.pair_threshold;
  setting.cluster_tol = e.observe.cluster_tol;
  const auto advance_all = on_gpu(c) ? advance_replicas_on_gpu : advance_replicas;
  const ReplicasResult result = advance_all(
      setting,
      {.first = first,
       .count = count,
       .times = c.times,
       .start =
           [&](std::int64_t replica) { return initial_swarm(c.of(replica), e.dynamics.manifold); },
       .threads = c.control.threads,
       .signal = c.control.signal,
       .keep_last = false});
  Simulations simulations{.outcome = result.outcome, .replica = first};
  if (!result.outcome.ok()) return simulations;
  for (std::int64_t r = 0; r < count; ++r) {
    Readings& row = simulations.readings.emplace_back();
    for (std::size_t k = 0; k < c.times.size(); ++k) {
      const ReplicaReading& reading =
          result.readings[static_cast<std::size_t>(r) * c.times.size() + k];
      row.insert(row.end(), {reading.close_pairs, reading.mean_cos, reading.order,
                             static_cast<double>(reading.clusters)});
    }
  }
  return simulations;
}

std::vector<std::size_t> columns_kept(const Dynamics& dynamics) {
  std::vector<std::size_t> columns;
  for (const std::string& name : kept_observables())
    columns.push_back(observable_column(dynamics, name));
  return columns;
}

// Simulates one replica with frames at every step or at the times themselves, and reads the wanted
// ones.
Outcome simulate_one(const CellContext& c, std::int64_t replica, Readings& readings) {
  const Experiment e = make_experiment(c.of(replica));
  const auto engine = make_engine(e.engine);
  const auto field = prepare_field(e, *engine);
  const std::vector<std::size_t> columns = columns_kept(e.dynamics);
  Schedule schedule{.T = e.schedule.T};
  if (is_fixed(e.flow.method))
    schedule.every = e.flow.dt;
  else if (c.times.size() > 1)
    schedule.every = c.times[1];
  std::size_t next = 0;
  FlowWatch watch;
  watch.frame = [&](double t, const Frame& frame) {
    const double slack = 1e-6 * (schedule.every > 0 ? schedule.every : schedule.T);
    if (next == c.times.size() || t < c.times[next] - slack) return;
    const std::vector<double> row =
        observe(*field, frame.swarm, frame.host, observe_settings(e, t));
    for (const std::size_t column : columns) readings.push_back(row[column]);
    ++next;
  };
  watch.pause = [&](const FlowState&, const std::function<FlowState&()>&) {
    return c.interrupted();
  };
  FlowState state = start(e.swarm);
  return advance({*engine, *field, e.flow, e.random}, schedule, state, watch);
}

Simulations simulate_apart(const CellContext& c, std::int64_t first, std::int64_t count) {
  Simulations simulations;
  simulations.readings.resize(static_cast<std::size_t>(count));
  std::vector<Outcome> outcomes(static_cast<std::size_t>(count));
  for_blocks(static_cast<int>(count), c.control.threads, [&](int r) {
    if (c.interrupted()) {
      outcomes[r].ending = Ending::interrupted;
      return;
    }
    outcomes[r] = simulate_one(c, first + r, simulations.readings[r]);
  });
  for (std::size_t r = 0; r < outcomes.size(); ++r)
    if (!outcomes[r].ok()) {
      simulations.outcome = outcomes[r];
      simulations.replica = first + static_cast<std::int64_t>(r);
      break;
    }
  return simulations;
}

void add_up(const Simulations& simulations, CellTable& table) {
  for (const Readings& row : simulations.readings) {
    for (std::size_t k = 0; k < row.size(); ++k) table.tally[k].add(row[k]);
    if (std::isfinite(row.back())) ++table.cluster_counts[static_cast<int>(row.back())];
  }
}

}  // namespace

const std::vector<std::string>& kept_observables() {
  static const std::vector<std::string> names = {"close_pairs", "mean_cos", "order", "clusters"};
  return names;
}

void Tally::add(double value) {
  ++count;
  const double step = value - mean;
  mean += step / static_cast<double>(count);
  squares += step * (value - mean);
}

double Tally::error() const {
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(count);
  return std::sqrt(squares / (n - 1) / n);
}

std::vector<double> sweep_times(const FlowSettings& flow, double T, int count) {
  std::vector<double> times;
  if (count == 1) return {T};
  if (!is_fixed(flow.method)) {
    for (int k = 0; k + 1 < count; ++k) times.push_back(k * (T / (count - 1)));
    times.push_back(T);
    return times;
  }
  const double steps = std::round(T / flow.dt);
  double last = -1;
  for (int k = 0; k < count; ++k) {
    const double step = std::round(steps * k / (count - 1));
    if (step > last) times.push_back(step * flow.dt);
    last = step;
  }
  return times;
}

std::optional<CellTable> simulate_cell(const Sweep& sweep, const Cell& cell,
                                       const CellControl& control) {
  WordedSpec worded = spec_of_cell(sweep, cell);
  worded.spec.engine.threads = 1;
  Experiment first = make_experiment(worded);
  CellContext c{sweep, cell, control, std::move(worded), std::move(first), {}};
  c.times = sweep_times(c.experiment.flow, c.experiment.schedule.T, sweep.times);
  const bool together = runs_as_replicas(c);
  CellTable table{.t = c.times};
  table.tally.resize(c.times.size() * kKept);
  for (std::int64_t first = 0; first < sweep.replicas; first += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, sweep.replicas - first);
    const Simulations simulations =
        together ? simulate_together(c, first, count) : simulate_apart(c, first, count);
    if (simulations.outcome.ending == Ending::interrupted) return std::nullopt;
    if (!simulations.outcome.ok())
      throw Error(
          Fault::numerical, simulations.outcome.what,
          fmt::format("the cell {}: t = {:g}, {} {}", name_of(sweep, cell), simulations.outcome.t,
                      together ? "replicas from" : "replica", simulations.replica),
          simulations.outcome.remedy);
    add_up(simulations, table);
  }
  return table;
}

namespace fs = std::filesystem;

namespace {

void add_text(Sha256& digest, std::string_view text) {
  digest.update(std::as_bytes(std::span(text.data(), text.size())));
}

bool starts_with(const std::string& line, const char* opening) {
  return line.rfind(opening, 0) == 0;
}

// Parameters that older sweeps do not have: a value with the old behaviour does not enter the
// digest.
constexpr const char* kLater[][2] = {{"head_scale", "head_scale = \"sum\""},
                                     {"weights_in_time", "weights_in_time = \"constant\""},
                                     {"weights_until", "weights_until = \"T\""}};

bool came_later(const std::string& name) {
  return std::any_of(std::begin(kLater), std::end(kLater),
                     [&](const auto& later) { return name == later[0]; });
}

bool goes_without_saying(const std::string& line) {
  return std::any_of(std::begin(kLater), std::end(kLater),
                     [&](const auto& later) { return line == later[1]; });
}

// The digest of every line of config.toml that a number in a cell depends on. The number of
// threads, the places of data and the settings of drawing may change.
std::string settings_digest(const Sweep& sweep) {
  Sha256 digest;
  for (const std::string& line : split(sweep.config, '\n')) {
    if (starts_with(line, "threads = ") || starts_with(line, "data = ") ||
        starts_with(line, "look = ") || goes_without_saying(line))
      continue;
    if (!starts_with(line, "defaults = ")) {
      add_text(digest, line + "\n");
      continue;
    }
    const std::size_t open = line.find('"'), close = line.rfind('"');
    for (const std::string& name : split(line.substr(open + 1, close - open - 1), ','))
      if (name != "data" && name != "none" && !came_later(name)) add_text(digest, name + ",");
  }
  return digest.hex() + "\n";
}

// The grid and the cells that refinement adds to it, from the cells in the directory.
std::vector<Cell> cells_known(const Sweep& sweep, const fs::path& directory) {
  std::vector<Cell> cells;
  for (std::int64_t k = 0; k < sweep.grid(); ++k) cells.push_back(grid_cell(sweep, k));
  for (int level = 0; level < sweep.refine; ++level) {
    const std::vector<Cell> added = halved(sweep, cells, directory);
    if (added.empty()) break;
    cells.insert(cells.end(), added.begin(), added.end());
  }
  std::stable_sort(cells.begin(), cells.end(), comes_before);
  return cells;
}

}  // namespace

void check_settings(const Sweep& sweep, const fs::path& directory) {
  const fs::path path = directory / kSettingsDigestName;
  if (std::error_code ignored; !fs::exists(path, ignored)) return;
  if (read_text(path) != settings_digest(sweep))
    throw Error(Fault::input, "the cells of this sweep were computed with other settings",
                (directory / "config.toml").string(), "restore config.toml, or start a new sweep");
}

void keep_settings(const Sweep& sweep, const fs::path& directory) {
  check_settings(sweep, directory);
  write_file_atomically(directory / kSettingsDigestName, settings_digest(sweep));
}

Run reopen_sweep(const fs::path& directory, const Sweep& sweep,
                 const std::vector<std::string>& argv) {
  std::vector<fs::path> damaged;  // resuming removes the digests from the manifest
  for (const auto& [name, digest] : read_manifest(directory).sha256) {
    std::error_code ignored;
    if (name.starts_with(kCellsFolder) && fs::exists(directory / name, ignored) &&
        sha256_of_file(directory / name) != digest)
      damaged.push_back(directory / name);
  }
  const RunContents contents = contents_of(sweep, argv);
  Run run = Run::reopen(directory, argv, &contents);
  for (const fs::path& cell : damaged) remove_quietly(cell);
  return run;
}

bool is_complete(const Sweep& sweep, const fs::path& directory) {
  const Manifest manifest = read_manifest(directory);
  for (const char* name : kSweepTables) {
    const auto kept = manifest.sha256.find(name);
    std::error_code ignored;
    if (kept == manifest.sha256.end() || !fs::exists(directory / name, ignored) ||
        sha256_of_file(directory / name) != kept->second)
      return false;
  }
  Sha256 digest;  // the text of sweep.csv, made again from the cells
  add_text(digest, table_head(sweep));
  for (const Cell& cell : cells_known(sweep, directory))
    if (const std::optional<std::string> rows = kept_rows(sweep, cell, directory))
      add_text(digest, *rows);
  return digest.hex() == manifest.sha256.at("sweep.csv");
}

}  // namespace murmur
