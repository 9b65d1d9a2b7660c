// sweep.h: grids of simulations, many replicas a cell, kept cell by cell so that nothing is lost.
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

// A parameter that takes several values.
struct Axis {
  std::string name{};
  bool numeric = false, whole = false, log = false;
  std::vector<std::string> values{};  // as a key=value word would carry them
  std::vector<double> numbers{};      // of a numeric axis, the same values
};

// a:b:count, a:b:count:log and v1,v2,... for numbers, {v1,v2,...} for anything; nothing where the
// text is one plain value. Error(input) for an empty axis, a value given twice, or no number.
std::optional<Axis> read_axis(const Parameter& parameter, const Setting& setting);

// The words of a sweep, then every parameter of a simulation.
std::span<const Parameter> sweep_parameters();

struct Sweep {
  std::string name = "sweep";
  std::uint64_t seed = 0;
  // What all cells have in common: in the spec those of the axes are at their defaults, in the
  // words at their first values.
  WordedSpec base{};
  std::vector<Axis> axes{};  // the first one is the slowest
  std::int64_t replicas = 64;
  int times = 200;                      // checkpoints over [0, T]
  int refine = 0;                       // how often steep intervals of the first axis are halved
  std::string observe = "close_pairs";  // the observable of refinement, front and heat maps
  std::string style = "paper";          // of the heat maps
  std::string config{};                 // config.toml
  Record inputs{};                      // what came from files

  std::int64_t grid() const;  // cells before refinement
};

// `typed` names parameters in the order in which they were written: the order of the axes, unless
// axes=... says another. Refuses a sweep none of whose cells is possible.
Sweep make_sweep(const Settings& settings, const std::vector<std::string>& typed = {});
std::vector<std::string> free_sweep_settings();  // keys that no number in a cell depends on
RunContents contents_of(const Sweep& sweep, const std::vector<std::string>& argv);
// Run::reopen for a sweep. Removes cells that no longer match their digests: they are done again.
Run reopen_sweep(const std::filesystem::path& directory, const Sweep& sweep,
                 const std::vector<std::string>& argv);

// One setting of all axes.
struct Cell {
  std::int64_t number = 0;            // cells/NUMBER.csv
  std::vector<std::string> values{};  // one an axis
  std::vector<double> numbers{};      // the same of numeric axes, NaN of others
  std::vector<double> place{};        // index of the value along its axis; refined ones between
};
std::string name_of(const Sweep& sweep, const Cell& cell);  // beta=4 d=2
// Error(input) where a value of the cell is none that its parameter takes.
WordedSpec spec_of_cell(const Sweep& sweep, const Cell& cell, std::int64_t replica = 0);
// n^2 d T, for estimates; 0 of a cell that cannot be.
double cost_of(const Sweep& sweep, const Cell& cell);

// What the grid before refinement would cost; nothing of it is computed.
struct SweepEstimate {
  std::int64_t cells = 0;
  double simulations = 0;
  double pairs = 0;             // n^2 d an evaluation, over all simulations of a fixed step
  double pairs_per_moment = 0;  // the same for one evaluation in a unit of time, of the others
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
// Whether other processes do cells of the same sweep. What is shared is dealt out cell by cell
// through locks in the run, so that the cells of a process that died are done by the others.
enum class SweepShare { alone, leads, joins };

struct SweepControl {
  ProcessControl process{};                           // a signal drops the cells under way
  std::function<void(const SweepFailure&)> failed{};  // as they happen
  bool fail_fast = false;
  int threads = 0;  // 0: all cores; never changes a byte
  SweepShare share = SweepShare::alone;
};
struct SweepOutcome {
  bool finished = false;      // every cell is done or failed; sweep.csv and front.csv are written
  std::vector<Cell> cells{};  // known so far, in the order of sweep.csv
  std::vector<SweepFailure> failures{};
};

// Error(input) where the cells in the directory were computed with other settings than these.
void check_settings(const Sweep& sweep, const std::filesystem::path& directory);
// Whether a finished run still holds every table, and the cells they were made of.
bool is_complete(const Sweep& sweep, const std::filesystem::path& directory);
// Computes what is missing in the run's cells/. The same bytes for any threads, kills and resumes.
SweepOutcome run_sweep(const Sweep& sweep, Run& run, const SweepControl& control);
// Before other processes join: forgets the claims and failures of those that worked here before.
void open_claims(const std::filesystem::path& directory);
// Does cells of a sweep that another process leads, or will: until every cell is there. What is
// left to do is to lead it, which then has nothing to compute.
SweepOutcome join_sweep(const Sweep& sweep, const std::filesystem::path& directory,
                        const SweepControl& control);
// Status and digests; after whatever else the directory is to hold.
void close_sweep(Run& run, const SweepOutcome& outcome);

// What is kept of a finished cell: mean and standard error over replicas of one observable.
struct CellCurve {
  std::vector<double> t{}, mean{}, error{};
};
// Nothing where the cell is not there whole.
std::optional<CellCurve> read_cell(const Sweep& sweep, const Cell& cell,
                                   const std::filesystem::path& directory);
// The first time the mean reaches 1/2, between checkpoints by a straight line; NaN where never.
double half_time(const CellCurve& curve);

// When equiangular tokens cluster (arXiv:2312.10794): the front's place for d >> n. Nothing for
// other dynamics or starts.
std::optional<double> predicted_front(const ExperimentSpec& cell);

}  // namespace murmur
