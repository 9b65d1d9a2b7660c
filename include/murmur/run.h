// run.h: stores what a simulation or training produced: one directory a run, never overwritten
// silently.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "murmur/array.h"
#include "murmur/engine.h"
#include "murmur/swarm.h"

namespace murmur {

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
  // Without one, cuts back to nothing: t = 0. Error(input) when the manifest is of another version.
  static Run reopen(const std::filesystem::path& directory, const std::vector<std::string>& argv);

  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  const std::filesystem::path& directory() const;
  const std::optional<Record>& last_checkpoint() const;  // as found by reopen, without the mark

  void append(double t, const HostSwarm& frame, std::span<const double> row);
  void event(std::string_view json_object);  // one line of events.jsonl
  void checkpoint(const Record& state);      // data synced first, then the record replaced
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
