// scan.cpp: the best measure as a function of beta, and its position relative to the potential.
#include <cmath>
#include <limits>
#include <mutex>

#include "core/parallel.h"
#include "landscape/measures.h"
#include "murmur/error.h"
#include "murmur/landscape.h"

namespace murmur {

namespace {

Landscape landscape_at(Landscape l, double beta) {
  l.beta = beta;
  return l;
}

ScanPoint point_of(const Landscape& l, const CriticalPoint& best) {
  ScanPoint p{.beta = l.beta, .best = best, .scale = energy_scale(l)};
  p.where = localise(l, p.best.mu);
  if (p.where.extrema.empty()) p.angle = std::numeric_limits<double>::quiet_NaN();
  if (l.a.empty()) p.active_mass = p.all_active_mass = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < p.best.mu.count(); ++i) {
    const double mass = p.best.mu.mass[i];
    p.angle += mass * p.where.places[i].angle;
    if (p.where.places[i].active > 0) p.active_mass += mass;
    if (p.where.places[i].active == l.a.rows) p.all_active_mass += mass;
  }
  return p;
}

}  // namespace

std::vector<ScanPoint> scan_beta(const Landscape& l, std::span<const double> betas,
                                 const SearchSettings& settings) {
  return *scan_beta(l, betas, settings, {});
}

std::optional<std::vector<ScanPoint>> scan_beta(const Landscape& l, std::span<const double> betas,
                                                const SearchSettings& settings,
                                                const SearchWatch<CriticalPoint>& watch) {
  if (settings.masses == Masses::equal)
    throw Error(Fault::input, "the best measure has masses of its own", "masses",
                "give free masses");
  SearchSettings alone = settings;
  alone.threads = 1;
  const int count = static_cast<int>(betas.size());
  std::vector<std::optional<CriticalPoint>> known = watch.known;
  known.resize(count);
  std::mutex keeping;
  for_blocks(count, settings.threads, [&](int k) {
    const int longest_first = count - 1 - k;  // atoms, and with them the work, grow with beta
    if (known[longest_first] || watch.stopped()) return;
    const CriticalPoint best = landscape::best_point(landscape_at(l, betas[longest_first]), alone,
                                                     [&] { return watch.stopped(); });
    if (watch.stopped()) return;  // it may have left early
    const std::lock_guard lock(keeping);
    known[longest_first] = best;
    if (watch.ended) watch.ended(longest_first, best);
  });
  std::vector<ScanPoint> points;
  for (int k = 0; k < count; ++k) {
    if (!known[k] || watch.stopped()) return std::nullopt;
    points.push_back(point_of(landscape_at(l, betas[k]), *known[k]));
  }
  return points;
}

}  // namespace murmur
