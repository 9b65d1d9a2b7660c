// run.h: stores the results of a simulation or training, one directory per run, never overwritten
// silently; and the parts that all runs share: checkpoints, signals, progress, closing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "murmur/engine.h"
#include "murmur/matrix.h"
#include "murmur/swarm.h"

namespace murmur {

class Run;

// The progress of a process, in the same form for every kind of work.
struct Progress {
  double done = 0, of = 0;  // of `what`
  std::string what{};       // time, updates, cells, starts, betas, figures
  std::string position{};   // as text: "t 3.2 / 20"; empty: "12 / 100 starts"
  double speed = 0;         // of `speed_of`, per second; 0: not known
  std::string speed_of{};   // evaluations, images
  double seconds_left = std::numeric_limits<double>::quiet_NaN();  // NaN: not known yet
  std::string live{};  // one quantity that changes, as text: "12 clusters"
  // Further numbers for --progress json, by name.
  std::vector<std::pair<std::string, std::variant<double, std::string>>> details{};

  double fraction() const { return of > 0 ? done / of : 1; }
};

// Settings of a process by its caller.
struct ProcessControl {
  std::function<void(const Progress&)> report{};  // one call at a time
  const std::atomic<int>* signal = nullptr;       // non-zero: save the state and stop
  double checkpoint_seconds = 10;                 // longest time between two checkpoints

  bool stopped() const { return signal != nullptr && *signal != 0; }
};

// The wall clock of a process, and an estimate of the time left at its mean speed so far.
class Pace {
 public:
  double seconds() const;                       // since it began
  double seconds_left(double done, double of);  // the first call sets the start, and gives NaN

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double first_ = std::numeric_limits<double>::quiet_NaN();
};

// To be called while an exception is handled: closes the run as interrupted if the request was
// wrong and a corrected one can continue, else as failed, with its counters so far.
void close_after_exception(Run& run, const std::map<std::string, double>& numbers) noexcept;

// A run whose process advances a state step by step. Checkpoints are timed by the wall clock;
// writing one does not change the state, so the bytes of a run do not depend on them.
class RecordedProcess {
 public:
  // `clock` names the position in events.jsonl and in the manifest: t, update, starts.
  RecordedProcess(Run& run, const ProcessControl& control, const char* clock);

  // To be called after each step. `state` makes the Record of a checkpoint, which is written after
  // a signal or when the last one is old enough. Returns true if the process has to stop; the state
  // is then saved.
  template <class State>
  bool keep(double position, const State& state) {
    position_ = position;
    const bool stop = control_.stopped();
    if (stop || checkpoint_due()) save(position, state());
    return stop;
  }
  // The same; `progress` makes a Progress, up to ten times per second.
  template <class State, class Tell>
  bool pause(double position, const State& state, const Tell& progress) {
    const bool stop = keep(position, state);
    if (report_due()) control_.report(progress());
    return stop;
  }
  // Writes an event with the position, then the checkpoint; `last`: the run is closed next.
  void save(double position, Record state, bool last = false);

  Pace& pace() { return pace_; }

  // Does all the work of a process, and closes the run if it throws.
  template <class Work>
  auto guarded(const Work& work) -> decltype(work());

 private:
  bool checkpoint_due() const;
  bool report_due();

  using Time = std::chrono::steady_clock;
  Run& run_;
  const ProcessControl& control_;
  const char* clock_;
  double position_ = 0;
  Pace pace_{};
  Time::time_point last_checkpoint_ = Time::now(), last_report_ = last_checkpoint_;
};

template <class Work>
auto RecordedProcess::guarded(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    close_after_exception(run_, {{clock_, position_}});
    throw;
  }
}

// Independent units of work, each saved when it ends: cells, starts, figures. Calls must not
// overlap.
class UnitProgress {
 public:
  UnitProgress(const ProcessControl& control, std::string what)
      : control_(control), what_(std::move(what)) {}

  void add(double cost = 1, bool kept = false);  // adds a unit; kept: an earlier process did it
  void end(double cost = 1, bool well = true);   // one that was missing has ended
  // Sets what progress reports about the last unit: one quantity as text, and details.
  void tell(
      const std::string& live = {},
      std::vector<std::pair<std::string, std::variant<double, std::string>>> details = {}) const;
  double done() const { return done_; }
  double all() const { return all_; }

 private:
  const ProcessControl& control_;
  std::string what_;
  double done_ = 0, all_ = 0, ended_ = 0, cost_done_ = 0, cost_left_ = 0;
  Pace pace_{};
};

// The origin of a branch.
struct RunBranch {
  std::string parent{};           // directory
  std::string settings_sha256{};  // of the parent's config.toml
  double t = 0;                   // time at which the branch starts
  Record state{};                 // the start of the branch, as in a checkpoint
};

// What the directory contains when it appears.
struct RunContents {
  std::string config{};                // text of config.toml, fully resolved
  Record inputs{};                     // name -> array, written to inputs/NAME.npy
  std::vector<std::string> columns{};  // of observables.csv after t
  Shape shape{};                       // of a frame
  Precision stored = Precision::f64;   // type of trajectory.npy
  std::string command{};               // simulate, train, ...
  std::vector<std::string> argv{};
  std::string engine{};
  std::uint64_t seed = 0;
  // Keys of config.toml that no number depends on: these lines may change before a run is
  // continued.
  std::vector<std::string> free{};
  // Files that the run may contain next to its frames. A name that ends in a slash is a folder with
  // all its files. Each file has a digest once the run is closed.
  std::vector<std::string> outputs{};
  std::vector<std::string> remade{};  // outputs that a continuation writes again
  std::optional<RunBranch> branch{};  // of a run that branches from another
};

// The lengths of the files; part of every checkpoint.
struct RunMark {
  std::int64_t frames = 0;  // whole frames in trajectory.npy and times.npy
  std::int64_t observables_bytes = 0;
  std::int64_t events_bytes = 0;
};

// A run directory open for writing; locked against a second writer while this object exists.
class Run {
 public:
  // The directory appears complete, by rename. Throws Error(usage) if there is a non-empty one,
  // unless `replace` is set and it has a manifest of murmur.
  static Run create(const std::filesystem::path& directory, const RunContents& contents,
                    bool replace);
  // Opens an existing run to continue: reads the last checkpoint and truncates every file to it.
  // Without a checkpoint it truncates everything to t = 0. It compares everything before it writes:
  // throws Error(input) if settings, inputs, layout or outputs differ from those the run was made
  // with, or if frames and columns differ from those of `contents`, which will be written. With
  // `new_settings` contents->config replaces config.toml.
  static Run reopen(const std::filesystem::path& directory, const std::vector<std::string>& argv,
                    const RunContents* contents = nullptr, bool new_settings = false);

  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  const std::filesystem::path& directory() const;
  // The checkpoint that reopen found, without the mark; for a branch without one, its start.
  const std::optional<Record>& last_checkpoint() const;
  std::int64_t frames() const;  // stored so far

  void append(double t, const HostSwarm& frame, std::span<const double> row);
  void event(std::string_view json_object);  // one line of events.jsonl
  // Syncs the data first, then replaces the record. `last`: the run is closed next, which computes
  // digests of its frames, so that the checkpoint need not.
  void checkpoint(Record state, bool last = false);
  // Closes the run: status done, interrupted or failed; sha256 of outputs; counters by name.
  void close(const std::string& status, const std::map<std::string, double>& numbers,
             const std::string& sentence);

 private:
  struct State;
  explicit Run(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Reads a run directory, also while it is being written or after a crash: only whole frames count.
class RunReader {
 public:
  explicit RunReader(const std::filesystem::path& directory);
  const std::filesystem::path& directory() const { return directory_; }
  std::string manifest() const;  // text of manifest.json
  std::string config() const;    // text of config.toml
  std::string status() const;
  std::string command() const;  // command that made it: simulate, train
  std::int64_t frames() const { return static_cast<std::int64_t>(times_.size()); }
  const std::vector<double>& times() const { return times_; }
  Shape shape() const { return shape_; }
  HostSwarm frame(std::int64_t index) const;  // equal masses, unless inputs/masses.npy
  const std::vector<std::string>& columns() const { return columns_; }  // observables, after t
  std::vector<double> column(const std::string& name) const;            // (frames); NaN if absent
  std::vector<std::string> events() const;                              // lines of events.jsonl

 private:
  std::filesystem::path directory_;
  std::vector<double> times_;
  Shape shape_{};
  std::int64_t data_offset_ = 0;
  Precision stored_ = Precision::f64;
  std::vector<double> mass_;
  std::vector<std::string> columns_;
  std::vector<std::vector<double>> rows_;
};

// Writes the trajectory as "npy" (frames, n, d) float64, "csv" frame,t,particle,x0,... or "xyz"
// (extended XYZ); complete or not at all. Throws Error(usage) for another format.
void export_trajectory(const RunReader& run, const std::string& format,
                       const std::filesystem::path& path);

bool is_run_directory(const std::filesystem::path& path);  // has a manifest.json of murmur

// Returns runs/NAME-SEED-NUMBER with the lowest free NUMBER.
std::filesystem::path free_run_directory(const std::filesystem::path& runs, const std::string& name,
                                         std::uint64_t seed);

}  // namespace murmur
