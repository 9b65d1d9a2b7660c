// escape_times.cpp: how long softmax attention in R^d stays near the vertices of its hull.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

// x_i' = sum_j P_ij x_j - x_i, P the softmax of beta <x_i, x_j>, from vertices on the unit circle.
// A vertex sees one at the angle a with the weight e^{-beta c}, c = 1 - cos a. The tokens have left
// the vertices at T: the distance of two vertices is half of what it was, for the first time.
struct Start {
  const char* name;
  int corners;  // of the regular polygon; 0: the notebook's five vertices with followers
  double c;     // least 1 - cos a over pairs of vertices
};
const Start kStarts[] = {{"triangle", 3, 1 - std::cos(2 * std::numbers::pi / 3)},
                         {"square", 4, 1},
                         {"pentagon", 5, 1 - std::cos(2 * std::numbers::pi / 5)},
                         {"hexagon", 6, 0.5},
                         {"five vertices, followers", 0, 0.4}};
constexpr int kVertices = 5;  // of the notebook's start; its other tokens follow
constexpr double kHalf = 0.5;
constexpr double kFitFrom = 9;  // beta c from which the slope is fitted

ExperimentSpec spec_of(const Start& start, double beta, const WrongModel& wrong) {
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
  wrong.spoil(spec);
  return spec;
}

int vertices_of(const Start& start) { return start.corners > 0 ? start.corners : kVertices; }

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

double leading_order(const Start& start, double beta) {
  return std::exp(beta * start.c) / (4 * beta * start.c * start.c);
}

// By doubling and halving, to 2^-halvings of itself. NaN where they stay for good.
constexpr int kFine = 22, kCoarse = 14;
double escape_time(const Start& start, double beta, const WrongModel& wrong, int halvings) {
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

// The same of the published iteration x + gamma (sum_j P_ij x_j - x): its number of steps times
// gamma, between steps by a line. NaN where they stay for kMostSteps.
constexpr double kMostSteps = 1e5;
double escape_time_in_steps(const Start& start, double beta, const ReproductionControl& control) {
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
// c_j = 1 - cos a_j, w_j = e^{-beta r^2 c_j}: T is an integral over r from 1/2 to 1. Of other
// vertices it is that of their nearest pair alone: half its distance, h r with 2 h^2 = c, obeys
// r' = -2 r w / (1 + w), w = e^{-beta r^2 c}. By Simpson's rule.
double quadrature(const Start& start, double beta) {
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
  for (const Start& start : kStarts)
    for (const double sharpness : {4.0, 9.0}) {
      if (start.corners == 0) continue;
      const double beta = sharpness / start.c;
      result.checks.push_back(
          nearly("escape-times.polygons",
                 {fmt::format("{}, β = {:.4g}: time T", start.name, beta), quadrature(start, beta),
                  escape_time(start, beta, control.wrong, kFine)},
                 1e-5));
    }
}

std::string gamma_text(const FigureValues& values) {
  return values.is_changed("gamma") ? fmt::format("{:g}", values.number("gamma")) : "1/3";
}

// Of the polygons, which are slow from the start: followers arrive within a few steps.
void check_steps(const ReproductionControl& control, Reproduction& result) {
  const std::string gamma = gamma_text(control.values);
  for (const Start& start : kStarts) {
    if (start.corners == 0) continue;
    const double beta = kFitFrom / start.c;
    result.checks.push_back(
        nearly("escape-times.steps",
               {fmt::format("{}, β = {:.4g}: steps times γ = {}", start.name, beta, gamma),
                quadrature(start, beta), escape_time_in_steps(start, beta, control)},
               0.02));
  }
}

// Near the vertices for a tenth of the predicted T, and soon after T one point.
void check_two_stages(const ReproductionControl& control, Reproduction& result) {
  double moved = 0, least = INFINITY, apart = 0;
  for (const Start& start : kStarts) {
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
  result.checks.push_back(holds(
      "escape-times.stay", {"polygons at βc = 9: farthest that a vertex is moved at T/10", moved},
      moved < 0.01 && least > 0.001, "below 0.01, and every one by more than 0.001"));
  result.checks.push_back(holds(
      "escape-times.gather", {"polygons at βc = 9: farthest apart at 1.2 T + 100", apart},
      apart < 1e-6 && moved < 0.01, "below 1e-6: one point, from vertices that stayed until T/10"));
}

void draw(const std::string& gamma, Reproduction& result) {
  result.figures.push_back(
      {.name = "escape-times",
       .table = "escape_times",
       .title = "From vertices on the unit circle",
       .x = {.label = "inverse temperature β"},
       .y = {.label = "time T until two vertices are half as far", .log = true},
       .curves = {{"quadrature", Drawn::line, "quadrature"}, {"tokens", Drawn::points, "tokens"}},
       .over = "beta",
       .by = "start"});
  result.figures.push_back(
      {.name = "escape-times",
       .table = "escape_times",
       .title = "The same over e^{βc}/(4βc^{2})",
       .x = {.label = "βc, c = 1 − cos of the least angle"},
       .y = {.label = "time T / (e^{βc}/(4βc^{2}))", .from = 0, .to = 2},
       .curves = {{"quadrature over leading order", Drawn::line, "quadrature"},
                  {"tokens over leading order", Drawn::points, "tokens"},
                  {"steps over leading order", Drawn::rings, "steps of γ = " + gamma}},
       .over = "beta c",
       .by = "start",
       .guides = {{"leading order", kNoNumber, 1}, {"of one pair: c = 0.4", kNoNumber, 0.4}}});
  result.captions["escape-times"] =
      "Softmax attention in the plane from vertices of equal norm stays near them for a time that "
      "grows as e^(βc), c = 1 − cos of the least angle between two of them, and then gathers. "
      "Tokens (points) lie on the quadrature of the polygon's radius (lines); the published "
      "iteration (hollow marks, right), its steps counted as γ each, takes as long at large βc and "
      "some per cent longer at small. Five vertices of unequal angles have the slope of their "
      "nearest pair alone "
      "(line), which has one neighbour where a corner of a polygon has two: e^(βc)/(4βc), on the "
      "right the level c = 0.4. A follower each shortens T by a factor.";
}

}  // namespace

std::optional<Reproduction> escape_times(const ReproductionControl& control) {
  Reproduction result = result_of(control, "escape-times");
  check_polygons(control, result);
  ReproducedTable table{
      "escape_times",
      {"start", "beta", "beta c", "quadrature", "tokens", "steps", "leading order",
       "quadrature over leading order", "tokens over leading order", "steps over leading order"}};
  const double step = control.values.number("step"), between = 0.25;
  const double longest = control.values.number("longest");
  for (const Start& start : kStarts) {
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
    result.checks.push_back(
        nearly(regular ? "escape-times.slope" : "escape-times.nearest-pair",
               {fmt::format("{}: slope of ln(βT) over β, βc from 9 to {:g}", start.name, longest),
                start.c, line_of(betas, logs).slope},
               regular ? 0.01 : 0.02));
  }
  check_steps(control, result);
  check_two_stages(control, result);
  result.tables.push_back(std::move(table));
  draw(gamma_text(control.values), result);
  return result;
}

}  // namespace murmur
