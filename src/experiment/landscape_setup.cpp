// landscape_setup.cpp: searches of a landscape: their parameters, the run that stores them, and its
// files.
#include "experiment/landscape_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiment/config.h"
#include "experiment/flow_record.h"
#include "experiment/matrices.h"
#include "experiment/rows.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/landscape.h"
#include "murmur/stop.h"
#include "run/describe.h"

namespace murmur {

// --- Parameters.

namespace codec {

template <>
const std::vector<std::string>& names_of<Landscape::Kernel>() {
  static const std::vector<std::string> names = {"plain", "scaled"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Masses>() {
  static const std::vector<std::string> names = {"equal", "free"};
  return names;
}

}  // namespace codec

namespace {

// The settings of a search, with one field for each parameter.
struct LandscapeSpec {
  std::string name = "landscape";
  int d = 3, n = 64;
  std::optional<Range> betas{};
  Landscape::Kernel kernel = Landscape::plain;
  DynamicsSpec dynamics{};
  Masses masses = Masses::equal;
  int starts = 100;
  double tolerance = 1e-8;
  RandomKey random{};
  int threads = 0;
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<LandscapeSpec>) {
  using S = LandscapeSpec;
  using D = DynamicsSpec;
  v(&S::name, "name", "first part of the name of the run directory", {.form = Form::run_name});
  v(&S::d, "d", "dimension; tokens live on the unit sphere of R^d", {.least = 2, .greatest = 1000});
  v(&S::n, "n", "tokens of mass 1/n; with free masses, at the start",
    {.least = 1, .greatest = 1'000'000});
  v(&S::dynamics, &D::beta, "beta", "inverse temperature of attention",
    {.values = "above 0, to 700; 1e6 with kernel=scaled", .least = 0, .above = true});
  v(&S::betas, "betas", "the best measure with free masses at each of these betas",
    {.values = "none, or FROM:TO:POINTS", .empty = "none"});
  v(&S::kernel, "kernel", "e^{beta x.y}, or e^{beta (x.y - 1)}");
  v(&S::dynamics, &D::query, "query",
    "query matrix Q: scores are beta <Q x, K y>, values D y with D = Q^T K, symmetric",
    {.values = "identity, minus-identity, goe, wigner, psd, matrix:a,b;c,d;..., FILE.npy",
     .greatest = MatrixChoice::psd});
  v(&S::dynamics, &D::key, "key", "key matrix K; psd and minus-identity make D < 0",
    {.values = "as query", .greatest = MatrixChoice::psd});
  v(&S::dynamics, &D::direction, "direction",
    "tokens climb the energy and attract, or descend it and repel");
  v(&S::dynamics, &D::perceptron, "perceptron",
    "feed-forward units in gradient form, whose potential joins the energy",
    {.values = "none, gradient:M, FILE.safetensors, NAME_*.npy"});
  v(&S::dynamics, &D::activation, "activation", "activation of the perceptron");
  v(&S::masses, "masses", "tokens of mass 1/n, or atoms whose masses move too");
  v(&S::starts, "starts", "number of starts of a search", {.least = 1, .greatest = 1'000'000});
  v(&S::tolerance, "tolerance", "largest gap of a certificate, as a share of the stake",
    {.values = "1e-14 to 1"});
  v(&S::random, &RandomKey::seed, "seed", "seed of starts and of a random perceptron",
    {.least = 0, .greatest = kMostWhole});
  v(&S::random, &RandomKey::replica, "replica", "which random perceptron of the seed",
    {.least = 0, .greatest = 4'294'967'295});
  v(&S::threads, "threads", "threads; results never depend on it",
    {.least = 1, .greatest = 4096, .zero = "all"});
}

}  // namespace

template <>
std::span<const Row<LandscapeSpec>> rows_of<LandscapeSpec>() {
  static const std::vector<Row<LandscapeSpec>> rows = make_rows<LandscapeSpec>();
  return rows;
}

std::span<const Parameter> landscape_parameters() { return parameters_in<LandscapeSpec>(); }

namespace {

// Returns values with a constant ratio.
std::vector<double> betas_in(const Range& range) {
  std::vector<double> betas;
  for (int k = 0; k < range.points; ++k)
    betas.push_back(k == range.points - 1
                        ? range.to
                        : range.from * std::pow(range.to / range.from, k / (range.points - 1.0)));
  return betas;
}

// A scan finds one measure with free masses per beta: settings that contradict this are refused.
void refuse_beside_scan(const Settings& settings) {
  if (is_typed(settings, "beta"))
    refuse(settings, "beta", "betas is given too", "give only one of the two");
  if (is_typed(settings, "starts"))
    refuse(settings, "starts", "a scan starts once at each beta", "remove starts");
  if (is_given(settings, "masses") && setting(settings, "masses").text == "equal")
    refuse(settings, "masses", "the best measure needs free masses",
           "use masses=free, or search beta by beta");
}

// (h, d + 1) rows a_m and omega_m.
Array units_of(const Landscape& l) {
  std::vector<double> rows;
  for (int m = 0; m < l.a.rows; ++m) {
    for (int k = 0; k < l.d; ++k) rows.push_back(l.a(m, k));
    rows.push_back(l.omega[m]);
  }
  Array units = array_of(std::move(rows));
  units.shape = {static_cast<std::size_t>(l.a.rows), static_cast<std::size_t>(l.d) + 1};
  return units;
}

// The kernel is that of a clock of USA.
Landscape landscape_in(const LandscapeSpec& spec, const Settings& settings, Record& inputs) {
  DynamicsSpec forces = spec.dynamics;
  forces.interaction = Interaction::USA;
  forces.value.kind = MatrixChoice::query_key;
  forces.clock = spec.kernel == Landscape::scaled ? Clock::u2 : Clock::u1;
  RandomKey random;
  if (is_random(forces.perceptron) || is_random(forces.query) || is_random(forces.key))
    random = spec.random;
  const Dynamics dynamics = unchecked_dynamics({forces, random, 1, settings}, {1, spec.d}, inputs);
  const Landscape l = landscape_of(dynamics, spec.d);
  if (!l.a.empty()) inputs["units"] = units_of(l);
  return l;
}

}  // namespace

LandscapeSetup make_landscape(const Settings& words) {
  LandscapeSpec spec = read_spec<LandscapeSpec>(words);
  Settings settings = words;
  LandscapeSetup s;
  if (spec.betas) {
    refuse_beside_scan(words);
    s.betas = betas_in(*spec.betas);
    spec.masses = Masses::free;
    settings["masses"].text = "free";
  }
  if (!(spec.tolerance >= 1e-14 && spec.tolerance <= 1))
    refuse(settings, "tolerance", "is not from 1e-14 to 1", "use tolerance=1e-8");
  s.name = spec.name;
  s.landscape = landscape_in(spec, settings, s.inputs);
  if (spec.betas) s.landscape.beta = s.betas.back();
  energy_scale(s.landscape);  // throws unless the landscape is valid
  s.search = {.masses = spec.masses,
              .n = spec.n,
              .starts = spec.starts,
              .seed = spec.random.seed,
              .certify = {.tolerance = spec.tolerance},
              .threads = spec.threads};
  for (const char* key : {"query", "key"})
    if (s.inputs.count(key) != 0) settings[key].text = fmt::format("inputs/{}.npy", key);
  if (s.inputs.count("perceptron_in") != 0) settings["perceptron"].text = "inputs/perceptron_*.npy";
  s.config = config_of(landscape_parameters(), settings);
  return s;
}

// --- The run.

namespace {

constexpr std::int64_t kUnknown = -1;  // instead of a size: not searched yet

[[noreturn]] void refuse_checkpoint() {
  throw Error(Fault::input, "the checkpoint belongs to another landscape", "checkpoint.safetensors",
              "delete it to start again from the first search");
}

// The results, one item per start or beta, as two arrays: the sizes of the items, and their
// numbers.
class Packed {
 public:
  std::vector<std::int64_t> sizes{};
  std::vector<double> numbers{};

  void add_unknown() { sizes.push_back(kUnknown); }
  void add(const std::vector<double>& item) {
    sizes.push_back(static_cast<std::int64_t>(item.size()));
    numbers.insert(numbers.end(), item.begin(), item.end());
  }
  Record record() const { return {{"sizes", array_of(sizes)}, {"numbers", array_of(numbers)}}; }
};

// Reads the numbers of an item one after another.
class Unpacked {
 public:
  explicit Unpacked(std::span<const double> numbers) : left_(numbers) {}
  bool empty() const { return left_.empty(); }
  double number() { return take(1)[0]; }
  int whole() {
    const double value = number();
    if (!(value >= 0 && value < 0x1p31) || value != std::floor(value)) refuse_checkpoint();
    return static_cast<int>(value);
  }
  Vector vector(int size) {
    const auto taken = take(size);
    return {taken.begin(), taken.end()};
  }
  Matrix matrix(int rows, int cols) {
    const auto taken = take(static_cast<std::int64_t>(rows) * cols);
    return {rows, cols, {taken.begin(), taken.end()}};
  }

 private:
  std::span<const double> take(std::int64_t count) {
    if (count < 0 || static_cast<std::size_t>(count) > left_.size()) refuse_checkpoint();
    const auto taken = left_.first(static_cast<std::size_t>(count));
    left_ = left_.subspan(static_cast<std::size_t>(count));
    return taken;
  }
  std::span<const double> left_;
};

void put(std::vector<double>& item, std::span<const double> values) {
  item.insert(item.end(), values.begin(), values.end());
}

// count, d, masses, coordinates.
std::vector<double> packed(const Atoms& mu) {
  std::vector<double> item = {static_cast<double>(mu.count()), static_cast<double>(mu.x.cols)};
  put(item, mu.mass);
  put(item, mu.x.data);
  return item;
}

// Whether these are atoms on the sphere in d dimensions with masses of sum 1. A search that found
// nothing has no atoms.
bool is_measure(const Atoms& mu, int d) {
  if (mu.count() == 0) return mu.mass.empty();
  if (mu.x.cols != d || mu.mass.size() != static_cast<std::size_t>(mu.count())) return false;
  double total = 0;
  for (int i = 0; i < mu.count(); ++i) {
    double square = 0;
    for (int k = 0; k < d; ++k) square += mu.x(i, k) * mu.x(i, k);
    if (!(std::fabs(square - 1) < 1e-6) || !(mu.mass[i] >= 0)) return false;
    total += mu.mass[i];
  }
  return std::fabs(total - 1) < 1e-6;
}

bool unpack(Unpacked from, int dimension, Atoms& mu) {
  const int count = from.whole(), d = from.whole();
  mu.mass = from.vector(count);
  mu.x = from.matrix(count, d);
  if (!is_measure(mu, dimension)) refuse_checkpoint();
  return true;
}

// The order in a checkpoint: numbers, the sizes of arrays, arrays, and the numbers that earlier
// versions lack. All other described fields follow, each with its size in front.
constexpr std::string_view kNumbers[] = {
    "energy",         "gradient_norm", "balance",      "index",  "zeros",
    "expected_zeros", "edges",         "second_order", "found",  "gap",
    "gap_bound",      "exhaustive",    "certified",    "refuted"};
constexpr std::string_view kLater[] = {"above_uniform", "stake",  "tolerance",        "rounding",
                                       "shortfall",     "reason", "moved_by_symmetry"};

std::vector<std::string_view> further_keys() {
  described::NumbersByKey all = numbers_of(CriticalPoint{});
  for (const std::string_view key : kNumbers) all.erase(key);
  for (const std::string_view key : kLater) all.erase(key);
  for (const char* key : {"spectrum", "masses", "atoms"}) all.erase(key);
  std::vector<std::string_view> keys;
  for (const auto& [key, numbers] : all) keys.push_back(key);
  return keys;
}

std::vector<double> packed(const CriticalPoint& p) {
  const described::NumbersByKey numbers = numbers_of(p);
  std::vector<double> item;
  for (const std::string_view key : kNumbers) put(item, numbers.at(key));
  for (const std::size_t size : {p.spectrum.size(), static_cast<std::size_t>(p.splitting.rows),
                                 static_cast<std::size_t>(p.splitting.cols), p.mu.mass.size(),
                                 static_cast<std::size_t>(p.mu.x.cols)})
    item.push_back(static_cast<double>(size));
  put(item, p.spectrum);
  put(item, p.splitting.data);
  put(item, p.mu.mass);
  put(item, p.mu.x.data);
  for (const std::string_view key : kLater) put(item, numbers.at(key));
  for (const std::string_view key : further_keys()) {
    item.push_back(static_cast<double>(numbers.at(key).size()));
    put(item, numbers.at(key));
  }
  return item;
}

// Returns false if the point was stored by an older version and must be computed again.
bool unpack(Unpacked from, int dimension, CriticalPoint& p) {
  described::NumbersByKey numbers;
  for (const std::string_view key : kNumbers) numbers[key] = from.vector(1);
  const int spectrum = from.whole(), rows = from.whole(), cols = from.whole();
  const int count = from.whole(), d = from.whole();
  numbers["spectrum"] = from.vector(spectrum);
  p.splitting = from.matrix(rows, cols);
  numbers["masses"] = from.vector(count);
  p.mu.x = from.matrix(count, d);
  numbers["atoms"] = p.mu.x.data;
  if (from.empty()) return false;
  for (const std::string_view key : kLater) numbers[key] = from.vector(1);
  for (const std::string_view key : further_keys()) {
    if (from.empty()) return false;
    numbers[key] = from.vector(from.whole());
  }
  if (!set_numbers(numbers, p) || !is_measure(p.mu, dimension)) refuse_checkpoint();
  return true;
}

template <typename Found>
Record record_of(const std::vector<std::optional<Found>>& known) {
  Packed all;
  for (const auto& found : known) found ? all.add(packed(*found)) : all.add_unknown();
  return all.record();
}

template <typename Found>
std::vector<std::optional<Found>> known_of(const Run& run, int d, std::size_t units) {
  std::vector<std::optional<Found>> known(units);
  if (!run.last_checkpoint()) return known;
  const Record& record = *run.last_checkpoint();
  const auto numbers = record.find("numbers");  // absent while nothing is known
  const auto* sizes = std::get_if<std::vector<std::int64_t>>(&entry(record, "sizes").values);
  if (sizes == nullptr || sizes->size() != units || numbers == record.end()) refuse_checkpoint();
  const std::vector<double> all = numbers->second.doubles();
  std::size_t at = 0;
  for (std::size_t k = 0; k < units; ++k) {
    if ((*sizes)[k] < 0) continue;
    const auto size = static_cast<std::size_t>((*sizes)[k]);
    if (size > all.size() - at) refuse_checkpoint();
    if (!unpack(Unpacked({all.data() + at, size}), d, known[k].emplace())) known[k].reset();
    at += size;
  }
  return known;
}

// Searches and scans share this: units of work, with a checkpoint after each.
template <typename Found, typename Look>
auto run_units(Run& run, const ProcessControl& control, const char* what, int d, std::size_t count,
               const Look& look) -> decltype(look(SearchWatch<Found>{})) {
  const StopScope stop(control.signal);
  RecordedProcess process(run, control, what);
  return process.guarded([&] {
    SearchWatch<Found> watch{.known = known_of<Found>(run, d, count)};
    UnitProgress units(control, what);
    for (const auto& found : watch.known) units.add(1, found.has_value());
    units.tell();
    std::vector<std::optional<Found>> known = watch.known;
    watch.stop = [&] { return control.stopped(); };
    watch.ended = [&](int unit, const Found& found) {
      known[static_cast<std::size_t>(unit)] = found;
      units.end();
      units.tell();
      process.keep(units.done(), [&] { return record_of(known); });
    };
    decltype(look(watch)) found;
    const bool whole = finishes([&] { found = look(watch); });
    process.save(units.done(), record_of(known));
    if (!whole && !control.stopped()) throw Stopped();
    if (!found) run.close("interrupted", {{what, units.done()}}, "");
    return found;
  });
}

}  // namespace

std::optional<Search> search_landscape(const LandscapeSetup& s, Run& run,
                                       const ProcessControl& control) {
  return run_units<SearchEnd>(run, control, "starts", s.landscape.d,
                              static_cast<std::size_t>(s.search.starts),
                              [&](const SearchWatch<SearchEnd>& watch) {
                                return critical_points(s.landscape, s.search, watch);
                              });
}

std::optional<std::vector<ScanPoint>> scan_landscape(const LandscapeSetup& s, Run& run,
                                                     const ProcessControl& control) {
  return run_units<CriticalPoint>(run, control, "betas", s.landscape.d, s.betas.size(),
                                  [&](const SearchWatch<CriticalPoint>& watch) {
                                    return scan_beta(s.landscape, s.betas, s.search, watch);
                                  });
}

// --- Files.

namespace {

using nlohmann::json;

// Reads `found`, which is or contains the critical point `point`.
template <class Found>
void read_point(const KeptJson& kept, int d, Found& found, const CriticalPoint& point) {
  read_fields(kept, static_cast<std::size_t>(d), found);
  if (point.mu.mass.size() != static_cast<std::size_t>(point.mu.count()))
    kept.at("masses").refuse("is not one number per atom");
}

// Returns the claim of a certificate: about all measures ("energy"), or about small changes of this
// one.
const char* claim_of(const Landscape& l) { return certifies_energy(l) ? "energy" : "local"; }

// Adds D, and the best energy of all measures if it is known; adds nothing without a matrix.
void add_matrix(const Landscape& l, json& object) {
  if (l.matrix.empty()) return;
  object["matrix"] = described::value_json<json>(l.matrix);
  const std::optional<KnownBest> best = known_best(l);
  if (best)
    object["best"] = {{"energy", best->energy},
                      {"atoms", described::value_json<json>(best->mu.x)},
                      {"masses", best->mu.mass}};
}

}  // namespace

json json_of(const Landscape& l, const Search& search) {
  json points = json::array();
  for (const CriticalPoint& point : search.points) {
    const Localisation where = localise(l, point.mu);
    json& object = points.emplace_back(json::object());
    write_fields(point, object);
    write_fields(where, object);
    if (!l.a.empty()) object["places"] = described::value_json<json>(where.places);
  }
  json object = {{"scale", energy_scale(l)},
                 {"claim", claim_of(l)},
                 {"lost", search.lost},
                 {"points", points}};
  add_matrix(l, object);
  return object;
}

Search search_of(const KeptJson& kept, int d) {
  Search search{.lost = kept.at("lost").small_whole()};
  for (const KeptJson& object : kept.at("points").list()) {
    CriticalPoint& point = search.points.emplace_back();
    read_point(object, d, point, point);
  }
  return search;
}

json json_of(const Landscape& l, std::span<const ScanPoint> scan) {
  json points = json::array();
  for (const ScanPoint& p : scan) {
    json& object = points.emplace_back(json::object());
    write_fields(p, object);
    if (!l.a.empty()) object["places"] = described::value_json<json>(p.where.places);
  }
  return {{"claim", claim_of(l)}, {"points", points}};
}

std::vector<ScanPoint> scan_of(const KeptJson& kept, int d) {
  std::vector<ScanPoint> scan;
  for (const KeptJson& object : kept.at("points").list()) {
    ScanPoint& point = scan.emplace_back();
    read_point(object, d, point, point.best);
  }
  if (scan.empty()) kept.at("points").refuse("is empty");
  return scan;
}

std::string csv_of(std::span<const ScanPoint> scan) {
  constexpr std::array<std::string_view, 22> kColumns = {
      "beta",      "atoms",       "heaviest",        "energy",           "scale", "gap",
      "gap_bound", "certified",   "second_order",    "gradient_norm",    "crowd", "crowd_bound",
      "angle",     "active_mass", "all_active_mass", "above_uniform",    "stake", "tolerance",
      "rounding",  "answer",      "reason",          "moved_by_symmetry"};
  std::string csv = joined(kColumns, ",") + "\n";
  for (const ScanPoint& p : scan) csv += csv_line(p, kColumns);
  return csv;
}

}  // namespace murmur
