// shared_run.h: a run that ranks write together: each writes its part of a frame, and rank 0
// everything else.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "murmur/ranks.h"
#include "murmur/run.h"
#include "murmur/stop.h"
#include "run/npy.h"

namespace murmur {

// Every rank calls all functions in the same order; an Error on one rank is thrown on all.
class SharedRun {
 public:
  // Rank 0 makes or opens the run and sends its path to the others. `ranks` must outlive this
  // object.
  SharedRun(Ranks& ranks, const std::function<Run()>& open);

  Ranks& ranks() const { return ranks_; }
  bool leads() const { return led_.has_value(); }
  const std::filesystem::path& directory() const { return directory_; }
  const std::optional<Record>& last_checkpoint() const { return last_checkpoint_; }

  // `frame` is complete on every rank, which writes its share of the rows; `row` is that of rank 0.
  void append(double t, const HostSwarm& frame, std::span<const double> row);
  void event(std::string_view json_object);
  // The rows of all ranks are on disk before the checkpoint that counts them.
  void checkpoint(Record state, bool last = false);
  // Rank 0 closes the run without waiting for other ranks, since one of them may be lost.
  void close(const std::string& status, const std::map<std::string, double>& numbers,
             const std::string& sentence);
  void close_after_exception(const std::map<std::string, double>& numbers) noexcept;  // in a catch

 private:
  void put_rows(double t, const HostSwarm& frame);

  Ranks& ranks_;
  std::optional<Run> led_{};  // on rank 0
  std::filesystem::path directory_{};
  std::optional<Record> last_checkpoint_{};
  GrowingNpy trajectory_{};
  std::int64_t frames_ = 0;
};

// RecordedProcess for a shared run: as soon as one rank has to stop or to save, all do. During a
// computation they stop only where they agree (Share::agree).
class SharedProcess {
 public:
  SharedProcess(SharedRun& run, const ProcessControl& control, const char* clock)
      : run_(run), control_(control), stop_(control.signal), clock_(clock) {}

  template <class State, class Tell>
  bool pause(double position, const State& state, const Tell& progress) {
    position_ = position;
    const Due due = what_is_due();
    if (due.checkpoint || due.stop) save(position, state());
    if (due.report) control_.report(progress());
    return due.stop;
  }
  void save(double position, Record state, bool last = false);
  Pace& pace() { return pace_; }

  template <class Work>
  auto guarded(const Work& work) -> decltype(work()) {
    try {
      return work();
    } catch (...) {
      run_.close_after_exception({{clock_, position_}});
      throw;
    }
  }

 private:
  struct Due {
    bool checkpoint, stop;  // the same on all ranks
    bool report;            // of this rank
  };
  Due what_is_due();

  using Time = std::chrono::steady_clock;
  SharedRun& run_;
  const ProcessControl& control_;
  const StopScope stop_;
  const HoldStop together_{};
  const char* clock_;
  double position_ = 0;
  Pace pace_{};
  Time::time_point last_checkpoint_ = Time::now(), last_report_ = last_checkpoint_;
};

}  // namespace murmur
