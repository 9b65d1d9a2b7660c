// certify.cpp: bounds the first variation over the whole sphere by branch and bound.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <queue>

#include "landscape/system.h"
#include "murmur/stop.h"

namespace murmur {

namespace landscape {

namespace {

// A part of the sphere: on the circle an arc u +- w; on S^2 the square (u +- w, v +- w) of a face
// of the cube, seen from the centre. `min` is a lower bound of sign F in it.
struct Cell {
  int face = 0;
  double u = 0, v = 0, w = 0;
  double min = -std::numeric_limits<double>::infinity();
  bool operator<(const Cell& other) const { return min > other.min; }  // a heap's top is worst
};

VectorXd point(int face, double u, double v) {
  VectorXd x(3);
  x[face / 2] = face % 2 == 0 ? 1 : -1;
  x[(face / 2 + 1) % 3] = u;
  x[(face / 2 + 2) % 3] = v;
  return x.normalized();
}

VectorXd centre(const Cell& cell, int d) {
  if (d == 3) return point(cell.face, cell.u, cell.v);
  return Eigen::Vector2d(std::cos(cell.u), std::sin(cell.u));
}

// The geodesic radius about the centre that holds the cell.
double radius(const Cell& cell, const VectorXd& x) {
  if (x.size() == 2) return cell.w;
  double farthest = 0;
  for (const double du : {-cell.w, cell.w})
    for (const double dv : {-cell.w, cell.w})
      farthest = std::max(farthest, (point(cell.face, cell.u + du, cell.v + dv) - x).norm());
  return 2 * std::asin(std::min(1.0, farthest / 2)) * (1 + 1e-14);
}

std::vector<Cell> first_cells(int d) {
  std::vector<Cell> cells;
  for (int k = 0; k < 64 && d == 2; ++k)
    cells.push_back({.u = 2 * std::numbers::pi * k / 64, .w = std::numbers::pi / 64 * (1 + 1e-14)});
  for (int face = 0; face < 6 && d == 3; ++face) cells.push_back({.face = face, .w = 1});
  return cells;
}

std::vector<Cell> halves(const Cell& cell, int d) {
  const double w = cell.w / 2;
  if (d == 2) return {{.u = cell.u - w, .w = w}, {.u = cell.u + w, .w = w}};
  std::vector<Cell> cells;
  for (const double du : {-w, w})
    for (const double dv : {-w, w}) cells.push_back({cell.face, cell.u + du, cell.v + dv, w});
  return cells;
}

struct Bounded {
  double min;  // lower bound of sign F
  std::int64_t cells = 0;
};

// The cell of the lowest bound is split first, until no bound is below best - slack.
Bounded bounded(const Terrain& terrain, const Cloud& mu, Bounded best, double slack) {
  const int d = terrain.d();
  std::priority_queue<Cell> open;
  Bounded result{best.min};
  const auto look = [&](Cell cell) {
    const VectorXd x = centre(cell, d);
    const Floor floor = terrain.floor_near(mu, x, radius(cell, x));
    cell.min = floor.min;
    result.min = std::min(result.min, floor.value);
    ++result.cells;
    open.push(cell);
  };
  for (const Cell& cell : first_cells(d)) look(cell);
  while (open.top().min < result.min - slack && result.cells < best.cells) {
    stop_point();
    const Cell worst = open.top();
    open.pop();
    for (const Cell& cell : halves(worst, d)) look(cell);
  }
  result.min = std::min(result.min, open.top().min);
  return result;
}

// How much better than mu the best of all measures is where E is not convex in the right direction:
// the best pair energy (best_pairs) at the best V. Beside both D and units these may lie apart, and
// then no measure is better by more.
double shortfall(const Terrain& terrain, const Cloud& mu) {
  const Cloud nothing{mu.x.leftCols(0), mu.m.head(0)};
  double v = terrain.units() > 0 ? terrain.potential(valleys(terrain, nothing).front()) : 0;
  for (int i = 0; i < mu.count() && terrain.units() > 0; ++i)
    v -= mu.m[i] * terrain.potential(mu.x.col(i));
  const double pairs = mu.m.dot(terrain.kernels(mu.x) * mu.m);
  return -terrain.sign() * ((best_pairs(terrain).mean_kernel - pairs) / (2 * terrain.beta()) + v);
}

// Under descent with D > 0 the best measure is one, so rotations that fix every unit and commute
// with D leave it as it is; atoms that such rotations move are not its atoms.
bool is_moved_by_symmetry(const Terrain& terrain, const Cloud& mu) {
  if (!terrain.is_convex() || !(terrain.least_score() > 1e-9 * terrain.score_norm())) return false;
  for (const MatrixXd& free : terrain.symmetric_spaces())  // (d, c)
    if (free.cols() >= 2 && (free.transpose() * mu.x).colwise().norm().maxCoeff() > 1e-6)
      return true;
  return false;
}

// The answer, of all that was found.
void decide(const Terrain& terrain, const Cloud& mu, const Told& above, Certificate& c) {
  const auto refuted = [&](Certificate::Reason reason) {
    c.fails = true;
    c.reason = reason;
  };
  if (terrain.sign() * above.value > above.rounding) return refuted(Certificate::Reason::uniform);
  if (c.duality_gap - c.rounding > c.tolerance) return refuted(Certificate::Reason::gap);
  const bool level = c.exhaustive && c.bound <= c.tolerance;
  // Where E is convex the bound of the gap says all. Elsewhere a saddle may have no gap.
  if (level && !terrain.is_convex() && !describe(terrain, mu, 0).second_order)
    return refuted(Certificate::Reason::unstable);
  c.holds = level;
  if (c.duality_gap + c.rounding > c.tolerance)
    c.reason = Certificate::Reason::precision;
  else if (!c.exhaustive)
    c.reason = Certificate::Reason::samples;
  else if (!level)
    c.reason = Certificate::Reason::cells;
}

}  // namespace

Certificate certify(const Terrain& terrain, const Cloud& mu, const CertifySettings& settings) {
  Certificate certificate;
  const Told above = above_uniform(terrain, mu);
  certificate.stake = stake(terrain, above);
  certificate.tolerance = settings.tolerance * certificate.stake;
  certificate.rounding = gap_rounding(terrain, mu);
  certificate.moved_by_symmetry = is_moved_by_symmetry(terrain, mu);
  if (!terrain.is_convex()) certificate.shortfall = shortfall(terrain, mu);
  const std::vector<VectorXd> found = valleys(terrain, mu);
  const VectorXd& best = found.front();
  const double min = terrain.sign() * terrain.value(mu, best);
  const double mean = terrain.sign() * mu.m.dot(terrain.values(mu));
  certificate.duality_gap = mean - min;
  certificate.best.assign(best.data(), best.data() + best.size());
  if (terrain.d() <= 3) {
    // Neither a gap above the tolerance nor one of rounding need be known to the last digit.
    const double slack =
        std::max({certificate.tolerance, certificate.rounding, 1e-3 * certificate.duality_gap}) / 4;
    const Bounded rest = bounded(terrain, mu, {min, settings.most_cells}, slack);
    certificate.cells = rest.cells;
    certificate.bound = mean - rest.min + certificate.rounding;
    certificate.exhaustive = true;
  }
  decide(terrain, mu, above, certificate);
  return certificate;
}

}  // namespace landscape

Certificate certify(const Landscape& l, const Atoms& mu, const CertifySettings& settings) {
  return landscape::certify(landscape::Terrain(l), landscape::cloud_of(l, mu), settings);
}

const char* answer_of(const Certificate& c) {
  return c.holds ? "certified" : c.fails ? "refuted" : "open";
}

const char* name_of(Certificate::Reason reason) {
  switch (reason) {
    case Certificate::Reason::none:
      return "";
    case Certificate::Reason::gap:
      return "gap";
    case Certificate::Reason::uniform:
      return "uniform";
    case Certificate::Reason::unstable:
      return "unstable";
    case Certificate::Reason::precision:
      return "rounding";
    case Certificate::Reason::cells:
      return "cells";
    case Certificate::Reason::samples:
      return "samples";
  }
  return "";
}

}  // namespace murmur
