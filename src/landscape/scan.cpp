// scan.cpp: the best measure as a function of beta, and its position relative to the potential.
#include <cmath>
#include <limits>
#include <mutex>

#include "core/parallel.h"
#include "murmur/error.h"
#include "murmur/landscape.h"

namespace murmur {

namespace {

ScanPoint point_at(Landscape l, double beta, const SearchSettings& settings) {
  l.beta = beta;
  ScanPoint p{.beta = beta, .best = best_measure(l, settings), .scale = energy_scale(l)};
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
  if (settings.masses == Masses::equal)
    throw Error(Fault::input, "the best measure has masses of its own", "masses",
                "give free masses");
  SearchSettings alone = settings;
  alone.threads = 1;
  const int count = static_cast<int>(betas.size());
  std::vector<ScanPoint> points(count);
  std::mutex telling;
  int done = 0;
  for_blocks(count, settings.threads, [&](int k) {
    const int longest_first = count - 1 - k;  // atoms, and with them the work, grow with beta
    points[longest_first] = point_at(l, betas[longest_first], alone);
    const std::lock_guard lock(telling);
    if (settings.tell) settings.tell(++done);
  });
  return points;
}

}  // namespace murmur
