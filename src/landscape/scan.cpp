// scan.cpp: the best measure as a function of beta, and positions of atoms relative to the
// potential.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include "core/parallel.h"
#include "landscape/system.h"
#include "murmur/error.h"
#include "murmur/landscape.h"

namespace murmur {

namespace {

using landscape::Cloud;

double angle_between(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  return 2 * std::asin(std::min(1.0, (x - y).norm() / 2));
}

// Returns the greatest mass of two or more atoms in an arc of that length.
double arc_mass_of(const Cloud& mu, double arc) {
  std::vector<std::pair<double, double>> atoms;
  for (int i = 0; i < mu.count(); ++i)
    atoms.emplace_back(std::atan2(mu.x(1, i), mu.x(0, i)), mu.m[i]);
  std::sort(atoms.begin(), atoms.end());
  double most = 0;
  const std::size_t n = atoms.size();
  for (std::size_t i = 0; i < n; ++i) {
    double mass = atoms[i].second;
    for (std::size_t step = 1; step < n; ++step) {
      const auto& [angle, m] = atoms[(i + step) % n];
      const double ahead = angle - atoms[i].first + (i + step >= n ? 2 * std::numbers::pi : 0);
      if (ahead > arc) break;
      mass += m;
      most = std::max(most, mass);
    }
  }
  return most;
}

}  // namespace

double arc_mass_bound(const Landscape& l) {
  const landscape::Terrain terrain(l);
  // All three terms are divided by e^beta (2601.21366).
  const double units = 2 * (terrain.curvature() - terrain.most_kernel()) / terrain.most_kernel();
  const double near = 2 * std::exp(-1.5), far = 0.375 * std::exp(-0.125);
  return (near + units) / (near + far);
}

Localisation localise(const Landscape& l, const Atoms& mu) {
  const landscape::Terrain terrain(l);
  const Cloud cloud = landscape::cloud_of(l, mu);
  Localisation result;
  result.heaviest = cloud.m.maxCoeff();
  result.arc_mass = result.arc_mass_bound = std::numeric_limits<double>::quiet_NaN();
  if (l.d == 2) result.arc_mass = arc_mass_of(cloud, 1 / (2 * std::sqrt(l.beta)));
  if (l.d == 2 && l.direction == Landscape::descent && !terrain.has_matrix())
    result.arc_mass_bound = arc_mass_bound(l);
  std::vector<Eigen::VectorXd> extrema;
  const Cloud nothing{cloud.x.leftCols(0), cloud.m.head(0)};
  if (terrain.units() > 0) extrema = landscape::local_minima(terrain, nothing);
  const auto flat = [&](const Eigen::VectorXd& x) {  // for example where no unit is active
    const Eigen::MatrixXd second = terrain.sign() * terrain.local(nothing, x).second;
    return landscape::spectrum_of(second).values[0] <= 1e-9 * terrain.scale();
  };
  extrema.erase(std::remove_if(extrema.begin(), extrema.end(), flat), extrema.end());
  for (const Eigen::VectorXd& x : extrema)
    result.extrema.emplace_back(x.data(), x.data() + x.size());
  for (int i = 0; i < cloud.count(); ++i) {
    const Eigen::VectorXd x = cloud.x.col(i);
    Place place;
    place.angle = place.unit_angle = std::numeric_limits<double>::quiet_NaN();
    for (const Eigen::VectorXd& y : extrema)
      place.angle = std::fmin(place.angle, angle_between(x, y));
    for (int m = 0; m < terrain.units(); ++m) {
      const Eigen::VectorXd a = Eigen::Map<const Eigen::VectorXd>(&l.a.data[m * l.d], l.d);
      if (a.dot(x) > 1e-9 * a.norm()) ++place.active;
      if (a.norm() > 0)
        place.unit_angle = std::fmin(place.unit_angle, angle_between(x, a.normalized()));
    }
    result.places.push_back(place);
  }
  return result;
}

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
    throw Error(Fault::input, "the best measure needs free masses", "masses", "use masses=free");
  SearchSettings alone = settings;
  alone.threads = 1;
  const int count = static_cast<int>(betas.size());
  std::vector<std::optional<CriticalPoint>> known = watch.known;
  known.resize(count);
  std::mutex keeping;
  for_blocks(count, settings.threads, [&](int k) {
    const int longest_first = count - 1 - k;  // the number of atoms and the work grow with beta
    if (known[longest_first] || watch.stopped()) return;
    const CriticalPoint best = landscape::best_point(landscape_at(l, betas[longest_first]), alone,
                                                     [&] { return watch.stopped(); });
    if (watch.stopped()) return;  // it may not have converged
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
