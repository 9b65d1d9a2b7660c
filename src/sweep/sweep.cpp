// sweep.cpp: simulates the cells of a sweep, refines its grid, and resumes where it stopped.
#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/parallel.h"
#include "experiment/words.h"
#include "murmur/stop.h"
#include "run/claims.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/kept_json.h"
#include "sweep/cells.h"

namespace murmur {

namespace {

constexpr double kSteep = 0.25;

// Whether two cells are on the same fibre: equal in every axis except `axis`.
bool same_fibre(const Cell& a, const Cell& b, std::size_t axis) {
  for (std::size_t k = 0; k < a.place.size(); ++k)
    if (k != axis && a.place[k] != b.place[k]) return false;
  return true;
}

bool differ_steeply(const CellCurve& a, const CellCurve& b) {
  for (std::size_t k = 0; k < std::min(a.mean.size(), b.mean.size()); ++k)
    if (std::fabs(a.mean[k] - b.mean[k]) > kSteep) return true;
  return false;
}

// Returns the value half way, with twelve digits; nothing if there is none between.
std::optional<RoundNumber> middle(const Axis& axis, double from, double to) {
  double value = axis.log ? std::sqrt(from * to) : from + (to - from) / 2;
  if (axis.whole) value = std::round(value);
  RoundNumber half = twelve_digits(value);
  const bool between = half.value > std::min(from, to) && half.value < std::max(from, to);
  return between ? std::optional(std::move(half)) : std::nullopt;
}

}  // namespace

bool comes_before(const Cell& a, const Cell& b) { return a.place < b.place; }

std::vector<Cell> halved(const Sweep& sweep, std::vector<Cell> cells,
                         const std::filesystem::path& directory) {
  const std::size_t axis = *refined_axis(sweep);
  auto number = static_cast<std::int64_t>(cells.size());
  const auto along = [&](const Cell& a, const Cell& b) {  // by fibre, then along it
    for (std::size_t k = 0; k < a.place.size(); ++k)
      if (k != axis && a.place[k] != b.place[k]) return a.place[k] < b.place[k];
    return a.place[axis] < b.place[axis];
  };
  std::sort(cells.begin(), cells.end(), along);
  std::vector<Cell> added;
  std::optional<CellCurve> before;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    std::optional<CellCurve> here = read_cell(sweep, cells[k], directory);
    if (k > 0 && here && before && same_fibre(cells[k - 1], cells[k], axis) &&
        differ_steeply(*before, *here))
      if (const auto value =
              middle(sweep.axes[axis], cells[k - 1].numbers[axis], cells[k].numbers[axis])) {
        Cell cell = cells[k];
        cell.number = number++;
        cell.values[axis] = value->text;
        cell.numbers[axis] = value->value;
        cell.place[axis] = (cells[k - 1].place[axis] + cells[k].place[axis]) / 2;
        added.push_back(std::move(cell));
      }
    before = std::move(here);
  }
  return added;
}

namespace fs = std::filesystem;

namespace {

constexpr const char* kClaims = "claims";
constexpr const char* kHalt = "halt";  // a message to all processes that share a sweep
constexpr auto kBetweenLooks = std::chrono::milliseconds(100);

std::string failure_line(const Sweep& sweep, const Cell& cell, const SweepFailure& f) {
  nlohmann::ordered_json json = {{"cell", f.cell}};
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) json[sweep.axes[a].name] = cell.values[a];
  json["numerical"] = f.fault == Fault::numerical;
  json["what"] = f.what;
  json["where"] = f.where;
  json["remedy"] = f.remedy;
  return json_text(json) + "\n";
}

// Reads such a line, of a cell that failed in another process.
SweepFailure failure_of(const std::string& line, const Cell& cell, const std::string& name) {
  const KeptJson failure = KeptJson::parse(line, name);
  const Fault fault = failure.at("numerical").flag() ? Fault::numerical : Fault::input;
  return {cell.number,
          name,
          fault,
          failure.at("what").text(),
          failure.at("where").text(),
          failure.at("remedy").text()};
}

// Simulates the cells of one sweep; counts and failures are guarded by the lock.
class CellRunner {
 public:
  CellRunner(const Sweep& sweep, const fs::path& directory, const SweepControl& control)
      : sweep_(sweep), directory_(directory), control_(control), units_(control.process, "cells") {
    make_folder_of_run(directory / "cells");
    if (control.share != SweepShare::alone) claims_.emplace(directory / kClaims);
    // Temporary files of other processes are in use
    if (control.share == SweepShare::joins) return;
    for (const auto& entry : fs::directory_iterator(directory / "cells"))
      if (is_replacement_in_waiting(entry.path())) remove_quietly(entry.path());
  }

  bool stopped() const { return halted_ || control_.process.stopped(); }

  void simulate(const std::vector<Cell>& cells) {
    std::vector<const Cell*> missing;
    for (const Cell& cell : cells) {
      const bool kept = kept_rows(sweep_, cell, directory_).has_value();
      units_.add(cost_of(sweep_, cell), kept);
      if (!kept) missing.push_back(&cell);
    }
    report("");
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int threads = control_.threads > 0 ? control_.threads : cores;
    const int count = static_cast<int>(missing.size());
    // With fewer cells than threads, the replicas of a cell run in parallel too.
    const int threads_a_cell = count < threads ? threads : 1;
    std::vector<char> done(missing.size());
    const StopScope stop(control_.process.signal);
    const bool all = finishes([&] {
      for_blocks(count, threads, [&](int k) {
        const auto at = static_cast<std::size_t>(k);
        if (!stopped()) done[at] = claim_and_simulate(*missing[at], threads_a_cell);
      });
    });
    if (!all && !stopped()) throw Stopped();
    if (stopped()) return;
    for (std::size_t k = 0; k < missing.size(); ++k)
      if (done[k] == 0) wait_for_others(*missing[k], threads);
  }

  std::vector<SweepFailure> failures() const {
    std::vector<SweepFailure> list;
    for (const auto& [number, failure] : failures_) list.push_back(failure.first);
    return list;
  }

  void write_failures() const {
    std::string text;
    for (const auto& [number, failure] : failures_) text += failure.second;
    write_file_atomically(directory_ / "failures.jsonl", text);
  }

 private:
  // Whether another process has finished the cell, or failed.
  bool done_by_others(const Cell& cell) {
    const bool kept = kept_rows(sweep_, cell, directory_).has_value();
    const auto line = kept ? std::nullopt : claims_->message_about(std::to_string(cell.number));
    if (!kept && !line) return false;
    const std::lock_guard guard(lock_);
    units_.end(cost_of(sweep_, cell), kept);
    if (kept) return true;
    const SweepFailure failure = failure_of(*line, cell, name_of(sweep_, cell));
    failures_[cell.number] = {failure, *line};
    if (control_.failed) control_.failed(failure);
    return true;
  }

  // Returns false if another process has the cell.
  bool claim_and_simulate(const Cell& cell, int threads) {
    if (claims_ && claims_->message_about(kHalt)) halted_ = true;
    if (stopped()) return true;
    std::optional<File> claim;
    if (claims_ && !(claim = claims_->take(std::to_string(cell.number)))) return false;
    if (!claims_ || !done_by_others(cell)) simulate_one(cell, threads);
    return true;
  }

  // Waits for cells that other processes have claimed, and does them here if those processes have
  // died.
  void wait_for_others(const Cell& cell, int threads) {
    while (!stopped() && !done_by_others(cell) && !claim_and_simulate(cell, threads))
      std::this_thread::sleep_for(kBetweenLooks);
  }

  // An error of the simulation is a failure of the cell; a failure of the machine ends the sweep.
  void simulate_one(const Cell& cell, int threads) {
    try {
      const auto table = simulate_cell(sweep_, cell, {threads, control_.process.signal});
      if (!table) return;
      write_file_atomically(cell_path(directory_, cell),
                            table_head(sweep_) + table_rows(sweep_, cell, *table));
      const std::lock_guard guard(lock_);
      units_.end(cost_of(sweep_, cell));
    } catch (const Error& error) {
      if (error.fault == Fault::runtime) {
        halted_ = true;
        throw;
      }
      record_failure(cell, error);
    } catch (const std::bad_alloc&) {
      record_failure(cell, Error(Fault::runtime, "there is not enough memory for the cell",
                                 "the cell " + name_of(sweep_, cell),
                                 "use fewer particles, coordinates or threads"));
    }
    const std::lock_guard guard(lock_);
    report(name_of(sweep_, cell));
  }

  void record_failure(const Cell& cell, const Error& error) {
    const std::lock_guard guard(lock_);
    SweepFailure failure{cell.number,   name_of(sweep_, cell), error.fault,
                         error.summary, error.where,           error.remedy};
    const std::string line = failure_line(sweep_, cell, failure);
    if (claims_) claims_->leave_message(std::to_string(cell.number), line);
    failures_[cell.number] = {failure, line};
    units_.end(cost_of(sweep_, cell), false);
    if (control_.fail_fast) halted_ = true;
    if (control_.fail_fast && claims_) claims_->leave_message(kHalt, "");
    if (control_.share != SweepShare::joins) write_failures();
    if (control_.failed) control_.failed(failure);
  }

  void report(const std::string& cell) const {
    const auto failed = static_cast<double>(failures_.size());
    std::string live = failures_.empty() ? "" : fmt::format("{} failed  ", failures_.size());
    if (!cell.empty()) live += fmt::format("last {}", cell);
    units_.tell(live, {{"cells", units_.all()}, {"failed", failed}, {"cell", cell}});
  }

  const Sweep& sweep_;
  fs::path directory_;
  const SweepControl& control_;
  UnitProgress units_;
  std::optional<Claims> claims_{};  // only if the cells are shared
  std::mutex lock_{};
  std::atomic<bool> halted_{false};
  std::map<std::int64_t, std::pair<SweepFailure, std::string>> failures_{};
};

SweepOutcome do_cells(const Sweep& sweep, const fs::path& directory, CellRunner& runner) {
  SweepOutcome outcome;
  for (std::int64_t k = 0; k < sweep.grid(); ++k) outcome.cells.push_back(grid_cell(sweep, k));
  runner.simulate(outcome.cells);
  for (int level = 0; level < sweep.refine && !runner.stopped(); ++level) {
    const std::vector<Cell> added = halved(sweep, outcome.cells, directory);
    if (added.empty()) break;
    runner.simulate(added);
    outcome.cells.insert(outcome.cells.end(), added.begin(), added.end());
  }
  std::stable_sort(outcome.cells.begin(), outcome.cells.end(), comes_before);
  outcome.failures = runner.failures();
  outcome.finished = !runner.stopped();
  return outcome;
}

}  // namespace

SweepOutcome run_sweep(const Sweep& sweep, Run& run, const SweepControl& control) {
  keep_settings(sweep, run.directory());
  CellRunner runner(sweep, run.directory(), control);
  SweepOutcome outcome = do_cells(sweep, run.directory(), runner);
  runner.write_failures();
  if (outcome.finished) write_tables(sweep, outcome.cells, run.directory());
  if (outcome.finished) Claims::clear(run.directory() / kClaims);
  return outcome;
}

void open_claims(const fs::path& directory) { Claims::clear(directory / kClaims); }

SweepOutcome join_sweep(const Sweep& sweep, const fs::path& directory,
                        const SweepControl& control) {
  check_settings(sweep, directory);
  CellRunner runner(sweep, directory, control);
  SweepOutcome outcome = do_cells(sweep, directory, runner);
  if (outcome.finished) Claims::clear(directory / kClaims);
  return outcome;
}

void close_sweep(Run& run, const SweepOutcome& outcome) {
  const auto cells = static_cast<double>(outcome.cells.size());
  const auto failed = static_cast<double>(outcome.failures.size());
  const char* status = outcome.finished ? (failed < cells ? "done" : "failed") : "interrupted";
  run.close(status, {{"cells", cells}, {"failed", failed}},
            failed > 0 ? fmt::format("{} of {} cells failed", failed, cells) : "");
}

}  // namespace murmur
