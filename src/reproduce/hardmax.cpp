// hardmax.cpp: hard attention in R^d, its leaders and cells, and how long softmax attention stays
// near the vertices that hard attention never leaves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "murmur/random.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

using Point = PlanePoint;
double dot(const Point& a, const Point& b) { return a.x * b.x + a.y * b.y; }
double distance(const Point& a, const Point& b) { return std::hypot(a.x - b.x, a.y - b.y); }
using Points = std::vector<Point>;

Experiment starting_at(const Points& points, ExperimentSpec spec, const WrongModel& wrong) {
  Matrix rows{static_cast<int>(points.size()), 2, {}};
  for (const Point& p : points) rows.data.insert(rows.data.end(), {p.x, p.y});
  spec.init = InitialPoints{std::move(rows)};
  wrong.apply(spec);
  return make_experiment(spec);
}

// The j of the greatest <at, z_j>; ties are exact.
std::vector<int> seen_by(const Point& at, const Points& z) {
  double most = -1e300;
  for (const Point& p : z) most = std::max(most, dot(at, p));
  std::vector<int> seen;
  for (std::size_t j = 0; j < z.size(); ++j)
    if (dot(at, z[j]) == most) seen.push_back(static_cast<int>(j));
  return seen;
}

// The four starts of 2407.01602, Fig. 2: given points, and some drawn in boxes.
struct Box {
  double low, high;
  int count;
};
struct PublishedStart {
  const char* name;
  Points given;
  std::vector<Box> drawn;
};

std::vector<PublishedStart> starts() {
  constexpr double third = 1.0 / 3, twelfth = 1.0 / 12;
  return {
      {"leader",
       {{1, third},
        {-twelfth, twelfth},
        {-1, -1},
        {0, .25},
        {-.3, -.7},
        {-.6, -.9},
        {.8, .1},
        {.6, .15}},
       {}},
      {"triangle", {{1, 1}, {.5, -.5}, {-1, -1}, {.3, -.2}, {.1, -.2}}, {{0, 1, 2}, {-1, 0, 2}}},
      {"square", {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}, {{-.5, .5, 6}}},
      {"non-leaders", {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}, {.5, 0}, {-.5, 0}}, {{-.5, .5, 4}}},
  };
}

Points points_of(const PublishedStart& start, std::uint32_t replica) {
  Points points = start.given;
  for (const Box& box : start.drawn)
    for (int k = 0; k < box.count; ++k) {
      const Draw draw{0, Stream::position, static_cast<std::uint32_t>(points.size()), 0, replica};
      const double side = box.high - box.low;
      points.push_back({box.low + side * draw.uniform(0), box.low + side * draw.uniform(1)});
    }
  return points;
}

// The point that a particle approaches: the mean of the tokens that it attends to. It is known
// where each of them attends only to itself, and the mean attends to all of them.
struct Target {
  bool known = false;
  Point point{};
};

Target target_of(const Point& at, const Points& z) {
  const std::vector<int> seen = seen_by(at, z);
  Target target{.known = true, .point = {0, 0}};
  for (const int j : seen) {
    target.known = target.known && seen_by(z[j], z) == std::vector<int>{j};
    target.point.x += z[j].x / static_cast<double>(seen.size());
    target.point.y += z[j].y / static_cast<double>(seen.size());
  }
  target.known = target.known && seen_by(target.point, z) == seen;
  return target;
}

struct HardmaxCase {
  int particles = 0, leaders = 0, known = 0;
  double moved = 0;       // the longest distance from its start of a leader
  double error = 0;       // of the closed form, over all steps and known particles
  double last_step = 0;   // the longest move in the last step
  double first_step = 0;  // the longest move in the first step
};

HardmaxCase judge_hardmax(const Simulated& simulated, double alpha) {
  HardmaxCase found;
  const Points first = points_of(simulated.frames.front());
  const Points last = points_of(simulated.last());
  const Points before = points_of(simulated.frames[simulated.frames.size() - 2]);
  for (std::size_t i = 0; i < first.size(); ++i) {
    ++found.particles;
    found.last_step = std::max(found.last_step, distance(last[i], before[i]));
    found.first_step =
        std::max(found.first_step, distance(points_of(simulated.frames[1])[i], first[i]));
    const bool leads = seen_by(first[i], first) == std::vector<int>{static_cast<int>(i)};
    found.leaders += leads ? 1 : 0;
    const Target target = target_of(first[i], first);
    found.known += target.known ? 1 : 0;
    for (std::size_t step = 0; step < simulated.frames.size(); ++step) {
      const Point at = {simulated.frames[step].at(static_cast<int>(i), 0),
                        simulated.frames[step].at(static_cast<int>(i), 1)};
      if (leads) found.moved = std::max(found.moved, distance(at, first[i]));
      if (!target.known) continue;
      const int steps = static_cast<int>(step);
      const Point predicted = {theory::hardmax({first[i].x, target.point.x}, alpha, steps),
                               theory::hardmax({first[i].y, target.point.y}, alpha, steps)};
      found.error = std::max(found.error, distance(at, predicted));
    }
  }
  return found;
}

constexpr double kStride = 0.1;  // other tokens than leaders move at least as far in the first step

constexpr int kSnapshots[] = {0, 1, 2, 5, 30};

// Positions of tokens at some steps, their paths, the hull of the start, and the leaders.
void draw_start(Reproduction& result, const std::string& name, const Simulated& simulated) {
  ColumnTable table{"snapshots_" + name, {"x", "hull", "path", "leaders"}};
  for (const int step : kSnapshots) table.columns.push_back(fmt::format("step {}", step));
  const auto add = [&](std::size_t column, const Point& p) { add_point(table, p.x, column, p.y); };
  const Points first = points_of(simulated.frames.front());
  for (const Point& corner : hull_of(first)) add(1, corner);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (seen_by(first[i], first) == std::vector<int>{static_cast<int>(i)}) {
      add(3, first[i]);  // a leader does not move
      continue;
    }
    for (const HostSwarm& z : simulated.frames) add(2, points_of(z)[i]);
    add(2, {kNoNumber, kNoNumber});
    for (std::size_t s = 0; s < std::size(kSnapshots); ++s)
      add(4 + s, points_of(simulated.frames[kSnapshots[s]])[i]);
  }
  TablePanel figure{.name = figure::hardmax,
                    .table = table.name,
                    .title = "Start: " + name,
                    .x = {.label = "first coordinate z_{1}"},
                    .y = {.label = "second coordinate z_{2}"},
                    .equal_axes = true};
  figure.curves = {{"hull", Curve::area, "first hull", Curve::kQuiet},
                   {"path", Curve::path, "", Curve::kQuiet}};
  int colour = 0;
  for (const int step : kSnapshots)
    figure.curves.push_back({fmt::format("step {}", step), step == 0 ? Curve::rings : Curve::points,
                             fmt::format("step {}", step), colour++});
  figure.curves.push_back({"leaders", Curve::diamonds, "leaders", Curve::kInk});
  result.figures.push_back(std::move(figure));
  result.tables.push_back(std::move(table));
}

// Cells.

// k corners at random angles on the unit circle, or, with unequal norms, at radii from 0.6 to 1.
Points polygon(int k, bool equal_norms) {
  Points corners;
  for (int c = 0; c < k; ++c) {
    const Draw draw{0, Stream::target, static_cast<std::uint32_t>(c),
                    static_cast<std::uint32_t>(k)};
    const double angle = 2 * std::numbers::pi * draw.uniform(0);
    const double radius = equal_norms ? 1 : 0.6 + 0.4 * draw.uniform(1);
    corners.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  return corners;
}

constexpr double kHalfWidth = 1.2;  // of the grid
double grid_place(int k, int side) { return kHalfWidth * (2 * (k + 0.5) / side - 1); }

struct Choice {
  int best;
  double lead;  // over the second
};
// The corner of the greatest score.
template <class Score>
Choice choose(const Points& corners, const Score& score) {
  Choice choice{0, 0};
  double most = -1e300, second = -1e300;
  for (std::size_t c = 0; c < corners.size(); ++c) {
    const double s = score(corners[c]);
    if (s > most) {
      second = most;
      most = s;
      choice.best = static_cast<int>(c);
    } else {
      second = std::max(second, s);
    }
  }
  choice.lead = most - second;
  return choice;
}
Choice attended(const Points& corners, const Point& at) {
  return choose(corners, [&](const Point& v) { return dot(at, v); });
}
Choice nearest(const Points& corners, const Point& at) {
  return choose(corners, [&](const Point& v) {
    return -(at.x - v.x) * (at.x - v.x) - (at.y - v.y) * (at.y - v.y);
  });
}

constexpr double kTie = 1e-9;  // scores closer than this

// The share of the places of a grid, without ties, at which the attended corner is the nearest.
struct Agreement {
  double share = 0;
  std::int64_t places = 0;
};
Agreement agreement_of(const Points& corners, int side) {
  std::int64_t same = 0, places = 0;
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c) {
      const Point at{grid_place(c, side), grid_place(r, side)};
      const Choice a = attended(corners, at), b = nearest(corners, at);
      if (a.lead < kTie || b.lead < kTie) continue;
      ++places;
      same += a.best == b.best ? 1 : 0;
    }
  return {static_cast<double>(same) / static_cast<double>(places), places};
}

// Indices of corners of one norm in their order around the circle.
std::vector<int> by_angle(const Points& corners) {
  std::vector<int> order(corners.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::atan2(corners[a].y, corners[a].x) < std::atan2(corners[b].y, corners[b].x);
  });
  return order;
}

bool in_hull(const Points& corners, const std::vector<int>& order, const Point& at) {
  for (std::size_t c = 0; c < order.size(); ++c) {
    const Point &a = corners[order[c]], &b = corners[order[(c + 1) % order.size()]];
    if ((b.x - a.x) * (at.y - a.y) - (b.y - a.y) * (at.x - a.x) <= 0) return false;
  }
  return true;
}

// Tokens inside the polygon: their number, and the largest distance at the end between one of them
// and its place by the closed form towards the corner of its cell.
struct Followers {
  int count = 0;
  double error = 0;
};
Followers simulate_followers(const Points& corners, int side, const WrongModel& wrong) {
  Points all = corners;
  const std::vector<int> order = by_angle(corners);
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c) {
      const Point at{grid_place(c, side), grid_place(r, side)};
      if (in_hull(corners, order, at) && attended(corners, at).lead > kTie) all.push_back(at);
    }
  const Experiment e = starting_at(all, preset_spec("hardmax-cells"), wrong);
  const Points last = points_of(simulate_in_memory(e, wrong.null).last());
  const int steps = static_cast<int>(std::lround(e.schedule.T / e.flow.dt));
  const double alpha = e.flow.dt / (1 - e.flow.dt);
  Followers found{static_cast<int>(all.size() - corners.size())};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Point& v = corners[nearest(corners, all[i]).best];
    const Point predicted = {theory::hardmax({all[i].x, v.x}, alpha, steps),
                             theory::hardmax({all[i].y, v.y}, alpha, steps)};
    found.error = std::max(found.error, distance(last[i], predicted));
  }
  return found;
}

void draw_cells(Reproduction& result, int k) {
  constexpr int kSide = 160;
  const Points corners = polygon(k, true);
  const std::vector<int> order = by_angle(corners);
  ColumnTable table{fmt::format("cells_{}", k), {"x", "y", "cell", "vertex"}};
  int stride = (k - 1) / 2;  // numbers, and so colours, of neighbours are far from each other
  while (std::gcd(stride, k) > 1) --stride;
  for (int r = 0; r < kSide; ++r)
    for (int c = 0; c < kSide; ++c) {
      const Point at{grid_place(c, kSide), grid_place(r, kSide)};
      const auto place =
          std::find(order.begin(), order.end(), attended(corners, at).best) - order.begin();
      table.rows.push_back({at.x, at.y, place * stride % k + 1.0, kNoNumber});
    }
  for (std::size_t c = 0; c <= order.size(); ++c) {
    const Point& corner = corners[order[c % order.size()]];
    table.rows.push_back({corner.x, kNoNumber, kNoNumber, corner.y});
  }
  result.figures.push_back(
      {.name = figure::hardmax_cells,
       .table = table.name,
       .title = fmt::format("{} vertices of equal norm", k),
       .x = {.label = "first coordinate x_{1}"},
       .y = {.label = "second coordinate x_{2}"},
       .curves = {{"vertex", Curve::line, "polygon", 2}, {"vertex", Curve::points, "vertices", 0}},
       .map = "cell",
       .map_label = "number of the attended vertex",
       .equal_axes = true});
  result.tables.push_back(std::move(table));
}

// Thirty steps of alpha: Euler steps of dt = alpha / (1 + alpha).
ExperimentSpec spec_of(const FigureValues& values) {
  ExperimentSpec spec = preset_spec("hardmax");
  if (!values.is_changed("alpha")) return spec;
  const double alpha = values.number("alpha");
  spec.dt = alpha / (1 + alpha);
  spec.T = 30 * spec.dt;
  spec.save = SaveChoice{SaveChoice::every, spec.dt};
  return spec;
}

}  // namespace

std::optional<Reproduction> hardmax(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::hardmax);
  ColumnTable cases{"cases",
                    {"start", "draw", "particles", "leaders", "closed_form_applies",
                     "leaders_moved", "closed_form_error", "last_step"}};
  const double alpha = control.values.number("alpha");
  const ExperimentSpec spec = spec_of(control.values);
  double moved = 0, error = 0, last_step = 0, first_step = INFINITY;
  int known = 0, particles = 0;
  const auto draws = static_cast<std::uint32_t>(control.values.whole("draws"));
  const std::vector<PublishedStart> all = starts();
  for (const PublishedStart& start : all)
    for (std::uint32_t draw = 0; draw < (start.drawn.empty() ? 1u : draws); ++draw) {
      const Simulated simulated = simulate_in_memory(
          starting_at(points_of(start, draw), spec, control.wrong), control.wrong.null);
      const HardmaxCase found = judge_hardmax(simulated, alpha);
      cases.rows.push_back({start.name, double(draw), double(found.particles),
                            double(found.leaders), double(found.known), found.moved, found.error,
                            found.last_step});
      moved = std::max(moved, found.moved);
      error = std::max(error, found.error);
      last_step = std::max(last_step, found.last_step);
      first_step = std::min(first_step, found.first_step);
      known += found.known;
      particles += found.particles;
      if (draw == 0) draw_start(result, start.name, simulated);
    }
  result.checks = {
      check_holds(rule::hardmax_leaders, {"farthest that a leader moves in 30 steps", moved},
                  moved < 1e-12 && first_step > kStride,
                  fmt::format("below 1e-12, where others move by {:g} in a step", kStride)),
      check_holds(
          rule::hardmax_closed_form,
          {fmt::format("error of the closed form, {} of {} particles", known, particles), error},
          known > 0 && error < 1e-12, "below 1e-12"),
      check_holds(rule::hardmax_rest, {"longest move in the last step", last_step},
                  last_step < 1e-4 && first_step > kStride && moved < 1e-12,
                  fmt::format("below 1e-4, from {:g} or more, round leaders that stay", kStride))};
  result.tables.insert(result.tables.begin(), std::move(cases));
  result.captions[figure::hardmax] =
      "Hard attention, α = 0.5, from the four published starts: leaders (diamonds) never move; all "
      "others go along straight lines towards a leader, or towards the middle of several that they "
      "see alike. Shaded: the hull of the start. Most are under their diamond at step 30.";
  return result;
}

std::optional<Reproduction> hardmax_cells(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::hardmax_cells);
  ColumnTable cases{
      "cases", {"corners", "places", "agree", "agree_unequal_norms", "followers", "flight_error"}};
  const int side = control.values.whole("grid"), rows = control.values.whole("followers");
  double error = 0;
  int followers = 0;
  for (const int k : control.values.wholes("corners")) {
    const Agreement equal = agreement_of(polygon(k, true), side);
    const Agreement other = agreement_of(polygon(k, false), side / 5);
    const Followers simulated = simulate_followers(polygon(k, true), rows, control.wrong);
    cases.rows.push_back({double(k), double(equal.places), equal.share, other.share,
                          double(simulated.count), simulated.error});
    error = std::max(error, simulated.error);
    followers += simulated.count;
  }
  result.tables.push_back(std::move(cases));
  for (const int k : control.values.wholes("drawn")) draw_cells(result, k);
  result.captions[figure::hardmax_cells] =
      "Colours: the vertex to which a token at that place attends, numbered so that neighbours "
      "differ much. For vertices of equal norm the cell of a vertex is its Voronoi cell, a cone "
      "about it.";
  result.checks = {check_holds(
      rule::hardmax_cells_followers,
      {fmt::format("farthest that {} particles end from where their cell leads", followers), error},
      followers > 0 && error < 1e-12, "below 1e-12")};
  return result;
}

namespace {

// x_i' = sum_j P_ij x_j - x_i, P the softmax of beta <x_i, x_j>, from vertices on the unit circle.
// A vertex attends to one at the angle a with the weight e^{-beta c}, c = 1 - cos a. T is the first
// time at which the distance of two vertices is half of what it was at the start.
struct VertexStart {
  const char* name;
  int corners;  // of the regular polygon; 0: the notebook's five vertices with followers
  double c;     // least 1 - cos a over pairs of vertices
};
const VertexStart kVertexStarts[] = {{"triangle", 3, 1 - std::cos(2 * std::numbers::pi / 3)},
                                     {"square", 4, 1},
                                     {"pentagon", 5, 1 - std::cos(2 * std::numbers::pi / 5)},
                                     {"hexagon", 6, 0.5},
                                     {"five vertices, followers", 0, 0.4}};
constexpr int kVertices = 5;  // of the notebook's start; its other tokens follow
constexpr double kHalf = 0.5;
constexpr double kFitFrom = 9;  // beta c from which the slope is fitted

ExperimentSpec spec_of(const VertexStart& start, double beta, const WrongModel& wrong) {
  ExperimentSpec spec = preset_spec("escape-times");
  spec.dynamics.beta = beta;
  if (start.corners > 0) {
    Matrix corners = zeros(start.corners, 2);
    for (int i = 0; i < start.corners; ++i) {
      corners(i, 0) = std::cos(2 * std::numbers::pi * i / start.corners);
      corners(i, 1) = std::sin(2 * std::numbers::pi * i / start.corners);
    }
    spec.init = InitialPoints{std::move(corners)};
  }
  wrong.apply(spec);
  return spec;
}

int vertices_of(const VertexStart& start) { return start.corners > 0 ? start.corners : kVertices; }

double distance(const HostSwarm& x, int i, int j) {
  return std::hypot(x.at(i, 0) - x.at(j, 0), x.at(i, 1) - x.at(j, 1));
}

// The least ratio of the distance of two vertices to what it was.
double nearness(const HostSwarm& x, const HostSwarm& first, int vertices) {
  double least = 1;
  for (int i = 0; i < vertices; ++i)
    for (int j = 0; j < i; ++j) least = std::min(least, distance(x, i, j) / distance(first, i, j));
  return least;
}

HostSwarm after(ExperimentSpec spec, double t, NullModel null) {
  spec.T = t;
  return simulate_in_memory(make_experiment(spec), null).last();
}

double leading_order(const VertexStart& start, double beta) {
  return std::exp(beta * start.c) / (4 * beta * start.c * start.c);
}

// T by doubling and halving, to a relative accuracy of 2^-halvings. NaN where the tokens never
// leave.
constexpr int kFine = 22, kCoarse = 14;
double escape_time(const VertexStart& start, double beta, const WrongModel& wrong, int halvings) {
  const ExperimentSpec spec = spec_of(start, beta, wrong);
  const HostSwarm first = make_experiment(spec).swarm;
  const auto together = [&](double t) {
    return nearness(after(spec, t, wrong.null), first, vertices_of(start)) <= kHalf;
  };
  double high = leading_order(start, beta) / 8;
  while (together(high)) high /= 2;
  while (!together(high))
    if ((high *= 2) > 1e15) return kNoNumber;
  double low = high / 2;
  for (int halving = 0; halving < halvings; ++halving) {
    const double middle = (low + high) / 2;
    (together(middle) ? high : low) = middle;
  }
  return (low + high) / 2;
}

// T of the published iteration x + gamma (sum_j P_ij x_j - x): its number of steps times gamma,
// interpolated between steps. NaN where the tokens stay for kMostSteps.
constexpr double kMostSteps = 1e5;
double escape_time_in_steps(const VertexStart& start, double beta,
                            const ReproductionControl& control) {
  const double gamma = control.values.number("gamma");
  const WrongModel& wrong = control.wrong;
  ExperimentSpec spec = spec_of(start, beta, wrong);
  spec.method = Method::euler;
  spec.dt = gamma;
  spec.merge = 0;
  spec.save = SaveChoice{SaveChoice::every, gamma, 0};
  for (spec.T = 60 * gamma;; spec.T *= 2) {
    if (spec.T > kMostSteps * gamma) return kNoNumber;
    const Simulated simulated = simulate_in_memory(make_experiment(spec), wrong.null);
    const HostSwarm& first = simulated.frames.front();
    double before = 1;
    for (std::size_t f = 1; f < simulated.frames.size(); ++f) {
      const double now = nearness(simulated.frames[f], first, vertices_of(start));
      if (now <= kHalf) return simulated.times[f] - gamma * (kHalf - now) / (before - now);
      before = now;
    }
  }
}

// A regular polygon stays one, and its radius r obeys r' = -r sum_j w_j c_j / (1 + sum_j w_j) with
// c_j = 1 - cos a_j, w_j = e^{-beta r^2 c_j}: T is an integral over r from 1/2 to 1. For other
// vertices only the nearest pair counts: half its distance, h r with 2 h^2 = c, obeys r' = -2 r w /
// (1 + w), w = e^{-beta r^2 c}. By Simpson's rule.
double quadrature(const VertexStart& start, double beta) {
  constexpr int kIntervals = 4'000;
  const auto slowness = [&](double r) {
    const double nearest = std::exp(-beta * r * r * start.c);
    if (start.corners == 0) return (1 + nearest) / (2 * r * nearest);
    double pull = 0, sum = 1;
    for (int j = 1; j < start.corners; ++j) {
      const double c = 1 - std::cos(2 * std::numbers::pi * j / start.corners);
      const double w = std::exp(-beta * r * r * c);
      sum += w;
      pull += w * c;
    }
    return sum / (r * pull);
  };
  const double h = (1 - kHalf) / kIntervals;
  double total = slowness(kHalf) + slowness(1);
  for (int k = 1; k < kIntervals; ++k) total += (k % 2 == 0 ? 2 : 4) * slowness(kHalf + k * h);
  return total * h / 3;
}

void check_polygons(const ReproductionControl& control, Reproduction& result) {
  for (const VertexStart& start : kVertexStarts)
    for (const double sharpness : {4.0, 9.0}) {
      if (start.corners == 0) continue;
      const double beta = sharpness / start.c;
      result.checks.push_back(check_near_share(
          rule::escape_times_polygons,
          {fmt::format("{}, β = {:.4g}: time T", start.name, beta), quadrature(start, beta),
           escape_time(start, beta, control.wrong, kFine)},
          1e-5));
    }
}

std::string gamma_text(const FigureValues& values) {
  return values.is_changed("gamma") ? fmt::format("{:g}", values.number("gamma")) : "1/3";
}

// Only of the polygons, which are slow from the start: followers arrive within a few steps.
void check_steps(const ReproductionControl& control, Reproduction& result) {
  const std::string gamma = gamma_text(control.values);
  for (const VertexStart& start : kVertexStarts) {
    if (start.corners == 0) continue;
    const double beta = kFitFrom / start.c;
    result.checks.push_back(check_near_share(
        rule::escape_times_steps,
        {fmt::format("{}, β = {:.4g}: steps times γ = {}", start.name, beta, gamma),
         quadrature(start, beta), escape_time_in_steps(start, beta, control)},
        0.02));
  }
}

// Tokens stay near the vertices for a tenth of the predicted T, and are one point soon after T.
void check_two_stages(const ReproductionControl& control, Reproduction& result) {
  double moved = 0, least = INFINITY, apart = 0;
  for (const VertexStart& start : kVertexStarts) {
    if (start.corners == 0) continue;
    const ExperimentSpec spec = spec_of(start, kFitFrom / start.c, control.wrong);
    const HostSwarm first = make_experiment(spec).swarm;
    const double t = quadrature(start, kFitFrom / start.c);
    const HostSwarm early = after(spec, t / 10, control.wrong.null),
                    late = after(spec, 1.2 * t + 100, control.wrong.null);
    for (int i = 0; i < start.corners; ++i) {
      const double by =
          std::hypot(early.at(i, 0) - first.at(i, 0), early.at(i, 1) - first.at(i, 1));
      moved = std::max(moved, by);
      least = std::min(least, by);
      apart = std::max(apart, distance(late, i, 0));
    }
  }
  result.checks.push_back(
      check_holds(rule::escape_times_stay,
                  {"polygons at βc = 9: farthest that a vertex is moved at T/10", moved},
                  moved < 0.01 && least > 0.001, "below 0.01, and every one by more than 0.001"));
  result.checks.push_back(check_holds(
      rule::escape_times_gather, {"polygons at βc = 9: farthest apart at 1.2 T + 100", apart},
      apart < 1e-6 && moved < 0.01, "below 1e-6: one point, from vertices that stayed until T/10"));
}

void draw_escape_times(const std::string& gamma, Reproduction& result) {
  result.figures.push_back(
      {.name = figure::escape_times,
       .table = "escape_times",
       .title = "From vertices on the unit circle",
       .x = {.label = "inverse temperature β"},
       .y = {.label = "time T until two vertices are half as far", .log = true},
       .curves = {{"quadrature", Curve::line, "quadrature"}, {"tokens", Curve::points, "tokens"}},
       .over = "beta",
       .by = "start"});
  result.figures.push_back(
      {.name = figure::escape_times,
       .table = "escape_times",
       .title = "The same over e^{βc}/(4βc^{2})",
       .x = {.label = "βc, c = 1 − cos of the least angle"},
       .y = {.label = "time T / (e^{βc}/(4βc^{2}))", .from = 0, .to = 2},
       .curves = {{"quadrature over leading order", Curve::line, "quadrature"},
                  {"tokens over leading order", Curve::points, "tokens"},
                  {"steps over leading order", Curve::rings, "steps of γ = " + gamma}},
       .over = "beta c",
       .by = "start",
       .guides = {{"leading order", kNoNumber, 1}, {"of one pair: c = 0.4", kNoNumber, 0.4}}});
  result.captions[figure::escape_times] =
      "Softmax attention in the plane from vertices of equal norm stays near them for a time that "
      "grows as e^(βc), c = 1 − cos of the least angle between two of them, and then gathers. "
      "Tokens (points) lie on the quadrature of the polygon's radius (lines); the published "
      "iteration (hollow marks, right), its steps counted as γ each, takes as long at large βc and "
      "some per cent longer at small. Five vertices of unequal angles have the slope of only their "
      "nearest pair (line), which has one neighbour where a corner of a polygon has two: "
      "e^(βc)/(4βc), on the right the level c = 0.4. One follower per vertex shortens T by a "
      "factor.";
}

}  // namespace

std::optional<Reproduction> escape_times(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::escape_times);
  check_polygons(control, result);
  ColumnTable table{
      "escape_times",
      {"start", "beta", "beta c", "quadrature", "tokens", "steps", "leading order",
       "quadrature over leading order", "tokens over leading order", "steps over leading order"}};
  const double step = control.values.number("step"), between = 0.25;
  const double longest = control.values.number("longest");
  for (const VertexStart& start : kVertexStarts) {
    std::vector<double> betas, logs;
    for (double sharpness = 4; sharpness <= longest; sharpness += between) {
      if (control.stopped()) return std::nullopt;
      const double beta = sharpness / start.c, leading = leading_order(start, beta);
      const bool measured = std::fmod(sharpness - 1, step) == 0;
      const double predicted = quadrature(start, beta);
      const double ours = measured ? escape_time(start, beta, control.wrong, kCoarse) : kNoNumber;
      const double steps =
          measured && sharpness <= 10 ? escape_time_in_steps(start, beta, control) : kNoNumber;
      table.rows.push_back({start.name, beta, sharpness, predicted, ours, steps, leading,
                            predicted / leading, ours / leading, steps / leading});
      if (!measured || sharpness < kFitFrom) continue;
      betas.push_back(beta);
      logs.push_back(std::log(beta * ours));
    }
    const bool regular = start.corners > 0;
    result.checks.push_back(check_near_share(
        regular ? rule::escape_times_slope : rule::escape_times_nearest_pair,
        {fmt::format("{}: slope of ln(βT) over β, βc from 9 to {:g}", start.name, longest), start.c,
         fit_line(betas, logs).slope},
        regular ? 0.01 : 0.02));
  }
  check_steps(control, result);
  check_two_stages(control, result);
  result.tables.push_back(std::move(table));
  draw_escape_times(gamma_text(control.values), result);
  return result;
}

}  // namespace murmur
