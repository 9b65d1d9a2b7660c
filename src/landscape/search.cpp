// search.cpp: critical points from many starts, distinct up to order and rotation.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <optional>

#include "core/parallel.h"
#include "landscape/measures.h"
#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur {

namespace landscape {

namespace {

constexpr int kMostCorners = 8;  // atoms at the start of a search for critical points of any index
constexpr int kMostWaysOut = 8;  // saddles that a start along the flow may pass
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

// Tokens evenly spaced on the circle; at random in higher dimension.
Cloud even_tokens(int d, const SearchSettings& settings) {
  Cloud mu = random_tokens(d, settings, 0);
  for (int i = 0; i < settings.n && d == 2; ++i) {
    const double angle = 2 * std::numbers::pi * (i + 0.5) / settings.n;
    mu.x.col(i) << std::cos(angle), std::sin(angle);
  }
  return mu;
}

// A Dirac at an eigenvector of D, or the pair of it and its negative: critical without units.
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

// All n tokens, each perturbed a little from its atom, so that unstable directions are followed.
Cloud shaken(const Cloud& mu, const SearchSettings& settings, int start) {
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

// Masses as exact multiples of 1/n again, after the sums of merging.
void round_masses(Cloud& mu, int n) {
  for (double& m : mu.m) m = static_cast<double>(std::lround(m * n)) / n;
}

Landscape turned_round(Landscape l) {
  const bool ascent = l.direction == Landscape::ascent;
  l.direction = ascent ? Landscape::descent : Landscape::ascent;
  return l;
}

// Even starts follow the flow to its end. Of the others half first optimise the energy of opposite
// sign, which separates a few atoms, and half solve for the nearest critical point; without a
// perceptron the first of these start from regular polygons or, with a matrix, on its axes.
struct Searched {
  std::optional<Cloud> end{};  // where the start came to rest
  bool is_spread = false;      // the best measure has too many atoms
};
Searched searched(const Landscape& l, const SearchSettings& settings, int start,
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
      Terrain against(turned_round(l));
      against.stop_when(stopped);
      mu = minimised(against, mu, false, 1e-9);
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
  mu = merged(minimised(terrain, merged(cloud_of(l, path.mu), settings.merge), false, 1e-11),
              settings.merge);
  for (int round = 0; round < kMostWaysOut && !stopped(); ++round) {
    if (!polish(terrain, mu, exact)) return {};
    round_masses(mu, settings.n);
    if (landscape::describe(terrain, mu, settings.n).second_order) return {mu};
    const Cloud apart = shaken(mu, settings, start + round);
    const Cloud next = merged(minimised(terrain, apart, false, 1e-11), settings.merge);
    const double gain = terrain.sign() * (terrain.energy(mu) - terrain.energy(next));
    if (!(gain > 1e-12 * terrain.scale())) return {mu};  // the unstable direction is too slow
    mu = next;
  }
  return {mu};
}

// Masses, cosines of pairs of atoms, and of atoms with units (h, d): invariant under reordering and
// under rotations that fix the units. With eigenspaces of D also the part of each of them in the
// products of pairs: invariant under rotations and reflections within each.
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

// Under descent without units, D a positive multiple of the identity.
bool has_uniform_best(const Landscape& l) {
  if (l.direction == Landscape::ascent || !l.a.empty()) return false;
  const Terrain terrain(l);
  return terrain.is_convex() && terrain.eigenspaces().size() <= 1;
}

}  // namespace

}  // namespace landscape

void check_search(const Landscape& l, const SearchSettings& settings) {
  const auto demand = [](bool fine, const char* what, const char* where, const char* remedy) {
    if (!fine) throw Error(Fault::input, what, where, remedy);
  };
  demand(settings.n >= 1, "there are no tokens", "n", "give n of at least 1");
  demand(static_cast<std::int64_t>(settings.n) * (l.d - 1) <= landscape::kMostMoves,
         "the second derivative would have more than 2000 rows", "n, d",
         "use n (d - 1) up to 2000");
  demand(settings.masses == Masses::equal || !landscape::has_uniform_best(l),
         "the best measure is the uniform one, which has no atoms", "masses",
         "give a perceptron, or equal masses");
  demand(settings.starts >= 1, "there is no start", "starts", "give at least one");
  demand(settings.gradient > 0 && settings.certify.tolerance > 0, "a tolerance is off", "tolerance",
         "give numbers above 0");
}

Search critical_points(const Landscape& l, const SearchSettings& settings) {
  return *critical_points(l, settings, {});
}

namespace landscape {

namespace {

// Where each start came to rest, and whether the best measure is spread; no ends when stopped.
struct Ends {
  std::vector<SearchEnd> ends{};
  bool is_spread = false;
};
std::optional<Ends> ends_of(const Landscape& l, const SearchSettings& settings,
                            const SearchWatch<SearchEnd>& watch) {
  std::vector<std::optional<SearchEnd>> known = watch.known;
  known.resize(settings.starts);
  const auto stopped = [&] { return watch.stopped(); };
  std::mutex keeping;
  const auto keep = [&](int start, const std::optional<Cloud>& end) {
    if (known[start] || stopped()) return;  // a start that was stopped may have left early
    const std::lock_guard lock(keeping);
    known[start] = end ? atoms_of(*end) : SearchEnd{};
    if (watch.ended) watch.ended(start, *known[start]);
  };
  Ends all;
  // Of a convex energy there is one best measure. Where start 0 finds that it has too many atoms,
  // the other even starts would, after as long a search.
  const bool first_decides = settings.masses == Masses::free && Terrain(l).is_convex() &&
                             (!known[0] || known[0]->count() == 0);
  if (first_decides) {
    const Searched first = searched(l, settings, 0, stopped);
    all.is_spread = first.is_spread;
    keep(0, first.end);
  }
  for_blocks(settings.starts, settings.threads, [&](int start) {
    if (known[start] || stopped()) return;
    keep(start, all.is_spread && start % 2 == 0 ? std::nullopt
                                                : searched(l, settings, start, stopped).end);
  });
  for (const auto& end : known) {
    if (!end) return std::nullopt;
    all.ends.push_back(*end);
  }
  return all;
}

// Atoms as they were: no digit of what was kept changes.
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
  const std::optional<Ends> all = ends_of(l, settings, watch);
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
  mu = merged(mu, settings.merge);
  CriticalPoint point = describe(terrain, mu, 0);
  point.certificate = certify(terrain, mu, settings.certify);
  point.found = 1;
  return point;
}

CriticalPoint best_measure(const Landscape& l, const SearchSettings& settings) {
  return landscape::best_point(l, settings, [] { return false; });
}

}  // namespace murmur
