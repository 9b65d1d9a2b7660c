// sweep.h: grids of simulations, with many replicas per cell, saved cell by cell so that a sweep
// can be resumed.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/run.h"

namespace murmur {

// A parameter with several values.
struct Axis {
  std::string name{};
  bool numeric = false, whole = false, log = false;
  std::vector<std::string> values{};  // as texts of key=value arguments
  std::vector<double> numbers{};      // the same values of a numeric axis
};

// a:b:count, a:b:count:log and v1,v2,... for numbers, {v1,v2,...} for anything; nothing if the text
// is one plain value. Throws Error(input) for an empty axis, a repeated value, or a text that is
// not a number.
std::optional<Axis> read_axis(const Parameter& parameter, const Setting& setting);

// The parameters of a sweep, then every parameter of a simulation.
std::span<const Parameter> sweep_parameters();

struct Sweep {
  std::string name = "sweep";
  std::uint64_t seed = 0;
  // What all cells share. The parameters of the axes are at their defaults in the spec, and at
  // their first values in `words`.
  WordedSpec base{};
  std::vector<Axis> axes{};  // the first one is the slowest
  std::int64_t replicas = 64;
  int times = 200;  // checkpoints over [0, T]
  int refine = 0;   // how many times steep intervals of the first axis are halved
  std::string observe = "close_pairs";  // the observable of refinement, front and heat maps
  std::string style = "paper";          // of the heat maps
  std::string config{};                 // config.toml
  Record inputs{};                      // data from files

  std::int64_t grid() const;  // cells before refinement
};

// `typed` names parameters in the order in which they were written: the order of the axes, unless
// axes=... gives another. Refuses a sweep in which no cell is possible.
Sweep make_sweep(const Settings& settings, const std::vector<std::string>& typed = {});
std::vector<std::string> free_sweep_settings();  // keys that do not affect the numbers of a cell
RunContents contents_of(const Sweep& sweep, const std::vector<std::string>& argv);
// Run::reopen for a sweep. Removes cells that no longer match their digests, so that they are
// computed again.
Run reopen_sweep(const std::filesystem::path& directory, const Sweep& sweep,
                 const std::vector<std::string>& argv);

// One setting of all axes.
struct Cell {
  std::int64_t number = 0;            // cells/NUMBER.csv
  std::vector<std::string> values{};  // one per axis
  std::vector<double> numbers{};      // the same for numeric axes, NaN for others
  std::vector<double> place{};  // index of the value along its axis; fractions for refined cells
};
std::string name_of(const Sweep& sweep, const Cell& cell);  // beta=4 d=2
// Throws Error(input) if a value of the cell is invalid for its parameter.
WordedSpec spec_of_cell(const Sweep& sweep, const Cell& cell, std::int64_t replica = 0);
// n^2 d T, for estimates; 0 for a cell that is not possible.
double cost_of(const Sweep& sweep, const Cell& cell);

// The estimated cost of the grid before refinement.
struct SweepEstimate {
  std::int64_t cells = 0;
  double simulations = 0;
  double pairs = 0;  // sum of n^2 d per evaluation, over all simulations with fixed steps
  double pairs_per_moment = 0;  // the same for the others, with one evaluation per unit of time
  double table_bytes = 0;       // sweep.csv, about
};
SweepEstimate estimate(const Sweep& sweep);

// The times at which a cell is read: `count` over [0, T], whole steps for fixed-step methods.
std::vector<double> sweep_times(const FlowSettings& flow, double T, int count);

struct SweepFailure {
  std::int64_t cell = 0;
  std::string name{};
  Fault fault = Fault::numerical;
  std::string what{}, where{}, remedy{};
};
// Whether other processes compute cells of the same sweep. Processes claim cells one by one with
// locks in the run directory, so that the others compute the cells of a process that died.
enum class SweepShare { alone, leads, joins };

struct SweepControl {
  ProcessControl process{};                           // a signal drops unfinished cells
  std::function<void(const SweepFailure&)> failed{};  // called for each failure
  bool fail_fast = false;
  int threads = 0;  // 0: all cores; never changes a byte
  SweepShare share = SweepShare::alone;
};
struct SweepOutcome {
  bool finished = false;  // every cell has finished or failed; sweep.csv and front.csv are written
  std::vector<Cell> cells{};  // all known cells, in the order of sweep.csv
  std::vector<SweepFailure> failures{};
};

// Throws Error(input) if the cells in the directory were computed with other settings.
void check_settings(const Sweep& sweep, const std::filesystem::path& directory);
// Whether a finished run still has every table, and the cells behind them.
bool is_complete(const Sweep& sweep, const std::filesystem::path& directory);
// Computes the missing cells in the run's cells/. The files have the same bytes for any number of
// threads and after any interruption.
SweepOutcome run_sweep(const Sweep& sweep, Run& run, const SweepControl& control);
// To be called before other processes join: removes claims and failures of earlier processes.
void open_claims(const std::filesystem::path& directory);
// Computes cells of a sweep that another process leads, until every cell exists. The leading
// process then only writes the tables.
SweepOutcome join_sweep(const Sweep& sweep, const std::filesystem::path& directory,
                        const SweepControl& control);
// Writes status and digests. To be called last, after all other files of the directory.
void close_sweep(Run& run, const SweepOutcome& outcome);

// Results of a finished cell: mean and standard error over replicas of one observable.
struct CellCurve {
  std::vector<double> t{}, mean{}, error{};
};
// Returns nothing if the cell is missing or incomplete.
std::optional<CellCurve> read_cell(const Sweep& sweep, const Cell& cell,
                                   const std::filesystem::path& directory);
// Returns the first time at which the mean reaches 1/2, interpolated linearly; NaN if it never
// does.
double half_time(const CellCurve& curve);

// Returns the time at which equiangular tokens cluster (arXiv:2312.10794), which is the front for d
// >> n. Nothing for other dynamics or starts.
std::optional<double> predicted_front(const ExperimentSpec& cell);

}  // namespace murmur
