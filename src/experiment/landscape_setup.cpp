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

std::span<const Parameter> landscape_parameters() {
  using P = Parameter;
  static constexpr Parameter table[] = {
      {P::word, "name", "landscape", "a word", "first part of the name of the run directory"},
      {P::whole, "d", "3", "2 or more", "dimension; tokens live on the unit sphere of R^d"},
      {P::whole, "n", "64", "1 or more", "tokens of mass 1/n; with free masses, at the start"},
      {P::number, "beta", "4", "above 0, to 700; 1e6 with kernel=scaled",
       "inverse temperature of attention"},
      {P::word, "betas", "none", "none, or FROM:TO:POINTS",
       "the best measure with free masses at each of these betas"},
      {P::word, "kernel", "plain", "plain, scaled", "e^{beta x.y}, or e^{beta (x.y - 1)}"},
      {P::word, "query", "identity",
       "identity, minus-identity, goe, wigner, psd, matrix:a,b;c,d;..., FILE.npy",
       "query matrix Q: scores are beta <Q x, K y>, values D y with D = Q^T K, symmetric"},
      {P::word, "key", "identity", "as query", "key matrix K; psd and minus-identity make D < 0"},
      {P::word, "direction", "ascent", "ascent, descent",
       "tokens climb the energy and attract, or descend it and repel"},
      {P::word, "perceptron", "none", "none, gradient:M, FILE.safetensors, NAME_*.npy",
       "feed-forward units in gradient form, whose potential joins the energy"},
      {P::word, "activation", "relu", "relu, gelu, tanh", "activation of the perceptron"},
      {P::word, "masses", "equal", "equal, free",
       "tokens of mass 1/n, or atoms whose masses move too"},
      {P::whole, "starts", "100", "1 or more", "number of starts of a search"},
      {P::number, "tolerance", "1e-8", "1e-14 to 1",
       "largest gap of a certificate, as a share of the stake"},
      {P::whole, "seed", "0", "0 or more", "seed of starts and of a random perceptron"},
      {P::whole, "replica", "0", "0 or more", "which random perceptron of the seed"},
      {P::word, "threads", "all", "all, or 1 or more", "threads; results never depend on it"},
  };
  return table;
}

namespace {

// Returns values with a constant ratio; empty for none.
std::vector<double> betas_of(const Settings& settings) {
  const std::optional<Range> range = range_of(settings, "betas", 10'000);
  std::vector<double> betas;
  for (int k = 0; range && k < range->points; ++k)
    betas.push_back(k == range->points - 1 ? range->to
                                           : range->from * std::pow(range->to / range->from,
                                                                    k / (range->points - 1.0)));
  return betas;
}

// A scan finds one measure with free masses per beta: settings that contradict this are refused.
Settings for_scan(Settings settings) {
  if (is_typed(settings, "beta"))
    refuse(settings, "beta", "betas is given too", "give only one of the two");
  if (is_typed(settings, "starts"))
    refuse(settings, "starts", "a scan starts once at each beta", "remove starts");
  if (is_given(settings, "masses") && setting(settings, "masses").text == "equal")
    refuse(settings, "masses", "the best measure needs free masses",
           "use masses=free, or search beta by beta");
  settings["masses"].text = "free";
  return settings;
}

// The settings that a landscape shares with simulate; its kernel is that of a clock of USA.
DynamicsSpec forces_of(const Settings& settings) {
  positive(settings, "beta");
  const bool scaled = choice(settings, "kernel", {"plain", "scaled"}) == 1;
  DynamicsSpec spec = dynamics_spec_of(settings);
  spec.interaction = Interaction::USA;
  spec.value.kind = MatrixChoice::query_key;
  spec.clock = scaled ? Clock::u2 : Clock::u1;
  return spec;
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

Landscape landscape_in(const Settings& settings, Record& inputs) {
  const int d = static_cast<int>(whole(settings, "d", 2, 1000));
  const DynamicsSpec spec = forces_of(settings);
  RandomKey random;
  if (is_random(spec.perceptron) || is_random(spec.query) || is_random(spec.key))
    random = {seed_of(settings), replica_of(settings)};
  const Dynamics dynamics = unchecked_dynamics({spec, random, 1, settings}, {1, d}, inputs);
  const Landscape l = landscape_of(dynamics, d);
  if (!l.a.empty()) inputs["units"] = units_of(l);
  return l;
}

}  // namespace

LandscapeSetup make_landscape(const Settings& words) {
  LandscapeSetup s;
  s.betas = betas_of(words);
  Settings settings = s.betas.empty() ? words : for_scan(words);
  s.name = run_name(settings);
  s.landscape = landscape_in(settings, s.inputs);
  if (!s.betas.empty()) s.landscape.beta = s.betas.back();
  energy_scale(s.landscape);  // throws unless the landscape is valid
  SearchSettings& search = s.search;
  search.masses = choice(settings, "masses", {"equal", "free"}) == 1 ? Masses::free : Masses::equal;
  search.n = static_cast<int>(whole(settings, "n", 1, 1'000'000));
  search.starts = static_cast<int>(whole(settings, "starts", 1, 1'000'000));
  search.seed = seed_of(settings);
  search.certify.tolerance = number(settings, "tolerance");
  if (!(search.certify.tolerance >= 1e-14 && search.certify.tolerance <= 1))
    refuse(settings, "tolerance", "is not from 1e-14 to 1", "use tolerance=1e-8");
  if (setting(settings, "threads").text != "all")
    search.threads = static_cast<int>(whole(settings, "threads", 1, 4096));
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
  int whole() { return static_cast<int>(number()); }
  Vector vector(int size) {
    const auto taken = take(size);
    return {taken.begin(), taken.end()};
  }
  Matrix matrix(int rows, int cols) {
    Matrix m = zeros(rows, cols);
    m.data = vector(rows * cols);
    return m;
  }

 private:
  std::span<const double> take(int count) {
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

bool unpack(Unpacked from, Atoms& mu) {
  const int count = from.whole(), d = from.whole();
  mu.mass = from.vector(count);
  mu.x = from.matrix(count, d);
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
bool unpack(Unpacked from, CriticalPoint& p) {
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
  if (!set_numbers(numbers, p)) refuse_checkpoint();
  return true;
}

template <typename Found>
Record record_of(const std::vector<std::optional<Found>>& known) {
  Packed all;
  for (const auto& found : known) found ? all.add(packed(*found)) : all.add_unknown();
  return all.record();
}

template <typename Found>
std::vector<std::optional<Found>> known_of(const Run& run, std::size_t units) {
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
    if (!unpack(Unpacked({all.data() + at, size}), known[k].emplace())) known[k].reset();
    at += size;
  }
  return known;
}

// Searches and scans share this: units of work, with a checkpoint after each.
template <typename Found, typename Look>
auto run_units(Run& run, const ProcessControl& control, const char* what, std::size_t count,
               const Look& look) -> decltype(look(SearchWatch<Found>{})) {
  const StopScope stop(control.signal);
  RecordedProcess process(run, control, what);
  return process.guarded([&] {
    SearchWatch<Found> watch{.known = known_of<Found>(run, count)};
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
  return run_units<SearchEnd>(run, control, "starts", static_cast<std::size_t>(s.search.starts),
                              [&](const SearchWatch<SearchEnd>& watch) {
                                return critical_points(s.landscape, s.search, watch);
                              });
}

std::optional<std::vector<ScanPoint>> scan_landscape(const LandscapeSetup& s, Run& run,
                                                     const ProcessControl& control) {
  return run_units<CriticalPoint>(run, control, "betas", s.betas.size(),
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
