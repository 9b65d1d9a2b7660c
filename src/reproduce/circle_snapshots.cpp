// circle_snapshots.cpp: one swarm on the circle at the times of Fig. 4 of 2312.10794, next to the
// map for d = 2.
#include "reproduce/circle_snapshots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/observe.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kShares[] = {1.0 / 12, 0.6, 1};  // of the last time 30: 2.5, 18 and 30
constexpr int kOutline = 180;                     // points of the circle that is drawn

// The number of clusters that the published picture shows at t = 30; 0: it has no such beta.
int shown_clusters(double beta) { return beta == 4 ? 2 : beta == 9 ? 3 : 0; }

Simulated swarm_of(double beta, std::uint32_t replica, const ReproductionControl& control) {
  ExperimentSpec spec = control.values.spec("circle-clusters");
  spec.dynamics.beta = beta;
  spec.method = Method::layers;
  const double dt = spec.dt;
  spec.save = SaveChoice{SaveChoice::every, dt * std::max(1.0, std::round(spec.T / 60 / dt))};
  spec.random.replica = replica;
  spec.engine.threads = 1;
  return simulate_in_memory(make_experiment(spec));
}

int clusters_of(const HostSwarm& x) { return clusters(x, Manifold::sphere).count; }

// The figure shows one start that ends in its number of clusters, as most do: the first one here.
struct Chosen {
  std::uint32_t replica = 0;
  Simulated swarm{};
};
Chosen first_start(double beta, const ReproductionControl& control) {
  constexpr std::uint32_t kMostStarts = 100;  // 0.3^100 that none of them ends so
  const int shown = shown_clusters(beta);
  for (std::uint32_t replica = 0;; ++replica) {
    Simulated swarm = swarm_of(beta, replica, control);
    if (shown == 0 || replica == kMostStarts || clusters_of(swarm.last()) == shown)
      return {replica, std::move(swarm)};
  }
}

std::size_t frame_at(const Simulated& swarm, double t) {
  std::size_t nearest = 0;
  for (std::size_t k = 0; k < swarm.times.size(); ++k)
    if (std::fabs(swarm.times[k] - t) < std::fabs(swarm.times[nearest] - t)) nearest = k;
  return nearest;
}

// The outline of the circle, where tokens started and where they are at t.
ReproducedTable table_of(const Simulated& swarm, double beta, double t) {
  ReproducedTable table{fmt::format("snapshot_beta{:g}_t{:g}", beta, t),
                        {"x", "circle", "start", "tokens", "token"}};
  const auto row = [&](double x, double y, std::size_t column, double token) {
    auto& cells = table.rows.emplace_back(table.columns.size(), kNoNumber);
    cells[0] = x;
    cells[column] = y;
    cells.back() = token;
  };
  for (int k = 0; k <= kOutline; ++k) {
    const double angle = 2 * std::numbers::pi * k / kOutline;
    row(std::cos(angle), std::sin(angle), 1, -1);
  }
  const HostSwarm& first = swarm.frames.front();
  const HostSwarm& now = swarm.frames[frame_at(swarm, t)];
  for (int i = 0; i < now.n(); ++i) row(first.at(i, 0), first.at(i, 1), 2, i);
  for (int i = 0; i < now.n(); ++i) row(now.at(i, 0), now.at(i, 1), 3, i);
  return table;
}

// The share of close pairs on the rows of the map that are nearest to these betas.
void draw_rows(const std::vector<double>& betas, const ReproducedTable& map, Reproduction& result) {
  ReproducedTable rows{fmt::format("map_rows_beta{:g}", betas.back()),
                       {"t", "beta", "close_pairs"}};
  double last = 0;
  for (const double beta : betas) {
    double nearest = kNoNumber;
    for (const auto& row : map.rows) {
      const double own = std::get<double>(row[1]);
      if (std::isfinite(own) && !(std::fabs(own - beta) >= std::fabs(nearest - beta)))
        nearest = own;
    }
    for (const auto& row : map.rows)
      if (std::get<double>(row[1]) == nearest) {
        rows.rows.push_back({row[0], beta, row[2]});
        last = std::get<double>(row[0]);
      }
  }
  result.figures.push_back(
      {.name = "circle-clusters",
       .table = rows.name,
       .title = betas.size() > 1 ? "rows of the map" : "row of the map",
       .x = {.label = "time t", .from = 0, .to = last},
       .y = {.label = "share of pairs with cosine > 0.999", .from = 0, .to = 1},
       .curves = {{.column = "close_pairs", .drawn = Drawn::line}},
       .by = "beta",
       .by_name = "β"});
  result.tables.push_back(std::move(rows));
}

// One swarm at the times of the figure.
void draw_swarm(double beta, const Simulated& swarm, Reproduction& result) {
  for (const double share : kShares) {
    const double t = swarm.times[frame_at(swarm, share * swarm.times.back())];
    ReproducedTable table = table_of(swarm, beta, t);
    result.figures.push_back(
        {.name = "circle-clusters",
         .table = table.name,
         .title = fmt::format("β = {:g}, t = {:g}", beta, t),
         .x = {.from = -1.15, .to = 1.15, .every = 1},
         .y = {.from = -1.15, .to = 1.15, .every = 1},
         .curves = {{"circle", Drawn::path, "", ReproducedCurve::kQuiet},
                    {"start", Drawn::dots, "at t = 0", ReproducedCurve::kQuiet},
                    {"tokens", Drawn::points, fmt::format("at t = {:g}", t), 0}},
         .equal_axes = true});
    result.tables.push_back(std::move(table));
  }
}

}  // namespace

void draw_circle_snapshots(const ReproductionControl& control, Reproduction& result) {
  if (control.stopped()) return;
  ReproducedFigure& map = result.figures.back();
  const ReproducedTable map_table = result.tables.back();
  map.name = "circle-clusters";
  map.columns = 4;
  map.curves.clear();  // the curves are of large d
  std::vector<double> betas = control.values.numbers("betas");
  std::sort(betas.rbegin(), betas.rend());  // from the upper row to the lower one
  betas.erase(std::unique(betas.begin(), betas.end()), betas.end());
  std::string starts;
  for (std::size_t k = 0; k < betas.size(); ++k) {
    if (k == 1) draw_rows({betas[0], betas[1]}, map_table, result);
    if (k > 1) draw_rows({betas[k]}, map_table, result);
    const Chosen chosen = first_start(betas[k], control);
    starts += fmt::format("{}β = {:g}: start {}, {} clusters", starts.empty() ? "" : "; ", betas[k],
                          chosen.replica, clusters_of(chosen.swarm.last()));
    draw_swarm(betas[k], chosen.swarm, result);
  }
  result.captions["circle-clusters"] = fmt::format(
      "Left: share of pairs that have met for d = 2, over time and β, and rows of that map. Right: "
      "swarms on the circle, by default at t = 2.5, 18 and 30, with β = 9 (three clusters at the "
      "end) and β = 4 (two). Each is the first start that ends in the number of clusters of the "
      "published picture ({}).",
      starts);
}

}  // namespace murmur
