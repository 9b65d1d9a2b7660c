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
#include "run/describe.h"
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

namespace codec {

template <>
const std::vector<std::string>& names_of<MeanFieldMethod::Solver>() {
  static const std::vector<std::string> names = {"spectral", "quantiles"};
  return names;
}

}  // namespace codec

namespace {

// The settings of a mean field, with one field for each parameter.
struct MeanFieldSpec {
  std::string name = "meanfield";
  int d = 2;
  DynamicsSpec dynamics{};
  std::optional<Range> kappa{};
  std::string init = "mode:1:1e-4", prefix = "none";
  int labels = 0, modes = 0, particles = 0;  // 0: as the field needs
  double T = 10;
  std::string save = "every:T/100";
  MeanFieldMethod::Solver solver = MeanFieldMethod::spectral;
  double merge = 0;
  Tolerance tolerance{1e-9, 1e-12};
  RandomKey random{};
  int threads = 0;
  std::int64_t max_evaluations = 10'000'000;
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<MeanFieldSpec>) {
  using S = MeanFieldSpec;
  using D = DynamicsSpec;
  constexpr double kMostPoints = 10'000'000;
  v(&S::name, "name", "first part of the name of the run directory", {.form = Form::run_name});
  v(&S::d, "d",
    "coordinates: 2 is the circle; from 4 on laws are symmetric about the last axis; any d of a "
    "bifurcation diagram",
    {.values = "2 to 128", .least = 2, .greatest = 1000});
  v(&S::dynamics, &D::beta, "beta", "inverse temperature of attention", {.values = "0 to 700"});
  v(&S::dynamics, &D::interaction, "dynamics",
    "softmax attention, or unnormalised; causal: SA to those before",
    {.greatest = static_cast<double>(Interaction::causal)});
  v(&S::dynamics, &D::mask, "reach",
    "the tokens that a token attends to: all, or only those before it");
  v(&S::dynamics, &D::value, "value", "V: attraction or repulsion",
    {.values = "identity, minus-identity", .greatest = MatrixChoice::minus_identity});
  v(&S::dynamics, &D::clock, "clock", "time unit of USA (docs/notation.md)",
    {.greatest = static_cast<double>(Clock::u3)});
  v(&S::dynamics, &D::perceptron, "perceptron", "feed-forward drift of every token",
    {.values = "none, gaussian:H, gradient:M, FILE.safetensors, NAME_*.npy"});
  v(&S::dynamics, &D::activation, "activation", "activation of the perceptron");
  v(&S::dynamics, &D::noise, "noise", "strength 1/kappa of Brownian motion",
    {.values = "0 or above"});
  v(&S::kappa, "kappa", "draws the bifurcation diagram of noisy USA instead of a simulation",
    {.values = "none, or FROM:TO:POINTS", .empty = "none"});
  v(&S::init, "init",
    "the measure at t = 0; on the sphere an ANGLE is POLAR/AZIMUTH; a file holds a density on an "
    "even grid, or unit vectors and their weights; from d = 4 on an ANGLE is 0 or pi",
    {.values = "mode:K:EPS, modes:A-B:EPS, vmf:KAPPA@ANGLE*WEIGHT,..., atoms:ANGLE*WEIGHT,..., "
               "uniform, FILE.npy, points:FILE.npy"});
  v(&S::prefix, "prefix",
    "law of the first share of a causal prompt; init is then that of the rest",
    {.values = "none, or SHARE:INIT"});
  v(&S::labels, "labels", "intervals of the labels between which a causal prompt's laws change",
    {.values = "auto, or 2 to 1024", .least = 2, .greatest = kMostPoints, .zero = "auto"});
  v(&S::T, "T", "final time", {.least = 0, .above = true});
  v(&S::save, "save", "times at which densities are stored", {.values = "every:DT, final"});
  v(&S::solver, "solver",
    "coefficients of waves, which stop when they no longer resolve the density; or particles");
  v(&S::modes, "modes", "degrees of the spectral solver",
    {.values = "auto, or 4 or more", .least = 2, .greatest = kMostPoints, .zero = "auto"});
  v(&S::particles, "particles", "number of particles of the solver quantiles",
    {.values = "auto, or 2 to 10000000", .least = 2, .greatest = kMostPoints, .zero = "auto"});
  v(&S::merge, "merge", "particles closer than this chord become one", {.values = "0 to 2"});
  v(&S::tolerance, &Tolerance::rtol, "rtol", "relative tolerance of the steps",
    {.values = "0 to 1", .least = 0, .above = true});
  v(&S::tolerance, &Tolerance::atol, "atol", "absolute tolerance of the steps",
    {.values = "0 to 1", .least = 0, .above = true});
  v(&S::random, &RandomKey::seed, "seed", "seed of a random perceptron",
    {.least = 0, .greatest = kMostWhole});
  v(&S::random, &RandomKey::replica, "replica", "which random perceptron of the seed",
    {.least = 0, .greatest = 4'294'967'295});
  v(&S::threads, "threads", "threads; results never depend on it",
    {.least = 1, .greatest = 4096, .zero = "all"});
  v(&S::max_evaluations, "max_evaluations", "velocity evaluations allowed",
    {.least = 1, .greatest = kMostWhole});
}

}  // namespace

template <>
std::span<const Row<MeanFieldSpec>> rows_of<MeanFieldSpec>() {
  static const std::vector<Row<MeanFieldSpec>> rows = make_rows<MeanFieldSpec>();
  return rows;
}

std::span<const Parameter> meanfield_parameters() { return parameters_in<MeanFieldSpec>(); }

namespace {

struct Sizes {
  int modes, particles;
};

// Returns the value for `auto`; a causal field has so many for each of its labels.
Sizes sizes_of(const MeanField& field) {
  if (field.causal) return {field.d == 2 ? 128 : field.d == 3 ? 20 : 64, 128};
  if (field.d > 3) return {64, 256};
  return field.d == 2 ? Sizes{512, 100'000} : Sizes{40, 3'200};
}

MeanField field_of(const MeanFieldSpec& spec, const Settings& settings, Record& inputs) {
  if (spec.dynamics.perceptron.kind == PerceptronChoice::none && is_typed(settings, "activation"))
    refuse(settings, "activation", "has no effect without a perceptron",
           "give a perceptron, or leave it out");
  RandomKey random;
  if (is_random(spec.dynamics.perceptron)) random = spec.random;
  return mean_field_of(
      unchecked_dynamics({spec.dynamics, random, 1, settings}, {1, spec.d}, inputs), spec.d);
}

Schedule schedule_of(const MeanFieldSpec& spec, const Settings& settings) {
  Schedule schedule;
  schedule.T = spec.T;
  const std::vector<std::string> parts = split(spec.save, ':');
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
void refuse_unused(const MeanFieldSpec& spec, const Settings& settings, const MeanFieldSetup& s) {
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
  if (!is_random(spec.dynamics.perceptron))
    for (const char* key : {"seed", "replica"})
      refuse_typed(key, "has no effect: nothing is random",
                   "remove it, or give perceptron=gaussian:H or gradient:M");
}

// Stationary laws are those of attraction by USA in the clock U1, for any solver.
void refuse_beside_kappa(const MeanFieldSpec& spec, const Settings& settings) {
  const DynamicsSpec& forces = spec.dynamics;
  if (forces.value.kind != MatrixChoice::identity)
    refuse(settings, "value", "repulsion has no ordered laws", "use value=identity with kappa");
  if (forces.clock != Clock::u1)
    refuse(settings, "clock", "kappa is defined in the clock U1", "use clock=U1 with kappa");
  if (forces.perceptron.kind != PerceptronChoice::none)
    refuse(settings, "perceptron", "stationary laws are those of attention only",
           "use perceptron=none with kappa");
  if (forces.mask != Attention::none)
    refuse(settings, "reach", "stationary laws are those of attention to all",
           "use reach=all with kappa");
  if (forces.noise != 0)
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

std::optional<BifurcationSweep> kappas_of(const MeanFieldSpec& spec, const Settings& settings) {
  if (!spec.kappa) return std::nullopt;
  if (spec.dynamics.interaction != Interaction::USA)
    refuse(settings, "dynamics", "stationary laws are those of USA", "use dynamics=USA");
  refuse_beside_kappa(spec, settings);
  return BifurcationSweep{spec.kappa->from, spec.kappa->to, spec.kappa->points};
}

}  // namespace

MeanFieldSetup make_meanfield(const Settings& settings) {
  const MeanFieldSpec spec = read_spec<MeanFieldSpec>(settings);
  MeanFieldSetup s;
  s.name = spec.name;
  s.seed = spec.random.seed;
  s.kappas = kappas_of(spec, settings);
  s.field = field_of(spec, settings, s.inputs);
  if (!s.kappas) {
    check(s.field);
    s.start = measure_of(settings, s.field.d, s.inputs);
    s.start.before = prefix_of(settings, s.field.d);
    if (!s.field.causal && !s.start.before.empty())
      refuse(settings, "prefix", "has no effect if all attend to all",
             "use dynamics=causal, or leave it out");
  }
  MeanFieldMethod& m = s.method;
  m.solver = spec.solver;
  const Sizes sizes = sizes_of(s.field);
  m.modes = spec.modes > 0 ? spec.modes : sizes.modes;
  m.particles = spec.particles > 0 ? spec.particles : sizes.particles;
  m.labels = spec.labels > 0 ? spec.labels : 16;
  m.tolerance = spec.tolerance;
  m.merge = spec.merge;
  m.max_evaluations = spec.max_evaluations;
  m.threads = spec.threads;
  if (m.solver == MeanFieldMethod::quantiles && s.field.noise > 0)
    refuse(settings, "noise", "needs the spectral solver", "use solver=spectral, or noise=0");
  s.schedule = schedule_of(spec, settings);
  if (!s.kappas) {
    refuse_unused(spec, settings, s);
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

constexpr int kColumns = 12;  // amplitudes in observables.csv

// The columns of observables.csv after t, before the amplitudes.
std::vector<std::string_view> reading_columns() {
  std::vector<std::string_view> columns;
  for (const FieldInfo& field : fields_of<MeanFieldReading>())
    if (field.key != "t" && field.key != "mean" && field.key != "amplitude")
      columns.push_back(field.key);
  return columns;
}

std::vector<double> row_of(const MeanFieldReading& r) {
  static const std::vector<std::string_view> columns = reading_columns();
  const described::NumbersByKey numbers = numbers_of(r);
  std::vector<double> row;
  for (const std::string_view column : columns) row.push_back(numbers.at(column)[0]);
  row.insert(row.end(), r.amplitude.begin() + 1, r.amplitude.begin() + 1 + kColumns);
  return row;
}

Array table_of(std::vector<double> values, std::size_t columns) {
  const std::size_t rows = values.size() / columns;
  return {{rows, columns}, std::move(values)};
}

// All numbers of a reading in the order of its description.
std::vector<double> cells_of(const MeanFieldReading& r) {
  static const std::vector<FieldInfo> fields = fields_of<MeanFieldReading>();
  const described::NumbersByKey numbers = numbers_of(r);
  std::vector<double> cells;
  for (const FieldInfo& field : fields) {
    const Vector& values = numbers.at(field.key);
    cells.insert(cells.end(), values.begin(), values.end());
  }
  return cells;
}

// (steps, cells): all readings so far, from which regimes are found.
Array array_of_steps(const std::vector<MeanFieldReading>& steps) {
  std::vector<double> cells;
  for (const MeanFieldReading& r : steps) {
    const std::vector<double> row = cells_of(r);
    cells.insert(cells.end(), row.begin(), row.end());
  }
  return table_of(std::move(cells), cells_of(steps.front()).size());
}

std::vector<MeanFieldReading> steps_of(const Record& record, int d) {
  MeanFieldReading blank;
  blank.mean.resize(d);
  blank.amplitude.resize(kModesRead + 1);
  const std::size_t width = cells_of(blank).size();
  const Array& array = entry(record, "steps");
  if (array.shape.size() != 2 || array.shape[1] != width)
    throw Error(Fault::input, "the checkpoint belongs to another measure", "checkpoint.safetensors",
                "delete it to start again from t = 0");
  const std::vector<FieldInfo> fields = fields_of<MeanFieldReading>();
  const std::vector<double> cells = array.doubles();
  std::vector<MeanFieldReading> steps;
  described::NumbersByKey numbers = numbers_of(blank);
  for (auto at = cells.begin(); at != cells.end();) {
    for (const FieldInfo& field : fields)
      for (double& number : numbers.at(field.key)) number = *at++;
    set_numbers(numbers, steps.emplace_back());
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
  std::vector<std::string> names;
  for (const std::string_view column : reading_columns()) names.emplace_back(column);
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
