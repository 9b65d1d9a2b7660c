// certify.cpp: describes a critical point (spectrum, index) and certifies or refutes that it is
// optimal.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <queue>

#include "landscape/system.h"
#include "murmur/stop.h"

namespace murmur {

namespace landscape {

// --- The best of all measures in closed form, where the energy is not convex.

// Ascent. Write D = A - B with A, B >= 0 its positive and negative part. The kernel is
//   e^{beta <x, D y>} = e^{beta <x, A y>} (cosh - sinh)(beta <x, B y>),
// a difference of two positive definite kernels; without the second, mean k is at most
//   max_x e^{beta <x, A x>} cosh(beta <x, B x>),
// since K(x, y)^2 <= K(x, x) K(y, y). With s the part of |x|^2 in the range of B its logarithm is
// at most beta l+ (1 - s) + ln cosh(beta l- s), convex in s, so its maximum is at s = 0 or s = 1:
// e^{beta l+} or cosh(beta l-). The Dirac at an eigenvector of l+ attains the first; half a Dirac
// at an eigenvector of -l- and half at its negative attain the second. Descent. By Jensen mean k >=
// e^{beta <m, D m>}, m the mean of mu, |m| <= 1: at least e^{-beta l-}, which the Dirac at an
// eigenvector of -l- attains.
BestPairs best_pairs(const Terrain& terrain) {
  const double low = terrain.least_score(), high = terrain.most_score();
  const auto pair = [&](double s) { return (terrain.kernel(s) + terrain.kernel(-s)) / 2; };
  BestPairs best;
  const bool descent = terrain.sign() > 0;
  best.antipodal = !descent && low < 0 && pair(low) > terrain.kernel(high);
  const bool at_low = descent || best.antipodal;
  best.mean_kernel = best.antipodal ? pair(low) : terrain.kernel(at_low ? low : high);
  if (!terrain.has_matrix() || terrain.is_convex()) return best;
  best.axis = (at_low ? terrain.eigenspaces().front() : terrain.eigenspaces().back()).col(0);
  double other = terrain.kernel(at_low ? high : low);
  if (best.antipodal) other = low * high < 0 ? pair(0) : pair(high);
  best.range = std::fabs(best.mean_kernel - other) / (2 * terrain.beta());
  // A multiple of the identity has no axes.
  if (terrain.eigenspaces().size() == 1) best.range = 0;
  return best;
}

}  // namespace landscape

bool certifies_energy(const Landscape& l) { return landscape::Terrain(l).is_convex(); }

std::optional<KnownBest> known_best(const Landscape& l) {
  const landscape::Terrain terrain(l);
  if (terrain.units() > 0 || terrain.is_convex()) return std::nullopt;
  const landscape::BestPairs best = landscape::best_pairs(terrain);
  KnownBest known{.energy = best.mean_kernel / (2 * terrain.beta())};
  landscape::Cloud mu{Eigen::MatrixXd::Zero(l.d, 1), Eigen::VectorXd::Ones(1)};
  mu.x(0, 0) = 1;  // without a matrix: any point
  if (terrain.has_matrix()) mu.x.col(0) = best.axis;
  if (best.antipodal) {
    mu.x.conservativeResize(Eigen::NoChange, 2);
    mu.x.col(1) = -mu.x.col(0);
    mu.m = Eigen::VectorXd::Constant(2, 0.5);
  }
  known.mu = landscape::atoms_of(mu);
  return known;
}

namespace landscape {

// --- Spectrum, index, zeros and second-order conditions of a critical point.

namespace {

// An eigenvalue counts as zero below this share of the largest one, or of the terms whose
// difference it is.
constexpr double kZero = 1e-10, kRounding = 1e-14;
constexpr double kReached = 1e-6;  // singular value above which atoms span a dimension

// Dimension of the orbit under rotations that fix every a_m and commute with D: those of the c
// dimensions orthogonal to all a_m, of which the atoms span r: c(c-1)/2 - (c-r)(c-r-1)/2, added
// over the eigenspaces of D; c = d without a perceptron and a matrix.
int rotations(const Terrain& terrain, const Cloud& mu) {
  int all = 0;
  for (const MatrixXd& free : terrain.symmetric_spaces()) {  // (d, c)
    const auto c = static_cast<int>(free.cols());
    int r = 0;
    if (c > 0) {
      for (const double size : singular_values_of(free.transpose() * mu.x))
        r += size > kReached ? 1 : 0;
    }
    all += c * (c - 1) / 2 - (c - r) * (c - r - 1) / 2;
  }
  return all;
}

// Rounding error of second derivatives relative to their terms, which with a matrix are beta |D|^2
// k and larger.
double rounding_of(const Terrain& terrain, const Cloud& mu) {
  if (!terrain.has_matrix()) return kRounding;
  return terrain.pair_rounding(mu.count()) * (1 + terrain.beta() * terrain.score_norm());
}

}  // namespace

// Tokens of equal mass that share an atom may separate. Such displacements, with sum 0 within the
// atom, have the eigenvalues of the second derivative of F, each with multiplicity (tokens - 1).
// The eigenvalues of whole atoms may be smaller by e^beta, so each kind has its own threshold for
// zero.
CriticalPoint describe(const Terrain& terrain, const Cloud& mu, int n) {
  const System system = system_of(terrain, mu, n == 0);
  CriticalPoint point{.mu = atoms_of(mu),
                      .energy = terrain.energy(mu),
                      .above_uniform = above_uniform(terrain, mu).value,
                      .gradient_norm = system.residual / terrain.scale(),
                      .balance = system.balance};
  const double terms =
      n == 0 ? terrain.scale() : (1 + terrain.beta()) * terrain.term_lengths(mu).maxCoeff();
  const double rounding = rounding_of(terrain, mu);
  // Rounding error of the eigenvalues of a matrix of that size.
  const auto zero_of = [&](const VectorXd& values, double size) {
    const double largest = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0;
    return std::max(kZero * largest, rounding * size);
  };
  const auto is_unstable = [&](double value, double zero) {
    return -terrain.sign() * value > zero;
  };
  const auto count = [&](const VectorXd& values, double zero, long times) {
    for (const double value : values) {
      point.spectrum.insert(point.spectrum.end(), times, value);
      if (std::fabs(value) <= zero) point.zeros += static_cast<int>(times);
      if (is_unstable(value, zero)) point.index += static_cast<int>(times);
    }
  };
  const auto least_is_unstable = [&](const MatrixXd& m, double size) {
    const VectorXd values = eigenvalues_of(m);
    const double zero = zero_of(values, size);
    return std::any_of(values.begin(), values.end(),
                       [&](double v) { return is_unstable(v, zero); });
  };
  const VectorXd whole = eigenvalues_of(system.matrix);
  count(whole, zero_of(whole, terms), 1);
  MatrixXd worst = system.matrix;
  bool out = false;  // an unstable direction, with the less stable side of every edge
  point.splitting = zeros(mu.count(), terrain.d() - 1);
  for (int i = 0, t = terrain.d() - 1; i < mu.count(); ++i) {
    const MatrixXd second = terrain.local(mu, mu.x.col(i)).second,
                   edge = terrain.worst_of_edges(mu.x.col(i));
    const VectorXd own = eigenvalues_of(second);
    const long more = n == 0 ? 0 : std::lround(n * mu.m[i]) - 1;
    for (int k = 0; k < own.size(); ++k) point.splitting(i, k) = own[k];
    count(own, zero_of(own, terrain.scale()), more);
    point.edges += static_cast<int>(terrain.edges_at(mu.x.col(i)).size());
    worst.block(i * t, i * t, t, t) += edge;
    if (n == 0 || more > 0) out = out || least_is_unstable(second + edge, terrain.scale());
  }
  std::sort(point.spectrum.begin(), point.spectrum.end());
  point.second_order = point.index == 0 && !out && !least_is_unstable(worst, terms);
  point.expected_zeros = rotations(terrain, mu);
  return point;
}

}  // namespace landscape

CriticalPoint describe(const Landscape& l, const Atoms& mu, int n) {
  return landscape::describe(landscape::Terrain(l), landscape::cloud_of(l, mu), n);
}

namespace landscape {

// --- Bounds of the first variation over the whole sphere by branch and bound.

namespace {

// A part of the sphere: on the circle an arc u +- w; on S^2 the square (u +- w, v +- w) of a face
// of the cube, seen from the centre. `min` is a lower bound of sign F in it.
struct Cell {
  int face = 0;
  double u = 0, v = 0, w = 0;
  double min = -std::numeric_limits<double>::infinity();
  bool operator<(const Cell& other) const {
    return min > other.min;
  }  // the top of a heap has the lowest bound
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

// Returns the geodesic radius of a disc about the centre that contains the cell.
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

// Splits the cell with the lowest bound first, until no bound is below best - slack.
Bounded bound_below(const Terrain& terrain, const Cloud& mu, Bounded best, double slack) {
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

// Returns by how much the best measure is better than mu if sign E is not convex: the best pair
// energy (best_pairs) plus the best V. With both D and units their optima may differ; then this is
// an upper bound.
double shortfall(const Terrain& terrain, const Cloud& mu) {
  const Cloud nothing{mu.x.leftCols(0), mu.m.head(0)};
  double v = terrain.units() > 0 ? terrain.potential(local_minima(terrain, nothing).front()) : 0;
  for (int i = 0; i < mu.count() && terrain.units() > 0; ++i)
    v -= mu.m[i] * terrain.potential(mu.x.col(i));
  const double pairs = mu.m.dot(terrain.kernels(mu.x) * mu.m);
  return -terrain.sign() * ((best_pairs(terrain).mean_kernel - pairs) / (2 * terrain.beta()) + v);
}

// Under descent with D > 0 the best measure is unique, so rotations that fix every unit and commute
// with D do not change it. Atoms that such rotations move are not its atoms.
bool is_moved_by_symmetry(const Terrain& terrain, const Cloud& mu) {
  if (!terrain.is_convex() || !(terrain.least_score() > 1e-9 * terrain.score_norm())) return false;
  for (const MatrixXd& free : terrain.symmetric_spaces())  // (d, c)
    if (free.cols() >= 2 && (free.transpose() * mu.x).colwise().norm().maxCoeff() > 1e-6)
      return true;
  return false;
}

// Sets the answer of the certificate.
void decide(const Terrain& terrain, const Cloud& mu, const Rounded& above, Certificate& c) {
  const auto refuted = [&](Certificate::Reason reason) {
    c.fails = true;
    c.reason = reason;
  };
  if (terrain.sign() * above.value > above.rounding) return refuted(Certificate::Reason::uniform);
  if (c.duality_gap - c.rounding > c.tolerance) return refuted(Certificate::Reason::gap);
  const bool level = c.exhaustive && c.bound <= c.tolerance;
  // If sign E is convex, the bound of the gap suffices. Otherwise a saddle may have no gap.
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
  const Rounded above = above_uniform(terrain, mu);
  certificate.stake = stake(terrain, above);
  certificate.tolerance = settings.tolerance * certificate.stake;
  certificate.rounding = gap_rounding(terrain, mu);
  certificate.moved_by_symmetry = is_moved_by_symmetry(terrain, mu);
  if (!terrain.is_convex()) certificate.shortfall = shortfall(terrain, mu);
  const std::vector<VectorXd> found = local_minima(terrain, mu);
  const VectorXd& best = found.front();
  const double min = terrain.sign() * terrain.value(mu, best);
  const double mean = terrain.sign() * mu.m.dot(terrain.values(mu));
  certificate.duality_gap = mean - min;
  certificate.best.assign(best.data(), best.data() + best.size());
  if (terrain.d() <= 3) {
    // A gap above the tolerance, or one of rounding size, is not needed to the last digit.
    const double slack =
        std::max({certificate.tolerance, certificate.rounding, 1e-3 * certificate.duality_gap}) / 4;
    const Bounded rest = bound_below(terrain, mu, {min, settings.most_cells}, slack);
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
