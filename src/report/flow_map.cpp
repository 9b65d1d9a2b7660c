// flow_map.cpp: swarms whose tokens do not see each other: what their flow does to a grid of
// points.
#include <cmath>
#include <numbers>

#include "murmur/error.h"
#include "murmur/flow.h"
#include "murmur/observe.h"
#include "picture/projection.h"
#include "report/figures.h"

namespace murmur {

namespace {

constexpr int kLines = 13, kPieces = 60;  // of a plane, each way; pieces of a line

// Points of a grid before they are carried.
struct Grid {
  std::vector<std::vector<double>> points{};
  std::vector<std::vector<int>> lines{};

  template <typename At>
  void add(int pieces, const At& at) {
    std::vector<int> line;
    for (int k = 0; k <= pieces; ++k) {
      line.push_back(static_cast<int>(points.size()));
      points.push_back(at(static_cast<double>(k) / pieces));
    }
    lines.push_back(std::move(line));
  }
};

// Straight lines over where the particles start, a little farther.
Grid plane_grid(const HostSwarm& start) {
  std::vector<picture::Point> places;
  for (int i = 0; i < start.n(); ++i)
    places.push_back({static_cast<float>(start.at(i, 0)), static_cast<float>(start.at(i, 1)), 0});
  picture::TrajectoryExtent extent;
  extent.add(places);
  double low[2], high[2];
  for (int k = 0; k < 2; ++k) {
    const double width = extent.high[k] - extent.low[k], pad = width > 0 ? 0.04 * width : 0.5;
    low[k] = extent.low[k] - pad, high[k] = extent.high[k] + pad;
  }
  const auto between = [&](int k, double s) { return low[k] + s * (high[k] - low[k]); };
  Grid grid;
  for (int l = 0; l < kLines; ++l) {
    const double at = static_cast<double>(l) / (kLines - 1);
    grid.add(kPieces, [&](double s) { return std::vector{between(0, s), between(1, at)}; });
    grid.add(kPieces, [&](double s) { return std::vector{between(0, at), between(1, s)}; });
  }
  return grid;
}

// Parallels every twenty degrees, meridians every thirty.
Grid sphere_grid() {
  constexpr double kPi = std::numbers::pi;
  const auto place = [](double latitude, double longitude) {
    return std::vector{std::cos(latitude) * std::cos(longitude),
                       std::cos(latitude) * std::sin(longitude), std::sin(latitude)};
  };
  Grid grid;
  for (int step = -3; step <= 3; ++step)
    grid.add(2 * kPieces, [&](double s) { return place(step * kPi / 9, 2 * kPi * s); });
  for (int step = 0; step < 12; ++step)
    grid.add(kPieces, [&](double s) { return place((s - 0.5) * 8 * kPi / 9, step * kPi / 6); });
  return grid;
}

}  // namespace

bool is_map(const Experiment& e) {
  for (const double t : {0.0, e.schedule.T})
    if (!heads_of(e.dynamics, t).empty()) return false;
  return true;
}

std::shared_ptr<const CarriedGrid> carried_grid(const RunReader& run, const Experiment& e) {
  const int d = run.shape().d;
  const bool sphere = e.dynamics.manifold == Manifold::sphere;
  if (e.dynamics.noise > 0 || d != (sphere ? 3 : 2)) return nullptr;
  const Grid grid = sphere ? sphere_grid() : plane_grid(run.frame(0));
  Experiment carrying = e;
  carrying.swarm = HostSwarm({static_cast<int>(grid.points.size()), d});
  for (int i = 0; i < carrying.swarm.n(); ++i)
    for (int k = 0; k < d; ++k) carrying.swarm.at(i, k) = grid.points[i][k];
  carrying.engine = {.name = "reference"};
  carrying.flow.merge = 0;
  const auto engine = make_engine(carrying.engine);
  const auto field = prepare_field(carrying, *engine);
  auto carried = std::make_shared<CarriedGrid>();
  carried->lines = grid.lines;
  const auto frames = static_cast<std::size_t>(run.frames());
  FlowState state = start(carrying.swarm);
  const FlowWatch watch{
      .frame =
          [&](double, const Frame& frame) {
            if (carried->frames.size() < frames) carried->frames.push_back(frame.host);
          },
      .pause = [&](const FlowState&, const auto&) { return carried->frames.size() >= frames; }};
  advance({*engine, *field, carrying.flow, carrying.random}, carrying.schedule, state, watch);
  if (carried->frames.size() != frames) return nullptr;  // a line blew up: paths alone are drawn
  return carried;
}

}  // namespace murmur
