// perceptron_tokens.cpp: clusters of equal tokens that repel each other beside two units.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.h"
#include "reproduce/perceptron_clusters.h"

namespace murmur {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kTokens = 200;

// Clusters wear away for long, as tokens one by one leave the level valleys of V: counts belong to
// times, here in units of 1 / k(1). Those of 2601.21366 fit the third best.
constexpr double kTimes[] = {20, 100, 500, 10'000};
constexpr int kJudged = 2;  // of kTimes: where published counts are compared

// What the code of 2601.21366 counts with weights of its own, ReLU and the scaled kernel: one swarm
// of 200 tokens a beta, at a time that it does not tell.
struct Published {
  double beta, clusters, heaviest;
};
constexpr Published kPublished[] = {
    {5, 5, 0.595}, {15, 7, 0.740}, {25, 11, 0.690}, {50, 17, 0.600}};

struct Clusters {
  double count = 0, heaviest = 0;  // the mass of one of them
};

// How few arcs of that length hold all tokens, laid from behind the widest gap on.
Clusters arcs_of(const Atoms& mu, double length) {
  struct Token {
    double angle, mass;
  };
  std::vector<Token> tokens;
  for (int i = 0; i < mu.count(); ++i)
    tokens.push_back({std::atan2(mu.x(i, 1), mu.x(i, 0)), mu.mass[i]});
  std::sort(tokens.begin(), tokens.end(),
            [](const Token& a, const Token& b) { return a.angle < b.angle; });
  const std::size_t n = tokens.size();
  std::size_t first = 0;
  double widest = tokens[0].angle + kTurn - tokens[n - 1].angle;
  for (std::size_t i = 1; i < n; ++i)
    if (tokens[i].angle - tokens[i - 1].angle > widest) {
      widest = tokens[i].angle - tokens[i - 1].angle;
      first = i;
    }
  for (std::size_t i = 0; i < first; ++i) tokens[i].angle += kTurn;
  std::rotate(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end());
  Clusters arcs;
  for (std::size_t i = 0, j = 0; i < n; i = j) {
    double mass = 0;
    for (; j < n && tokens[j].angle - tokens[i].angle <= length; ++j) mass += tokens[j].mass;
    arcs.heaviest = std::max(arcs.heaviest, mass);
    ++arcs.count;
  }
  return arcs;
}

// Tokens closer than `length` are of one cluster, and so are those whom others join.
Clusters linked(const Atoms& mu, double length) {
  const double cosine = std::cos(length);
  std::vector<bool> seen(mu.count());
  Clusters clusters;
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
  Clusters clusters;
  double bound = 0;  // of the mass in one arc; d = 2
  double gradient = 0;
  int reversals =
      0;  // of the energy, in the engine's simulation at beta = 5; told at the first time
};

// (kTimes) one swarm on its way.
std::vector<Counted> curves_of(const Beside& beside) {
  constexpr int kMostSteps = 20'000;
  const Landscape l = landscape_of(beside);
  const double length = 1 / (2 * std::sqrt(beside.beta));
  const double unit = beside.kernel == Landscape::plain ? std::exp(-beside.beta) : 1;
  Rest rest{.mu = start_of(beside, kTokens)};
  std::vector<Counted> trajectory;
  double now = 0;
  for (const double time : kTimes) {
    rest = rest_of(l, rest.mu, {.steps = kMostSteps, .time = unit * (time - now)});
    now = time;
    trajectory.push_back(
        {.beside = beside,
         .time = time,
         .clusters = beside.d == 2
                         ? arcs_of(rest.mu, length)
                         : linked(rest.mu, std::fmin(length, std::numbers::pi / (2 * beside.d))),
         .bound = beside.d == 2 ? arc_mass_bound(l) : kNoNumber,
         .gradient = rest.gradient});
  }
  if (beside.beta == kPublished[0].beta)
    trajectory[0].reversals = simulate_beside(beside).reversals;
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
};
constexpr Group kGroups[] = {{2, Perceptron::relu, Landscape::scaled},
                             {2, Perceptron::gelu, Landscape::scaled},
                             {2, Perceptron::relu, Landscape::plain},
                             {3, Perceptron::relu, Landscape::scaled},
                             {3, Perceptron::gelu, Landscape::scaled}};

std::vector<Counted> swarms_of(const Group& group, int seeds, const ReproductionControl& control) {
  std::vector<Beside> besides;
  for (const Published& row : kPublished)
    for (int seed = 0; seed < seeds; ++seed)
      besides.push_back({.preset = kClusters,
                         .d = group.d,
                         .seed = seed,
                         .activation = group.activation,
                         .kernel = group.kernel,
                         .beta = row.beta});
  std::vector<std::vector<Counted>> curves(besides.size());
  for_blocks(static_cast<int>(besides.size()), control.threads, [&](int k) {
    if (!control.stopped()) curves[k] = curves_of(besides[k]);
  });
  std::vector<Counted> swarms;
  for (const auto& trajectory : curves)
    swarms.insert(swarms.end(), trajectory.begin(), trajectory.end());
  return swarms;
}

struct Tally {
  Spread count, heaviest;
  double rest = 0, bound = 0;  // share at rest, and mean of the bound
  double gradient = 0;         // largest
};
Tally tally_of(const std::vector<Counted>& swarms, double beta, double time) {
  std::vector<double> count, heaviest, bound;
  Tally tally;
  for (const Counted& s : swarms) {
    if (s.beside.beta != beta || s.time != time) continue;
    count.push_back(s.clusters.count);
    heaviest.push_back(s.clusters.heaviest);
    bound.push_back(std::fmin(s.bound, 1));
    tally.rest += s.gradient <= 1e-8 ? 1 : 0;
    tally.gradient = std::fmax(tally.gradient, s.gradient);
  }
  tally.count = spread_of(count);
  tally.heaviest = spread_of(heaviest);
  tally.bound = spread_of(bound).mean;
  tally.rest /= static_cast<double>(count.size());
  return tally;
}

Check of_one_run(const std::string& what, double published, const Spread& ours) {
  Check check = near(what, published, ours.mean, 2 * ours.sd);
  check.rule = "one run, within two standard deviations of ours";
  check.more["sd"] = ours.sd;
  return check;
}

// Clusters over sqrt(beta) at that time, a line for each seed.
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

void check_growth(const Group& group, const Slope& slope, Reproduction& result) {
  Check check =
      holds(fmt::format("{}, t = {:g}: slope of clusters over √β", group.name(), kTimes[kJudged]),
            slope.mean, slope.mean > 2 * slope.error, "above 0 by two standard errors");
  check.more["standard error"] = slope.error;
  check.more["cases"] = slope.seeds;
  result.checks.push_back(check);
}

void check_group(const Group& group, const std::vector<Counted>& swarms, int seeds,
                 Reproduction& result) {
  double reversals = 0, over = 0;
  for (const Counted& s : swarms) {
    reversals += s.reversals;
    over += s.clusters.heaviest > s.bound ? 1 : 0;
  }
  Check energy = holds(group.name() + ", β = 5: frames at which the energy rises", reversals,
                       reversals == 0, "none");
  energy.more["cases"] = seeds;
  result.checks.push_back(energy);
  if (group.kernel == Landscape::plain) {
    result.checks.push_back(
        holds(group.name() + ": fullest arcs above the bound", over, over == 0, "none"));
    return;  // tokens spread evenly there: arcs tile the circle, whatever the units
  }
  if (group.activation != Perceptron::relu) return;
  check_growth(group, growth_of(swarms, seeds, kTimes[kJudged]), result);
  if (group.d > 2) return;
  for (const Published& row : kPublished) {
    const Tally tally = tally_of(swarms, row.beta, kTimes[kJudged]);
    const std::string what =
        fmt::format("200 tokens, β = {:g}, t = {:g}: ", row.beta, kTimes[kJudged]);
    result.checks.push_back(of_one_run(what + "clusters", row.clusters, tally.count));
    result.checks.push_back(
        of_one_run(what + "mass of the heaviest", row.heaviest, tally.heaviest));
  }
}

// What figures show: counts on their way, the fullest arcs of the plain kernel, the sphere.
struct Tables {
  ReproducedTable all{"clusters",
                      {"root_beta", "time", "swarms", "clusters", "sd", "least", "most", "heaviest",
                       "share at rest", "largest gradient"}};
  ReproducedTable slopes{"slopes",
                         {"swarms", "time", "clusters over sqrt(beta)", "standard error", "seeds"}};
  ReproducedTable circle{"circle", {"root_beta"}};  // a column for each time, and "published"
  ReproducedTable fullest{"fullest", {"root_beta", "fullest arc", "bound"}};
  ReproducedTable sphere{"sphere", {"root_beta", "units", "clusters", "sd"}};
};

void describe_curve(const Group& group, const std::vector<Counted>& swarms, double time,
                    Tables& tables) {
  const bool judged = time == kTimes[kJudged];
  for (const Published& row : kPublished) {
    const Tally tally = tally_of(swarms, row.beta, time);
    const double root = std::sqrt(row.beta);
    const Spread& count = tally.count;
    tables.all.rows.push_back({root, time, group.name(), count.mean, count.sd, count.low,
                               count.high, tally.heaviest.mean, tally.rest, tally.gradient});
    if (judged && group.kernel == Landscape::plain)
      tables.fullest.rows.push_back({root, tally.heaviest.mean, tally.bound});
    else if (judged && group.d == 3)
      tables.sphere.rows.push_back({root, name_of(group.activation), count.mean, count.sd});
  }
}

std::string name_of_time(double time) { return fmt::format("t = {:g}", time); }

// Mean counts over sqrt(beta) beside the published ones.
void tell_published(const std::vector<Counted>& swarms, ReproducedTable& table) {
  for (const double time : kTimes) table.columns.push_back(name_of_time(time));
  table.columns.emplace_back("published");
  for (const Published& row : kPublished) {
    table.rows.push_back({std::sqrt(row.beta)});
    for (const double time : kTimes)
      table.rows.back().emplace_back(tally_of(swarms, row.beta, time).count.mean);
    table.rows.back().emplace_back(row.clusters);
  }
}

void tell_group(const Group& group, const std::vector<Counted>& swarms, int seeds, Tables& tables) {
  for (const double time : kTimes) {
    describe_curve(group, swarms, time, tables);
    const Slope slope = growth_of(swarms, seeds, time);
    tables.slopes.rows.push_back(
        {group.name(), time, slope.mean, slope.error, static_cast<double>(slope.seeds)});
  }
  if (group.is_published()) tell_published(swarms, tables.circle);
}

void draw(Tables tables, Reproduction& result) {
  const std::vector<std::string> counted(tables.circle.columns.begin() + 1,
                                         tables.circle.columns.end());
  for (ReproducedTable* table :
       {&tables.all, &tables.slopes, &tables.circle, &tables.fullest, &tables.sphere})
    result.tables.push_back(std::move(*table));
  result.figures.push_back({.name = kClusters,
                            .table = "circle",
                            .columns = counted,
                            .x_label = "√β",
                            .y_label = "clusters of 200 tokens",
                            .title = "Circle, ReLU, scaled kernel",
                            .rings = {"published"}});
  result.figures.push_back(
      {.name = kClusters,
       .table = "sphere",
       .columns = {"clusters"},
       .x_label = "√β",
       .y_label = "clusters of 200 tokens",
       .title = fmt::format("Sphere, scaled kernel, t = {:g}", kTimes[kJudged]),
       .by = "units",
       .error = "sd"});
  result.figures.push_back({.name = kClusters,
                            .table = "fullest",
                            .columns = {"fullest arc", "bound"},
                            .x_label = "√β",
                            .y_label = "share of the tokens",
                            .title = "Circle, ReLU, plain kernel: arcs of 1/(2√β)",
                            .dashed = {"bound"}});
}

}  // namespace

void check_tokens(const ReproductionControl& control, Reproduction& result) {
  Tables tables;
  for (const Group& group : kGroups) {
    const int many = group.d == 2 ? 24 : 8, few = group.is_published() ? 12 : 3;
    const int seeds = control.quick ? few : many;
    const std::vector<Counted> swarms = swarms_of(group, seeds, control);
    if (control.stopped()) return;
    check_group(group, swarms, seeds, result);
    tell_group(group, swarms, seeds, tables);
  }
  draw(std::move(tables), result);
}

}  // namespace murmur
