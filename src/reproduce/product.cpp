// product.cpp: V that attracts in one subspace and repels in another: tokens gather in the first
// alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reproduce/plane.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kMiss = 1e-2;   // of a boundary point of F
constexpr double kKept = 0.1;    // of the largest distance in F: tokens do not meet in one point
constexpr double kShare = 0.01;  // of the rate in G

// V = diag(1, ..., 1, repelled): F is spanned by the first d - 1 axes, G by the last.
Matrix value_of(int d, double repelled) {
  Matrix v = zeros(d, d);
  for (int k = 0; k < d; ++k) v(k, k) = k + 1 < d ? 1 : repelled;
  return v;
}

double dot_in_f(const HostSwarm& z, int i, int j) {
  double sum = 0;
  for (int k = 0; k + 1 < z.d(); ++k) sum += z.at(i, k) * z.at(j, k);
  return sum;
}

// Who of all is farthest along z_i in F: whom it attends to in the end.
int attended(const HostSwarm& z, int i) {
  int best = 0;
  for (int j = 1; j < z.n(); ++j)
    if (dot_in_f(z, i, j) > dot_in_f(z, i, best)) best = j;
  return best;
}

// (max_j <z, z_j> - |z|^2) / |z|^2 in F: 0 on the boundary points of the theorem, and at 0.
double boundary_miss(const HostSwarm& z, int i) {
  const double square = dot_in_f(z, i, i);
  return square < 1e-4 ? 0 : (dot_in_f(z, i, attended(z, i)) - square) / square;
}

struct Gathering {
  double miss = 0;                          // the largest, at the end
  int came = 0;                             // tokens that came to the boundary of F on the way
  double nearest = INFINITY, farthest = 0;  // rates at which followers leave whom they attend to
  int followers = 0;
  double kept = INFINITY;  // of the largest distance of two tokens in F
};

double extent_in_f(const HostSwarm& z) {
  double most = 0;
  for (int i = 0; i < z.n(); ++i)
    for (int j = 0; j < i; ++j)
      most = std::max(most, dot_in_f(z, i, i) + dot_in_f(z, j, j) - 2 * dot_in_f(z, i, j));
  return std::sqrt(most);
}

// In G a follower i of j, both settled, obeys (z_i - z_j)' = -repelled (z_i - z_j).
Gathering gathering_of(const Simulated& simulated) {
  const HostSwarm &first = simulated.frames.front(), &last = simulated.last();
  const std::size_t late = 3 * simulated.frames.size() / 4;
  const HostSwarm& before = simulated.frames[late];
  const double time = simulated.times.back() - simulated.times[late];
  const int axis = last.d() - 1;
  Gathering g{.kept = extent_in_f(last) / extent_in_f(first)};
  for (int i = 0; i < last.n(); ++i) {
    const double miss = boundary_miss(last, i);
    g.miss = std::max(g.miss, miss);
    g.came += miss < kMiss && boundary_miss(first, i) >= kMiss ? 1 : 0;
    const int j = attended(last, i);
    if (j == i || attended(before, i) != j || boundary_miss(before, i) > 1e-3) continue;
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
  ReproducedTable table{fmt::format("paths_d{}", d), {"t", "token", "in F", "in G"}};
  for (int i = 0; i < simulated.last().n(); ++i)
    for (std::size_t f = 0; f < simulated.frames.size(); ++f)
      table.rows.push_back(
          {simulated.times[f], static_cast<double>(i), simulated.frames[f].at(i, 0),
           std::exp(repelled * simulated.times[f]) * simulated.frames[f].at(i, d - 1)});
  const std::string last = repelled == -0.5 ? "−½" : fmt::format("{:g}", repelled);
  const std::string exponent = repelled == -0.5 ? "−t/2" : fmt::format("{:g}t", repelled);
  const std::string v = fmt::format("V = diag({}, {})", d == 2 ? "1" : "1, 1", last);
  if (d == 2)
    result.figures.push_back({.name = "product",
                              .table = table.name,
                              .title = fmt::format("{}: along F", v),
                              .x = {.label = "time t"},
                              .y = {.label = "coordinate z_{1} of z = e^{−tV} x"},
                              .curves = {{"in F", Drawn::path, "tokens", 0}},
                              .apart = "token"});
  result.figures.push_back(
      {.name = "product",
       .table = table.name,
       .title = fmt::format("{}: along G", v),
       .x = {.label = "time t"},
       .y = {.label = fmt::format("coordinate x_{{{0}}} = e^{{{1}}} z_{{{0}}}", d, exponent)},
       .curves = {{"in G", Drawn::path, "tokens", 1}},
       .apart = "token"});
  result.tables.push_back(std::move(table));
}

// The plane F of d = 3 with the hull of the tokens in it.
void draw_plane(const Simulated& simulated, double repelled, Reproduction& result) {
  ReproducedTable table{"plane", {"z1", "hull", "path", "start", "end"}};
  const auto add = [&](std::size_t column, const PlanePoint& p) {
    table.rows.push_back({p.x, kNoNumber, kNoNumber, kNoNumber, kNoNumber});
    table.rows.back()[column] = p.y;
  };
  for (const PlanePoint& corner : hull_of(points_of(simulated.last()))) add(1, corner);
  for (int i = 0; i < simulated.last().n(); ++i) {
    for (const HostSwarm& z : simulated.frames) add(2, {z.at(i, 0), z.at(i, 1)});
    add(2, {kNoNumber, kNoNumber});
  }
  for (const PlanePoint& p : points_of(simulated.frames.front())) add(3, p);
  for (const PlanePoint& p : points_of(simulated.last())) add(4, p);
  result.figures.push_back(
      {.name = "product",
       .table = "plane",
       .title = fmt::format("V = diag(1, 1, {}): the plane F",
                            repelled == -0.5 ? "−½" : fmt::format("{:g}", repelled)),
       .x = {.label = "first coordinate z_{1}"},
       .y = {.label = "second coordinate z_{2}"},
       .curves = {{"hull", Drawn::area, "hull at the end", 0},
                  {"path", Drawn::path, "path of a token", ReproducedCurve::kQuiet},
                  {"start", Drawn::rings, "start", 1},
                  {"end", Drawn::points, "end", 0}},
       .equal_axes = true});
  result.tables.push_back(std::move(table));
}

}  // namespace

std::optional<Reproduction> product(const ReproductionControl& control) {
  Reproduction result = result_of(control, "product");
  ReproducedTable cases{"cases",
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
      control.wrong.spoil(spec);
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
    result.checks.push_back(
        holds("product.gather",
              {what + "largest (max_j <z, z_j> - <z, z>) / <z, z> in F at the end", all.miss},
              all.miss < kMiss && all.came > 0 && all.kept > kKept,
              "below 0.01, some came there on the way, and they do not all meet in one point"));
    result.checks.back().more["extent kept"] = all.kept;
    const bool some = all.followers > 0;
    for (const double rate : {all.nearest, all.farthest})
      result.checks.push_back(
          nearly("product.spread",
                 {fmt::format("{}{} rate at which a follower leaves its leader in G, {} followers",
                              what, rate == all.nearest ? "least" : "greatest", all.followers),
                  -repelled, some ? rate : kNoNumber},
                 kShare));
  }
  result.tables.insert(result.tables.begin(), std::move(cases));
  result.captions["product"] =
      "V attracts in F and repels in G. Along F tokens gather as under V = I: at two values on the "
      "line, on the boundary of a polytope in the plane. Along G followers leave their leaders as "
      "e^(t/2) in z, so that x = e^(tV) z keeps them apart; leaders, who attend to themselves "
      "alone, come to 0 there.";
  return result;
}

}  // namespace murmur
