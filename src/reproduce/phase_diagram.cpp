// phase_diagram.cpp: how many pairs have met, over time and beta; how many clusters remain on the
// circle; and swarms on the circle at the times of Fig. 4 of 2312.10794.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "core/parallel.h"
#include "ensemble/ensemble.h"
#include "murmur/error.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct Request {
  const char* preset;
  double beta;
  int d;
  Method method;
  std::vector<double> times{};
  std::int64_t replicas;
};

// A few of the swarms under a null model, which the kernel of replicas does not have. Requires that
// every time is a multiple of the first step between times.
ReplicasResult simulate_null(ExperimentSpec spec, const Request& r,
                             const ReproductionControl& control) {
  const auto replicas = static_cast<int>(std::min<std::int64_t>(r.replicas, 32));
  const double every = r.times.size() > 1 ? r.times[1] - r.times[0] : r.times[0];
  spec.T = r.times.back();
  spec.save = SaveChoice{SaveChoice::every, every};
  ReplicasResult result;
  result.readings.resize(static_cast<std::size_t>(replicas) * r.times.size());
  for_blocks(replicas, control.threads, [&](int replica) {
    if (control.stopped()) return;
    ExperimentSpec own = spec;
    own.random.replica = static_cast<std::uint32_t>(replica);
    const Experiment e = make_experiment(own);
    const Simulated simulated = simulate_in_memory(e, control.wrong.null);
    for (std::size_t t = 0; t < r.times.size(); ++t) {
      const auto frame = static_cast<std::size_t>(std::lround(r.times[t] / every));
      const std::vector<double> seen =
          observe(simulated.frames.at(frame), e.dynamics, observe_settings(e));
      result.readings[static_cast<std::size_t>(replica) * r.times.size() + t] = {
          .close_pairs = seen[observable_column(e.dynamics, "close_pairs")],
          .clusters = static_cast<int>(seen[observable_column(e.dynamics, "clusters")])};
    }
  });
  return result;
}

// Simulates many swarms from the uniform law; returns nothing when a signal came.
std::optional<ReplicasResult> simulate(const Request& r, const ReproductionControl& control) {
  ExperimentSpec spec = control.values.spec(r.preset);
  spec.dynamics.beta = r.beta;
  spec.d = r.d;
  spec.method = r.method;
  control.wrong.apply(spec);
  if (control.wrong.null != NullModel::none) return simulate_null(spec, r, control);
  Experiment e = make_experiment(spec);
  e.flow.tolerance = ReplicasSetting{}.tolerance;
  ReplicasSetting setting = replicas_of(e.dynamics, e.flow, e.swarm.shape());
  setting.pair_threshold = e.observe.pair_threshold;
  setting.cluster_tol = e.observe.cluster_tol;
  ReplicasWork work{.count = r.replicas, .times = r.times};
  work.start = [&](std::int64_t replica) {
    ExperimentSpec own = spec;
    own.random.replica = static_cast<std::uint32_t>(replica);
    return make_experiment(own).swarm;
  };
  work.threads = control.threads;
  work.signal = control.signal;
  work.keep_last = false;
  ReplicasResult result = advance_replicas(setting, work);
  if (result.outcome.ending == Ending::interrupted) return std::nullopt;
  if (!result.outcome.ok())
    throw Error(Fault::numerical, result.outcome.what,
                fmt::format("d = {}, beta = {:g}", r.d, r.beta), result.outcome.remedy);
  return result;
}

// (times) mean over the replicas of the fraction of close pairs.
std::vector<double> close_pairs(const ReplicasResult& result, std::size_t times) {
  std::vector<double> mean(times);
  const std::size_t replicas = result.readings.size() / times;
  for (std::size_t r = 0; r < replicas; ++r)
    for (std::size_t t = 0; t < times; ++t)
      mean[t] += result.readings[r * times + t].close_pairs / static_cast<double>(replicas);
  return mean;
}

// Fractions of close pairs under layers of 0.1; d, beta, and t = 4, 5, 6, 7, 8, 10, 15, 20, 30.
struct Fractions {
  int d;
  double beta;
  double at[9];
};
constexpr Fractions kFractions[] = {
    {2, 1, {.063, .125, .245, .403, .557, .805, .965, .991, .997}},
    {2, 4, {.114, .199, .288, .360, .405, .445, .488, .504, .534}},
    {2, 9, {.126, .182, .230, .265, .283, .302, .324, .333, .347}},
    {8, 4, {.001, .020, .098, .230, .380, .587, .728, .786, .821}},
    {8, 9, {.003, .012, .023, .037, .053, .085, .136, .167, .206}},
};
const std::vector<double> kTimes = {4, 5, 6, 7, 8, 10, 15, 20, 30};

int tokens_of(const ReproductionControl& control) {
  return control.values.spec("phase-diagram").n.value_or(kDefaultParticles);
}

bool check_fractions(const ReproductionControl& control, Reproduction& result) {
  const int replicas = control.values.whole("counted_replicas");
  for (const Fractions& row : kFractions) {
    const auto simulated =
        simulate({"phase-diagram", row.beta, row.d, Method::layers, kTimes, replicas}, control);
    if (!simulated) return false;
    const std::vector<double> ours = close_pairs(*simulated, kTimes.size());
    double worst = 0;
    std::size_t where = 0;
    for (std::size_t t = 0; t < kTimes.size(); ++t)
      if (std::fabs(ours[t] - row.at[t]) > worst) {
        worst = std::fabs(ours[t] - row.at[t]);
        where = t;
      }
    result.checks.push_back(check_near(
        rule::phase_diagram_fractions,
        {fmt::format(
             "d = {}, β = {:g}: fraction of close pairs at t = {:g}, the worst of nine times",
             row.d, row.beta, kTimes[where]),
         row.at[where], ours[where]},
        0.03));
  }
  return true;
}

// Checks the front of the exact flow in high dimension: the time at which half of the pairs are
// close, compared with t*(beta).
bool check_fronts(const ReproductionControl& control, Reproduction& result) {
  const int n = tokens_of(control), replicas = control.values.whole("front_replicas");
  std::vector<std::pair<int, double>> fronts = {{128, 1}, {128, 4}, {128, 5},
                                                {512, 1}, {512, 4}, {512, 5}};
  if (!control.quick) fronts.push_back({512, 6});
  for (const auto& [d, beta] : fronts) {
    const double predicted = theory::clustering_time({.n = n, .beta = beta}, 1e-3);
    std::vector<double> times;
    for (int k = 0; k <= 60; ++k) {
      const double t = predicted * (0.7 + 0.01 * k);
      times.push_back(control.wrong.method ? std::round(10 * t) / 10 : t);  // whole steps
    }
    times.erase(std::unique(times.begin(), times.end()), times.end());
    const auto simulated =
        simulate({"phase-diagram", beta, d, Method::dopri5, times, replicas}, control);
    if (!simulated) return false;
    const std::vector<double> ours = close_pairs(*simulated, times.size());
    double half = kNoNumber;
    for (std::size_t t = 1; t < times.size() && std::isnan(half); ++t)
      if (ours[t] >= 0.5 && ours[t - 1] < 0.5)
        half = times[t - 1] +
               (times[t] - times[t - 1]) * (0.5 - ours[t - 1]) / (ours[t] - ours[t - 1]);
    result.checks.push_back(check_near_share(
        rule::phase_diagram_front,
        {fmt::format("d = {}, β = {:g}: time at which half of the pairs are close", d, beta),
         predicted, half},
        0.05));
  }
  return true;
}

// The time at which layers x <- N(x + eta A), eta = 0.1, have brought equiangular tokens from
// cosine 0 to 1 - delta; the logarithm is interpolated between layers. With own weight a and b of
// every other token a layer maps rho to <y_1, y_2> / |y|^2 of y_i = (1 + eta a) x_i + eta b sum of
// the others.
double clustering_time_of_layers(int n, double beta, double delta) {
  constexpr double kStep = 0.1;
  double rho = 0, t = 0;
  while (t < 1e3) {
    const double near = std::exp(beta * (rho - 1)), all = 1 + (n - 1) * near;
    const double p = 1 + kStep / all, q = kStep * near / all;
    const double square = p * p + 2 * p * q * (n - 1) * rho + q * q * (n - 1) * (1 + (n - 2) * rho);
    const double dot = p * p * rho + 2 * p * q * (1 + (n - 2) * rho) +
                       q * q * (n - 2 + ((n - 1.0) * (n - 1) - (n - 2)) * rho);
    const double next = dot / square;
    if (1 - next <= delta)
      return t + kStep * std::log((1 - rho) / delta) / std::log((1 - rho) / (1 - next));
    rho = next;
    t += kStep;
  }
  return t;
}

// The map itself: beta upwards, time to the right, colours the fraction of close pairs.
struct MapGrid {
  int d, betas, checkpoints;
  std::int64_t replicas;
  double T, low, high;  // the last time, the lowest and the highest beta
};
bool draw_map(const ReproductionControl& control, const MapGrid& grid, Reproduction& result) {
  const auto& [d, betas, checkpoints, replicas, T, low, high] = grid;
  const int n = tokens_of(control);
  std::vector<double> times;
  for (int k = 1; k <= checkpoints; ++k) times.push_back(T * k / checkpoints);
  ColumnTable table{fmt::format("map_d{}", d),
                    {"t", "beta", "close_pairs", "front", "front of layers"}};
  for (int b = 0; b < betas; ++b) {
    const double beta = low + (high - low) * b / (betas - 1);
    const auto simulated =
        simulate({"phase-diagram", beta, d, Method::layers, times, replicas}, control);
    if (!simulated) return false;
    const std::vector<double> ours = close_pairs(*simulated, times.size());
    for (std::size_t t = 0; t < times.size(); ++t)
      table.rows.push_back({times[t], beta, ours[t], kNoNumber, kNoNumber});
  }
  const double beyond = 1.1 * T;  // the curves of large d, until they have left the map
  const auto points = std::lround((high - low) / 0.02) + 5;
  for (int b = 0; b < points; ++b) {
    const double beta = low + 0.02 * b, t = theory::clustering_time({.n = n, .beta = beta}, 1e-3);
    const double later = clustering_time_of_layers(n, beta, 1e-3);
    if (t <= beyond) table.rows.push_back({t, kNoNumber, kNoNumber, beta, kNoNumber});
    if (later <= beyond) table.rows.push_back({later, kNoNumber, kNoNumber, kNoNumber, beta});
  }
  result.figures.push_back(
      {.name = figure::phase_diagram,
       .table = table.name,
       .title = fmt::format("d = {}, n = {}: layers of 0.1, {} swarms per row", d, n, replicas),
       .x = {.label = "time t"},
       .y = {.label = "inverse temperature β"},
       .curves = {{"front", Curve::line, "t*(β), exact flow, d → ∞", 0},
                  {"front of layers", Curve::dashes, "the same under layers of 0.1", 1}},
       .map = "close_pairs",
       .map_label = "share of pairs with cosine > 0.999"});
  result.tables.push_back(std::move(table));
  return true;
}

}  // namespace

std::optional<Reproduction> phase_diagram(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::phase_diagram);
  if (!check_fractions(control, result) || !check_fronts(control, result)) return std::nullopt;
  if (!control.figures) return result;
  const FigureValues& values = control.values;
  for (const int d : values.wholes("dimensions")) {
    const MapGrid grid{.d = d,
                       .betas = values.whole("rows"),
                       .checkpoints = values.whole("columns"),
                       .replicas = values.whole(d <= 8 ? "replicas" : "wide_replicas"),
                       .T = values.number("T"),
                       .low = values.number("beta_min"),
                       .high = values.number("beta_max")};
    if (!draw_map(control, grid, result)) return std::nullopt;
  }
  result.captions[figure::phase_diagram] =
      "Share of the pairs of 32 tokens that have met, over time and β, under the papers' layers of "
      "0.1. In high dimension all pairs meet at about one time. The red curve is the prediction "
      "for the exact flow as d grows, the dashed curve the same under layers, which are 5 to 10 % "
      "later. Up to β of about 4 swarms in 128 dimensions lie on the dashed curve; for larger β "
      "they meet earlier, as their starts are not quite orthogonal. In two dimensions several "
      "clusters remain instead.";
  return result;
}

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

// The first start that ends in the published number of clusters, as most do.
struct ChosenStart {
  std::uint32_t replica = 0;
  Simulated swarm{};
};
ChosenStart first_start(double beta, const ReproductionControl& control) {
  constexpr std::uint32_t kMostStarts = 100;  // with chance 0.3^100 none of them ends so
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
ColumnTable table_of(const Simulated& swarm, double beta, double t) {
  ColumnTable table{fmt::format("snapshot_beta{:g}_t{:g}", beta, t),
                    {"x", "circle", "start", "tokens", "token"}};
  const auto row = [&](double x, double y, std::size_t column, double token) {
    add_point(table, x, column, y).back() = token;
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
void draw_rows(const std::vector<double>& betas, const ColumnTable& map, Reproduction& result) {
  ColumnTable rows{fmt::format("map_rows_beta{:g}", betas.back()), {"t", "beta", "close_pairs"}};
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
      {.name = figure::circle_clusters,
       .table = rows.name,
       .title = betas.size() > 1 ? "rows of the map" : "row of the map",
       .x = {.label = "time t", .from = 0, .to = last},
       .y = {.label = "share of pairs with cosine > 0.999", .from = 0, .to = 1},
       .curves = {{.column = "close_pairs", .drawn = Curve::line}},
       .by = "beta",
       .by_name = "β"});
  result.tables.push_back(std::move(rows));
}

// One swarm at the times of the figure.
void draw_swarm(double beta, const Simulated& swarm, Reproduction& result) {
  for (const double share : kShares) {
    const double t = swarm.times[frame_at(swarm, share * swarm.times.back())];
    ColumnTable table = table_of(swarm, beta, t);
    result.figures.push_back(
        {.name = figure::circle_clusters,
         .table = table.name,
         .title = fmt::format("β = {:g}, t = {:g}", beta, t),
         .x = {.from = -1.15, .to = 1.15, .mark_every = 1},
         .y = {.from = -1.15, .to = 1.15, .mark_every = 1},
         .curves = {{"circle", Curve::path, "", Curve::kQuiet},
                    {"start", Curve::dots, "at t = 0", Curve::kQuiet},
                    {"tokens", Curve::points, fmt::format("at t = {:g}", t), 0}},
         .equal_axes = true});
    result.tables.push_back(std::move(table));
  }
}

// Takes the last figure of the result, the map of close pairs for d = 2, as the first panel of
// `circle-clusters`, and adds one swarm for each beta at the times of the figure.
void draw_circle_snapshots(const ReproductionControl& control, Reproduction& result) {
  if (control.stopped()) return;
  TablePanel& map = result.figures.back();
  const ColumnTable map_table = result.tables.back();
  map.name = figure::circle_clusters;
  map.columns = 4;
  map.curves.clear();  // the curves are of large d
  std::vector<double> betas = control.values.numbers("betas");
  std::sort(betas.rbegin(), betas.rend());  // from the upper row to the lower one
  betas.erase(std::unique(betas.begin(), betas.end()), betas.end());
  std::string starts;
  for (std::size_t k = 0; k < betas.size(); ++k) {
    if (k == 1) draw_rows({betas[0], betas[1]}, map_table, result);
    if (k > 1) draw_rows({betas[k]}, map_table, result);
    const ChosenStart chosen = first_start(betas[k], control);
    starts += fmt::format("{}β = {:g}: start {}, {} clusters", starts.empty() ? "" : "; ", betas[k],
                          chosen.replica, clusters_of(chosen.swarm.last()));
    draw_swarm(betas[k], chosen.swarm, result);
  }
  result.captions[figure::circle_clusters] = fmt::format(
      "Left: share of pairs that have met for d = 2, over time and β, and rows of that map. Right: "
      "swarms on the circle, by default at t = 2.5, 18 and 30, with β = 9 (three clusters at the "
      "end) and β = 4 (two). Each is the first start that ends in the number of clusters of the "
      "published picture ({}).",
      starts);
}

// One bar group: swarms at one beta by one scheme.
struct Bars {
  double beta;
  Method method;
  int clusters = 0;           // the published number; 0: none
  double before = kNoNumber;  // per cent of our earlier runs with that number
  const char* name() const { return method == Method::layers ? "layers" : "exact flow"; }
  std::string column() const { return fmt::format("β = {:g} {}", beta, name()); }
};

std::vector<Bars> bars_of(const std::vector<double>& betas) {
  std::vector<Bars> all;
  for (const double beta : betas) {
    const int clusters = shown_clusters(beta);
    for (const Method method : {Method::layers, Method::dopri5}) {
      const bool layers = method == Method::layers;
      const double before = beta == 4   ? (layers ? 88.3 : 90.2)
                            : beta == 9 ? (layers ? 72.1 : 73.6)
                                        : kNoNumber;
      all.push_back({beta, method, clusters, before});
    }
  }
  return all;
}

// Binomial standard errors of the shares, in columns of their own.
void add_errors(const std::vector<Bars>& bars, double replicas, ColumnTable& table) {
  for (auto& row : table.rows)
    for (std::size_t c = 1; c <= bars.size(); ++c) {
      const double share = std::get<double>(row[c]);
      row.push_back(std::sqrt(share * (100 - share) / replicas));
    }
  for (std::size_t c = 1; c <= bars.size(); ++c)
    table.columns.push_back(table.columns[c] + ", standard error");
}

}  // namespace

// Clusters left at the end on the circle, chains of cosines above 0.999.
std::optional<Reproduction> circle_clusters(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::circle_clusters);
  const ExperimentSpec preset = control.values.spec("circle-clusters");
  const int n = preset.n.value_or(kDefaultParticles);
  const std::vector<double>& betas = control.values.numbers("betas");
  const std::vector<Bars> bars = bars_of(betas);
  const std::int64_t replicas = control.values.whole("replicas");
  ColumnTable table{"counts", {"clusters"}};
  for (const Bars& row : bars) table.columns.push_back(row.column());
  for (int k = 1; k <= 6; ++k) table.rows.push_back({{static_cast<double>(k)}});
  for (const Bars& row : bars) {
    const auto simulated =
        simulate({"circle-clusters", row.beta, 2, row.method, {preset.T}, replicas}, control);
    if (!simulated) return std::nullopt;
    std::map<int, double> share;  // per cent by number of clusters
    for (const ReplicaReading& reading : simulated->readings)
      share[reading.clusters] += 100.0 / static_cast<double>(simulated->readings.size());
    const auto most =
        std::max_element(share.begin(), share.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const int asked = row.clusters > 0 ? row.clusters : most->first;
    result.checks.push_back(
        check_near(rule::circle_clusters_most_frequent,
                   {fmt::format("β = {:g}, {}: most frequent number of clusters at t = {:g}",
                                row.beta, row.name(), preset.T),
                    row.clusters > 0 ? row.clusters : kNoNumber, static_cast<double>(most->first)},
                   0));
    Check check =
        check_near(rule::circle_clusters_shares,
                   {fmt::format("β = {:g}, {}: per cent of swarms with {} clusters at t = {:g}",
                                row.beta, row.name(), asked, preset.T),
                    row.before, share[asked]},
                   5);
    for (Check* one : {&result.checks.back(), &check})
      one->more["swarms"] = static_cast<double>(replicas);
    result.checks.push_back(std::move(check));
    for (int k = 1; k <= 6; ++k) table.rows[k - 1].push_back(share[k]);
  }
  add_errors(bars, static_cast<double>(replicas), table);
  result.tables.push_back(std::move(table));
  for (const double beta : betas) {
    const std::string layers = fmt::format("β = {:g} layers", beta);
    const std::string flow = fmt::format("β = {:g} exact flow", beta);
    result.figures.push_back(
        {.name = "circle-clusters-counts",
         .table = "counts",
         .title = fmt::format("{} tokens on the circle, SA, β = {:g}", n, beta),
         .x = {.label = fmt::format("number of clusters at t = {:g}", preset.T), .mark_every = 1},
         .y = {.label = "share of swarms, %", .from = 0, .to = 100},
         .curves = {{layers, Curve::bars, "layers of 0.1", 0, layers + ", standard error"},
                    {flow, Curve::bars, "exact flow", 1, flow + ", standard error"}}});
  }
  result.captions["circle-clusters-counts"] = fmt::format(
      "How many clusters {} swarms of 32 tokens on the circle have left at t = 30: mostly two at β "
      "= 4 and three at β = 9, as the published picture shows. Bars: standard errors.",
      replicas);
  if (!control.figures) return result;
  const MapGrid grid{.d = 2,
                     .betas = control.values.whole("rows"),
                     .checkpoints = 60,
                     .replicas = control.values.whole("map_replicas"),
                     .T = preset.T,
                     .low = 0.1,
                     .high = std::max(9.0, *std::max_element(betas.begin(), betas.end()))};
  if (!draw_map(control, grid, result)) return std::nullopt;
  draw_circle_snapshots(control, result);
  return result;
}

}  // namespace murmur
