// search.cpp: the gradient flow of atoms, and critical points from many starts.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <optional>

#include "core/parallel.h"
#include "flow/runge_kutta.h"
#include "landscape/cloud_sums.h"
#include "landscape/system.h"
#include "murmur/error.h"
#include "murmur/random.h"
#include "murmur/stop.h"

namespace murmur {

// --- The gradient flow in W_2, with steps that keep the energy monotone.

using Eigen::MatrixXd;
using landscape::Cloud;
using landscape::CloudSums;
using landscape::Terrain;

namespace {

// A cloud of fixed masses as a system for the Runge-Kutta driver. Its columns are normalised; the
// error is the largest distance of an atom from its position by the embedded weights.
class CloudSystem {
 public:
  using State = MatrixXd;

  CloudSystem(const Terrain& terrain, const Cloud& mu, double tolerance)
      : terrain_(terrain),
        slopes_(terrain, mu.count(), CloudSums::Wanted::slopes),
        values_(terrain, mu.count(), CloudSums::Wanted::values),
        at_(mu),
        tolerance_(tolerance) {}

  MatrixXd scratch() const { return MatrixXd::Zero(at_.x.rows(), at_.x.cols()); }
  // The velocity is along the slope of F, downwards under descent.
  void velocity(double, const MatrixXd& x, MatrixXd& v) {
    at_.x = x;
    if (slopes_.certified()) {
      const landscape::CloudReading here = slopes_.read(at_);
      slope_bound_ = std::max(slope_bound_, here.slope_bounds.maxCoeff());
      v = -terrain_.sign() * here.slopes;
    } else {
      v = -terrain_.sign() * terrain_.slopes(at_, nullptr);
    }
  }
  // Returns the energy at x, with an error bound if the sums are certified.
  landscape::Rounded energy(const MatrixXd& x) {
    if (!values_.certified()) return {terrain_.energy({x, at_.m})};
    return values_.read({x, at_.m}).energy;
  }
  double slope_bound() const { return slope_bound_; }
  void combine(const MatrixXd& from, StepPoint, std::span<const StageTerm<MatrixXd>> terms,
               MatrixXd& to) const {
    MatrixXd x = from;
    for (const auto& term : terms) x += term.scale * *term.along;
    to = x.colwise().normalized();
  }
  double error(const StepEstimate<MatrixXd>& estimate) const {
    MatrixXd error = scratch();
    for (const auto& term : estimate.difference) error += estimate.h * term.scale * *term.along;
    return error.colwise().norm().maxCoeff() / tolerance_;
  }
  bool finite(const MatrixXd& v) const { return v.allFinite(); }

 private:
  const Terrain& terrain_;
  CloudSums slopes_, values_;
  Cloud at_;
  const double tolerance_;
  double slope_bound_ = 0;
};

}  // namespace

Climb climb(const Landscape& landscape, const Atoms& start, const ClimbSettings& settings) {
  if (!(settings.tolerance > 0) || settings.most_steps < 0)
    throw Error(Fault::input, "the settings of the steps are out of range", "tolerance, most_steps",
                "give a tolerance above 0 and steps of 0 or more");
  const Terrain terrain(landscape);
  Cloud mu = landscape::cloud_of(landscape, start);
  const double slack = 1e-14 * terrain.scale();
  double t = 0, h = 0.01 / terrain.scale();
  CloudSystem system(terrain, mu, settings.tolerance);
  landscape::Rounded before = system.energy(mu.x);
  Climb climb{.times = {0}, .energies = {before.value}};
  std::int64_t evaluations = 0;
  RungeKutta<CloudSystem> driver(system, dormand_prince(), evaluations);
  const StepController controller{
      .grow = 4, .beta = 0, .grow_after_refusal = 4, .order = driver.tableau().order};
  const auto stopped = [&] {
    stop_point();
    return settings.stop && settings.stop();
  };
  while (static_cast<int>(climb.times.size()) <= settings.most_steps && t < settings.most_time &&
         !stopped()) {
    driver.begin(t, mu.x);
    const double speed = driver.stage(0).colwise().norm().maxCoeff();
    if (speed <= settings.gradient * terrain.scale()) break;
    h = std::min(h, settings.most_time - t);
    driver.attempt(t, mu.x, h);
    const double error = driver.error(mu.x, h);
    const landscape::Rounded energy = system.energy(driver.end());
    const bool back =
        terrain.sign() * (energy.value - before.value) > slack + energy.rounding + before.rounding;
    const double factor = controller.next_factor(error, 1, false);
    if (!(error <= 1) || back) {
      ++climb.refused;
      h *= back ? 0.25 : factor;
      if (h * speed < 1e-16) break;
      continue;
    }
    driver.commit(mu.x);
    t += h;
    h *= factor;
    climb.times.push_back(t);
    climb.energies.push_back(energy.value);
    before = energy;
  }
  climb.slope_bound = system.slope_bound();
  climb.mu = landscape::atoms_of(mu);
  return climb;
}

namespace landscape {

// --- Critical points from many starts, distinct up to order and rotation.

namespace {

constexpr int kMostCorners = 8;  // atoms at the start of a search for critical points of any index
constexpr int kMostEscapes = 8;  // saddles that a start along the flow may pass
constexpr double kSame = 1e-6;
constexpr std::int64_t kMostMoves = 2000;

VectorXd random_point(int d, const Draw& draw) {
  VectorXd x(d);
  for (int k = 0; k < d; ++k) x[k] = draw.normal(static_cast<std::uint16_t>(k));
  return x.normalized();
}

Draw draw_of(const SearchSettings& settings, int start, int particle) {
  return {settings.seed, Stream::landscape, static_cast<std::uint32_t>(particle),
          static_cast<std::uint32_t>(start) + 1};
}

Cloud random_tokens(int d, const SearchSettings& settings, int start) {
  Cloud mu{MatrixXd(d, settings.n), VectorXd::Constant(settings.n, 1.0 / settings.n)};
  for (int i = 0; i < settings.n; ++i) mu.x.col(i) = random_point(d, draw_of(settings, start, i));
  return mu;
}

// Tokens equally spaced on the circle; random in higher dimension.
Cloud even_tokens(int d, const SearchSettings& settings) {
  Cloud mu = random_tokens(d, settings, 0);
  for (int i = 0; i < settings.n && d == 2; ++i) {
    const double angle = 2 * std::numbers::pi * (i + 0.5) / settings.n;
    mu.x.col(i) << std::cos(angle), std::sin(angle);
  }
  return mu;
}

// Returns a Dirac at an eigenvector of D, or the pair of the eigenvector and its negative; both are
// critical without units.
Cloud at_axis(const Terrain& terrain, int number) {
  std::vector<VectorXd> axes;
  for (const MatrixXd& space : terrain.eigenspaces())
    for (int k = 0; k < space.cols(); ++k) axes.emplace_back(space.col(k));
  const VectorXd& axis = axes[static_cast<std::size_t>(number / 2) % axes.size()];
  if (number % 2 == 0) return {axis, VectorXd::Ones(1)};
  Cloud pair{MatrixXd(axis.size(), 2), VectorXd::Constant(2, 0.5)};
  pair.x << axis, -axis;
  return pair;
}

// Up to eight atoms at random positions: tokens distributed as evenly as possible or, every second
// time, at random.
Cloud random_atoms(int d, const SearchSettings& settings, int start) {
  const Draw draw = draw_of(settings, start, settings.n);
  const int most = std::min(settings.n, kMostCorners);
  const int count = 1 + std::min(most - 1, static_cast<int>(most * draw.uniform(0)));
  std::vector<int> tokens(count, 1);
  for (int i = count; i < settings.n; ++i) {
    const double u = draw_of(settings, start, i).uniform(static_cast<std::uint16_t>(d));
    const bool even = start % 4 == 1;
    ++tokens[even ? i % count : std::min(count - 1, static_cast<int>(count * u))];
  }
  Cloud mu{MatrixXd(d, count), VectorXd(count)};
  for (int i = 0; i < count; ++i) {
    mu.x.col(i) = random_point(d, draw_of(settings, start, i));
    mu.m[i] = static_cast<double>(tokens[i]) / settings.n;
  }
  return mu;
}

// A regular polygon on a random great circle.
Cloud polygon(int d, const SearchSettings& settings, int start, int corners) {
  const VectorXd x = random_point(d, draw_of(settings, start, 0));
  const VectorXd y =
      (frame(x).transpose() * random_point(d, draw_of(settings, start, 1))).normalized();
  Cloud mu{MatrixXd(d, corners), VectorXd::Constant(corners, 1.0 / corners)};
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * i / corners;
    mu.x.col(i) = (std::cos(angle) * x + std::sin(angle) * (frame(x) * y)).normalized();
  }
  return mu;
}

// Returns n tokens, each perturbed slightly from its atom, so that unstable directions grow.
Cloud perturbed_tokens(const Cloud& mu, const SearchSettings& settings, int start) {
  constexpr double kShake = 1e-3;
  Cloud tokens{MatrixXd(mu.x.rows(), settings.n), VectorXd::Constant(settings.n, 1.0 / settings.n)};
  int next = 0;
  for (int i = 0; i < mu.count(); ++i)
    for (long copy = std::lround(mu.m[i] * settings.n); copy > 0; --copy, ++next) {
      const Draw draw = draw_of(settings, start, settings.n + 1 + next);
      const VectorXd way = random_point(static_cast<int>(mu.x.rows()), draw);
      tokens.x.col(next) = (mu.x.col(i) + kShake * way).normalized();
    }
  return tokens;
}

// Rounds masses to exact multiples of 1/n, after the sums of merging.
void round_masses(Cloud& mu, int n) {
  for (double& m : mu.m) m = static_cast<double>(std::lround(m * n)) / n;
}

Landscape with_opposite_direction(Landscape l) {
  const bool ascent = l.direction == Landscape::ascent;
  l.direction = ascent ? Landscape::descent : Landscape::ascent;
  return l;
}

// Even starts follow the flow to its end. Half of the others first optimise the energy of opposite
// sign, which separates a few atoms; the rest solve for the nearest critical point. Without a
// perceptron the first of these start from regular polygons or, with a matrix, on its axes.
struct StartResult {
  std::optional<Cloud> end{};  // where the start came to rest
  bool is_spread = false;      // the best measure has too many atoms
};
StartResult run_start(const Landscape& l, const SearchSettings& settings, int start,
                      const Stop& stopped) {
  Terrain terrain(l);
  terrain.stop_when(stopped);
  const bool free = settings.masses == Masses::free;
  const PolishSettings exact{
      .free_masses = free, .gradient = settings.gradient, .merge = settings.merge};
  if (start % 2 == 1) {
    const int corners = 2 + start / 4;
    const bool even = start % 4 == 3 && terrain.units() == 0 && corners <= kMostCorners &&
                      (free || settings.n % corners == 0);
    const bool on_axis = start % 4 == 3 && terrain.units() == 0 && terrain.has_matrix() &&
                         start / 4 < 2 * l.d && (free || settings.n % 2 == 0);
    Cloud mu = on_axis ? at_axis(terrain, start / 4)
               : even  ? polygon(l.d, settings, start, corners)
                       : random_atoms(l.d, settings, start);
    if (start % 4 == 1) {
      Terrain against(with_opposite_direction(l));
      against.stop_when(stopped);
      mu = minimise(against, mu, false, 1e-9);
    }
    if (stopped()) return {};
    if (!polish(terrain, mu, exact)) return {};
    if (!free) round_masses(mu, settings.n);
    return {mu};
  }
  Cloud mu = start == 0 ? even_tokens(l.d, settings) : random_tokens(l.d, settings, start);
  if (free) {
    const Optimised how = best_measure(terrain, mu, settings, stopped);
    if (how == Optimised::reached) return {mu};
    return {.is_spread = how == Optimised::spread};
  }
  const Climb path = climb(
      l, atoms_of(mu), {.tolerance = 1e-2, .gradient = 1e-4, .most_steps = 300, .stop = stopped});
  mu = merge_atoms(
      minimise(terrain, merge_atoms(cloud_of(l, path.mu), settings.merge), false, 1e-11),
      settings.merge);
  for (int round = 0; round < kMostEscapes && !stopped(); ++round) {
    if (!polish(terrain, mu, exact)) return {};
    round_masses(mu, settings.n);
    if (landscape::describe(terrain, mu, settings.n).second_order) return {mu};
    const Cloud apart = perturbed_tokens(mu, settings, start + round);
    const Cloud next = merge_atoms(minimise(terrain, apart, false, 1e-11), settings.merge);
    const double gain = terrain.sign() * (terrain.energy(mu) - terrain.energy(next));
    if (!(gain > 1e-12 * terrain.scale())) return {mu};  // the unstable direction grows too slowly
    mu = next;
  }
  return {mu};
}

// Returns masses, cosines of pairs of atoms, and of atoms with units (h, d): invariant under
// reordering and under rotations that fix the units. With a matrix D also the contribution of each
// eigenspace to the products of pairs: invariant under rotations and reflections within each
// eigenspace.
VectorXd fingerprint(const Cloud& mu, const MatrixXd& units,
                     const std::vector<MatrixXd>& eigenspaces) {
  const int n = mu.count();
  std::vector<double> numbers(mu.m.data(), mu.m.data() + n);
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::pair<double, double>> pairs;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      pairs.emplace_back(std::round(1e6 * mu.m[i] * mu.m[j]), mu.x.col(i).dot(mu.x.col(j)));
  std::sort(pairs.begin(), pairs.end());
  for (int m = 0; m < units.rows(); ++m) {
    const auto first = pairs.size();
    for (int i = 0; i < n; ++i)
      pairs.emplace_back(std::round(1e6 * mu.m[i]), units.row(m).dot(mu.x.col(i)));
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(first), pairs.end());
  }
  for (const MatrixXd& space : eigenspaces) {
    const auto first = pairs.size();
    const MatrixXd part = space.transpose() * mu.x;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        pairs.emplace_back(std::round(1e6 * mu.m[i] * mu.m[j]), part.col(i).dot(part.col(j)));
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(first), pairs.end());
  }
  for (const auto& [weight, cosine] : pairs) numbers.push_back(cosine);
  return Eigen::Map<VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

bool same_places(const Cloud& a, const Cloud& b) {
  std::vector<bool> taken(b.count());
  for (int i = 0; i < a.count(); ++i) {
    int match = -1;
    for (int j = 0; j < b.count() && match < 0; ++j)
      if (!taken[j] && (a.x.col(i) - b.x.col(j)).norm() < kSame &&
          std::fabs(a.m[i] - b.m[j]) < kSame)
        match = j;
    if (match < 0) return false;
    taken[match] = true;
  }
  return true;
}

bool same(const Terrain& terrain, const Cloud& a, const Cloud& b) {
  if (a.count() != b.count()) return false;
  if (std::fabs(terrain.energy(a) - terrain.energy(b)) > 1e-9 * terrain.scale()) return false;
  const std::vector<MatrixXd> spaces = terrain.symmetric_spaces();
  if (std::all_of(spaces.begin(), spaces.end(), [](const MatrixXd& s) { return s.cols() == 0; }))
    return same_places(a, b);
  const auto numbers = [&](const Cloud& mu) {
    return fingerprint(mu, terrain.unit_rows(), terrain.eigenspaces());
  };
  return (numbers(a) - numbers(b)).cwiseAbs().maxCoeff() < kSame;
}

// Returns whether the uniform law is the best one: under descent without units, with D a positive
// multiple of the identity.
bool has_uniform_best(const Landscape& l) {
  if (l.direction == Landscape::ascent || !l.a.empty()) return false;
  const Terrain terrain(l);
  return terrain.is_convex() && terrain.eigenspaces().size() <= 1;
}

}  // namespace

}  // namespace landscape

void check_search(const Landscape& l, const SearchSettings& settings) {
  const auto require = [](bool fine, const char* what, const char* where, const char* remedy) {
    if (!fine) throw Error(Fault::input, what, where, remedy);
  };
  require(settings.n >= 1, "there are no tokens", "n", "give n of at least 1");
  require(static_cast<std::int64_t>(settings.n) * (l.d - 1) <= landscape::kMostMoves,
          "the second derivative would have more than 2000 rows", "n, d",
          "use n (d - 1) up to 2000");
  require(settings.masses == Masses::equal || !landscape::has_uniform_best(l),
          "the best measure is the uniform one, which has no atoms", "masses",
          "give a perceptron, or equal masses");
  require(settings.starts >= 1, "there is no start", "starts", "give at least one");
  require(settings.gradient > 0 && settings.certify.tolerance > 0, "a tolerance is not above 0",
          "tolerance", "give numbers above 0");
}

Search critical_points(const Landscape& l, const SearchSettings& settings) {
  return *critical_points(l, settings, {});
}

namespace landscape {

namespace {

// The end of each start, and whether the best measure is spread. `find_ends` returns nothing if it
// was stopped.
struct Ends {
  std::vector<SearchEnd> ends{};
  bool is_spread = false;
};
std::optional<Ends> find_ends(const Landscape& l, const SearchSettings& settings,
                              const SearchWatch<SearchEnd>& watch) {
  std::vector<std::optional<SearchEnd>> known = watch.known;
  known.resize(settings.starts);
  const auto stopped = [&] { return watch.stopped(); };
  std::mutex keeping;
  const auto keep = [&](int start, const std::optional<Cloud>& end) {
    if (known[start] || stopped()) return;  // a start that was stopped may not have converged
    const std::lock_guard lock(keeping);
    known[start] = end ? atoms_of(*end) : SearchEnd{};
    if (watch.ended) watch.ended(start, *known[start]);
  };
  Ends all;
  // A convex energy has one best measure. If start 0 finds that it has too many atoms, the other
  // even starts would find the same after an equally long search.
  const bool first_decides = settings.masses == Masses::free && Terrain(l).is_convex() &&
                             (!known[0] || known[0]->count() == 0);
  if (first_decides) {
    const StartResult first = run_start(l, settings, 0, stopped);
    all.is_spread = first.is_spread;
    keep(0, first.end);
  }
  for_blocks(settings.starts, settings.threads, [&](int start) {
    if (known[start] || stopped()) return;
    keep(start, all.is_spread && start % 2 == 0 ? std::nullopt
                                                : run_start(l, settings, start, stopped).end);
  });
  for (const auto& end : known) {
    if (!end) return std::nullopt;
    all.ends.push_back(*end);
  }
  return all;
}

// Copies the atoms without changing any digit.
Cloud cloud_of_end(const SearchEnd& end) {
  Cloud mu{MatrixXd(end.x.cols, end.count()),
           Eigen::Map<const VectorXd>(end.mass.data(), end.count())};
  for (int i = 0; i < end.count(); ++i)
    for (int k = 0; k < end.x.cols; ++k) mu.x(k, i) = end.x(i, k);
  return mu;
}

}  // namespace

}  // namespace landscape

std::optional<Search> critical_points(const Landscape& l, const SearchSettings& settings,
                                      const SearchWatch<SearchEnd>& watch) {
  using namespace landscape;
  const Terrain terrain(l);
  check_search(l, settings);
  const std::optional<Ends> all = find_ends(l, settings, watch);
  if (!all) return std::nullopt;
  Search search{.is_spread = all->is_spread};
  std::vector<Cloud> distinct;
  std::vector<int> found;
  for (const SearchEnd& end : all->ends) {
    if (end.count() == 0) ++search.lost;
    if (end.count() == 0) continue;
    const Cloud mu = cloud_of_end(end);
    std::size_t k = 0;
    while (k < distinct.size() && !same(terrain, distinct[k], mu)) ++k;
    if (k < distinct.size()) ++found[k];
    if (k < distinct.size()) continue;
    distinct.push_back(mu);
    found.push_back(1);
  }
  search.points.resize(distinct.size());
  const int n = settings.masses == Masses::free ? 0 : settings.n;
  for_blocks(static_cast<int>(distinct.size()), settings.threads, [&](int k) {
    if (watch.stopped()) return;
    search.points[k] = landscape::describe(terrain, distinct[k], n);
    search.points[k].certificate = landscape::certify(terrain, distinct[k], settings.certify);
    search.points[k].found = found[k];
  });
  if (watch.stopped()) return std::nullopt;
  std::stable_sort(search.points.begin(), search.points.end(), [&](const auto& a, const auto& b) {
    return terrain.sign() * a.above_uniform < terrain.sign() * b.above_uniform;
  });
  return search;
}

CriticalPoint landscape::best_point(const Landscape& l, const SearchSettings& settings,
                                    const Stop& stopped) {
  Terrain terrain(l);
  terrain.stop_when(stopped);
  check_search(l, settings);
  Cloud mu = random_tokens(l.d, settings, 0);
  best_measure(terrain, mu, settings, stopped);
  if (stopped()) return {};
  mu = merge_atoms(mu, settings.merge);
  CriticalPoint point = describe(terrain, mu, 0);
  point.certificate = certify(terrain, mu, settings.certify);
  point.found = 1;
  return point;
}

CriticalPoint best_measure(const Landscape& l, const SearchSettings& settings) {
  return landscape::best_point(l, settings, [] { return false; });
}

}  // namespace murmur
