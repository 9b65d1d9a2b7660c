// perceptron_clusters.cpp: how many atoms repelling tokens leave beside two units, over beta.
#include "reproduce/perceptron_clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/parallel.h"

namespace murmur {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kStill = 1e-10;  // gradient of a measure that counts
constexpr int kFirstSeed = 1000;  // kinds of weights were told apart on those from 0 on

// The best measure, its masses free, from few tokens and from many.
struct Minimum {
  Beside beside;
  double level = 0;  // of the valley, in radians
  int atoms = 0, atoms_of_many = 0;
  double gradient = 0;  // the larger of the two
  bool certified = false;
  double heaviest = 0, arc_mass = 0, bound = 0;
};

// How much of the circle is a valley without slope: where omega > 0 and no ReLU unit is active, V
// has its least value 0 all along.
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

Minimum minimum_of(const Beside& beside, const WrongModel& wrong) {
  const Landscape l = landscape_of(beside), ours = landscape_of(spoiled(beside, wrong));
  const auto best = [&](int n) {
    if (wrong.null != NullModel::none)
      return describe(l, rest_of(l, simulate_beside(beside, wrong).end, {.steps = 0}).mu, 0);
    CriticalPoint point = best_measure(ours, {.masses = Masses::free, .n = n, .threads = 1});
    if (wrong.is_wrong()) point.gradient_norm = describe(l, point.mu, 0).gradient_norm;
    return point;
  };
  const CriticalPoint few = best(64), many = best(256);
  const Localisation where = localise(l, few.mu);
  return {.beside = beside,
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

std::vector<Minimum> minima_of(const std::vector<Beside>& besides,
                               const ReproductionControl& control) {
  std::vector<Minimum> minima(besides.size());
  for_blocks(static_cast<int>(besides.size()), control.threads, [&](int k) {
    if (!control.stopped()) minima[k] = minimum_of(besides[k], control.wrong);
  });
  return minima;
}

// Whether V is least on an arc, at points, or whether units are analytic: the three courses.
constexpr const char *kLevel = "ReLU, level valley", *kStrict = "ReLU, no level valley",
                     *kGelu = "GELU";
const char* kind_of(const Minimum& m) {
  if (m.beside.activation == Perceptron::gelu) return kGelu;
  return m.level > 0 ? kLevel : kStrict;
}

// Atoms over ln beta, a line for each seed of one kind.
Slope slope_of_kind(const std::vector<Minimum>& minima, const std::string& kind) {
  struct Curve {
    std::vector<double> x, y;
  };
  std::map<int, Curve> curves;
  for (const Minimum& m : minima) {
    if (kind_of(m) != kind || m.gradient >= kStill) continue;
    curves[m.beside.seed].x.push_back(std::log(m.beside.beta));
    curves[m.beside.seed].y.push_back(m.atoms);
  }
  std::vector<double> slopes;
  for (const auto& [seed, trajectory] : curves)
    if (trajectory.x.size() > 1) slopes.push_back(line_of(trajectory.x, trajectory.y).slope);
  return slope_of(slopes);
}

void check_slopes(const std::vector<Minimum>& minima, Reproduction& result) {
  for (const char* kind : {kLevel, kStrict, kGelu}) {
    const Slope slope = slope_of_kind(minima, kind);
    const bool level = kind == kLevel;
    const double clear = 2 * slope.error;
    Check check =
        holds("perceptron-clusters.atoms",
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
  ReproducedTable table{"atoms", {"root_beta", "units", "atoms", "error", "heaviest", "seeds"}};
  for (const char* kind : {kLevel, kStrict, kGelu})
    for (const double beta : betas) {
      std::vector<double> atoms, heaviest;
      for (const Minimum& m : minima)
        if (m.beside.beta == beta && kind_of(m) == kind && m.gradient < kStill) {
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

// Every weight with a level valley of length L: atoms against L sqrt(beta).
void draw_level(const std::vector<Minimum>& minima, Reproduction& result) {
  ReproducedTable table{"valleys", {"level_root_beta", "atoms", "seed", "beta"}};
  for (const Minimum& m : minima)
    if (m.level > 0 && m.gradient < kStill)
      table.rows.push_back({m.level * std::sqrt(m.beside.beta), static_cast<double>(m.atoms),
                            static_cast<double>(m.beside.seed), m.beside.beta});
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = kClusters,
                            .table = "valleys",
                            .title = "Best measures, level valleys of length L",
                            .x = {.label = "length of the valley times root, L √β"},
                            .y = {.label = "number of atoms"},
                            .curves = {{"atoms", Drawn::points, "one draw of weights", 0}}});
  result.captions[kClusters] =
      "Repelling tokens beside two units. First row: clusters of 200 tokens over √β, on the circle "
      "at several times beside the counts of one swarm of the companion code (rings), and on the "
      "sphere; marks of one β stand side by side. Then the mass in the fullest arc, far below its "
      "bound, both means over swarms, "
      "and the number of atoms of the best measure: it grows with √β only where the potential of "
      "ReLU units has a level valley, linearly in its length. Beside GELU units neither clusters "
      "nor atoms grow, against what is published. Bars: standard errors.";
}

ReproducedTable table_of(const std::vector<Minimum>& minima) {
  ReproducedTable table{"minimisers",
                        {"seed", "activation", "kernel", "beta", "level", "atoms", "atoms_of_many",
                         "heaviest", "crowd", "bound", "gradient", "certified"}};
  for (const Minimum& m : minima)
    table.rows.push_back({static_cast<double>(m.beside.seed), name_of(m.beside.activation),
                          name_of(m.beside.kernel), m.beside.beta, m.level,
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
    const bool bound = m.beside.kernel == Landscape::plain && m.bound < 1 && m.gradient < kStill;
    bites += bound ? 1 : 0;
    over += bound && m.arc_mass > m.bound ? 1 : 0;
  }
  const std::string what = fmt::format("{} best measures: ", minima.size());
  // The table `minimisers` shows which: where F is nearly level, few digits tell atoms apart.
  const double few = 0.05 * static_cast<double>(minima.size());
  result.checks.push_back(holds("perceptron-clusters.rest",
                                {what + "not at rest to 1e-10, and not counted", moving},
                                moving <= few, "at most 5 %"));
  result.checks.push_back(holds("perceptron-clusters.rest",
                                {what + "with other atoms from 256 tokens than from 64", differ},
                                differ <= few, "at most 5 %"));
  result.checks.push_back(holds("perceptron-clusters.rest",
                                {what + "without a certificate on the whole circle", open},
                                open == 0, "none"));
  Check arc_masses =
      holds("perceptron-clusters.bound",
            {"plain kernel: crowds in an arc of 1/(2√β) above the bound, where it is < 1",
             bites > 0 ? over : kNoNumber},
            over == 0, "none");
  arc_masses.more["cases"] = bites;
  result.checks.push_back(arc_masses);
  result.tables.push_back(table_of(minima));
}

}  // namespace

Slope slope_of(const std::vector<double>& slopes) {
  if (slopes.empty()) return {kNoNumber, kNoNumber, 0};  // none is at rest: open
  const Spread spread = spread_of(slopes);
  return {spread.mean, spread.sd / std::sqrt(static_cast<double>(slopes.size())),
          static_cast<int>(slopes.size())};
}

void check_measures(const ReproductionControl& control, Reproduction& result) {
  const std::vector<double>& betas = control.values.numbers("measure_betas");
  const int count = control.values.whole("weights");
  const std::vector<int> seeds = seeds_of(count, count);
  std::vector<Beside> besides;
  for (const double beta : betas)
    for (const int seed : seeds)
      for (const auto activation : {Perceptron::relu, Perceptron::gelu})
        besides.push_back(
            {.preset = kClusters, .seed = seed, .activation = activation, .beta = beta});
  const std::vector<Minimum> minima = minima_of(besides, control);
  besides.clear();
  for (const double beta : {1.0, 2.0, 3.0})
    for (const int seed : seeds)
      besides.push_back(
          {.preset = kClusters, .seed = seed, .kernel = Landscape::plain, .beta = beta});
  std::vector<Minimum> all = minima_of(besides, control);
  if (control.stopped()) return;
  check_slopes(minima, result);
  draw_curves(minima, betas, result);
  draw_level(minima, result);
  all.insert(all.begin(), minima.begin(), minima.end());
  check_minima(all, result);
}

std::optional<Reproduction> perceptron_clusters(const ReproductionControl& control) {
  Reproduction result = result_of(control, kClusters);
  check_companion(control, result);
  if (!control.stopped()) check_tokens(control, result);
  if (!control.stopped()) check_measures(control, result);
  if (control.stopped()) return std::nullopt;
  return result;
}

}  // namespace murmur
