// process.h: the common part of every recorded run: checkpoints, signals, progress and closing.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "murmur/array.h"

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
  // An event that names the position, then the checkpoint.
  void save(double position, const Record& state);

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

}  // namespace murmur
