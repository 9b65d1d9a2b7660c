// landscape_run.cpp: a search of a landscape into a run, start by start, or a scan, beta by beta.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiment/flow_record.h"
#include "experiment/landscape_setup.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

constexpr std::int64_t kUnknown = -1;  // in place of a size: not searched yet

[[noreturn]] void refuse_checkpoint() {
  throw Error(Fault::input, "the checkpoint is of another landscape", "checkpoint.safetensors",
              "delete it to start again from the first search");
}

// What was found, one item a start or beta, as two arrays: how many numbers each takes, and those.
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

// One number after another of an item.
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

std::vector<double> packed(const CriticalPoint& p) {
  const Certificate& c = p.certificate;
  std::vector<double> item = {p.energy,
                              p.gradient_norm,
                              p.balance,
                              static_cast<double>(p.index),
                              static_cast<double>(p.zeros),
                              static_cast<double>(p.expected_zeros),
                              static_cast<double>(p.edges),
                              p.second_order ? 1.0 : 0.0,
                              static_cast<double>(p.found),
                              c.duality_gap,
                              c.bound,
                              c.exhaustive ? 1.0 : 0.0,
                              c.holds ? 1.0 : 0.0,
                              c.fails ? 1.0 : 0.0,
                              static_cast<double>(p.spectrum.size()),
                              static_cast<double>(p.splitting.rows),
                              static_cast<double>(p.splitting.cols),
                              static_cast<double>(p.mu.count()),
                              static_cast<double>(p.mu.x.cols)};
  put(item, p.spectrum);
  put(item, p.splitting.data);
  put(item, p.mu.mass);
  put(item, p.mu.x.data);
  put(item, std::array{p.above_uniform, c.stake, c.tolerance, c.rounding, c.shortfall,
                       static_cast<double>(c.reason), c.moved_by_symmetry ? 1.0 : 0.0});
  return item;
}

// False where the certificate is of the time before stakes: it is to be found again.
bool unpack(Unpacked from, CriticalPoint& p) {
  p.energy = from.number();
  p.gradient_norm = from.number();
  p.balance = from.number();
  p.index = from.whole();
  p.zeros = from.whole();
  p.expected_zeros = from.whole();
  p.edges = from.whole();
  p.second_order = from.number() != 0;
  p.found = from.whole();
  p.certificate.duality_gap = from.number();
  p.certificate.bound = from.number();
  p.certificate.exhaustive = from.number() != 0;
  p.certificate.holds = from.number() != 0;
  p.certificate.fails = from.number() != 0;
  const int spectrum = from.whole(), rows = from.whole(), cols = from.whole();
  const int count = from.whole(), d = from.whole();
  p.spectrum = from.vector(spectrum);
  p.splitting = from.matrix(rows, cols);
  p.mu.mass = from.vector(count);
  p.mu.x = from.matrix(count, d);
  if (from.empty()) return false;
  p.above_uniform = from.number();
  p.certificate.stake = from.number();
  p.certificate.tolerance = from.number();
  p.certificate.rounding = from.number();
  p.certificate.shortfall = from.number();
  const int reason = from.whole();
  if (reason < 0 || reason > static_cast<int>(Certificate::Reason::samples)) refuse_checkpoint();
  p.certificate.reason = static_cast<Certificate::Reason>(reason);
  p.certificate.moved_by_symmetry = from.number() != 0;
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
  const auto numbers = record.find("numbers");  // empty while nothing is known
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

// What searches and scans share: units of work, each a checkpoint away from being lost.
template <typename Found, typename Look>
auto look_for(Run& run, const ProcessControl& control, const char* what, std::size_t count,
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
  return look_for<SearchEnd>(run, control, "starts", static_cast<std::size_t>(s.search.starts),
                             [&](const SearchWatch<SearchEnd>& watch) {
                               return critical_points(s.landscape, s.search, watch);
                             });
}

std::optional<std::vector<ScanPoint>> scan_landscape(const LandscapeSetup& s, Run& run,
                                                     const ProcessControl& control) {
  return look_for<CriticalPoint>(run, control, "betas", s.betas.size(),
                                 [&](const SearchWatch<CriticalPoint>& watch) {
                                   return scan_beta(s.landscape, s.betas, s.search, watch);
                                 });
}

}  // namespace murmur
