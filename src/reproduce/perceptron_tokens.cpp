// perceptron_tokens.cpp: clusters of equal tokens that repel each other beside two units.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "core/parallel.h"
#include "reproduce/perceptron_clusters.h"

namespace murmur {

namespace {

constexpr int kTokens = 200;

// TokenClusters wear away for long, as tokens one by one leave the level valleys of V: counts
// belong to times, here in units of 1 / k(1).
constexpr double kTimes[] = {20, 100, 500, 10'000};
constexpr int kJudged = 2;  // of kTimes: where growth is judged
// Of the clusters of the start; the companion code is left with 0.19 to 0.28 of them.
constexpr double kGathered = 0.5;
// The last time is not judged and takes most of the steps: --quick leaves it out.
std::span<const double> times_of(bool is_quick) {
  return std::span(kTimes).first(is_quick ? kJudged + 1 : std::size(kTimes));
}

// Tokens closer than `length` are of one cluster, and so are those whom others join.
TokenClusters linked(const Atoms& mu, double length) {
  const double cosine = std::cos(length);
  std::vector<bool> seen(mu.count());
  TokenClusters clusters;
  for (int start = 0; start < mu.count(); ++start) {
    if (seen[start]) continue;
    std::vector<int> members = {start};
    seen[start] = true;
    double mass = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
      mass += mu.mass[members[k]];
      for (int j = 0; j < mu.count(); ++j) {
        double dot = 0;
        for (int c = 0; c < mu.x.cols; ++c) dot += mu.x(members[k], c) * mu.x(j, c);
        if (seen[j] || dot < cosine) continue;
        seen[j] = true;
        members.push_back(j);
      }
    }
    ++clusters.count;
    clusters.heaviest = std::max(clusters.heaviest, mass);
  }
  return clusters;
}

struct Counted {
  Beside beside;
  double time = 0;
  TokenClusters clusters;
  double of_start = 0;  // clusters, over those of the start
  double bound = 0;     // of the mass in one arc; d = 2
  double gradient = 0;
  // Of the energy, in the engine's simulation at the first beta; told at the first time.
  int reversals = 0;
  double gained = INFINITY;
};

// (times) one swarm on its way.
std::vector<Counted> curves_of(const Beside& beside, double first_beta,
                               const ReproductionControl& control) {
  const WrongModel& wrong = control.wrong;
  constexpr int kMostSteps = 20'000;
  const Landscape l = landscape_of(beside), ours = landscape_of(spoiled(beside, wrong));
  const double length = 1 / (2 * std::sqrt(beside.beta));
  const double unit = beside.kernel == Landscape::plain ? std::exp(-beside.beta) : 1;
  const bool null = wrong.null != NullModel::none;
  const auto count = [&](const Atoms& mu) {
    return beside.d == 2 ? arcs_of(mu, length)
                         : linked(mu, std::fmin(length, std::numbers::pi / (2 * beside.d)));
  };
  const double at_start = count(start_of(beside, kTokens)).count;
  Rest rest{.mu = null ? simulate_beside(beside, wrong).end : start_of(beside, kTokens)};
  std::vector<Counted> trajectory;
  double now = 0;
  for (const double time : times_of(control.quick)) {
    rest = rest_of(ours, rest.mu, {.steps = null ? 0 : kMostSteps, .time = unit * (time - now)});
    now = time;
    const TokenClusters clusters = count(rest.mu);
    trajectory.push_back({.beside = beside,
                          .time = time,
                          .clusters = clusters,
                          .of_start = clusters.count / at_start,
                          .bound = beside.d == 2 ? arc_mass_bound(l) : kNoNumber,
                          .gradient = rest.gradient});
  }
  if (beside.beta == first_beta) {
    const EnergyCurve curve = simulate_beside(beside, wrong);
    trajectory[0].reversals = curve.reversals;
    trajectory[0].gained = curve.gained;
  }
  return trajectory;
}

// The swarms of one panel.
struct Group {
  int d;
  Perceptron::Activation activation;
  Landscape::Kernel kernel;
  std::string name() const {
    return fmt::format("d = {}, {}, {} kernel", d, name_of(activation), name_of(kernel));
  }
  bool is_published() const {
    return d == 2 && activation == Perceptron::relu && kernel == Landscape::scaled;
  }
  bool is_drawn_beside() const {  // the published ones
    return d == 2 && activation == Perceptron::gelu && kernel == Landscape::scaled;
  }
};
constexpr Group kGroups[] = {{2, Perceptron::relu, Landscape::scaled},
                             {2, Perceptron::gelu, Landscape::scaled},
                             {2, Perceptron::relu, Landscape::plain},
                             {3, Perceptron::relu, Landscape::scaled},
                             {3, Perceptron::gelu, Landscape::scaled}};

std::vector<Counted> swarms_of(const Group& group, int seeds, const ReproductionControl& control) {
  const std::vector<double>& betas = control.values.numbers("betas");
  std::vector<Beside> besides;
  for (const double beta : betas)
    for (int seed = 0; seed < seeds; ++seed)
      besides.push_back({.preset = kClusters,
                         .d = group.d,
                         .seed = seed,
                         .activation = group.activation,
                         .kernel = group.kernel,
                         .beta = beta});
  std::vector<std::vector<Counted>> curves(besides.size());
  for_blocks(static_cast<int>(besides.size()), control.threads, [&](int k) {
    if (!control.stopped()) curves[k] = curves_of(besides[k], betas.front(), control);
  });
  std::vector<Counted> swarms;
  for (const auto& trajectory : curves)
    swarms.insert(swarms.end(), trajectory.begin(), trajectory.end());
  return swarms;
}

struct Tally {
  Spread count, heaviest;
  double error = 0;     // standard, of the mean count
  double rest = 0;      // share at rest
  double gradient = 0;  // largest
};
Tally tally_of(const std::vector<Counted>& swarms, double beta, double time) {
  std::vector<double> count, heaviest;
  Tally tally;
  for (const Counted& s : swarms) {
    if (s.beside.beta != beta || s.time != time) continue;
    count.push_back(s.clusters.count);
    heaviest.push_back(s.clusters.heaviest);
    tally.rest += s.gradient <= 1e-8 ? 1 : 0;
    tally.gradient = std::fmax(tally.gradient, s.gradient);
  }
  tally.count = spread_of(count);
  tally.error = tally.count.sd / std::sqrt(static_cast<double>(count.size()));
  tally.heaviest = spread_of(heaviest);
  tally.rest /= static_cast<double>(count.size());
  return tally;
}

// TokenClusters over sqrt(beta) at that time, a line for each seed.
Slope growth_of(const std::vector<Counted>& swarms, int seeds, double time) {
  std::vector<double> slopes;
  for (int seed = 0; seed < seeds; ++seed) {
    std::vector<double> root, count;
    for (const Counted& s : swarms)
      if (s.beside.seed == seed && s.time == time) {
        root.push_back(std::sqrt(s.beside.beta));
        count.push_back(s.clusters.count);
      }
    slopes.push_back(line_of(root, count).slope);
  }
  return slope_of(slopes);
}

// The greatest share of the clusters of their start that swarms of one beta have at that time, mean
// over the seeds. Tokens that stay have more of them the sharper beta is, since arcs are shorter.
double most_of_start(const std::vector<Counted>& swarms, const std::vector<double>& betas,
                     double time) {
  double most = 0;
  for (const double beta : betas) {
    std::vector<double> shares;
    for (const Counted& s : swarms)
      if (s.beside.beta == beta && s.time == time) shares.push_back(s.of_start);
    most = std::fmax(most, spread_of(shares).mean);
  }
  return most;
}

void check_growth(const Group& group, const Slope& slope, double of_start, Reproduction& result) {
  Check check =
      holds("perceptron-clusters.growth",
            {fmt::format("{}, t = {:g}: slope of clusters over √β", group.name(), kTimes[kJudged]),
             slope.mean},
            slope.mean > 2 * slope.error && of_start <= kGathered,
            fmt::format("above 0 by two standard errors, and at most {:g} of the clusters of the "
                        "start are left",
                        kGathered));
  check.more["standard error"] = slope.error;
  check.more["most of the start"] = of_start;
  check.more["cases"] = slope.seeds;
  result.checks.push_back(check);
}

void check_group(const Group& group, const std::vector<Counted>& swarms, int seeds,
                 const std::vector<double>& betas, Reproduction& result) {
  double reversals = 0, over = 0, gained = INFINITY;
  for (const Counted& s : swarms) {
    reversals += s.reversals;
    gained = std::min(gained, s.gained);
    over += s.clusters.heaviest > s.bound ? 1 : 0;
  }
  Check energy = holds("perceptron-clusters.energy",
                       {fmt::format("{}, β = {:g}: frames at which the energy rises", group.name(),
                                    swarms.front().beside.beta),
                        reversals},
                       reversals == 0 && gained > kGained,
                       fmt::format("none, and each ends {:g} of the scale lower", kGained));
  energy.more["cases"] = seeds;
  energy.more["least gain"] = gained;
  result.checks.push_back(energy);
  if (group.kernel == Landscape::plain) {
    result.checks.push_back(holds("perceptron-clusters.bound",
                                  {group.name() + ": fullest arcs above the bound", over},
                                  over == 0, "none"));
    return;  // tokens spread evenly there: arcs tile the circle, whatever the units
  }
  if (group.activation != Perceptron::relu && seeds < 8) return;  // too few to see no growth
  check_growth(group, growth_of(swarms, seeds, kTimes[kJudged]),
               most_of_start(swarms, betas, kTimes[kJudged]), result);
}

// What figures show: counts on their way, the fullest arcs of the plain kernel, the sphere.
struct Tables {
  std::vector<double> betas{};
  std::span<const double> times{};
  ReproducedTable all{"clusters",
                      {"root_beta", "time", "swarms", "clusters", "sd", "least", "most", "heaviest",
                       "share at rest", "largest gradient"}};
  ReproducedTable slopes{"slopes",
                         {"swarms", "time", "clusters over sqrt(beta)", "standard error", "seeds"}};
  ReproducedTable circle{"circle", {"root_beta"}};  // counts and errors at each time
  ReproducedTable fullest{"fullest", {"root_beta", "fullest arc", "bound"}};
  ReproducedTable sphere{"sphere", {"root_beta", "units", "clusters", "error"}};
};

void describe_curve(const Group& group, const std::vector<Counted>& swarms, double time,
                    Tables& tables) {
  const bool judged = time == kTimes[kJudged];
  for (const double beta : tables.betas) {
    const Tally tally = tally_of(swarms, beta, time);
    const double root = std::sqrt(beta);
    const Spread& count = tally.count;
    tables.all.rows.push_back({root, time, group.name(), count.mean, count.sd, count.low,
                               count.high, tally.heaviest.mean, tally.rest, tally.gradient});
    if (judged && group.kernel == Landscape::plain)
      tables.fullest.rows.push_back({root, tally.heaviest.mean, kNoNumber});
    else if (judged && group.d == 3)
      tables.sphere.rows.push_back({root, name_of(group.activation), count.mean, tally.error});
  }
}

std::string name_of_time(double time) { return fmt::format("t = {:g}", time); }
std::string error_column(const std::string& column) { return "standard error, " + column; }

// The count of the companion code; NaN where it has none at that beta.
double companion_of(double beta) {
  for (const CompanionCount& row : kCompanion)
    if (row.beta == beta) return row.clusters;
  return kNoNumber;
}

// Mean counts over sqrt(beta) beside the published ones.
void tell_published(const std::vector<Counted>& swarms, Tables& tables) {
  ReproducedTable& table = tables.circle;
  for (const double time : tables.times) {
    table.columns.push_back(name_of_time(time));
    table.columns.push_back(error_column(name_of_time(time)));
  }
  table.columns.emplace_back("companion");
  for (const double beta : tables.betas) {
    table.rows.push_back({std::sqrt(beta)});
    for (const double time : tables.times) {
      const Tally tally = tally_of(swarms, beta, time);
      table.rows.back().emplace_back(tally.count.mean);
      table.rows.back().emplace_back(tally.error);
    }
    table.rows.back().emplace_back(companion_of(beta));
  }
}

// The same with GELU units, at the time at which growth is judged.
constexpr const char* kGeluColumn = "GELU, t = 500";
void tell_beside(const std::vector<Counted>& swarms, Tables& tables) {
  ReproducedTable& table = tables.circle;
  table.columns.emplace_back(kGeluColumn);
  table.columns.push_back(error_column(kGeluColumn));
  for (std::size_t b = 0; b < tables.betas.size(); ++b) {
    const Tally tally = tally_of(swarms, tables.betas[b], kTimes[kJudged]);
    table.rows[b].emplace_back(tally.count.mean);
    table.rows[b].emplace_back(tally.error);
  }
}

// The bound between the measured beta, a mean over the same units.
void trace_bound(int seeds, Tables& tables) {
  constexpr int kPoints = 60;
  const double from = std::sqrt(tables.betas.front());
  const double to = std::sqrt(tables.betas.back());
  for (int k = 0; k <= kPoints; ++k) {
    const double root = from + (to - from) * k / kPoints;
    double bound = 0;
    for (int seed = 0; seed < seeds; ++seed)
      bound += std::fmin(arc_mass_bound(landscape_of({.preset = kClusters,
                                                      .seed = seed,
                                                      .kernel = Landscape::plain,
                                                      .beta = root * root})),
                         1) /
               seeds;
    tables.fullest.rows.push_back({root, kNoNumber, bound});
  }
}

void tell_group(const Group& group, const std::vector<Counted>& swarms, int seeds, Tables& tables) {
  for (const double time : tables.times) {
    describe_curve(group, swarms, time, tables);
    const Slope slope = growth_of(swarms, seeds, time);
    tables.slopes.rows.push_back(
        {group.name(), time, slope.mean, slope.error, static_cast<double>(slope.seeds)});
  }
  if (group.is_published()) tell_published(swarms, tables);
  if (group.is_drawn_beside()) tell_beside(swarms, tables);
  if (group.kernel == Landscape::plain) trace_bound(seeds, tables);
}

void draw(Tables tables, Reproduction& result) {
  for (ReproducedTable* table :
       {&tables.all, &tables.slopes, &tables.circle, &tables.fullest, &tables.sphere})
    result.tables.push_back(std::move(*table));
  ReproducedFigure circle{.name = kClusters,
                          .table = "circle",
                          .title = "200 tokens, circle, scaled kernel",
                          .x = {.label = kRootBeta},
                          .y = {.label = "mean number of clusters", .from = 0},
                          .side_by_side = true};
  for (const double time : tables.times)
    circle.curves.push_back({.column = name_of_time(time),
                             .name = "ReLU, " + (time < 1e4 ? name_of_time(time) : "t = 10,000"),
                             .error = error_column(name_of_time(time))});
  circle.curves.push_back(
      {.column = kGeluColumn, .name = kGeluColumn, .error = error_column(kGeluColumn)});
  circle.curves.push_back(
      {"companion", Drawn::rings, "companion code, ReLU", ReproducedCurve::kInk});
  result.figures.push_back(std::move(circle));
  result.figures.push_back(
      {.name = kClusters,
       .table = "sphere",
       .title = fmt::format("200 tokens, sphere S², scaled kernel, t = {:g}", kTimes[kJudged]),
       .x = {.label = kRootBeta},
       .y = {.label = "mean number of clusters"},
       .curves = {{.column = "clusters", .error = "error"}},
       .by = "units",
       .side_by_side = true});
  result.figures.push_back(
      {.name = kClusters,
       .table = "fullest",
       .title = "200 tokens, circle, ReLU, plain kernel",
       .x = {.label = kRootBeta},
       .y = {.label = "mass in an arc of 1/(2√β)", .log = true, .from = 0.01, .to = 1},
       .curves = {{"bound", Drawn::dashes, "bound", ReproducedCurve::kInk},
                  {"fullest arc", Drawn::points, "fullest arc", 0}}});
}

}  // namespace

void check_tokens(const ReproductionControl& control, Reproduction& result) {
  Tables tables{.betas = control.values.numbers("betas"), .times = times_of(control.quick)};
  for (const Group& group : kGroups) {
    const int seeds = control.values.whole(group.d != 2           ? "sphere_seeds"
                                           : group.is_published() ? "published_seeds"
                                                                  : "circle_seeds");
    const std::vector<Counted> swarms = swarms_of(group, seeds, control);
    if (control.stopped()) return;
    check_group(group, swarms, seeds, tables.betas, result);
    tell_group(group, swarms, seeds, tables);
  }
  draw(std::move(tables), result);
}

}  // namespace murmur
