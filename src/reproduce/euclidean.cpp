// euclidean.cpp: attention in R^d seen through e^{-tV}: polytopes, hyperplanes, and products of a
// subspace in which V attracts with one in which it repels.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "murmur/random.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

// <z_i, z_j> over the first `axes` coordinates.
double dot(const HostSwarm& z, int i, int j, int axes) {
  double sum = 0;
  for (int k = 0; k < axes; ++k) sum += z.at(i, k) * z.at(j, k);
  return sum;
}

// The largest distance between two tokens along the first `axes` coordinates.
double extent_of(const HostSwarm& z, int axes) {
  double most = 0;
  for (int i = 0; i < z.n(); ++i)
    for (int j = 0; j < i; ++j)
      most = std::max(most, dot(z, i, i, axes) + dot(z, j, j, axes) - 2 * dot(z, i, j, axes));
  return std::sqrt(most);
}

// The token farthest along z_i, to which token i attends in the end.
int attended(const HostSwarm& z, int i, int axes) {
  int best = 0;
  for (int j = 1; j < z.n(); ++j)
    if (dot(z, i, j, axes) > dot(z, i, best, axes)) best = j;
  return best;
}

// (max_j <z, z_j> - |z|^2) / |z|^2 over the first `axes` coordinates: 0 on the boundary points of
// the theorem, and at the origin.
double boundary_miss(const HostSwarm& z, int i, int axes) {
  const double square = dot(z, i, i, axes);
  if (square < 1e-4) return 0;
  return (dot(z, i, attended(z, i, axes), axes) - square) / square;
}

constexpr double kMiss = 1e-2;  // of a boundary point
// The share of their extent that tokens must keep: less is left where all meet in one point, which
// is a boundary too.
constexpr double kKept = 0.1;

double along(const HostSwarm& z, int i, const Vector& direction) {
  double sum = 0;
  for (int k = 0; k < z.d(); ++k) sum += direction[k] * z.at(i, k);
  return sum;
}

// Largest and smallest <direction, z_i>.
struct Range {
  double low, high;
};
Range range_along(const HostSwarm& z, const Vector& direction) {
  Range range{along(z, 0, direction), along(z, 0, direction)};
  for (int i = 1; i < z.n(); ++i) {
    const double value = along(z, i, direction);
    range = {std::min(range.low, value), std::max(range.high, value)};
  }
  return range;
}

// The most that the hull of the swarm grows along the directions from one frame to the next.
double hull_growth(const std::vector<HostSwarm>& frames, const std::vector<Vector>& directions) {
  double most = 0;
  for (const Vector& u : directions) {
    Range before = range_along(frames.front(), u);
    for (std::size_t f = 1; f < frames.size(); ++f) {
      const Range now = range_along(frames[f], u);
      most = std::max({most, now.high - before.high, before.low - now.low});
      before = now;
    }
  }
  return most;
}

// The most that the integrator's tolerance adds to a hull of this size.
constexpr double kRounding = 1e-6;

// Polytope: V = I.

constexpr int kFirstSeed = 1000;  // those below were seen before the rules were written

double median_of(std::vector<double> values) {
  if (values.empty()) return kNoNumber;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double area_of(const std::vector<PlanePoint>& hull) {
  double twice = 0;
  for (std::size_t k = 1; k < hull.size(); ++k)
    twice += hull[k - 1].x * hull[k].y - hull[k].x * hull[k - 1].y;
  return twice / 2;
}

struct Misses {
  double largest = 0;
  int boundary = 0;  // particles that miss by less than a hundredth
};
Misses misses_of(const HostSwarm& z) {
  Misses misses;
  for (int i = 0; i < z.n(); ++i) {
    const double miss = boundary_miss(z, i, z.d());
    misses.largest = std::max(misses.largest, miss);
    misses.boundary += miss < kMiss ? 1 : 0;
  }
  return misses;
}

// Adds the rates at which misses fall over the second half of a simulation. A particle that attends
// only to one corner v has z' = v - z, so that its miss falls as e^{-t}, up to e^{-2t}.
void add_rates(const Simulated& simulated, std::vector<double>& rates) {
  const std::size_t last = simulated.times.size() - 1, half = last / 2;
  const int d = simulated.last().d();
  for (int i = 0; i < simulated.last().n(); ++i) {
    const double from = boundary_miss(simulated.frames[half], i, d);
    const double to = boundary_miss(simulated.frames[last], i, d);
    if (from > 1e-6 && to > 0)  // others were corners from the start
      rates.push_back(std::log(from / to) / (simulated.times[last] - simulated.times[half]));
  }
}

std::vector<Vector> random_directions(int d, int count) {
  std::vector<Vector> directions(count, Vector(d));
  for (int m = 0; m < count; ++m) {
    const Draw draw{0, Stream::target, static_cast<std::uint32_t>(m)};
    double square = 0;
    for (int k = 0; k < d; ++k) {
      directions[m][k] = draw.normal(static_cast<std::uint16_t>(k));
      square += directions[m][k] * directions[m][k];
    }
    for (double& u : directions[m]) u /= std::sqrt(square);
  }
  return directions;
}

// Points, paths and hulls of one simulation in the plane: each column has its own rows.
ColumnTable plane_table(const Simulated& simulated) {
  ColumnTable table{"plane",
                    {"z1", "hull at the start", "hull at the end", "path", "start", "end"}};
  const auto add = [&](std::size_t column, double x, double y) { add_point(table, x, column, y); };
  for (int i = 0; i < simulated.last().n(); ++i) {
    for (const HostSwarm& z : simulated.frames) add(3, z.at(i, 0), z.at(i, 1));
    add(3, kNoNumber, kNoNumber);
  }
  for (std::size_t end = 0; end < 2; ++end) {
    const HostSwarm& z = end == 0 ? simulated.frames.front() : simulated.last();
    for (int i = 0; i < z.n(); ++i) add(4 + end, z.at(i, 0), z.at(i, 1));
    for (const PlanePoint& c : hull_of(points_of(z))) add(1 + end, c.x, c.y);
  }
  return table;
}

// Hyperplanes: V with one leading eigenvalue.

// The matrices of 2305.05465, row by row.
struct PublishedValue {
  const char* title;
  int d;
  std::array<double, 9> entries;
  Matrix matrix() const {
    return {d, d, {entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(d) * d}};
  }
};
constexpr PublishedValue kValues[] = {
    {"d = 2", 2, {.64709742, .81911926, .61210449, .63263484}},
    {"d = 3, first",
     3,
     {.2362413, .0599536, .40506019, .81321448, .49948705, .33754772, .2160645, .38505272,
      .14588075}},
    {"d = 3, second",
     3,
     {.18608476, .34391026, .13905949, .35244288, .6694859, .39992145, .46685606, .17094454,
      .42092308}},
    {"d = 3, symmetric",
     3,
     {.92761287, .94333073, .3827744, .94333073, .59991396, .47825472, .3827744, .47825472,
      .46668605}},
};

//   V phi = lambda phi,  phi* V = lambda phi*,  |phi| = 1,  phi* phi = 1,  by power iteration.
struct Leading {
  double lambda;
  Vector functional;  // phi*
};

Vector power_vector(const Matrix& v, bool left) {
  Vector x(v.rows, 1.0);
  for (int step = 0; step < 500; ++step) {
    Vector y(v.rows, 0.0);
    double square = 0;
    for (int i = 0; i < v.rows; ++i) {
      for (int j = 0; j < v.cols; ++j) y[i] += (left ? v(j, i) : v(i, j)) * x[j];
      square += y[i] * y[i];
    }
    for (double& entry : y) entry /= std::sqrt(square);
    x = y;
  }
  return x;
}

Leading leading_of(const Matrix& v) {
  const Vector right = power_vector(v, false);
  Leading leading{0, power_vector(v, true)};
  for (int i = 0; i < v.rows; ++i)
    for (int j = 0; j < v.cols; ++j) leading.lambda += right[i] * v(i, j) * right[j];
  const double scale =
      std::inner_product(right.begin(), right.end(), leading.functional.begin(), 0.0);
  for (double& entry : leading.functional) entry /= scale;
  return leading;
}

// Groups of sorted values that lie farther than `gap` apart.
int distinct_values(std::vector<double> values, double gap) {
  std::sort(values.begin(), values.end());
  int groups = 1;
  for (std::size_t k = 1; k < values.size(); ++k) groups += values[k] - values[k - 1] > gap ? 1 : 0;
  return groups;
}

constexpr double kGap = 0.05;  // between values that count as two

struct HyperplaneCase {
  double lambda = 0, low = 0, high = 0;  // at the end
  int values = 0;
  double growth = 0;  // of the range of phi*, frame to frame
  double astray = 0;  // farthest from the largest, the smallest and 0
  double kept = 0;    // of the range of phi*
};

HyperplaneCase judge_hyperplanes(const Simulated& simulated, const Leading& leading) {
  HyperplaneCase found{.lambda = leading.lambda};
  const HostSwarm& z = simulated.last();
  const Range range = range_along(z, leading.functional);
  found.low = range.low;
  found.high = range.high;
  std::vector<double> values;
  for (int i = 0; i < z.n(); ++i) {
    const double value = along(z, i, leading.functional);
    values.push_back(value);
    found.astray =
        std::max(found.astray, std::min({range.high - value, value - range.low, std::fabs(value)}));
  }
  found.values = distinct_values(values, kGap);
  found.growth = hull_growth(simulated.frames, {leading.functional});
  const Range first = range_along(simulated.frames.front(), leading.functional);
  found.kept = (range.high - range.low) / (first.high - first.low);
  return found;
}

}  // namespace

std::optional<Reproduction> polytope(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::polytope);
  ColumnTable cases{"cases",
                    {"d", "seed", "boundary_start", "boundary_end", "largest_miss", "hull_growth",
                     "area_start", "area_end"}};
  double miss = 0, growth = 0, kept = INFINITY;
  int min_gained = 1'000'000, n = 0;
  std::vector<double> rates;
  const int seeds = control.values.whole("seeds");
  for (const int d : control.values.wholes("dimensions"))
    for (int seed = kFirstSeed; seed < kFirstSeed + seeds; ++seed) {
      ExperimentSpec spec = control.values.spec("polytope");
      spec.d = d;
      spec.random.seed = static_cast<std::uint64_t>(seed);
      spec.save = SaveChoice{SaveChoice::every, 0.5};
      control.wrong.apply(spec);
      const Experiment e = make_experiment(spec);
      const Simulated simulated = simulate_in_memory(e, control.wrong.null);
      const HostSwarm &first = simulated.frames.front(), &last = simulated.last();
      const Misses before = misses_of(first), after = misses_of(last);
      const double grown = hull_growth(simulated.frames, random_directions(d, 200));
      const double from = d == 2 ? area_of(hull_of(points_of(first))) : kNoNumber;
      const double to = d == 2 ? area_of(hull_of(points_of(last))) : kNoNumber;
      cases.rows.push_back({double(d), double(seed), double(before.boundary),
                            double(after.boundary), after.largest, grown, from, to});
      miss = std::max(miss, after.largest);
      growth = std::max(growth, grown);
      kept = std::min(kept, extent_of(last, d) / extent_of(first, d));
      min_gained = std::min(min_gained, after.boundary - before.boundary);
      n = first.n();
      add_rates(simulated, rates);
      if (d == 2 && seed == kFirstSeed) result.tables.push_back(plane_table(simulated));
    }
  result.checks = {
      check_holds(
          rule::polytope_boundary,
          {"largest (max_j <z, z_j> - <z, z>) / <z, z> at the end, 0.01 off the origin", miss},
          miss < kMiss, "below 0.01: every particle is on the boundary or at 0"),
      check_holds(
          rule::polytope_boundary,
          {fmt::format("least number of the {} particles that reached the boundary during the run",
                       n),
           static_cast<double>(min_gained)},
          min_gained > 0, "above 0: they were not there from the start"),
      check_holds(
          rule::polytope_boundary,
          {"largest distance of two particles at the end over that at the start, least", kept},
          kept > kKept, fmt::format("above {:g}: they do not meet in one point", kKept)),
      check_holds(rule::polytope_hull,
                  {"most that the hull grows between frames along 200 directions", growth},
                  growth < kRounding, fmt::format("below {:g}: it never grows", kRounding))};
  Check rate =
      check_near_share(rule::polytope_rate,
                       {"rate at which misses fall over the second half, median of the particles",
                        1, median_of(rates)},
                       0.01);
  rate.more["particles"] = static_cast<double>(rates.size());
  result.checks.push_back(std::move(rate));
  result.tables.insert(result.tables.begin(), std::move(cases));
  const std::vector<int> dimensions = control.values.wholes("dimensions");
  if (std::find(dimensions.begin(), dimensions.end(), 2) == dimensions.end()) return result;
  result.figures = {
      {.name = figure::polytope,
       .table = "plane",
       .title = fmt::format("{} tokens in the plane, V = I, seen through e^{{−tV}}", n),
       .x = {.label = "first coordinate z_{1}"},
       .y = {.label = "second coordinate z_{2}"},
       .curves = {{"hull at the end", Curve::area, "hull at the end", 0},
                  {"hull at the start", Curve::dashes, "hull at the start", Curve::kQuiet},
                  {"path", Curve::path, "path of a token", Curve::kQuiet},
                  {"start", Curve::rings, "start", 1},
                  {"end", Curve::points, "end", 0}},
       .equal_axes = true}};
  result.captions[figure::polytope] =
      "With V = I every token comes to a point of the boundary of a polytope, or to 0: most go to "
      "vertices of the hull, which only shrinks on the way.";
  return result;
}

std::optional<Reproduction> hyperplanes(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::hyperplanes);
  ColumnTable cases{
      "cases",
      {"V", "seed", "leading_eigenvalue", "values", "lowest", "highest", "astray", "range_growth"}};
  double growth = 0, astray = 0, kept = INFINITY;
  for (std::size_t v = 0; v < std::size(kValues); ++v) {
    const Leading leading = leading_of(kValues[v].matrix());
    ColumnTable paths{fmt::format("paths_{}", v + 1), {"t", "particle", "phi_1*(z_i)"}};
    int most = 0;
    Range first_range{};  // at the end of the first seed
    for (int seed = 0; seed < control.values.whole("seeds"); ++seed) {
      ExperimentSpec spec = control.values.spec("hyperplanes");
      spec.d = kValues[v].d;
      spec.random.seed = static_cast<std::uint64_t>(seed);
      spec.dynamics.value = {MatrixChoice::given, kValues[v].matrix()};
      control.wrong.apply(spec);
      const Experiment e = make_experiment(spec);
      const Simulated simulated = simulate_in_memory(e, control.wrong.null);
      const HyperplaneCase found = judge_hyperplanes(simulated, leading);
      cases.rows.push_back({kValues[v].title, double(seed), found.lambda, double(found.values),
                            found.low, found.high, found.astray, found.growth});
      most = std::max(most, found.values);
      growth = std::max(growth, found.growth);
      astray = std::max(astray, found.astray);
      kept = std::min(kept, found.kept);
      if (seed > 0) continue;
      first_range = {found.low, found.high};
      for (int i = 0; i < simulated.last().n(); ++i)
        for (std::size_t f = 0; f < simulated.frames.size(); ++f)
          paths.rows.push_back(
              {simulated.times[f], double(i), along(simulated.frames[f], i, leading.functional)});
    }
    result.checks.push_back(
        check_holds(rule::hyperplanes_values,
                    {fmt::format("values of phi_1* at the end, {}", kValues[v].title),
                     static_cast<double>(most)},
                    most <= 3, fmt::format("3 or fewer, {:g} or more apart", kGap)));
    result.figures.push_back({.name = figure::hyperplanes,
                              .table = paths.name,
                              .title = fmt::format("Published V, {}", kValues[v].title),
                              .x = {.label = "time t"},
                              .y = {.label = "leading coordinate φ_{1}*(z_{i})"},
                              .curves = {{"phi_1*(z_i)", Curve::path, "tokens", 0}},
                              .apart = "particle",
                              .guides = {{"greatest, smallest, 0", kNoNumber, first_range.high},
                                         {"greatest, smallest, 0", kNoNumber, first_range.low},
                                         {"greatest, smallest, 0", kNoNumber, 0}}});
    result.tables.push_back(std::move(paths));
  }
  result.checks.push_back(
      check_holds(rule::hyperplanes_values,
                  {"farthest that a particle is from the largest, the smallest and 0", astray},
                  astray < kGap, fmt::format("below {:g}", kGap)));
  result.checks.push_back(check_holds(
      rule::hyperplanes_values, {"range of phi_1* at the end over that at the start, least", kept},
      kept > kKept, fmt::format("above {:g}: they do not meet in one value", kKept)));
  result.checks.push_back(check_holds(
      rule::hyperplanes_range, {"most that the range of phi_1* grows between frames", growth},
      growth < kRounding, fmt::format("below {:g}: it never grows", kRounding)));
  result.tables.insert(result.tables.begin(), std::move(cases));
  result.captions[figure::hyperplanes] =
      "Along the leading eigenvector of V tokens gather on at most three parallel hyperplanes: the "
      "greatest and the smallest value of the coordinate, and 0. One panel for each published "
      "matrix V.";
  return result;
}

namespace {

constexpr double kShare = 0.01;  // tolerance of the rate in G

// V = diag(1, ..., 1, repelled): F is spanned by the first d - 1 axes, G by the last.
Matrix value_of(int d, double repelled) {
  Matrix v = zeros(d, d);
  for (int k = 0; k < d; ++k) v(k, k) = k + 1 < d ? 1 : repelled;
  return v;
}

struct Gathering {
  double miss = 0;  // the largest, at the end
  int came = 0;     // tokens that reached the boundary of F during the run
  double nearest = INFINITY,
         farthest = 0;  // rates at which followers leave the token that they attend to
  int followers = 0;
  double kept = INFINITY;  // of the largest distance of two tokens in F
};

// In G a follower i of j, both settled, obeys (z_i - z_j)' = -repelled (z_i - z_j).
Gathering gathering_of(const Simulated& simulated) {
  const HostSwarm &first = simulated.frames.front(), &last = simulated.last();
  const std::size_t late = 3 * simulated.frames.size() / 4;
  const HostSwarm& before = simulated.frames[late];
  const double time = simulated.times.back() - simulated.times[late];
  const int axis = last.d() - 1;  // of G; F has those before it
  Gathering g{.kept = extent_of(last, axis) / extent_of(first, axis)};
  for (int i = 0; i < last.n(); ++i) {
    const double miss = boundary_miss(last, i, axis);
    g.miss = std::max(g.miss, miss);
    g.came += miss < kMiss && boundary_miss(first, i, axis) >= kMiss ? 1 : 0;
    const int j = attended(last, i, axis);
    if (j == i || attended(before, i, axis) != j || boundary_miss(before, i, axis) > 1e-3) continue;
    const double from = before.at(i, axis) - before.at(j, axis);
    const double to = last.at(i, axis) - last.at(j, axis);
    const double rate = std::log(std::fabs(to / from)) / time;
    g.nearest = std::min(g.nearest, rate);
    g.farthest = std::max(g.farthest, rate);
    ++g.followers;
  }
  return g;
}

// Coordinates over time: one of F, which gathers, and that of G as x = e^{tV} z, which does not.
void draw_paths(const Simulated& simulated, double repelled, Reproduction& result) {
  const int d = simulated.last().d();
  ColumnTable table{fmt::format("paths_d{}", d), {"t", "token", "in F", "in G"}};
  for (int i = 0; i < simulated.last().n(); ++i)
    for (std::size_t f = 0; f < simulated.frames.size(); ++f)
      table.rows.push_back(
          {simulated.times[f], static_cast<double>(i), simulated.frames[f].at(i, 0),
           std::exp(repelled * simulated.times[f]) * simulated.frames[f].at(i, d - 1)});
  const std::string last = repelled == -0.5 ? "−½" : fmt::format("{:g}", repelled);
  const std::string exponent = repelled == -0.5 ? "−t/2" : fmt::format("{:g}t", repelled);
  const std::string v = fmt::format("V = diag({}, {})", d == 2 ? "1" : "1, 1", last);
  if (d == 2)
    result.figures.push_back({.name = figure::product,
                              .table = table.name,
                              .title = fmt::format("{}: along F", v),
                              .x = {.label = "time t"},
                              .y = {.label = "coordinate z_{1} of z = e^{−tV} x"},
                              .curves = {{"in F", Curve::path, "tokens", 0}},
                              .apart = "token"});
  result.figures.push_back(
      {.name = figure::product,
       .table = table.name,
       .title = fmt::format("{}: along G", v),
       .x = {.label = "time t"},
       .y = {.label = fmt::format("coordinate x_{{{0}}} = e^{{{1}}} z_{{{0}}}", d, exponent)},
       .curves = {{"in G", Curve::path, "tokens", 1}},
       .apart = "token"});
  result.tables.push_back(std::move(table));
}

// The plane F of d = 3 with the hull of the tokens in it.
void draw_plane(const Simulated& simulated, double repelled, Reproduction& result) {
  ColumnTable table{"plane", {"z1", "hull", "path", "start", "end"}};
  const auto add = [&](std::size_t column, const PlanePoint& p) {
    add_point(table, p.x, column, p.y);
  };
  for (const PlanePoint& corner : hull_of(points_of(simulated.last()))) add(1, corner);
  for (int i = 0; i < simulated.last().n(); ++i) {
    for (const HostSwarm& z : simulated.frames) add(2, {z.at(i, 0), z.at(i, 1)});
    add(2, {kNoNumber, kNoNumber});
  }
  for (const PlanePoint& p : points_of(simulated.frames.front())) add(3, p);
  for (const PlanePoint& p : points_of(simulated.last())) add(4, p);
  result.figures.push_back(
      {.name = figure::product,
       .table = "plane",
       .title = fmt::format("V = diag(1, 1, {}): the plane F",
                            repelled == -0.5 ? "−½" : fmt::format("{:g}", repelled)),
       .x = {.label = "first coordinate z_{1}"},
       .y = {.label = "second coordinate z_{2}"},
       .curves = {{"hull", Curve::area, "hull at the end", 0},
                  {"path", Curve::path, "path of a token", Curve::kQuiet},
                  {"start", Curve::rings, "start", 1},
                  {"end", Curve::points, "end", 0}},
       .equal_axes = true});
  result.tables.push_back(std::move(table));
}

}  // namespace

std::optional<Reproduction> product(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::product);
  ColumnTable cases{"cases",
                    {"d", "seed", "largest miss in F", "came to the boundary", "followers",
                     "least rate in G", "greatest rate in G"}};
  const double repelled = control.values.number("repelled");
  const int seeds = control.values.whole("seeds");
  for (const int d : {2, 3}) {
    Gathering all{.came = 1'000'000};
    for (int seed = 0; seed < seeds; ++seed) {
      if (control.stopped()) return std::nullopt;
      ExperimentSpec spec = control.values.spec("product");
      spec.d = d;
      spec.random.seed = static_cast<std::uint64_t>(seed);
      spec.dynamics.value = {MatrixChoice::given, value_of(d, repelled)};
      control.wrong.apply(spec);
      const Simulated simulated = simulate_in_memory(make_experiment(spec), control.wrong.null);
      const Gathering g = gathering_of(simulated);
      cases.rows.push_back({static_cast<double>(d), static_cast<double>(seed), g.miss,
                            static_cast<double>(g.came), static_cast<double>(g.followers),
                            g.nearest, g.farthest});
      all = {std::max(all.miss, g.miss),       std::min(all.came, g.came),
             std::min(all.nearest, g.nearest), std::max(all.farthest, g.farthest),
             all.followers + g.followers,      std::min(all.kept, g.kept)};
      if (seed > 0) continue;
      if (d == 3) draw_plane(simulated, repelled, result);
      draw_paths(simulated, repelled, result);
    }
    const std::string what = fmt::format("d = {}: ", d);
    result.checks.push_back(check_holds(
        rule::product_gather,
        {what + "largest (max_j <z, z_j> - <z, z>) / <z, z> in F at the end", all.miss},
        all.miss < kMiss && all.came > 0 && all.kept > kKept,
        "below 0.01, some came there on the way, and they do not all meet in one point"));
    result.checks.back().more["extent kept"] = all.kept;
    const bool some = all.followers > 0;
    for (const double rate : {all.nearest, all.farthest})
      result.checks.push_back(check_near_share(
          rule::product_spread,
          {fmt::format("{}{} rate at which a follower leaves its leader in G, {} followers", what,
                       rate == all.nearest ? "least" : "greatest", all.followers),
           -repelled, some ? rate : kNoNumber},
          kShare));
  }
  result.tables.insert(result.tables.begin(), std::move(cases));
  result.captions[figure::product] =
      "V attracts in F and repels in G. Along F tokens gather as under V = I: at two values on the "
      "line, on the boundary of a polytope in the plane. Along G followers leave their leaders as "
      "e^(t/2) in z, so that x = e^(tV) z keeps them apart; leaders, which attend only to "
      "themselves, come to 0 there.";
  return result;
}

}  // namespace murmur
