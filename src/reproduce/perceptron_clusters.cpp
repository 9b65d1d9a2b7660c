// perceptron_clusters.cpp: repelling tokens with two perceptron units: clusters of equal tokens
// over beta, the swarm of the companion code, and the atoms of the best measures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

#include "core/parallel.h"
#include "reproduce/perceptron_swarms.h"
#include "reproduce/published_perceptron.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"
#include "run/formats.h"

namespace murmur {

namespace {

constexpr const char* kClusters = figure::perceptron_clusters;
constexpr const char* kRootBeta = "root of the inverse temperature √β";  // of an axis

// The counts of the code of 2601.21366 with ReLU and the scaled kernel, with its own seeds.
struct CompanionCount {
  double beta, clusters, heaviest;
};
constexpr CompanionCount kCompanion[] = {
    {5, 5, 0.595}, {15, 7, 0.740}, {25, 11, 0.690}, {50, 17, 0.600}};

struct TokenClusters {
  double count = 0, heaviest = 0;  // the mass of one of them
};

// A slope over seeds: its mean and the standard error of it.
struct Slope {
  double mean = 0, error = 0;
  int seeds = 0;
};
Slope slope_of(const std::vector<double>& slopes) {
  if (slopes.empty()) return {kNoNumber, kNoNumber, 0};  // none is at rest: the check is open
  const Spread spread = spread_of(slopes);
  return {spread.mean, spread.error(), static_cast<int>(slopes.size())};
}

constexpr int kUnits = 2, kTokens = 200;
constexpr double kCounted =
    1500;  // the runs of the companion code have stopped by then: no drift above 1e-4
constexpr double kLater = 4200, kEvery = 300;

// NAME_in.npy (2, 2) and NAME_out.npy (2, 2), as the parameter `perceptron` reads them.
PerceptronChoice write_units(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<double> in(std::begin(kPublishedUnits), std::end(kPublishedUnits)), out(4);
  for (int m = 0; m < kUnits; ++m)
    for (int k = 0; k < 2; ++k) out[k * kUnits + m] = kPublishedFactors[m] * in[2 * m + k];
  write_npy(folder / "companion_in.npy", {{2, 2}, in});
  write_npy(folder / "companion_out.npy", {{2, 2}, out});
  return {.kind = PerceptronChoice::from_file, .folder = folder, .file = "companion_*.npy"};
}

Matrix places() {
  Matrix x = zeros(kTokens, 2);
  for (int i = 0; i < kTokens; ++i) {
    x(i, 0) = std::cos(kPublishedAngles[i]);
    x(i, 1) = std::sin(kPublishedAngles[i]);
  }
  return x;
}

void check(const CompanionCount& row, const std::string& method, const TokenClusters& ours,
           Reproduction& result) {
  const std::string what =
      fmt::format("companion's swarm, {}, β = {:g}, t = {:g}: ", method, row.beta, kCounted);
  result.checks.push_back(check_near(rule::perceptron_clusters_companion,
                                     {what + "clusters", row.clusters, ours.count}, 0));
  result.checks.push_back(check_near(rule::perceptron_clusters_companion,
                                     {what + "mass of the heaviest", row.heaviest, ours.heaviest},
                                     1e-9));
}

// The number of arcs of that length that hold all tokens, laid one after another from the widest
// gap on.
TokenClusters arcs_of(const Atoms& mu, double length) {
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
  TokenClusters arcs;
  for (std::size_t i = 0, j = 0; i < n; i = j) {
    double mass = 0;
    for (; j < n && tokens[j].angle - tokens[i].angle <= length; ++j) mass += tokens[j].mass;
    arcs.heaviest = std::max(arcs.heaviest, mass);
    ++arcs.count;
  }
  return arcs;
}

struct CompanionRun {
  CompanionCount row;
  Method method;
  double until;
  std::string method_name() const { return method == Method::euler ? "euler" : "dopri5"; }
};
std::vector<CompanionRun> companion_runs(bool is_quick) {
  std::vector<CompanionRun> runs;
  for (const CompanionCount& row : kCompanion) {
    runs.push_back({row, Method::dopri5, is_quick ? kCounted : kLater});
    if (!is_quick) runs.push_back({row, Method::euler, kCounted});
  }
  return runs;
}

// The swarm of the companion code, token by token: its counts must come out exactly. Swarms are
// small, so each has one thread and they run side by side.
void check_companion(const ReproductionControl& control, Reproduction& result) {
  ExperimentSpec spec = preset_spec(kClusters);
  spec.init = InitialPoints{places()};
  spec.dynamics.perceptron = write_units(result.folder / "inputs");
  spec.engine.threads = 1;
  spec.dt = 0.1;
  spec.save = SaveChoice{SaveChoice::every, kEvery};
  const std::vector<CompanionRun> runs = companion_runs(control.quick);
  std::vector<Simulated> simulated(runs.size());
  for_blocks(static_cast<int>(runs.size()), control.threads, [&](int r) {
    if (control.stopped()) return;
    ExperimentSpec own = spec;
    own.dynamics.beta = runs[r].row.beta * control.wrong.beta;
    own.method = runs[r].method;
    own.T = runs[r].until;
    simulated[r] = simulate_in_memory(make_experiment(own), control.wrong.null);
  });
  ColumnTable table{"companion", {"beta", "method", "t", "clusters", "heaviest"}};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const double beta = runs[r].row.beta;
    for (std::size_t k = 1; k < simulated[r].times.size(); ++k) {
      const double time = simulated[r].times[k];
      const TokenClusters arcs =
          arcs_of(atoms_of(simulated[r].frames[k]), 1 / (2 * std::sqrt(beta)));
      table.rows.push_back({beta, runs[r].method_name(), time, arcs.count, arcs.heaviest});
      if (std::fabs(time - kCounted) < 1e-6)
        check(runs[r].row, runs[r].method_name(), arcs, result);
    }
  }
  result.tables.push_back(std::move(table));
}

// The number of clusters falls for a long time, as tokens leave the level valleys of V one by one:
// counts belong to times, here in units of 1 / k(1).
constexpr double kTimes[] = {20, 100, 500, 10'000};
constexpr int kJudged = 2;  // of kTimes: where growth is judged
// The largest share of the clusters of the start; 0.19 to 0.28 are left in the companion code.
constexpr double kGathered = 0.5;
// The last time is not judged and takes most of the steps: --quick leaves it out.
std::span<const double> times_of(bool is_quick) {
  return std::span(kTimes).first(is_quick ? kJudged + 1 : std::size(kTimes));
}

// Clusters are chains of tokens in which neighbours are closer than `length`.
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
  PerceptronCase setting;
  double time = 0;
  TokenClusters clusters;
  double of_start = 0;  // clusters, over those of the start
  double bound = 0;     // of the mass in one arc; d = 2
  double gradient = 0;
  // Of the energy, in the engine's simulation at the first beta; stored with the first time.
  int reversals = 0;
  double gained = INFINITY;
};

// (times) one swarm.
std::vector<Counted> curves_of(const PerceptronCase& one, double first_beta,
                               const ReproductionControl& control) {
  const WrongModel& wrong = control.wrong;
  constexpr int kMostSteps = 20'000;
  const Landscape l = landscape_of(one), ours = landscape_of(with_wrong_model(one, wrong));
  const double length = 1 / (2 * std::sqrt(one.beta));
  const double unit = one.kernel == Landscape::plain ? std::exp(-one.beta) : 1;
  const bool null = wrong.null != NullModel::none;
  const auto count = [&](const Atoms& mu) {
    return one.d == 2 ? arcs_of(mu, length)
                      : linked(mu, std::fmin(length, std::numbers::pi / (2 * one.d)));
  };
  const double at_start = count(start_of(one, kTokens)).count;
  Rest rest{.mu = null ? simulate_case(one, wrong).end : start_of(one, kTokens)};
  std::vector<Counted> trajectory;
  double now = 0;
  for (const double time : times_of(control.quick)) {
    rest = rest_of(ours, rest.mu, {.steps = null ? 0 : kMostSteps, .time = unit * (time - now)});
    now = time;
    const TokenClusters clusters = count(rest.mu);
    trajectory.push_back({.setting = one,
                          .time = time,
                          .clusters = clusters,
                          .of_start = clusters.count / at_start,
                          .bound = one.d == 2 ? arc_mass_bound(l) : kNoNumber,
                          .gradient = rest.gradient});
  }
  if (one.beta == first_beta) {
    const EnergyCurve curve = simulate_case(one, wrong);
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
  bool is_drawn_with_published() const {  // with the published swarms
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
  std::vector<PerceptronCase> cases;
  for (const double beta : betas)
    for (int seed = 0; seed < seeds; ++seed)
      cases.push_back({.preset = kClusters,
                       .d = group.d,
                       .seed = seed,
                       .activation = group.activation,
                       .kernel = group.kernel,
                       .beta = beta});
  std::vector<std::vector<Counted>> curves(cases.size());
  for_blocks(static_cast<int>(cases.size()), control.threads, [&](int k) {
    if (!control.stopped()) curves[k] = curves_of(cases[k], betas.front(), control);
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
    if (s.setting.beta != beta || s.time != time) continue;
    count.push_back(s.clusters.count);
    heaviest.push_back(s.clusters.heaviest);
    tally.rest += s.gradient <= 1e-8 ? 1 : 0;
    tally.gradient = std::fmax(tally.gradient, s.gradient);
  }
  tally.count = spread_of(count);
  tally.error = tally.count.error();
  tally.heaviest = spread_of(heaviest);
  tally.rest /= static_cast<double>(count.size());
  return tally;
}

// The slope of the number of clusters over sqrt(beta) at that time, from one line per seed.
Slope growth_of(const std::vector<Counted>& swarms, int seeds, double time) {
  std::vector<double> slopes;
  for (int seed = 0; seed < seeds; ++seed) {
    std::vector<double> root, count;
    for (const Counted& s : swarms)
      if (s.setting.seed == seed && s.time == time) {
        root.push_back(std::sqrt(s.setting.beta));
        count.push_back(s.clusters.count);
      }
    slopes.push_back(fit_line(root, count).slope);
  }
  return slope_of(slopes);
}

// The greatest share of the clusters of their start that swarms of one beta have at that time, mean
// over the seeds. Tokens that do not move have a larger share at larger beta, since arcs are
// shorter.
double most_of_start(const std::vector<Counted>& swarms, const std::vector<double>& betas,
                     double time) {
  double most = 0;
  for (const double beta : betas) {
    std::vector<double> shares;
    for (const Counted& s : swarms)
      if (s.setting.beta == beta && s.time == time) shares.push_back(s.of_start);
    most = std::fmax(most, spread_of(shares).mean);
  }
  return most;
}

void check_growth(const Group& group, const Slope& slope, double of_start, Reproduction& result) {
  Check check = check_holds(
      rule::perceptron_clusters_growth,
      {fmt::format("{}, t = {:g}: slope of clusters over √β", group.name(), kTimes[kJudged]),
       slope.mean},
      slope.mean > 2 * slope.error && of_start <= kGathered,
      fmt::format(
          "above 0 by two standard errors, and at most {:g} of the clusters of the start are left",
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
  Check energy = check_holds(rule::perceptron_clusters_energy,
                             {fmt::format("{}, β = {:g}: frames at which the energy rises",
                                          group.name(), swarms.front().setting.beta),
                              reversals},
                             reversals == 0 && gained > kGained,
                             fmt::format("none, and each ends {:g} of the scale lower", kGained));
  energy.more["cases"] = seeds;
  energy.more["least gain"] = gained;
  result.checks.push_back(energy);
  if (group.kernel == Landscape::plain) {
    result.checks.push_back(check_holds(rule::perceptron_clusters_bound,
                                        {group.name() + ": fullest arcs above the bound", over},
                                        over == 0, "none"));
    return;  // tokens spread evenly there: arcs tile the circle, whatever the units
  }
  if (group.activation != Perceptron::relu && seeds < 8)
    return;  // too few seeds to show that there is no growth
  check_growth(group, growth_of(swarms, seeds, kTimes[kJudged]),
               most_of_start(swarms, betas, kTimes[kJudged]), result);
}

// The tables of the figures: counts over time, the fullest arcs of the plain kernel, the sphere.
struct Tables {
  std::vector<double> betas{};
  std::span<const double> times{};
  ColumnTable all{"clusters",
                  {"root_beta", "time", "swarms", "clusters", "sd", "least", "most", "heaviest",
                   "share at rest", "largest gradient"}};
  ColumnTable slopes{"slopes",
                     {"swarms", "time", "clusters over sqrt(beta)", "standard error", "seeds"}};
  ColumnTable circle{"circle", {"root_beta"}};  // counts and errors at each time
  ColumnTable fullest{"fullest", {"root_beta", "fullest arc", "bound"}};
  ColumnTable sphere{"sphere", {"root_beta", "units", "clusters", "error"}};
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

// Mean counts over sqrt(beta), and the published ones.
void tabulate_published(const std::vector<Counted>& swarms, Tables& tables) {
  ColumnTable& table = tables.circle;
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
void tabulate_gelu(const std::vector<Counted>& swarms, Tables& tables) {
  ColumnTable& table = tables.circle;
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

void tabulate_group(const Group& group, const std::vector<Counted>& swarms, int seeds,
                    Tables& tables) {
  for (const double time : tables.times) {
    describe_curve(group, swarms, time, tables);
    const Slope slope = growth_of(swarms, seeds, time);
    tables.slopes.rows.push_back(
        {group.name(), time, slope.mean, slope.error, static_cast<double>(slope.seeds)});
  }
  if (group.is_published()) tabulate_published(swarms, tables);
  if (group.is_drawn_with_published()) tabulate_gelu(swarms, tables);
  if (group.kernel == Landscape::plain) trace_bound(seeds, tables);
}

void draw_tokens(Tables tables, Reproduction& result) {
  for (ColumnTable* table :
       {&tables.all, &tables.slopes, &tables.circle, &tables.fullest, &tables.sphere})
    result.tables.push_back(std::move(*table));
  TablePanel circle{.name = kClusters,
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
  circle.curves.push_back({"companion", Curve::rings, "companion code, ReLU", Curve::kInk});
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
       .curves = {{"bound", Curve::dashes, "bound", Curve::kInk},
                  {"fullest arc", Curve::points, "fullest arc", 0}}});
}

// n equal tokens on the gradient flow, their clusters counted within 1/(2 sqrt(beta)) at four times
// and compared with the counts of 2601.21366; on the circle with both kernels, and on the sphere.
void check_tokens(const ReproductionControl& control, Reproduction& result) {
  Tables tables{.betas = control.values.numbers("betas"), .times = times_of(control.quick)};
  for (const Group& group : kGroups) {
    const int seeds = control.values.whole(group.d != 2           ? "sphere_seeds"
                                           : group.is_published() ? "published_seeds"
                                                                  : "circle_seeds");
    const std::vector<Counted> swarms = swarms_of(group, seeds, control);
    if (control.stopped()) return;
    check_group(group, swarms, seeds, tables.betas, result);
    tabulate_group(group, swarms, seeds, tables);
  }
  draw_tokens(std::move(tables), result);
}

constexpr double kStill = 1e-10;  // gradient of a measure that counts
constexpr int kFirstSeed = 1000;  // smaller seeds were used to distinguish the kinds of weights

// The best measure, its masses free, from few tokens and from many.
struct Minimum {
  PerceptronCase setting;
  double level = 0;  // of the valley, in radians
  int atoms = 0, atoms_of_many = 0;
  double gradient = 0;  // the larger of the two
  bool certified = false;
  double heaviest = 0, arc_mass = 0, bound = 0;
};

// The length of the arc on which V is level: where omega > 0 and no ReLU unit is active, V has its
// least value 0.
double level_arc(const Landscape& l) {
  if (l.activation != Perceptron::relu || *std::min_element(l.omega.begin(), l.omega.end()) <= 0)
    return 0;
  constexpr int kAngles = 36'000;
  int level = 0;
  for (int k = 0; k < kAngles; ++k) {
    const double angle = kTurn * k / kAngles;
    bool active = false;
    for (int m = 0; m < l.a.rows; ++m)
      active = active || l.a(m, 0) * std::cos(angle) + l.a(m, 1) * std::sin(angle) > 0;
    level += active ? 0 : 1;
  }
  return kTurn * level / kAngles;
}

Minimum minimum_of(const PerceptronCase& one, const WrongModel& wrong) {
  const Landscape l = landscape_of(one), ours = landscape_of(with_wrong_model(one, wrong));
  const auto best = [&](int n) {
    if (wrong.null != NullModel::none)
      return describe(l, rest_of(l, simulate_case(one, wrong).end, {.steps = 0}).mu, 0);
    CriticalPoint point = best_measure(ours, {.masses = Masses::free, .n = n, .threads = 1});
    if (wrong.is_wrong()) point.gradient_norm = describe(l, point.mu, 0).gradient_norm;
    return point;
  };
  const CriticalPoint few = best(64), many = best(256);
  const Localisation where = localise(l, few.mu);
  return {.setting = one,
          .level = level_arc(l),
          .atoms = few.mu.count(),
          .atoms_of_many = many.mu.count(),
          .gradient = std::fmax(few.gradient_norm, many.gradient_norm),
          .certified = few.certificate.holds && many.certificate.holds,
          .heaviest = where.heaviest,
          .arc_mass = where.arc_mass,
          .bound = where.arc_mass_bound};
}

// The first seeds whose units leave a level valley, and the first of those that do not.
std::vector<int> seeds_of(int levels, int stricts) {
  std::vector<int> seeds;
  int level = 0, strict = 0;
  for (int seed = kFirstSeed; level < levels || strict < stricts; ++seed) {
    const bool flat = level_arc(landscape_of({.preset = kClusters, .seed = seed})) > 0;
    if (flat ? level++ < levels : strict++ < stricts) seeds.push_back(seed);
  }
  return seeds;
}

std::vector<Minimum> minima_of(const std::vector<PerceptronCase>& cases,
                               const ReproductionControl& control) {
  std::vector<Minimum> minima(cases.size());
  for_blocks(static_cast<int>(cases.size()), control.threads, [&](int k) {
    if (!control.stopped()) minima[k] = minimum_of(cases[k], control.wrong);
  });
  return minima;
}

// The three kinds of weights: V is least on an arc, V is least at points, and units are analytic.
constexpr const char *kLevel = "ReLU, level valley", *kStrict = "ReLU, no level valley",
                     *kGelu = "GELU";
const char* kind_of(const Minimum& m) {
  if (m.setting.activation == Perceptron::gelu) return kGelu;
  return m.level > 0 ? kLevel : kStrict;
}

// The slope of the number of atoms over ln beta, from one line per seed of one kind.
Slope slope_of_kind(const std::vector<Minimum>& minima, const std::string& kind) {
  struct Curve {
    std::vector<double> x, y;
  };
  std::map<int, Curve> curves;
  for (const Minimum& m : minima) {
    if (kind_of(m) != kind || m.gradient >= kStill) continue;
    curves[m.setting.seed].x.push_back(std::log(m.setting.beta));
    curves[m.setting.seed].y.push_back(m.atoms);
  }
  std::vector<double> slopes;
  for (const auto& [seed, trajectory] : curves)
    if (trajectory.x.size() > 1) slopes.push_back(fit_line(trajectory.x, trajectory.y).slope);
  return slope_of(slopes);
}

void check_slopes(const std::vector<Minimum>& minima, Reproduction& result) {
  for (const char* kind : {kLevel, kStrict, kGelu}) {
    const Slope slope = slope_of_kind(minima, kind);
    const bool level = kind == kLevel;
    const double clear = 2 * slope.error;
    Check check =
        check_holds(rule::perceptron_clusters_atoms,
                    {fmt::format("best measures, {}: slope of atoms over ln β", kind), slope.mean},
                    level ? slope.mean > clear : slope.mean <= clear,
                    level ? "above 0 by two standard errors" : "not above 0 by so much");
    check.more["standard error"] = slope.error;
    check.more["cases"] = slope.seeds;
    result.checks.push_back(check);
  }
}

// Means over the weights of one kind, over sqrt(beta).
void draw_curves(const std::vector<Minimum>& minima, const std::vector<double>& betas,
                 Reproduction& result) {
  ColumnTable table{"atoms", {"root_beta", "units", "atoms", "error", "heaviest", "seeds"}};
  for (const char* kind : {kLevel, kStrict, kGelu})
    for (const double beta : betas) {
      std::vector<double> atoms, heaviest;
      for (const Minimum& m : minima)
        if (m.setting.beta == beta && kind_of(m) == kind && m.gradient < kStill) {
          atoms.push_back(m.atoms);
          heaviest.push_back(m.heaviest);
        }
      if (atoms.empty()) continue;
      const Slope mean = slope_of(atoms);
      table.rows.push_back({std::sqrt(beta), kind, mean.mean, mean.error, spread_of(heaviest).mean,
                            static_cast<double>(mean.seeds)});
    }
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = kClusters,
                            .table = "atoms",
                            .title = "Best measures, masses free, scaled kernel",
                            .x = {.label = kRootBeta},
                            .y = {.label = "mean number of atoms"},
                            .curves = {{.column = "atoms", .error = "error"}},
                            .by = "units",
                            .side_by_side = true});
}

// Atoms over L sqrt(beta) for all weights with a level valley of length L.
void draw_level(const std::vector<Minimum>& minima, Reproduction& result) {
  ColumnTable table{"valleys", {"level_root_beta", "atoms", "seed", "beta"}};
  for (const Minimum& m : minima)
    if (m.level > 0 && m.gradient < kStill)
      table.rows.push_back({m.level * std::sqrt(m.setting.beta), static_cast<double>(m.atoms),
                            static_cast<double>(m.setting.seed), m.setting.beta});
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = kClusters,
                            .table = "valleys",
                            .title = "Best measures, level valleys of length L",
                            .x = {.label = "length of the valley times root, L √β"},
                            .y = {.label = "number of atoms"},
                            .curves = {{"atoms", Curve::points, "one draw of weights", 0}}});
  result.captions[kClusters] =
      "Repelling tokens with two perceptron units. First row: clusters of 200 tokens over √β, on "
      "the circle at several times and the counts of one swarm of the companion code (rings), and "
      "on the sphere; marks of one β are drawn side by side. Then the mass in the fullest arc, far "
      "below its bound, both means over swarms, and the number of atoms of the best measure: it "
      "grows with √β only where the potential of ReLU units has a level valley, linearly in its "
      "length. With GELU units neither clusters nor atoms grow, against what is published. Bars: "
      "standard errors.";
}

ColumnTable table_of(const std::vector<Minimum>& minima) {
  ColumnTable table{"minimisers",
                    {"seed", "activation", "kernel", "beta", "level", "atoms", "atoms_of_many",
                     "heaviest", "crowd", "bound", "gradient", "certified"}};
  for (const Minimum& m : minima)
    table.rows.push_back({static_cast<double>(m.setting.seed), name_of(m.setting.activation),
                          name_of(m.setting.kernel), m.setting.beta, m.level,
                          static_cast<double>(m.atoms), static_cast<double>(m.atoms_of_many),
                          m.heaviest, m.arc_mass, m.bound, m.gradient, m.certified ? 1.0 : 0.0});
  return table;
}

void check_minima(const std::vector<Minimum>& minima, Reproduction& result) {
  double moving = 0, differ = 0, open = 0, over = 0, bites = 0;
  for (const Minimum& m : minima) {
    moving += m.gradient < kStill ? 0 : 1;
    differ += m.atoms != m.atoms_of_many ? 1 : 0;
    open += m.certified ? 0 : 1;
    const bool bound = m.setting.kernel == Landscape::plain && m.bound < 1 && m.gradient < kStill;
    bites += bound ? 1 : 0;
    over += bound && m.arc_mass > m.bound ? 1 : 0;
  }
  const std::string what = fmt::format("{} best measures: ", minima.size());
  // The table `minimisers` shows which: where F is nearly level, atoms differ in few digits.
  const double few = 0.05 * static_cast<double>(minima.size());
  result.checks.push_back(check_holds(rule::perceptron_clusters_rest,
                                      {what + "not at rest to 1e-10, and not counted", moving},
                                      moving <= few, "at most 5 %"));
  result.checks.push_back(
      check_holds(rule::perceptron_clusters_rest,
                  {what + "with other atoms from 256 tokens than from 64", differ}, differ <= few,
                  "at most 5 %"));
  result.checks.push_back(check_holds(rule::perceptron_clusters_rest,
                                      {what + "without a certificate on the whole circle", open},
                                      open == 0, "none"));
  Check arc_masses =
      check_holds(rule::perceptron_clusters_bound,
                  {"plain kernel: crowds in an arc of 1/(2√β) above the bound, where it is < 1",
                   bites > 0 ? over : kNoNumber},
                  over == 0, "none");
  arc_masses.more["cases"] = bites;
  result.checks.push_back(arc_masses);
  result.tables.push_back(table_of(minima));
}

// Best measures, their masses free, each certified: how many atoms there are over beta.
void check_measures(const ReproductionControl& control, Reproduction& result) {
  const std::vector<double>& betas = control.values.numbers("measure_betas");
  const int count = control.values.whole("weights");
  const std::vector<int> seeds = seeds_of(count, count);
  std::vector<PerceptronCase> cases;
  for (const double beta : betas)
    for (const int seed : seeds)
      for (const auto activation : {Perceptron::relu, Perceptron::gelu})
        cases.push_back(
            {.preset = kClusters, .seed = seed, .activation = activation, .beta = beta});
  const std::vector<Minimum> minima = minima_of(cases, control);
  cases.clear();
  for (const double beta : {1.0, 2.0, 3.0})
    for (const int seed : seeds)
      cases.push_back(
          {.preset = kClusters, .seed = seed, .kernel = Landscape::plain, .beta = beta});
  std::vector<Minimum> all = minima_of(cases, control);
  if (control.stopped()) return;
  check_slopes(minima, result);
  draw_curves(minima, betas, result);
  draw_level(minima, result);
  all.insert(all.begin(), minima.begin(), minima.end());
  check_minima(all, result);
}

}  // namespace

std::optional<Reproduction> perceptron_clusters(const ReproductionControl& control) {
  Reproduction result = new_result(control, kClusters);
  check_companion(control, result);
  if (!control.stopped()) check_tokens(control, result);
  if (!control.stopped()) check_measures(control, result);
  if (control.stopped()) return std::nullopt;
  return result;
}

}  // namespace murmur
