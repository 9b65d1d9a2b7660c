// meanfield_setup.cpp: mean fields: their parameters, the initial measure, and the run that stores
// them.
#include "experiment/meanfield_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <string_view>

#include "experiment/config.h"
#include "experiment/flow_record.h"
#include "experiment/matrices.h"
#include "experiment/rows.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/meanfield.h"
#include "murmur/stop.h"
#include "run/formats.h"
#include "run/npy.h"

namespace murmur {

// --- Initial measures: the parameters init and prefix.

namespace {

// A value of the settings that describes a law on the sphere of R^d.
struct LawValue {
  const Settings& settings;
  const char* key;
  int d;
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy) const {
    murmur::refuse(settings, key, reason, remedy);
  }
};

// For d > 3 a position is a pole of the last axis: the angle 0 or pi to it.
std::vector<double> pole_of(const LawValue& given, const std::string& text) {
  double angle = std::numbers::pi;
  const bool number = text != "pi" && parse_number(text, angle);
  const bool south = std::fabs(angle - std::numbers::pi) < 1e-4;
  if ((text != "pi" && !number) || (angle != 0 && !south))
    given.refuse(fmt::format("{} is not a pole", text),
                 "beyond d = 3 laws are symmetric about the last axis: write 0 or pi");
  std::vector<double> x(given.d);
  x.back() = south ? -1 : 1;
  return x;
}

// ANGLE, or POLAR/AZIMUTH on the sphere, as a unit vector.
std::vector<double> place_of(const LawValue& given, const std::string& text) {
  const int d = given.d;
  if (d > 3) return pole_of(given, text);
  const std::vector<std::string> parts = split(text, '/');
  double angle = 0, azimuth = 0;
  const bool fits = static_cast<int>(parts.size()) == d - 1 && parse_number(parts[0], angle) &&
                    (d == 2 || parse_number(parts[1], azimuth));
  if (!fits)
    given.refuse(fmt::format("{} is not a position", text),
                 d == 2 ? "write an angle in radians" : "write POLAR/AZIMUTH in radians");
  if (d == 2) return {std::cos(angle), std::sin(angle)};
  return {std::sin(angle) * std::cos(azimuth), std::sin(angle) * std::sin(azimuth),
          std::cos(angle)};
}

// PLACE*WEIGHT, or PLACE with weight 1.
Measure::Atom atom_of(const LawValue& given, const std::string& text) {
  const std::vector<std::string> parts = split(text, '*');
  Measure::Atom atom;
  if (parts.size() > 2 || (parts.size() == 2 && !parse_number(parts[1], atom.weight)))
    given.refuse(fmt::format("{} has no weight", text), "write PLACE*WEIGHT");
  atom.place = place_of(given, parts[0]);
  return atom;
}

Measure::Bump bump_of(const LawValue& given, const std::string& text) {
  const std::size_t at = text.find('@');
  Measure::Bump bump;
  if (at == std::string::npos || !parse_number(text.substr(0, at), bump.kappa))
    given.refuse(fmt::format("{} is not a bump", text), "write KAPPA@PLACE*WEIGHT");
  const Measure::Atom atom = atom_of(given, text.substr(at + 1));
  bump.centre = atom.place;
  bump.weight = atom.weight;
  return bump;
}

std::string shape_text(const Array& array) {
  return fmt::format("({})", fmt::join(array.shape, ", "));
}

// mode:3:1e-4 and modes:1-12:1e-6
std::vector<Measure::Wave> waves_of(const LawValue& given, const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const std::vector<std::string> ends = split(parts.size() > 1 ? parts[1] : "", '-');
  double first = 0, last = 0, eps = 0;
  const bool fits = parts.size() == 3 && ends.size() <= 2 && parse_number(ends.front(), first) &&
                    parse_number(ends.back(), last) && parse_number(parts[2], eps) && first >= 1 &&
                    last >= first && last <= 1e4 && first == std::floor(first) &&
                    last == std::floor(last);
  if (!fits) given.refuse("names no modes", "write mode:3:1e-4 or modes:1-12:1e-6");
  std::vector<Measure::Wave> waves;
  for (int k = static_cast<int>(first); k <= last; ++k) waves.push_back({k, eps});
  return waves;
}

// (n, d) unit vectors of equal masses, or (n, d + 1) with weights in the last column.
std::vector<Measure::Atom> atoms_of(const LawValue& given, const Array& array) {
  const int d = given.d;
  const auto width = static_cast<std::size_t>(d);
  const bool fits = array.shape.size() == 2 && array.shape[0] > 0 &&
                    (array.shape[1] == width || array.shape[1] == width + 1);
  if (!fits)
    given.refuse(
        fmt::format("has shape {}", shape_text(array)),
        fmt::format("give points of shape (n, {}), or (n, {}) with weights last", d, d + 1));
  const std::vector<double> cells = array.doubles();
  std::vector<Measure::Atom> atoms;
  for (std::size_t i = 0; i < array.shape[0]; ++i) {
    const auto row = cells.begin() + static_cast<std::ptrdiff_t>(i * array.shape[1]);
    Measure::Atom atom{{row, row + d}, array.shape[1] > width ? row[d] : 1.0};
    const double length = std::sqrt(
        std::inner_product(atom.place.begin(), atom.place.end(), atom.place.begin(), 0.0));
    if (!(std::fabs(length - 1) <= 1e-6))
      given.refuse(fmt::format("row {} has norm {:.9g}, not 1", i, length),
                   "divide every row by its norm");
    if (!(atom.weight > 0) || !std::isfinite(atom.weight))
      given.refuse(fmt::format("row {} has weight {:g}", i, atom.weight),
                   "give finite weights above 0");
    for (double& x : atom.place) x /= length;
    atoms.push_back(std::move(atom));
  }
  return atoms;
}

void set_density(const LawValue& given, const Array& array, Measure& measure) {
  const int d = given.d;
  if (d > 3)
    given.refuse("densities on a grid need the circle or the sphere",
                 "write modes or vmf bumps at the poles, or use d=2 or d=3");
  if (array.shape.size() != static_cast<std::size_t>(d - 1) || array.size() == 0)
    given.refuse(fmt::format("has shape {}", shape_text(array)),
                 d == 2 ? "give densities of shape (cells) around the circle"
                        : "give densities of shape (polar angles, azimuths) over the sphere");
  measure.density = array.doubles();
  if (d == 3) measure.rows = static_cast<int>(array.shape[0]);
}

// Reads a measure that needs no file; returns nothing if the text is another.
std::optional<Measure> law_of(const LawValue& given, const std::string& text) {
  Measure measure;
  if (text == "uniform") return measure;
  if (text.rfind("mode:", 0) == 0 || text.rfind("modes:", 0) == 0) {
    measure.waves = waves_of(given, text);
    return measure;
  }
  const bool bumps = text.rfind("vmf:", 0) == 0;
  if (!bumps && text.rfind("atoms:", 0) != 0) return std::nullopt;
  for (const std::string& part : split(text.substr(text.find(':') + 1), ','))
    if (bumps)
      measure.bumps.push_back(bump_of(given, part));
    else
      measure.atoms.push_back(atom_of(given, part));
  return measure;
}

// Reads the measure that init describes. Arrays from files are added to `inputs` as "density" or
// "points".
Measure measure_of(const Settings& settings, int d, Record& inputs) {
  const Setting& init = setting(settings, "init");
  const std::string& text = init.text;
  const LawValue given{settings, "init", d};
  if (const auto law = law_of(given, text)) return *law;
  if (!ends_with(text, ".npy"))
    given.refuse(
        "is not a measure",
        "write mode:3:1e-4, modes:1-12:1e-6, vmf:20@0*0.5,20@2*0.5, atoms:0,2, uniform, FILE.npy "
        "or points:FILE.npy");
  Measure measure;
  const bool points = text.rfind("points:", 0) == 0;
  const Array array = read_npy(init.folder / (points ? text.substr(7) : text));
  if (points)
    measure.atoms = atoms_of(given, array);
  else
    set_density(given, array, measure);
  inputs[points ? "points" : "density"] = array;
  return measure;
}

// Reads the laws of the first labels of a prompt from the parameter prefix; none: no laws.
std::vector<Measure::Earlier> prefix_of(const Settings& settings, int d) {
  const std::string& text = setting(settings, "prefix").text;
  if (text == "none") return {};
  const LawValue given{settings, "prefix", d};
  const std::size_t colon = text.find(':');
  double share = 0;
  if (colon == std::string::npos || !parse_number(text.substr(0, colon), share) ||
      !(share > 0 && share < 1))
    given.refuse("names no share of the prompt", "write SHARE:LAW, for example 0.1:vmf:20@0");
  const auto law = law_of(given, text.substr(colon + 1));
  if (!law)
    given.refuse("names no law", "write mode:3:1e-4, vmf:20@0, atoms:0 or uniform after the share");
  return {{share, *law}};
}

}  // namespace

// --- Parameters.

std::span<const Parameter> meanfield_parameters() {
  using P = Parameter;
  static constexpr Parameter table[] = {
      {P::word, "name", "meanfield", "a word", "first part of the name of the run directory"},
      {P::whole, "d", "2", "2 to 128",
       "coordinates: 2 is the circle; from 4 on laws are symmetric about the last axis; any d of a "
       "bifurcation diagram"},
      {P::number, "beta", "4", "0 to 700", "inverse temperature of attention"},
      {P::word, "dynamics", "SA", "SA, USA, causal",
       "softmax attention, or unnormalised; causal: SA to those before"},
      {P::word, "reach", "all", "all, past",
       "the tokens that a token attends to: all, or only those before it"},
      {P::word, "value", "identity", "identity, minus-identity", "V: attraction or repulsion"},
      {P::word, "clock", "U1", "U1, U2, U3", "time unit of USA (docs/notation.md)"},
      {P::word, "perceptron", "none", "none, gaussian:H, gradient:M, FILE.safetensors, NAME_*.npy",
       "feed-forward drift of every token"},
      {P::word, "activation", "relu", "relu, gelu, tanh", "activation of the perceptron"},
      {P::number, "noise", "0", "0 or above", "strength 1/kappa of Brownian motion"},
      {P::word, "kappa", "none", "none, or FROM:TO:POINTS",
       "draws the bifurcation diagram of noisy USA instead of a simulation"},
      {P::word, "init", "mode:1:1e-4",
       "mode:K:EPS, modes:A-B:EPS, vmf:KAPPA@ANGLE*WEIGHT,..., atoms:ANGLE*WEIGHT,..., uniform, "
       "FILE.npy, points:FILE.npy",
       "the measure at t = 0; on the sphere an ANGLE is POLAR/AZIMUTH; a file holds a density on "
       "an even grid, or unit vectors and their weights; from d = 4 on an ANGLE is 0 or pi"},
      {P::word, "prefix", "none", "none, or SHARE:INIT",
       "law of the first share of a causal prompt; init is then that of the rest"},
      {P::word, "labels", "auto", "auto, or 2 to 1024",
       "intervals of the labels between which a causal prompt's laws change"},
      {P::number, "T", "10", "above 0", "final time"},
      {P::word, "save", "every:T/100", "every:DT, final", "times at which densities are stored"},
      {P::word, "solver", "spectral", "spectral, quantiles",
       "coefficients of waves, which stop when they no longer resolve the density; or particles"},
      {P::word, "modes", "auto", "auto, or 4 or more", "degrees of the spectral solver"},
      {P::word, "particles", "auto", "auto, or 2 to 10000000",
       "number of particles of the solver quantiles"},
      {P::number, "merge", "0", "0 to 2", "particles closer than this chord become one"},
      {P::number, "rtol", "1e-9", "0 to 1", "relative tolerance of the steps"},
      {P::number, "atol", "1e-12", "0 to 1", "absolute tolerance of the steps"},
      {P::whole, "seed", "0", "0 or more", "seed of a random perceptron"},
      {P::whole, "replica", "0", "0 or more", "which random perceptron of the seed"},
      {P::word, "threads", "all", "all, or 1 or more", "threads; results never depend on it"},
      {P::whole, "max_evaluations", "10000000", "1 or more", "velocity evaluations allowed"},
  };
  return table;
}

namespace {

int count_of(const Settings& settings, const std::string& key, int fallback) {
  if (setting(settings, key).text == "auto") return fallback;
  return static_cast<int>(whole(settings, key, 2, 10'000'000));
}

struct Sizes {
  int modes, particles;
};

// Returns the value for `auto`; a causal field has so many for each of its labels.
Sizes sizes_of(const MeanField& field) {
  if (field.causal) return {field.d == 2 ? 128 : field.d == 3 ? 20 : 64, 128};
  if (field.d > 3) return {64, 256};
  return field.d == 2 ? Sizes{512, 100'000} : Sizes{40, 3'200};
}

// The settings that a mean field shares with simulate, with fewer values.
DynamicsSpec forces_of(const Settings& settings) {
  number(settings, "beta");
  choice(settings, "dynamics", {"SA", "USA", "causal"});
  choice(settings, "value", {"identity", "minus-identity"});
  choice(settings, "clock", {"U1", "U2", "U3"});
  number(settings, "noise");
  if (setting(settings, "perceptron").text == "none" && is_typed(settings, "activation"))
    refuse(settings, "activation", "has no effect without a perceptron",
           "give a perceptron, or leave it out");
  return dynamics_spec_of(settings);
}

MeanField field_of(const Settings& settings, Record& inputs) {
  const int d = static_cast<int>(whole(settings, "d", 2, 1000));
  const DynamicsSpec spec = forces_of(settings);
  RandomKey random;
  if (is_random(spec.perceptron)) random = {seed_of(settings), replica_of(settings)};
  return mean_field_of(unchecked_dynamics({spec, random, 1, settings}, {1, d}, inputs), d);
}

Schedule schedule_of(const Settings& settings) {
  Schedule schedule;
  schedule.T = positive(settings, "T");
  const std::vector<std::string> parts = split(setting(settings, "save").text, ':');
  if (parts.size() == 1 && parts[0] == "final") return schedule;
  const bool share = parts.size() == 2 && parts[1].rfind("T/", 0) == 0;
  double value = 0;
  if (parts.size() != 2 || parts[0] != "every" ||
      !parse_number(share ? parts[1].substr(2) : parts[1], value) || !(value > 0))
    refuse(settings, "save", "is not a schedule", "write every:0.1, every:T/100 or final");
  schedule.every = share ? schedule.T / value : value;
  return schedule;
}

// Refuses typed settings that have no effect with this solver.
void refuse_unused(const Settings& settings, const MeanFieldSetup& s) {
  const MeanFieldMethod::Solver solver = s.method.solver;
  const auto refuse_typed = [&](const char* key, const char* reason, const char* remedy) {
    if (is_typed(settings, key)) refuse(settings, key, reason, remedy);
  };
  if (s.start.before.empty() && (!s.field.causal || s.field.weighting == Attention::softmax))
    refuse_typed("labels", "has no effect: the laws of all labels are one",
                 "remove it, or give dynamics=causal and a prefix");
  if (solver == MeanFieldMethod::quantiles && !moves_swarm(s.field, s.method))
    refuse_typed("merge", "has no effect: these particles do not merge", "remove it");
  if (solver == MeanFieldMethod::spectral)
    for (const char* key : {"particles", "merge"})
      refuse_typed(key, "has no effect on the spectral solver", "remove it, or solver=quantiles");
  else
    refuse_typed("modes", "has no effect on particles", "remove it, or use solver=spectral");
  if (!is_random(dynamics_spec_of(settings).perceptron))
    for (const char* key : {"seed", "replica"})
      refuse_typed(key, "has no effect: nothing is random",
                   "remove it, or give perceptron=gaussian:H or gradient:M");
}

// Stationary laws are those of attraction by USA in the clock U1, for any solver.
void refuse_beside_kappa(const Settings& settings) {
  if (choice(settings, "value", {"identity", "minus-identity"}) != 0)
    refuse(settings, "value", "repulsion has no ordered laws", "use value=identity with kappa");
  if (choice(settings, "clock", {"U1", "U2", "U3"}) != 0)
    refuse(settings, "clock", "kappa is defined in the clock U1", "use clock=U1 with kappa");
  if (setting(settings, "perceptron").text != "none")
    refuse(settings, "perceptron", "stationary laws are those of attention only",
           "use perceptron=none with kappa");
  if (choice(settings, "reach", {"all", "past"}) != 0)
    refuse(settings, "reach", "stationary laws are those of attention to all",
           "use reach=all with kappa");
  if (number(settings, "noise") != 0)
    refuse(settings, "noise", "kappa is 1 / noise", "give only one of the two");
  static constexpr std::string_view of_simulations[] = {
      "activation", "init",  "prefix", "labels", "T",    "save",    "solver",         "modes",
      "particles",  "merge", "rtol",   "atol",   "seed", "replica", "max_evaluations"};
  for (const Parameter& p : meanfield_parameters()) {
    if (std::count(std::begin(of_simulations), std::end(of_simulations), p.name) == 0) continue;
    const Setting& given = setting(settings, p.name);
    if (is_typed(settings, p.name) || given.text != p.initial)
      refuse(settings, p.name, "has no effect on a bifurcation diagram",
             "remove it, or remove kappa");
  }
}

std::optional<BifurcationSweep> kappas_of(const Settings& settings) {
  const std::optional<Range> range = range_of(settings, "kappa", 10'000);
  if (!range) return std::nullopt;
  if (choice(settings, "dynamics", {"SA", "USA", "causal"}) != 1)
    refuse(settings, "dynamics", "stationary laws are those of USA", "use dynamics=USA");
  refuse_beside_kappa(settings);
  return BifurcationSweep{range->from, range->to, range->points};
}

}  // namespace

MeanFieldSetup make_meanfield(const Settings& settings) {
  MeanFieldSetup s;
  s.name = run_name(settings);
  s.seed = seed_of(settings);
  s.kappas = kappas_of(settings);
  s.field = field_of(settings, s.inputs);
  if (!s.kappas) {
    check(s.field);
    s.start = measure_of(settings, s.field.d, s.inputs);
    s.start.before = prefix_of(settings, s.field.d);
    if (!s.field.causal && !s.start.before.empty())
      refuse(settings, "prefix", "has no effect if all attend to all",
             "use dynamics=causal, or leave it out");
  }
  MeanFieldMethod& m = s.method;
  m.solver =
      static_cast<MeanFieldMethod::Solver>(choice(settings, "solver", {"spectral", "quantiles"}));
  const Sizes sizes = sizes_of(s.field);
  m.modes = count_of(settings, "modes", sizes.modes);
  m.particles = count_of(settings, "particles", sizes.particles);
  m.labels = count_of(settings, "labels", 16);
  m.tolerance = {positive(settings, "rtol"), positive(settings, "atol")};
  m.merge = number(settings, "merge");
  m.max_evaluations = whole(settings, "max_evaluations", 1, kMostWhole);
  if (setting(settings, "threads").text != "all")
    m.threads = static_cast<int>(whole(settings, "threads", 1, 4096));
  if (m.solver == MeanFieldMethod::quantiles && s.field.noise > 0)
    refuse(settings, "noise", "needs the spectral solver", "use solver=spectral, or noise=0");
  s.schedule = schedule_of(settings);
  if (!s.kappas) {
    refuse_unused(settings, s);
    check(s.field, s.start, m, s.schedule);
  }
  Settings resolved = settings;
  if (s.inputs.count("density") != 0) resolved["init"].text = "inputs/density.npy";
  if (s.inputs.count("points") != 0) resolved["init"].text = "points:inputs/points.npy";
  if (s.inputs.count("perceptron_in") != 0) resolved["perceptron"].text = "inputs/perceptron_*.npy";
  s.config = config_of(meanfield_parameters(), resolved);
  return s;
}

// --- The run.

namespace {

constexpr int kColumns = 12;    // amplitudes in observables.csv
constexpr int kPlainCells = 7;  // numbers of a reading in a checkpoint before mean and amplitudes

std::vector<double> row_of(const MeanFieldReading& r) {
  std::vector<double> row = {r.energy, r.free_energy, r.order, r.tail, r.min, r.max};
  row.insert(row.end(), r.amplitude.begin() + 1, r.amplitude.begin() + 1 + kColumns);
  return row;
}

Array table_of(std::vector<double> values, std::size_t columns) {
  const std::size_t rows = values.size() / columns;
  return {{rows, columns}, std::move(values)};
}

// (steps, 7 + d + kModesRead + 1): all readings so far, from which regimes are found.
Array array_of_steps(const std::vector<MeanFieldReading>& steps) {
  std::vector<double> cells;
  for (const MeanFieldReading& r : steps) {
    cells.insert(cells.end(), {r.t, r.energy, r.free_energy, r.order, r.tail, r.min, r.max});
    cells.insert(cells.end(), r.mean.begin(), r.mean.end());
    cells.insert(cells.end(), r.amplitude.begin(), r.amplitude.end());
  }
  return table_of(std::move(cells), kPlainCells + steps.front().mean.size() + kModesRead + 1);
}

std::vector<MeanFieldReading> steps_of(const Record& record, int d) {
  const Array& array = entry(record, "steps");
  const std::size_t width = kPlainCells + d + kModesRead + 1;
  if (array.shape.size() != 2 || array.shape[1] != width)
    throw Error(Fault::input, "the checkpoint belongs to another measure", "checkpoint.safetensors",
                "delete it to start again from t = 0");
  const std::vector<double> cells = array.doubles();
  std::vector<MeanFieldReading> steps;
  for (auto at = cells.begin(); at != cells.end(); at += width) {
    MeanFieldReading& r = steps.emplace_back();
    r = {.t = at[0], .energy = at[1], .free_energy = at[2], .order = at[3], .tail = at[4]};
    r.min = at[5];
    r.max = at[6];
    r.mean.assign(at + kPlainCells, at + kPlainCells + d);
    r.amplitude.assign(at + kPlainCells + d, at + width);
  }
  return steps;
}

Record record_of(const MeanFieldSetup& s, const MeanFieldTrajectory& so_far,
                 const MeanFieldState& state) {
  Record record;
  if (moves_swarm(s.field, s.method)) {
    record = record_of(state.flow, s.schedule.T);
  } else {
    record["t"] = array_of(state.flow.t);
    record["T"] = array_of(s.schedule.T);
    record["h"] = array_of(state.flow.h);
    record["evaluations"] = array_of(state.flow.evaluations);
    record["next_frame"] = array_of(state.flow.next_frame);
    record["coefficients"] = array_of(state.coefficients);
  }
  record["steps"] = array_of_steps(so_far.steps);
  return record;
}

// Returns the trajectory up to the checkpoint.
MeanFieldTrajectory trajectory_of(const MeanFieldSetup& s, const Record& record) {
  const auto real = [&](const char* name) { return entry(record, name).doubles()[0]; };
  MeanFieldTrajectory trajectory;
  FlowState& flow = trajectory.state.flow;
  if (moves_swarm(s.field, s.method)) {
    flow = state_of(record, {static_cast<int>(entry(record, "group").size()), s.field.d});
  } else {
    flow.t = real("t");
    flow.h = real("h");
    flow.evaluations = static_cast<std::int64_t>(real("evaluations"));
    flow.next_frame = static_cast<std::int64_t>(real("next_frame"));
    trajectory.state.coefficients = entry(record, "coefficients").doubles();
  }
  flow.next_frame = next_frame_of(s.schedule, flow.next_frame, real("T"));
  trajectory.steps = steps_of(record, s.field.d);
  return trajectory;
}

// An array with one row per frame, cut back to the frames of the checkpoint.
class FrameRows {
 public:
  FrameRows(const Run& run, const char* name, const std::vector<std::size_t>& shape) {
    const std::filesystem::path path = run.directory() / name;
    if (run.last_checkpoint()) {
      kept_ = static_cast<std::int64_t>(entry(*run.last_checkpoint(), "densities").doubles()[0]);
      file_ = GrowingNpy::open(path);
      file_.cut(kept_);
    } else {
      std::filesystem::remove(path);
      file_ = GrowingNpy::create(path, Element::f64, shape);
    }
  }
  void append(const std::vector<double>& row) {
    file_.put(kept_, std::as_bytes(std::span(row)));
    file_.count(++kept_);
  }
  std::int64_t sync() {
    file_.sync();
    return kept_;
  }

 private:
  GrowingNpy file_{};
  std::int64_t kept_ = 0;
};

// labels.npy (labels), label_modes.npy (frames, labels, 12) the amplitudes of their laws, and
// label_density.npy (labels, cells) the densities of the last frame.
class LabelRows {
 public:
  LabelRows(const Run& run, const MeanFieldSetup& s)
      : directory_(run.directory()),
        labels_(labels_of(s.field, s.start, s.method)),
        modes_(run, "label_modes.npy", {labels_.size(), kColumns}) {
    write_npy(directory_ / "labels.npy", {{labels_.size()}, labels_});
  }
  void append(const MeanFieldFrame& frame) {
    std::vector<double> row;
    for (const MeanFieldReading& r : frame.labels)
      row.insert(row.end(), r.amplitude.begin() + 1, r.amplitude.begin() + 1 + kColumns);
    modes_.append(row);
    last_ = table_of(frame.label_density, frame.density.size());
  }
  void sync() {
    modes_.sync();
    if (last_) write_npy(directory_ / "label_density.npy", *last_);
  }

 private:
  std::filesystem::path directory_;
  std::vector<double> labels_;
  FrameRows modes_;
  std::optional<Array> last_{};  // of the last frame, if there is one
};

}  // namespace

std::vector<std::string> meanfield_outputs() {
  return {"grid.npy", "density.npy", "labels.npy", "label_modes.npy", "label_density.npy"};
}

std::vector<std::string> meanfield_columns() {
  std::vector<std::string> names = {"energy", "free_energy", "order", "tail", "least", "greatest"};
  for (int k = 1; k <= kColumns; ++k) names.push_back(fmt::format("mode_{}", k));
  return names;
}

MeanFieldTrajectory simulate(const MeanFieldSetup& s, Run& run, const ProcessControl& control) {
  const StopScope stop(control.signal);
  RecordedProcess process(run, control, "t");
  MeanFieldPlan plan{.schedule = s.schedule};
  if (run.last_checkpoint()) plan.from = trajectory_of(s, *run.last_checkpoint());
  const std::int64_t evaluations_before = plan.from ? plan.from->state.flow.evaluations : 0;
  const Array grid = table_of(density_cells(s.field, s.method), s.field.d);
  write_npy(run.directory() / "grid.npy", grid);
  FrameRows densities(run, "density.npy", {grid.shape[0]});
  std::optional<LabelRows> labels;
  if (s.field.causal) labels.emplace(run, s);
  const auto record = [&](const MeanFieldTrajectory& so_far, const MeanFieldState& state) {
    Record kept = record_of(s, so_far, state);
    if (labels) labels->sync();
    kept["densities"] = array_of(densities.sync());
    return kept;
  };
  plan.frame = [&](const MeanFieldFrame& frame) {
    HostSwarm mean({1, s.field.d});
    for (int k = 0; k < s.field.d; ++k) mean.at(0, k) = frame.reading.mean[k];
    run.append(frame.reading.t, mean, row_of(frame.reading));
    densities.append(frame.density);
    if (labels) labels->append(frame);
  };
  plan.pause = [&](const MeanFieldTrajectory& now, const std::function<MeanFieldState()>& fetch) {
    return process.pause(
        now.steps.back().t, [&] { return record(now, fetch()); },
        [&] {
          Progress p = progress_of({now.steps.back().t, s.schedule.T, now.evaluations,
                                    now.evaluations - evaluations_before},
                                   process.pace());
          p.live = fmt::format("energy {:.6g}", now.steps.back().energy);
          return p;
        });
  };
  MeanFieldTrajectory trajectory = carry(s.field, s.start, s.method, plan);
  if (labels) labels->sync();
  if (trajectory.outcome.ok())
    process.save(trajectory.state.flow.t, record(trajectory, trajectory.state), true);
  return trajectory;
}

}  // namespace murmur
