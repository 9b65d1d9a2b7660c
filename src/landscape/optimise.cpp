// optimise.cpp: moves atoms and masses to critical points and to best measures.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "landscape/system.h"
#include "murmur/random.h"
#include "murmur/stop.h"

namespace murmur::landscape {

// --- Gradient and second derivative of the energy over all atoms at once.

namespace {

void add_masses(const Terrain& terrain, const Cloud& mu, const MatrixXd& k, const VectorXd& f,
                System& system) {
  const int n = mu.count(), t = terrain.d() - 1, moves = n * t;
  const VectorXd r = mu.m.cwiseSqrt();
  const double mean = mu.m.dot(f);
  system.mass_frame = frame(r);
  const MatrixXd& q = system.mass_frame;
  MatrixXd mixed(moves, n), scratch;
  const MatrixXd& from = terrain.sources(mu.x, scratch);
  MatrixXd own = 4 / terrain.beta() * (r * r.transpose()).cwiseProduct(k);
  for (int i = 0; i < n; ++i) {
    own(i, i) += 2 * (f[i] - mean);
    for (int j = 0; j < n; ++j)
      mixed.block(i * t, j, t, 1) =
          (i == j && !terrain.has_matrix() ? 0 : 2 * r[i] * r[j] * k(i, j)) *
          system.frames[i].transpose() * from.col(j);
  }
  system.gradient.conservativeResize(moves + n - 1);
  system.gradient.tail(n - 1) = q.transpose() * (2 * r.cwiseProduct((f.array() - mean).matrix()));
  MatrixXd all(moves + n - 1, moves + n - 1);
  all << system.matrix, mixed * q, (mixed * q).transpose(), q.transpose() * own * q;
  system.matrix = std::move(all);
  system.residual = std::max(system.residual, (f.array() - mean).abs().maxCoeff());
}

}  // namespace

System system_of(const Terrain& terrain, const Cloud& mu, bool free_masses) {
  const int n = mu.count(), d = terrain.d(), t = d - 1;
  const VectorXd r = mu.m.cwiseSqrt();
  const MatrixXd k = terrain.kernels(mu.x);
  VectorXd f;
  const MatrixXd slopes = terrain.slopes(mu, &f);
  System system;
  system.gradient.resize(n * t);
  system.matrix.resize(n * t, n * t);
  for (int i = 0; i < n; ++i) system.frames.push_back(frame(mu.x.col(i)));
  MatrixXd scratch;
  const MatrixXd& from = terrain.sources(mu.x, scratch);
  std::vector<MatrixXd> seen;
  for (int i = 0; i < n; ++i) seen.push_back(system.frames[i].transpose() * from);
  const auto block_of = [&](int i, int j) {
    return MatrixXd(r[i] * r[j] * k(i, j) *
                    (terrain.beta() * seen[i].col(j) * seen[j].col(i).transpose() +
                     terrain.scores_between(system.frames[i], system.frames[j])));
  };
  for (int i = 0; i < n; ++i) {
    system.gradient.segment(i * t, t) = r[i] * (system.frames[i].transpose() * slopes.col(i));
    for (int j = 0; j < i; ++j) {
      const MatrixXd block = block_of(i, j);
      system.matrix.block(i * t, j * t, t, t) = block;
      system.matrix.block(j * t, i * t, t, t) = block.transpose();
    }
    // Without a matrix m_i k(1) of the atom itself cancels between the two terms of its block.
    system.matrix.block(i * t, i * t, t, t) =
        terrain.has_matrix() ? MatrixXd(terrain.local(mu, mu.x.col(i)).second + block_of(i, i))
                             : terrain.local(mu, mu.x.col(i), i).second;
  }
  system.residual = slopes.colwise().norm().maxCoeff();
  const VectorXd lengths = terrain.term_lengths(mu);
  for (int i = 0; i < n; ++i) {
    const double slope = slopes.col(i).norm();
    const bool unseen = n > 1 && lengths[i] == 0;  // all terms underflow: the balance is unknown
    system.balance = std::max(system.balance, unseen ? 1 : slope > 0 ? slope / lengths[i] : 0);
  }
  if (free_masses && n > 1) add_masses(terrain, mu, k, f, system);
  return system;
}

Cloud move_atoms(const System& system, const Cloud& mu, const VectorXd& step, double most) {
  const int n = mu.count(), t = static_cast<int>(mu.x.rows()) - 1;
  const VectorXd r = mu.m.cwiseSqrt();
  double farthest = 0;
  for (int i = 0; i < n; ++i) farthest = std::max(farthest, step.segment(i * t, t).norm() / r[i]);
  const double share = farthest > most ? most / farthest : 1;
  Cloud next = mu;
  for (int i = 0; i < n; ++i)
    next.x.col(i) =
        exponential_map(mu.x.col(i), system.frames[i] * (share / r[i] * step.segment(i * t, t)));
  if (system.mass_frame.cols() > 0) {
    const VectorXd turned = (r + share * system.mass_frame * step.tail(n - 1)).normalized();
    next.m = turned.cwiseAbs2();
  }
  return next;
}

// --- Convergence to a critical point: trust regions for minima, Newton for any index.

namespace {

constexpr double kNoMass = 1e-13;  // lighter atoms are removed

// Returns tau such that p + tau q has length `radius`.
double to_boundary(const VectorXd& p, const VectorXd& q, double radius) {
  const double a = q.squaredNorm(), b = p.dot(q), c = p.squaredNorm() - radius * radius;
  return (-b + std::sqrt(std::max(0.0, b * b - a * c))) / a;
}

// Minimises g . p + p^t B p / 2 within the radius by conjugate gradients (Steihaug, SIAM J. Numer.
// Anal. 20, 1983).
VectorXd steihaug(const MatrixXd& b, const VectorXd& g, double radius) {
  VectorXd p = VectorXd::Zero(g.size()), residual = g, q = -g;
  const double goal = g.norm() * std::min(0.1, std::sqrt(g.norm() / (1e-300 + b.norm())));
  for (int k = 0; k < 2 * g.size() + 10; ++k) {
    const VectorXd bq = b * q;
    const double curvature = q.dot(bq), square = residual.squaredNorm();
    if (!(curvature > 1e-14 * b.norm() * q.squaredNorm())) return p + to_boundary(p, q, radius) * q;
    const double alpha = square / curvature;
    if ((p + alpha * q).norm() >= radius) return p + to_boundary(p, q, radius) * q;
    p += alpha * q;
    residual += alpha * bq;
    if (residual.norm() <= goal) break;
    q = -residual + residual.squaredNorm() / square * q;
  }
  return p;
}

}  // namespace

Cloud minimise(const Terrain& terrain, Cloud mu, bool free_masses, double gradient) {
  constexpr int kMostSteps = 300;
  double radius = 0.2;
  double energy = terrain.sign() * terrain.energy(mu);
  System system = system_of(terrain, mu, free_masses);
  for (int k = 0; k < kMostSteps && radius > 1e-12 && !terrain.stopped(); ++k) {
    if (system.residual <= gradient * terrain.scale()) break;
    const MatrixXd b = terrain.sign() * system.matrix;
    const VectorXd g = terrain.sign() * system.gradient;
    const VectorXd step = steihaug(b, g, radius);
    const double promised = -(g.dot(step) + step.dot(b * step) / 2);
    if (promised <= 1e-16 * terrain.scale()) break;  // below the rounding of energies
    const Cloud next = move_atoms(system, mu, step, 1);
    const double reached = terrain.sign() * terrain.energy(next),
                 ratio = (energy - reached) / promised;
    if (ratio < 0.25) radius = 0.25 * step.norm();
    if (ratio > 0.75 && step.norm() > 0.9 * radius) radius = std::min(1.0, 2 * radius);
    if (!(ratio > 1e-3)) continue;
    mu = free_masses ? without_light_atoms(next, kNoMass) : next;
    energy = terrain.sign() * terrain.energy(mu);
    system = system_of(terrain, mu, free_masses);
  }
  return mu;
}

//   step = -sum_k q_k (q_k . g) lambda_k / (lambda_k^2 + nu |g|^2)
bool polish(const Terrain& terrain, Cloud& mu, const PolishSettings& settings) {
  double nu = 1;
  mu = merge_atoms(mu, settings.merge);
  System system = system_of(terrain, mu, settings.free_masses);
  Spectrum spectrum = spectrum_of(system.matrix);
  const auto converged = [&] {
    return system.residual <= settings.gradient * terrain.scale() &&
           system.balance <= settings.balance;
  };
  for (int k = 0; k < settings.most_steps && nu < 1e20 && !terrain.stopped(); ++k) {
    if (converged()) return true;
    const VectorXd& lambda = spectrum.values;
    const double largest = lambda.cwiseAbs().maxCoeff(), square = system.gradient.squaredNorm();
    VectorXd along = spectrum.vectors.transpose() * system.gradient;
    for (int e = 0; e < along.size(); ++e)
      along[e] *= std::fabs(lambda[e]) <= 1e-14 * largest
                      ? 0
                      : -lambda[e] / (lambda[e] * lambda[e] + nu * square);
    Cloud next = move_atoms(system, mu, spectrum.vectors * along, 0.5);
    if (settings.free_masses) next = without_light_atoms(next, kNoMass);
    next = merge_atoms(next, settings.merge);
    System there = system_of(terrain, next, settings.free_masses);
    const bool fewer = next.count() < mu.count();
    if (!fewer && !(there.gradient.squaredNorm() < square) && !(there.residual < system.residual)) {
      nu = nu == 0 ? 1 : 10 * nu;
      continue;
    }
    nu = nu < 1e-8 ? 0 : 0.1 * nu;
    mu = std::move(next);
    system = std::move(there);
    spectrum = spectrum_of(system.matrix);
  }
  return converged();
}

// --- Local minima of sign F over the sphere.

namespace {

constexpr int kArcs = 1440, kSpiral = 2000, kStarts = 200;
constexpr double kApart = 1e-6;  // chord between distinct minima

// Returns the points that are lowest within three spacings: starts for descents.
std::vector<int> lowest_among_neighbours(const MatrixXd& x, const VectorXd& f) {
  const bool circle = x.rows() == 2;
  const double near = circle ? std::cos(7 * std::numbers::pi / kArcs) : 1 - 9 * 2.0 / kSpiral;
  std::vector<int> chosen;
  for (int i = 0; i < x.cols(); ++i) {
    bool lowest = true;
    for (int step = -3; step <= 3 && circle && lowest; ++step)
      lowest = f[i] <= f[(i + step + kArcs) % kArcs];
    for (int j = 0; j < x.cols() && !circle && lowest; ++j)
      lowest = f[j] >= f[i] || x.col(j).dot(x.col(i)) < near;
    if (lowest) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace

MatrixXd spread_points(int d) {
  MatrixXd x(d, d == 2 ? kArcs : d == 3 ? kSpiral : kStarts);
  for (int i = 0; i < x.cols(); ++i) {
    const double golden = std::numbers::pi * (3 - std::sqrt(5.0)), z = 1 - (2 * i + 1.0) / kSpiral;
    const double angle = d == 2 ? 2 * std::numbers::pi * i / kArcs : golden * i;
    if (d == 2) x.col(i) << std::cos(angle), std::sin(angle);
    if (d == 3)
      x.col(i) << std::sqrt(1 - z * z) * std::cos(angle), std::sqrt(1 - z * z) * std::sin(angle), z;
    const Draw draw{.stream = Stream::landscape, .particle = static_cast<std::uint32_t>(i)};
    for (int k = 0; k < d && d > 3; ++k) x(k, i) = draw.normal(static_cast<std::uint16_t>(k));
    x.col(i).normalize();
  }
  return x;
}

VectorXd descend_to_minimum(const Terrain& terrain, const Cloud& mu, VectorXd x) {
  for (int k = 0; k < 100; ++k) {
    stop_point();
    const Local here = terrain.local(mu, x);
    const MatrixXd t = frame(x);
    const VectorXd g = terrain.sign() * t.transpose() * here.gradient;
    if (g.norm() <= 1e-15 * terrain.scale()) break;
    const Spectrum spectrum = spectrum_of(terrain.sign() * here.second);
    VectorXd along = spectrum.vectors.transpose() * g;
    for (int e = 0; e < along.size(); ++e)
      along[e] /= -std::max(std::fabs(spectrum.values[e]), 1e-9 * terrain.scale());
    VectorXd step = spectrum.vectors * along;
    if (step.norm() > 0.3) step *= 0.3 / step.norm();
    double share = 1;
    VectorXd next = exponential_map(x, t * step);
    while (share > 1e-9 &&
           terrain.sign() * (terrain.value(mu, next) - here.value) > 1e-4 * share * g.dot(step)) {
      share /= 2;
      next = exponential_map(x, t * (share * step));
    }
    if (share <= 1e-9) {  // values are equal up to rounding, but gradients are not
      const Local there = terrain.local(mu, exponential_map(x, t * step));
      const VectorXd y = exponential_map(x, t * step);
      if (step.norm() > 1e-3 || !((frame(y).transpose() * there.gradient).norm() < 0.5 * g.norm()))
        break;
      next = y;
    }
    x = next;
  }
  return x;
}

std::vector<VectorXd> local_minima(const Terrain& terrain, const Cloud& mu) {
  const MatrixXd x = spread_points(terrain.d());
  std::vector<VectorXd> starts, found;
  if (terrain.d() <= 3) {
    VectorXd f(x.cols());
    for (int i = 0; i < x.cols(); ++i) {
      stop_point();
      f[i] = terrain.sign() * terrain.value(mu, x.col(i));
    }
    for (const int i : lowest_among_neighbours(x, f)) starts.emplace_back(x.col(i));
  } else {
    for (int i = 0; i < x.cols(); ++i) starts.emplace_back(x.col(i));
  }
  for (int i = 0; i < mu.count(); ++i) starts.emplace_back(mu.x.col(i));
  std::vector<std::pair<double, VectorXd>> ends;
  for (const VectorXd& start : starts) {
    const VectorXd end = descend_to_minimum(terrain, mu, start);
    ends.emplace_back(terrain.sign() * terrain.value(mu, end), end);
  }
  std::stable_sort(ends.begin(), ends.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [value, end] : ends)
    if (std::none_of(found.begin(), found.end(),
                     [&, e = &end](const VectorXd& y) { return (y - *e).norm() < kApart; }))
      found.push_back(end);
  return found;
}

// --- The best masses for fixed atoms: a quadratic program on the simplex.

namespace {

// Solves K m = level - V on the chosen atoms with sum m = 1. A small diagonal term separates equal
// atoms.
VectorXd level_masses(const MatrixXd& k, const VectorXd& v, const std::vector<int>& chosen) {
  const auto n = static_cast<int>(chosen.size());
  MatrixXd own(n, n);
  VectorXd lift(n);
  for (int i = 0; i < n; ++i) {
    lift[i] = -v[chosen[i]];
    for (int j = 0; j < n; ++j) own(i, j) = k(chosen[i], chosen[j]);
    own(i, i) += 1e-14 * k(0, 0);
  }
  const Eigen::LDLT<MatrixXd> solver(own);
  const VectorXd ones = solver.solve(VectorXd::Ones(n)), rest = solver.solve(lift);
  return rest + (1 - rest.sum()) / ones.sum() * ones;
}

// Finds the masses of the chosen atoms; atoms whose mass would be negative are removed one by one.
void solve_active(const MatrixXd& k, const VectorXd& v, std::vector<int>& chosen, VectorXd& m) {
  while (true) {
    stop_point();
    const VectorXd goal = level_masses(k, v, chosen);
    double share = 1;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (goal[i] <= 0) share = std::min(share, m[chosen[i]] / (m[chosen[i]] - goal[i] + 1e-300));
    for (std::size_t i = 0; i < chosen.size(); ++i)
      m[chosen[i]] += share * (goal[i] - m[chosen[i]]);
    if (share == 1 && goal.minCoeff() > 0) return;
    const std::size_t before = chosen.size();
    for (const int i : chosen)
      if (m[i] <= 1e-16) m[i] = 0;
    chosen.erase(std::remove_if(chosen.begin(), chosen.end(), [&](int i) { return m[i] == 0; }),
                 chosen.end());
    if (chosen.size() == before || chosen.size() == 1) return;
  }
}

}  // namespace

Cloud with_best_masses(const Terrain& terrain, const Cloud& mu) {
  const int n = mu.count();
  const MatrixXd k = terrain.kernels(mu.x) / terrain.beta();
  VectorXd v(n), m = VectorXd::Zero(n);
  for (int i = 0; i < n; ++i) v[i] = terrain.potential(mu.x.col(i));
  int first = 0;
  v.minCoeff(&first);
  std::vector<int> chosen = {first};
  m[first] = 1;
  for (int round = 0; round < 4 * n; ++round) {
    const VectorXd f = k * m + v;
    int lowest = -1;
    double min = m.dot(f) - 1e-14 * terrain.scale();
    for (int i = 0; i < n; ++i)
      if (m[i] == 0 && f[i] < min) min = f[lowest = i];
    if (lowest < 0) break;
    chosen.push_back(lowest);
    solve_active(k, v, chosen, m);
    if (m[lowest] == 0) break;  // it was chosen because of rounding only
  }
  Cloud result{MatrixXd(mu.x.rows(), chosen.size()), VectorXd(chosen.size())};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    result.x.col(i) = mu.x.col(chosen[i]);
    result.m[i] = std::max(m[chosen[i]], 1e-16);
  }
  result.m /= result.m.sum();
  return result;
}

// --- The best measure with free masses: conic particles, then sliding Frank-Wolfe.

namespace {

constexpr double kLightAtom =
    1e-9;  // mass below which an atom is removed; the certificate checks the result

Cloud with_atoms(const Cloud& mu, const std::vector<VectorXd>& more, double mass) {
  const auto n = mu.count(), extra = static_cast<int>(more.size());
  Cloud all{MatrixXd(mu.x.rows(), n + extra), VectorXd(n + extra)};
  all.x.leftCols(n) = mu.x;
  all.m.head(n) = (1 - mass) * mu.m;
  for (int k = 0; k < extra; ++k) all.x.col(n + k) = more[k];
  all.m.tail(extra).setConstant(extra > 0 ? mass / extra : 0);
  all.m /= all.m.sum();
  return all;
}

// Moves each atom to the local minimum of sign F in its basin, and merges atoms of one basin.
Cloud move_to_minima(const Terrain& terrain, const Cloud& mu) {
  Cloud next = mu;
  for (int i = 0; i < mu.count(); ++i) next.x.col(i) = descend_to_minimum(terrain, mu, mu.x.col(i));
  return merge_atoms(next, 1e-6);
}

double signed_energy(const Terrain& terrain, const Cloud& mu) {
  return terrain.sign() * terrain.energy(mu);
}

// Optimises masses and positions together; first only the masses if the energy is convex in them.
Cloud improve(const Terrain& terrain, const Cloud& mu) {
  const Cloud start = terrain.is_convex() ? with_best_masses(terrain, mu) : mu;
  return without_light_atoms(merge_atoms(minimise(terrain, start, true, 1e-9), 1e-6), kLightAtom);
}

// Keeps one atom for each local minimum if the energy is not worse.
Cloud simplify(const Terrain& terrain, const Cloud& mu) {
  const Cloud fewer = improve(terrain, move_to_minima(terrain, mu));
  const double slack = 1e-12 * terrain.scale();
  return fewer.count() < mu.count() &&
                 signed_energy(terrain, fewer) <= signed_energy(terrain, mu) + slack
             ? fewer
             : mu;
}

// Returns a quarter of the gap that can be certified, or of the rounding error of the gap.
double goal_at(const Terrain& terrain, const Cloud& mu, const SearchSettings& settings) {
  const double gap = settings.certify.tolerance * stake(terrain, above_uniform(terrain, mu));
  return std::max(gap, gap_rounding(terrain, mu)) / 4;
}

// Polishes mu, and then further if the values of F on the atoms still differ by more than the goal.
bool polish_below(const Terrain& terrain, Cloud& mu, PolishSettings settings, double goal) {
  if (!polish(terrain, mu, settings)) return false;
  settings.gradient = goal / 2 / terrain.scale();
  Cloud finer = mu;
  if (polish(terrain, finer, settings)) mu = finer;
  return true;
}

}  // namespace

//   r_i *= e^{-eta sign (F_i - mean F)},   x_i moves by -eta sign P grad F(x_i),   m_i = r_i^2
Cloud conic_steps(const Terrain& terrain, Cloud mu, int steps) {
  double eta = 1 / terrain.scale(), value = signed_energy(terrain, mu);
  for (int k = 0; k < steps; ++k) {
    VectorXd f;
    const MatrixXd v = terrain.sign() * terrain.slopes(mu, &f);
    const double mean = mu.m.dot(f);
    Cloud next = mu;
    next.x = (mu.x - eta * v).colwise().normalized();
    next.m = mu.m.array() * (-2 * eta * terrain.sign() * (f.array() - mean)).cwiseMin(50).exp();
    next.m /= next.m.sum();
    const double reached = signed_energy(terrain, next);
    if (reached > value + 1e-15 * terrain.scale()) {
      eta /= 4;
      continue;
    }
    mu = without_light_atoms(next, kLightAtom);
    value = signed_energy(terrain, mu);
    eta *= 1.2;
  }
  return mu;
}

Optimised best_measure(const Terrain& terrain, Cloud& mu, const SearchSettings& settings,
                       const Stop& stopped) {
  constexpr int kMostRounds = 40;
  const PolishSettings exact{
      .free_masses = true, .gradient = settings.gradient, .merge = settings.merge};
  mu = improve(terrain, merge_atoms(conic_steps(terrain, mu, 60), settings.merge));
  // With D > 0 the minimiser may have no atoms. It suffices then that F is nowhere lower than its
  // mean minus the goal.
  const bool least = terrain.has_matrix() && terrain.is_convex();
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostRounds && !stopped(); ++round) {
    mu = simplify(terrain, mu);
    // Near a minimiser without atoms each round gains less than the rounding of the energy.
    if (round > 4 && !least && signed_energy(terrain, mu) > before - 1e-14 * terrain.scale())
      return Optimised::stalled;
    if (mu.count() * terrain.d() > kMostOptimised) return Optimised::spread;
    before = signed_energy(terrain, mu);
    const double goal = goal_at(terrain, mu, settings);
    Cloud sharp = mu;
    const bool sharpened = polish_below(terrain, sharp, exact, goal) &&
                           sharp.m.minCoeff() > kLightAtom &&
                           signed_energy(terrain, sharp) <= signed_energy(terrain, mu) + goal;
    if (sharpened) mu = sharp;
    const double mean = terrain.sign() * mu.m.dot(terrain.values(mu));
    std::vector<VectorXd> better;
    for (const VectorXd& x : local_minima(terrain, mu))
      if (terrain.sign() * terrain.value(mu, x) < mean - goal) better.push_back(x);
    if (better.empty() && (sharpened || least)) return Optimised::reached;
    if (better.empty()) better = local_minima(terrain, mu);
    if (terrain.is_convex()) {
      mu = improve(terrain, with_atoms(mu, better, 1e-3));
    } else {
      mu = improve(terrain, conic_steps(terrain, with_atoms(mu, {better.front()}, 1e-2), 400));
    }
  }
  return Optimised::stalled;
}

}  // namespace murmur::landscape
