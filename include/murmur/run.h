// run.h: stores what a simulation or training produced, one directory a run, never overwritten
// silently; and the common part of every recorded run: checkpoints, signals, progress, closing.
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

// How far a process is, in the same terms for every kind of work.
struct Progress {
  double done = 0, of = 0;  // of `what`
  std::string what{};       // time, updates, cells, starts, betas, figures
  std::string position{};   // in words: "t 3.2 / 20"; empty: "12 / 100 starts"
  double speed = 0;         // of `speed_of`, a second; 0: not known
  std::string speed_of{};   // evaluations, images
  double seconds_left = std::numeric_limits<double>::quiet_NaN();  // NaN: not known yet
  std::string live{};  // one quantity that changes, in words: "12 clusters"
  // Further numbers for --progress json, by name.
  std::vector<std::pair<std::string, std::variant<double, std::string>>> details{};

  double fraction() const { return of > 0 ? done / of : 1; }
};

// What the caller of a process decides.
struct ProcessControl {
  std::function<void(const Progress&)> report{};  // one call at a time
  const std::atomic<int>* signal = nullptr;       // non-zero: keep the state and leave
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

// Within a catch: closes the run as interrupted where the request was wrong and a corrected one can
// continue, else as failed, with its counters so far.
void close_after_exception(Run& run, const std::map<std::string, double>& numbers) noexcept;

// A run whose process advances a state step by step. Checkpoints are timed by the wall clock;
// writing one does not change the state, so the bytes of a run do not depend on them.
class RecordedProcess {
 public:
  // `clock` names the position in events.jsonl and in the manifest: t, update, starts.
  RecordedProcess(Run& run, const ProcessControl& control, const char* clock);

  // After each step. `state` makes the Record of a checkpoint: taken when a signal came, or when
  // the last one is old enough. True: leave; the state is kept.
  template <class State>
  bool keep(double position, const State& state) {
    position_ = position;
    const bool stop = control_.stopped();
    if (stop || checkpoint_due()) save(position, state());
    return stop;
  }
  // The same, and `progress` makes a Progress, up to ten times a second.
  template <class State, class Tell>
  bool pause(double position, const State& state, const Tell& progress) {
    const bool stop = keep(position, state);
    if (report_due()) control_.report(progress());
    return stop;
  }
  // An event that names the position, then the checkpoint; `last`: the run is closed next.
  void save(double position, Record state, bool last = false);

  Pace& pace() { return pace_; }

  // Does all the work of a process, closing the run should it throw.
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

// Units of work that do not depend on each other, each kept as it ends: cells, starts, figures.
// Calls are made one at a time.
class UnitProgress {
 public:
  UnitProgress(const ProcessControl& control, std::string what)
      : control_(control), what_(std::move(what)) {}

  void add(double cost = 1, bool kept = false);  // one more; kept: an earlier process did it
  void end(double cost = 1, bool well = true);   // one that was to be done has ended
  // What progress reports of the last one: one quantity in words, and details.
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

// Where a branch parted from its parent.
struct RunBranch {
  std::string parent{};           // directory
  std::string settings_sha256{};  // of the parent's config.toml
  double t = 0;                   // time of parting
  Record state{};                 // what the branch begins with, as a checkpoint keeps it
};

// What must be in the directory at the instant it appears.
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
  // Keys of config.toml that no number depends on: these lines may change before a run goes on.
  std::vector<std::string> free{};
  // Files that the run may hold next to its frames. A name that ends in a slash is a folder with
  // all its files. Each file has a digest once the run is closed.
  std::vector<std::string> outputs{};
  std::vector<std::string> remade{};  // outputs that going on makes anew, whatever is there
  std::optional<RunBranch> branch{};  // of a run that begins where another was
};

// How far the files reach; a part of every checkpoint.
struct RunMark {
  std::int64_t frames = 0;  // whole frames in trajectory.npy and times.npy
  std::int64_t observables_bytes = 0;
  std::int64_t events_bytes = 0;
};

// A run directory held open for writing; locked against a second writer while it lives.
class Run {
 public:
  // The directory appears by rename, complete. A non-empty one there is Error(usage), unless
  // `replace` and it holds our manifest.
  static Run create(const std::filesystem::path& directory, const RunContents& contents,
                    bool replace);
  // Opens an existing run to go on: reads the last checkpoint and cuts every file back to it.
  // Without one, cuts back to nothing: t = 0. Before anything is written everything is compared:
  // Error(input) where settings, inputs, layout or outputs are not those the run was made with, and
  // where frames and columns are not those of `contents`, which is what will be written. With
  // `new_settings` the text contents->config takes the place of config.toml.
  static Run reopen(const std::filesystem::path& directory, const std::vector<std::string>& argv,
                    const RunContents* contents = nullptr, bool new_settings = false);

  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  const std::filesystem::path& directory() const;
  // As found by reopen, without the mark; of a branch that has none yet, where it begins.
  const std::optional<Record>& last_checkpoint() const;
  std::int64_t frames() const;  // kept so far

  void append(double t, const HostSwarm& frame, std::span<const double> row);
  void event(std::string_view json_object);  // one line of events.jsonl
  // Data is synced first, then the record replaced. `last`: the run is closed next, which makes
  // digests of its frames, so that the checkpoint need not.
  void checkpoint(Record state, bool last = false);
  // Ends the run: status done, interrupted or failed; sha256 of outputs; counters by name.
  void close(const std::string& status, const std::map<std::string, double>& numbers,
             const std::string& sentence);

 private:
  struct State;
  explicit Run(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A run directory read back, also while it is being written or after a crash: whole frames count.
class RunReader {
 public:
  explicit RunReader(const std::filesystem::path& directory);
  const std::filesystem::path& directory() const { return directory_; }
  std::string manifest() const;  // text of manifest.json
  std::string config() const;    // text of config.toml
  std::string status() const;
  std::string command() const;  // that made it: simulate, train
  std::int64_t frames() const { return static_cast<std::int64_t>(times_.size()); }
  const std::vector<double>& times() const { return times_; }
  Shape shape() const { return shape_; }
  HostSwarm frame(std::int64_t index) const;  // equal masses, unless inputs/masses.npy
  const std::vector<std::string>& columns() const { return columns_; }  // observables, after t
  std::vector<double> column(const std::string& name) const;  // (frames); NaN where absent
  std::vector<std::string> events() const;                    // lines of events.jsonl

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

// The trajectory as "npy" (frames, n, d) float64, "csv" frame,t,particle,x0,... or "xyz" (extended
// XYZ); whole or not at all. Error(usage) for another format.
void export_trajectory(const RunReader& run, const std::string& format,
                       const std::filesystem::path& path);

bool is_run_directory(const std::filesystem::path& path);  // holds a manifest.json of ours

// runs/NAME-SEED-NUMBER with the lowest NUMBER not taken.
std::filesystem::path free_run_directory(const std::filesystem::path& runs, const std::string& name,
                                         std::uint64_t seed);

}  // namespace murmur
