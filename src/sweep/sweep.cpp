// sweep.cpp: computes the missing cells, several at once, and stores each as it ends.
#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/parallel.h"
#include "murmur/stop.h"
#include "run/claims.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "sweep/cells.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

constexpr const char* kClaims = "claims";
constexpr const char* kHalt = "halt";  // a word to all who share a sweep
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

// The same read back, of a cell that another process failed to do.
SweepFailure failure_of(const std::string& line, const Cell& cell, const std::string& name) {
  const auto json = json_of_text(line);
  const Fault fault = json.value("numerical", false) ? Fault::numerical : Fault::input;
  return {cell.number,
          name,
          fault,
          json.value("what", ""),
          json.value("where", ""),
          json.value("remedy", "")};
}

// The cells of one sweep as they are simulated; the counts and failures change under the lock.
class Workshop {
 public:
  Workshop(const Sweep& sweep, const fs::path& directory, const SweepControl& control)
      : sweep_(sweep), directory_(directory), control_(control), units_(control.process, "cells") {
    make_folder_of_run(directory / "cells");
    if (control.share != SweepShare::alone) claims_.emplace(directory / kClaims);
    if (control.share == SweepShare::joins) return;  // the parts of others are not left over
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
    // Fewer cells than threads share all of them: replicas of a cell then run side by side too.
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
  // Whether another process has done the cell, or has failed to.
  bool done_by_others(const Cell& cell) {
    const bool kept = kept_rows(sweep_, cell, directory_).has_value();
    const auto line = kept ? std::nullopt : claims_->word_about(std::to_string(cell.number));
    if (!kept && !line) return false;
    const std::lock_guard guard(lock_);
    units_.end(cost_of(sweep_, cell), kept);
    if (kept) return true;
    const SweepFailure failure = failure_of(*line, cell, name_of(sweep_, cell));
    failures_[cell.number] = {failure, *line};
    if (control_.failed) control_.failed(failure);
    return true;
  }

  // False: another process has it.
  bool claim_and_simulate(const Cell& cell, int threads) {
    if (claims_ && claims_->word_about(kHalt)) halted_ = true;
    if (stopped()) return true;
    std::optional<File> claim;
    if (claims_ && !(claim = claims_->take(std::to_string(cell.number)))) return false;
    if (!claims_ || !done_by_others(cell)) simulate_one(cell, threads);
    return true;
  }

  // What others have claimed is waited for, and done here where they have died.
  void wait_for_others(const Cell& cell, int threads) {
    while (!stopped() && !done_by_others(cell) && !claim_and_simulate(cell, threads))
      std::this_thread::sleep_for(kBetweenLooks);
  }

  // What the cell itself cannot do is its failure; what the machine refuses ends the sweep.
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
      note(cell, error);
    } catch (const std::bad_alloc&) {
      note(cell, Error(Fault::runtime, "there is not enough memory for the cell",
                       "the cell " + name_of(sweep_, cell),
                       "use fewer particles, coordinates or threads"));
    }
    const std::lock_guard guard(lock_);
    report(name_of(sweep_, cell));
  }

  void note(const Cell& cell, const Error& error) {
    const std::lock_guard guard(lock_);
    SweepFailure failure{cell.number,   name_of(sweep_, cell), error.fault,
                         error.summary, error.where,           error.remedy};
    const std::string line = failure_line(sweep_, cell, failure);
    if (claims_) claims_->leave_word(std::to_string(cell.number), line);
    failures_[cell.number] = {failure, line};
    units_.end(cost_of(sweep_, cell), false);
    if (control_.fail_fast) halted_ = true;
    if (control_.fail_fast && claims_) claims_->leave_word(kHalt, "");
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
  std::optional<Claims> claims_{};  // where the cells are shared
  std::mutex lock_{};
  std::atomic<bool> halted_{false};
  std::map<std::int64_t, std::pair<SweepFailure, std::string>> failures_{};
};

}  // namespace

namespace {

SweepOutcome do_cells(const Sweep& sweep, const fs::path& directory, Workshop& workshop) {
  SweepOutcome outcome;
  for (std::int64_t k = 0; k < sweep.grid(); ++k) outcome.cells.push_back(grid_cell(sweep, k));
  workshop.simulate(outcome.cells);
  for (int level = 0; level < sweep.refine && !workshop.stopped(); ++level) {
    const std::vector<Cell> added = halved(sweep, outcome.cells, directory);
    if (added.empty()) break;
    workshop.simulate(added);
    outcome.cells.insert(outcome.cells.end(), added.begin(), added.end());
  }
  std::stable_sort(outcome.cells.begin(), outcome.cells.end(), comes_before);
  outcome.failures = workshop.failures();
  outcome.finished = !workshop.stopped();
  return outcome;
}

}  // namespace

SweepOutcome run_sweep(const Sweep& sweep, Run& run, const SweepControl& control) {
  keep_settings(sweep, run.directory());
  Workshop workshop(sweep, run.directory(), control);
  SweepOutcome outcome = do_cells(sweep, run.directory(), workshop);
  workshop.write_failures();
  if (outcome.finished) write_tables(sweep, outcome.cells, run.directory());
  if (outcome.finished) Claims::clear(run.directory() / kClaims);
  return outcome;
}

void open_claims(const fs::path& directory) { Claims::clear(directory / kClaims); }

SweepOutcome join_sweep(const Sweep& sweep, const fs::path& directory,
                        const SweepControl& control) {
  check_settings(sweep, directory);
  Workshop workshop(sweep, directory, control);
  SweepOutcome outcome = do_cells(sweep, directory, workshop);
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
