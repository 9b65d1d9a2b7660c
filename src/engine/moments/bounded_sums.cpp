// bounded_sums.cpp: blocks of targets by the series; the rest by cells or pairs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/buffer.h"
#include "core/parallel.h"
#include "engine/moments/direct_sums.h"
#include "engine/moments/head_sums.h"
#include "engine/moments/sums.h"

namespace murmur::moments {

namespace {

constexpr int kListed = 1 << 20;  // targets of one request

// Measured (bench/results/moments.md), nanoseconds of one core: a function at a source, a function
// at a target with means, the same for targets of different lengths, and a pair.
constexpr double kUpRate = 0.22, kDownRate = 0.44, kVaryingRate = 0.62;
// By transforms: a particle, spread and summed; a cell of the grid, both ways; and a function at a
// node of its degree, p^3 of them.
constexpr double kTransformRate = 260, kCellRate = 60, kNodeRate = 3;
// The same on the circle.
constexpr double kCircleRate = 85, kCircleCellRate = 150;
constexpr double kPairRate[] = {0.9, 0.9, 0.9, 1.0, 1.1};  // by d up to 4, more beyond

double pair_rate(int d) { return d <= 4 ? kPairRate[d] : 0.25 * d; }

// Returns the number of functions of degree at most p: half of the sum of the dimensions.
double count_functions(int d, int p) {
  double sum = 0;
  for (int l = 0; l <= p; ++l) sum += dimension(d, l);
  return 0.5 * (sum + p + 1);
}

constexpr double kLeastCut = 5e-15;  // rounding is larger anyway

double cells_rate(const SumsSetup& setup, double sources, double targets) {
  return cells_cost({.sources = sources,
                     .targets = targets,
                     .d = setup.shape.d,
                     .sphere = setup.sphere,
                     .exponent = setup.reach,
                     .tolerance = setup.tolerance});
}

// Returns a tenth of the tolerance for a uniform swarm, where e^{|u|} / Z is 1 / A_0(|u|).
double cut_of(const SumsSetup& setup) {
  const double uniform = exponential_series(setup.shape.d, setup.reach, 1).a[0];
  return std::fmax(kLeastCut, std::fmin(setup.cut, 0.1 * setup.tolerance * uniform));
}

constexpr double kWorthASeries = 1024;  // the fewest targets for a series of higher degree

// Returns whether a series with this remainder and this allowance for rounding, in units of 2^-53,
// has small enough bounds for a uniform swarm.
bool is_accurate_enough(const SumsSetup& setup, double cut, double roundings) {
  const double uniform = exponential_series(setup.shape.d, setup.reach, 1).a[0];
  return setup.way || 2 * (cut + roundings * 0x1p-53) <= setup.tolerance * uniform;
}

// Returns the cut plus the expected error of a window, which is wide enough for an error of at most
// the cut or 1e-13: half of that, as a rule.
double with_window_error(double cut) { return cut + 0.5 * std::fmax(cut, 1e-13); }

// One thread's targets and results.
struct Scratch {
  simd::Buffer<double> values;
  std::vector<int> rows;
};
Scratch& thread_scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

// Targets (d, stride) and results in one array.
struct Table {
  Table(double* at, int d, std::size_t stride)
      : u(at), result{at + d * stride, at + (d + 1) * stride,     at + (d + 2) * stride,
                      stride,          at + (2 * d + 2) * stride, at + (2 * d + 3) * stride} {}
  static std::size_t size(int d, std::size_t stride) { return (2 * d + 4) * stride; }
  double* u;
  SumsResult result;
};

SumsResult rows_from(const SumsResult& r, int first) {
  return {r.weight + first, r.shift + first,        r.mean + first,
          r.stride,         r.weight_bound + first, r.mean_bound + first};
}

}  // namespace

std::vector<WayCost> ways_of(const SumsSetup& setup) {
  const auto [n, d] = setup.shape;
  std::vector<WayCost> ways;
  if (setup.sphere && d <= kMostCoordinates) {
    const int p = degree_for(d, setup.reach, cut_of(setup), kMostHarmonicDegree[d - 2]);
    const auto remainder = [&, d = d] {
      return exponential_series(d, setup.reach, p + 1).beyond[p];
    };
    if (p != kNoDegree &&
        is_accurate_enough(setup, remainder(), 4 * (p + 8) + longest_harmonic_sum())) {
      const double down = setup.length ? kDownRate : kVaryingRate;
      ways.push_back(
          {Way::harmonics,
           n * (kUpRate * count_functions(d, p + 1) + down * (d + 1) / 4 * count_functions(d, p)),
           p});
    }
  }
  if (setup.sphere && d == 3 && setup.length) {
    const int p = degree_for(d, *setup.length, cut_of(setup), kMostTransformDegree);
    if (p != kNoDegree &&
        is_accurate_enough(setup, with_window_error(cut_of(setup)), 4 * (p + 8) + 584))
      ways.push_back(
          {Way::transform, kTransformRate * n + kCellRate * 16 * p * p + kNodeRate * p * p * p, p});
  }
  if (setup.sphere && d == 2 && setup.length) {
    const int p = degree_for(d, *setup.length, cut_of(setup), kMostCircleDegree);
    if (p != kNoDegree &&
        is_accurate_enough(setup, with_window_error(cut_of(setup)), 4 * (p + 8) + 552))
      ways.push_back({Way::transform, kCircleRate * n + kCircleCellRate * 4 * (p + 2), p});
  }
  const double pairs = pair_rate(d) * n * n;
  ways.push_back({Way::pairs, pairs, 0});
  ways.push_back({Way::cells, cells_rate(setup, n, n), 0});
  std::stable_sort(ways.begin(), ways.end(), [](const WayCost& a, const WayCost& b) {
    return a.nanoseconds < b.nanoseconds;
  });
  return ways;
}

const HarmonicSums& SharedMoments::sums(int d, int degree) {
  const auto at = sums_.find({d, degree});
  if (at != sums_.end()) return at->second;
  return sums_.emplace(std::pair(d, degree), HarmonicSums(d, degree)).first->second;
}

const HarmonicMoments& SharedMoments::moments(const HostSwarm& x, int degree,
                                              const SumsSetup& setup) {
  const auto at = moments_.find(degree);
  if (at != moments_.end()) return at->second;
  return moments_.emplace(degree, sums(x.d(), degree).moments_of(x, setup.threads, setup.ranks))
      .first->second;
}

const TransformSums& SharedMoments::transform(double rho, double cut) {
  const auto at = transforms_.find({rho, cut});
  if (at != transforms_.end()) return at->second;
  return transforms_.emplace(std::pair(rho, cut), TransformSums(rho, cut)).first->second;
}

const CircleTransform& SharedMoments::circle(double rho, double cut) {
  const auto at = circles_.find({rho, cut});
  if (at != circles_.end()) return at->second;
  return circles_.emplace(std::pair(rho, cut), CircleTransform(rho, cut)).first->second;
}

BoundedSums::BoundedSums(const SumsSetup& setup) : setup_(setup), ways_(ways_of(setup)) {
  if (!setup.way) return;
  const auto wanted = std::find_if(ways_.begin(), ways_.end(),
                                   [&](const WayCost& cost) { return cost.way == *setup.way; });
  if (wanted != ways_.end()) std::rotate(ways_.begin(), wanted, wanted + 1);
}

struct BoundedSums::Work {
  const HostSwarm& x;
  const HostSwarm* sources;  // of sums pair by pair or by cells: x, or those of all ranks
  SharedMoments& shared;
  const Fill& fill;
  const Done& done;
  SumsCounts counts{};
};

BoundedSums::Evaluation BoundedSums::prepare_series(Work& work, const WayCost& way) const {
  if (way.way == Way::transform && work.x.d() == 2) {
    const CircleTransform& sums = work.shared.circle(*setup_.length, cut_of(setup_));
    const auto series = std::make_shared<CircleTransform::Series>(
        sums.series_of(work.x, setup_.threads, setup_.ranks, setup_.mean));
    return {kCirclePoints, [&sums, series](const Targets& u, const SumsResult& out) {
              sums.evaluate(*series, u, out);
            }};
  }
  if (way.way == Way::transform) {
    const TransformSums& sums = work.shared.transform(*setup_.length, cut_of(setup_));
    const auto series = std::make_shared<TransformSums::Series>(
        sums.series_of(work.x, setup_.threads, setup_.ranks, setup_.mean));
    return {kTransformPoints, [&sums, series](const Targets& u, const SumsResult& out) {
              sums.evaluate(*series, u, out);
            }};
  }
  const HarmonicSums& sums = work.shared.sums(work.x.d(), way.degree);
  const auto series = std::make_shared<HarmonicSums::Series>(
      sums.series_of(work.shared.moments(work.x, way.degree, setup_), setup_.length, setup_.mean));
  return {kPoints, [&sums, series](const Targets& u, const SumsResult& out) {
            sums.evaluate(*series, u, out);
          }};
}

// Sums at the given targets (none: 0 .. n - 1). Returns those whose bounds are too large, in order.
std::vector<int> BoundedSums::sum_by_series(Work& work, const Evaluation& series, int n,
                                            std::span<const int> given) const {
  const int d = work.x.d(), most = series.block;
  std::map<int, std::vector<int>> left;  // by block
  std::mutex lock;
  for_blocks((n + most - 1) / most, setup_.threads, [&](int block) {
    Scratch& scratch = thread_scratch();
    const int first = block * most, count = std::min(most, n - first);
    const Table table(scratch.values.need(Table::size(d, most)), d, most);
    scratch.rows.resize(count);
    std::iota(scratch.rows.begin(), scratch.rows.end(), first);
    const std::span<const int> here = given.empty() ? scratch.rows : given.subspan(first, count);
    work.fill(here, table.u, most);
    SumsResult r = table.result;
    if (!setup_.mean) r.mean = r.mean_bound = nullptr;
    series.at({table.u, static_cast<std::size_t>(most), count, d}, r);
    // Consecutive targets within the tolerance are done; the others are returned.
    std::vector<int> failed;
    const auto accurate = [&](int i) {
      return (setup_.mean ? std::fmax(r.mean_bound[i], r.weight_bound[i]) : r.weight_bound[i]) <=
             setup_.tolerance;
    };
    for (int i = 0; i < count;) {
      int end = i;
      while (end < count && accurate(end)) ++end;
      if (end > i) work.done(here.subspan(i, end - i), rows_from(r, i));
      if (end < count) failed.push_back(here[end]);
      i = end + 1;
    }
    if (failed.empty()) return;
    const std::lock_guard hold(lock);
    left.emplace(block, std::move(failed));
  });
  std::vector<int> all;
  for (const auto& [block, failed] : left) all.insert(all.end(), failed.begin(), failed.end());
  return all;
}

// Returns the number of rows of all ranks together, so that all ranks decide the same.
double BoundedSums::count_on_all_ranks(std::span<const int> rows) const {
  Fixed count[] = {static_cast<Fixed>(rows.size())};
  if (setup_.ranks != nullptr) setup_.ranks->sum(count);
  return static_cast<double>(count[0]);
}

// The last bits depend on the cells, and the cells on the targets of a request. So every rank sums
// the targets of all ranks, and keeps its own.
void BoundedSums::sum_by_shared_cells(Work& work, std::span<const int> rows) const {
  const int d = work.x.d();
  const std::size_t own = rows.size();
  std::vector<double> u(d * own);
  work.fill(rows, u.data(), own);
  std::vector<std::vector<double>> all;  // (d) axes of the targets of all ranks
  std::size_t begin = 0;
  for (int k = 0; k < d; ++k)
    all.push_back(setup_.ranks->gathered({u.data() + k * own, own}, begin));
  for (std::size_t first = 0; first < all[0].size(); first += kListed) {
    const std::size_t count = std::min<std::size_t>(kListed, all[0].size() - first);
    std::vector<double> values(Table::size(d, count));
    const Table table(values.data(), d, count);
    for (int k = 0; k < d; ++k) std::copy_n(&all[k][first], count, table.u + k * count);
    SumsResult r = table.result;
    if (!setup_.mean) r.mean = r.mean_bound = nullptr;
    cell_sums({.x = *work.sources,
               .u = {table.u, count, static_cast<int>(count), d},
               .tolerance = setup_.tolerance,
               .threads = setup_.threads,
               .mean = setup_.mean},
              r);
    const std::size_t from_row = std::max(first, begin),
                      to_row = std::min(first + count, begin + own);
    if (from_row < to_row)
      work.done(rows.subspan(from_row - begin, to_row - from_row),
                rows_from(r, static_cast<int>(from_row - first)));
  }
  work.counts.cells += static_cast<std::int64_t>(own);
}

void BoundedSums::sum_listed(Work& work, std::span<const int> rows) const {
  const double listed = count_on_all_ranks(rows);
  if (listed == 0) return;
  const bool forced = setup_.way && ways_.front().way == *setup_.way;
  const bool cells = forced && *setup_.way == Way::cells ? true
                     : forced && *setup_.way == Way::pairs
                         ? false
                         : cells_rate(setup_, work.sources->n(), listed) <
                               pair_rate(work.x.d()) * work.sources->n() * listed;
  const int d = work.x.d();
  if (cells && work.sources != &work.x) return sum_by_shared_cells(work, rows);
  for (std::size_t first = 0; first < rows.size(); first += kListed) {
    const std::span<const int> here =
        rows.subspan(first, std::min<std::size_t>(kListed, rows.size() - first));
    const int count = static_cast<int>(here.size());
    std::vector<double> values(Table::size(d, count));
    const Table table(values.data(), d, count);
    for_blocks((count + kPoints - 1) / kPoints, setup_.threads, [&](int block) {
      const int at = block * kPoints;
      work.fill(here.subspan(at, std::min(kPoints, count - at)), table.u + at, count);
    });
    SumsResult r = table.result;
    if (!setup_.mean) r.mean = r.mean_bound = nullptr;
    const SumsRequest request{.x = *work.sources,
                              .u = {table.u, static_cast<std::size_t>(count), count, d},
                              .tolerance = setup_.tolerance,
                              .threads = setup_.threads,
                              .mean = setup_.mean};
    if (cells) {
      cell_sums(request, r);
      work.counts.cells += count;
    } else {
      direct_sums(request, r);
      work.counts.direct += count;
    }
    for_blocks((count + kPoints - 1) / kPoints, setup_.threads, [&](int block) {
      const int at = block * kPoints;
      work.done(here.subspan(at, std::min(kPoints, count - at)), rows_from(r, at));
    });
  }
}

SumsCounts BoundedSums::evaluate(const HostSwarm& x, int n, SharedMoments& shared, const Fill& fill,
                                 const Done& done) const {
  Work work{x, &x, shared, fill, done};
  std::vector<int> rows;
  const WayCost& first = ways_.front();
  if (first.way == Way::harmonics || first.way == Way::transform) {
    work.counts.degree = first.degree;
    rows = sum_by_series(work, prepare_series(work, first), n, {});
    if (cut_of(setup_) > 2 * kLeastCut && count_on_all_ranks(rows) >= kWorthASeries) {
      SumsSetup finer = setup_;
      finer.cut = 0;  // becomes kLeastCut
      finer.way = first.way;
      const BoundedSums again(finer);
      if (again.ways().front().way == first.way) {
        work.counts.degree = again.ways().front().degree;
        rows = again.sum_by_series(work, again.prepare_series(work, again.ways().front()),
                                   static_cast<int>(rows.size()), rows);
      }
    }
  } else {
    rows.resize(n);
    std::iota(rows.begin(), rows.end(), 0);
  }
  if (setup_.ranks != nullptr) work.sources = &setup_.ranks->everybody(x, !rows.empty());
  sum_listed(work, rows);
  return work.counts;
}

}  // namespace murmur::moments
