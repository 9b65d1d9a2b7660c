// phase_diagram.cpp: how many pairs have met, over time and temperature; and how many clusters
// stay.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ensemble/ensemble.h"
#include "murmur/error.h"
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

// Many swarms of 32 tokens from the uniform law; nothing when a signal came.
std::optional<ReplicasResult> simulate(const Request& r, const ReproductionControl& control) {
  ExperimentSpec spec = preset_spec(r.preset);
  spec.dynamics.beta = r.beta;
  spec.d = r.d;
  spec.method = r.method;
  control.wrong.spoil(spec);
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

bool check_fractions(const ReproductionControl& control, Reproduction& result) {
  for (const Fractions& row : kFractions) {
    const auto simulated =
        simulate({"phase-diagram", row.beta, row.d, Method::layers, kTimes, 8192}, control);
    if (!simulated) return false;
    const std::vector<double> ours = close_pairs(*simulated, kTimes.size());
    double worst = 0;
    std::size_t where = 0;
    for (std::size_t t = 0; t < kTimes.size(); ++t)
      if (std::fabs(ours[t] - row.at[t]) > worst) {
        worst = std::fabs(ours[t] - row.at[t]);
        where = t;
      }
    result.checks.push_back(
        near("phase-diagram.fractions",
             {fmt::format("d = {}, β = {:g}: fraction of close pairs at t = {:g}, "
                          "the worst of nine times",
                          row.d, row.beta, kTimes[where]),
              row.at[where], ours[where]},
             0.03));
  }
  return true;
}

// The exact flow's front in high dimension: when half of the pairs are close, against t*(beta).
bool check_fronts(const ReproductionControl& control, Reproduction& result) {
  std::vector<std::pair<int, double>> fronts = {{128, 1}, {128, 4}, {128, 5},
                                                {512, 1}, {512, 4}, {512, 5}};
  if (!control.quick) fronts.push_back({512, 6});
  for (const auto& [d, beta] : fronts) {
    const double predicted = theory::clustering_time({.n = 32, .beta = beta}, 1e-3);
    std::vector<double> times;
    for (int k = 0; k <= 60; ++k) {
      const double t = predicted * (0.7 + 0.01 * k);
      times.push_back(control.wrong.method ? std::round(10 * t) / 10 : t);  // whole steps
    }
    times.erase(std::unique(times.begin(), times.end()), times.end());
    const auto simulated = simulate(
        {"phase-diagram", beta, d, Method::dopri5, times, control.quick ? 16 : 64}, control);
    if (!simulated) return false;
    const std::vector<double> ours = close_pairs(*simulated, times.size());
    double half = kNoNumber;
    for (std::size_t t = 1; t < times.size() && std::isnan(half); ++t)
      if (ours[t] >= 0.5 && ours[t - 1] < 0.5)
        half = times[t - 1] +
               (times[t] - times[t - 1]) * (0.5 - ours[t - 1]) / (ours[t] - ours[t - 1]);
    result.checks.push_back(
        nearly("phase-diagram.front",
               {fmt::format("d = {}, β = {:g}: time at which half of the pairs are close", d, beta),
                predicted, half},
               0.05));
  }
  return true;
}

// When layers x <- N(x + eta A), eta = 0.1, bring equiangular tokens from cosine 0 to 1 - delta,
// between layers by the logarithm. With own weight a and b of every other token a layer maps rho to
// <y_1, y_2> / |y|^2 of y_i = (1 + eta a) x_i + eta b sum of the others.
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
bool draw_map(const ReproductionControl& control, int d, Reproduction& result) {
  const int betas = control.quick ? 18 : 90, checkpoints = control.quick ? 60 : 150;
  const std::int64_t replicas = control.quick ? 32 : d <= 8 ? 256 : 64;
  std::vector<double> times;
  for (int k = 1; k <= checkpoints; ++k) times.push_back(30.0 * k / checkpoints);
  ReproducedTable table{fmt::format("map_d{}", d),
                        {"t", "beta", "close_pairs", "front", "front of layers"}};
  for (int b = 0; b < betas; ++b) {
    const double beta = 0.1 + 8.9 * b / (betas - 1);
    const auto simulated =
        simulate({"phase-diagram", beta, d, Method::layers, times, replicas}, control);
    if (!simulated) return false;
    const std::vector<double> ours = close_pairs(*simulated, times.size());
    for (std::size_t t = 0; t < times.size(); ++t)
      table.rows.push_back({times[t], beta, ours[t], kNoNumber, kNoNumber});
  }
  constexpr double kBeyond = 33;  // the curves of large d, until they have left the map
  for (int b = 0; b < 450; ++b) {
    const double beta = 0.1 + 0.02 * b, t = theory::clustering_time({.n = 32, .beta = beta}, 1e-3);
    const double later = clustering_time_of_layers(32, beta, 1e-3);
    if (t <= kBeyond) table.rows.push_back({t, kNoNumber, kNoNumber, beta, kNoNumber});
    if (later <= kBeyond) table.rows.push_back({later, kNoNumber, kNoNumber, kNoNumber, beta});
  }
  result.figures.push_back(
      {.name = "phase-diagram",
       .table = table.name,
       .title = fmt::format("d = {}, n = 32: layers of 0.1, {} swarms a row", d, replicas),
       .x = {.label = "time t"},
       .y = {.label = "inverse temperature β"},
       .curves = {{"front", Drawn::line, "t*(β), exact flow, d → ∞", 0},
                  {"front of layers", Drawn::dashes, "the same under layers of 0.1", 1}},
       .map = "close_pairs",
       .map_label = "share of pairs with cosine > 0.999"});
  result.tables.push_back(std::move(table));
  return true;
}

}  // namespace

std::optional<Reproduction> phase_diagram(const ReproductionControl& control) {
  Reproduction result = result_of(control, "phase-diagram");
  if (!check_fractions(control, result) || !check_fronts(control, result)) return std::nullopt;
  if (!control.figures) return result;
  for (const int d : control.quick ? std::vector<int>{2, 128} : std::vector<int>{2, 8, 32, 128})
    if (!draw_map(control, d, result)) return std::nullopt;
  result.captions["phase-diagram"] =
      "Share of the pairs of 32 tokens that have met, over time and β, under the papers' layers of "
      "0.1. In high dimension all pairs meet at about one time. The red curve is the prediction "
      "for the exact flow as d grows, the dashed curve the same under layers, which are 5 to 10 % "
      "later. Up to β of about 4 swarms in 128 dimensions lie on the dashed curve; for larger β "
      "they meet earlier, as their starts are not quite orthogonal. In two dimensions several "
      "clusters remain instead.";
  return result;
}

// Clusters left at t = 30 on the circle, chains of cosines above 0.999.
std::optional<Reproduction> circle_clusters(const ReproductionControl& control) {
  Reproduction result = result_of(control, "circle-clusters");
  struct Row {
    double beta;
    int clusters;
    Method method;
    const char* name;
    double before;  // per cent of our earlier runs
  };
  static constexpr Row kRows[] = {{4, 2, Method::layers, "layers", 88.3},
                                  {4, 2, Method::dopri5, "exact flow", 90.2},
                                  {9, 3, Method::layers, "layers", 72.1},
                                  {9, 3, Method::dopri5, "exact flow", 73.6}};
  const std::int64_t replicas = control.quick ? 1024 : 4096;
  ReproducedTable table{
      "counts",
      {"clusters", "β = 4 layers", "β = 4 exact flow", "β = 9 layers", "β = 9 exact flow"}};
  for (int k = 1; k <= 6; ++k) table.rows.push_back({{static_cast<double>(k)}});
  for (const Row& row : kRows) {
    const auto simulated =
        simulate({"circle-clusters", row.beta, 2, row.method, {30}, replicas}, control);
    if (!simulated) return std::nullopt;
    std::map<int, double> share;  // per cent by number of clusters
    for (const ReplicaReading& reading : simulated->readings)
      share[reading.clusters] += 100.0 / static_cast<double>(replicas);
    const auto most =
        std::max_element(share.begin(), share.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    result.checks.push_back(
        near("circle-clusters.most-frequent",
             {fmt::format("β = {:g}, {}: most frequent number of clusters at t = 30", row.beta,
                          row.name),
              static_cast<double>(row.clusters), static_cast<double>(most->first)},
             0));
    Check check = near("circle-clusters.shares",
                       {fmt::format("β = {:g}, {}: per cent of swarms with {} clusters at t = 30",
                                    row.beta, row.name, row.clusters),
                        row.before, share[row.clusters]},
                       5);
    for (Check* one : {&result.checks.back(), &check})
      one->more["swarms"] = static_cast<double>(replicas);
    result.checks.push_back(std::move(check));
    for (int k = 1; k <= 6; ++k) table.rows[k - 1].push_back(share[k]);
  }
  for (auto& row : table.rows)  // binomial standard errors of the shares
    for (std::size_t c = 1; c <= std::size(kRows); ++c) {
      const double share = std::get<double>(row[c]);
      row.push_back(std::sqrt(share * (100 - share) / static_cast<double>(replicas)));
    }
  for (std::size_t c = 1; c <= std::size(kRows); ++c)
    table.columns.push_back(table.columns[c] + ", standard error");
  result.tables.push_back(std::move(table));
  for (const int beta : {4, 9}) {
    const std::string layers = fmt::format("β = {} layers", beta);
    const std::string flow = fmt::format("β = {} exact flow", beta);
    result.figures.push_back(
        {.name = "circle-clusters",
         .table = "counts",
         .title = fmt::format("32 tokens on the circle, SA, β = {}", beta),
         .x = {.label = "number of clusters at t = 30", .every = 1},
         .y = {.label = "share of swarms, %", .from = 0, .to = 100},
         .curves = {{layers, Drawn::bars, "layers of 0.1", 0, layers + ", standard error"},
                    {flow, Drawn::bars, "exact flow", 1, flow + ", standard error"}}});
  }
  result.captions["circle-clusters"] = fmt::format(
      "How many clusters {} swarms of 32 tokens on the circle have left at t = 30: mostly two at "
      "β = 4 and three at β = 9, as the published picture shows. Bars: standard errors.",
      replicas);
  return result;
}

}  // namespace murmur
