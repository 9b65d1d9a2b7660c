// perceptron_clusters.cpp: how many atoms repelling tokens leave beside two units, over sqrt(beta).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.h"
#include "reproduce/landscapes.h"
#include "reproduce/reproductions.h"

namespace murmur {

namespace {

constexpr const char* kPreset = "perceptron-clusters";
constexpr double kTurn = 2 * std::numbers::pi;

// The best measure, its masses free, from few tokens and from many.
struct Minimum {
  Beside beside;
  double level = 0;  // of the valley, in radians
  int atoms = 0, atoms_of_many = 0;
  bool certified = false;
  double heaviest = 0, crowd = 0, bound = 0;
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

Minimum minimum_of(const Beside& beside) {
  const Landscape l = landscape_of(beside);
  const auto best = [&](int n) {
    return best_measure(l, {.masses = Masses::free, .n = n, .threads = 1});
  };
  const CriticalPoint few = best(64), many = best(256);
  const Localisation where = localise(l, few.mu);
  return {.beside = beside,
          .level = level_arc(l),
          .atoms = few.mu.count(),
          .atoms_of_many = many.mu.count(),
          .certified = few.certificate.holds && many.certificate.holds,
          .heaviest = where.heaviest,
          .crowd = where.crowd,
          .bound = where.crowd_bound};
}

// The first seeds whose units leave a level valley, and the first of those that do not.
std::vector<int> seeds_of(int levels, int stricts) {
  std::vector<int> seeds;
  int level = 0, strict = 0;
  for (int seed = 0; level < levels || strict < stricts; ++seed) {
    const bool flat = level_arc(landscape_of({.preset = kPreset, .seed = seed})) > 0;
    if (flat ? level++ < levels : strict++ < stricts) seeds.push_back(seed);
  }
  return seeds;
}

std::vector<Minimum> minima_of(const std::vector<Beside>& besides,
                               const ReproductionControl& control) {
  std::vector<Minimum> minima(besides.size());
  for_blocks(static_cast<int>(besides.size()), control.threads, [&](int k) {
    if (!control.stopped()) minima[k] = minimum_of(besides[k]);
  });
  return minima;
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const Spread along = spread_of(x), up = spread_of(y);
  return line_of(x, y).slope * along.sd / up.sd;
}

// Whether V is least on an arc, at a point, or whether units are analytic: the three courses.
std::string kind_of(const Minimum& m) {
  if (m.beside.activation == Perceptron::gelu) return "GELU";
  return m.level > 0 ? "ReLU level" : "ReLU strict";
}

// Means over the weights of one kind, over sqrt(beta).
struct Course {
  std::vector<double> root, atoms, heaviest;
};
Course course_of(const std::vector<Minimum>& minima, const std::vector<double>& betas,
                 const std::string& kind) {
  Course course;
  for (const double beta : betas) {
    std::vector<double> atoms, heaviest;
    for (const Minimum& m : minima)
      if (m.beside.beta == beta && kind_of(m) == kind) {
        atoms.push_back(m.atoms);
        heaviest.push_back(m.heaviest);
      }
    if (atoms.empty()) continue;
    course.root.push_back(std::sqrt(beta));
    course.atoms.push_back(spread_of(atoms).mean);
    course.heaviest.push_back(spread_of(heaviest).mean);
  }
  return course;
}

void check_courses(const std::vector<Minimum>& minima, const std::vector<double>& betas,
                   Reproduction& result) {
  ReproducedTable table{"atoms", {"root_beta", "valley", "atoms", "heaviest"}};
  for (const char* kind : {"ReLU level", "ReLU strict", "GELU"}) {
    const Course course = course_of(minima, betas, kind);
    for (std::size_t k = 0; k < course.root.size(); ++k)
      table.rows.push_back({course.root[k], kind, course.atoms[k], course.heaviest[k]});
    const double slope = line_of(course.root, course.atoms).slope;
    const std::string what = fmt::format("scaled kernel, {}: ", kind);
    if (std::string(kind) == "ReLU level") {
      const double r = correlation(course.root, course.atoms);
      Check check = holds(what + "correlation of mean atoms with √β", r, r > 0.95, "above 0.95");
      check.more["slope"] = slope;
      result.checks.push_back(check);
    } else {
      const double grown = course.atoms.back() - course.atoms.front();
      Check check = holds(what + "mean atoms at the largest β less those at the smallest", grown,
                          grown <= 0, "no more than 0");
      check.more["slope"] = slope;
      result.checks.push_back(check);
    }
  }
  result.tables.push_back(std::move(table));
  for (const char* column : {"atoms", "heaviest"})
    result.figures.push_back(
        {.name = kPreset,
         .table = "atoms",
         .columns = {column},
         .x_label = "√β",
         .y_label = column == std::string("atoms") ? "atoms of the minimiser" : "heaviest atom",
         .title = "Two units, e^{β(x·y - 1)}",
         .by = "valley"});
}

// Weights with a level valley of length L: atoms against L sqrt(beta).
void check_level(const std::vector<Minimum>& minima, Reproduction& result) {
  ReproducedTable table{"valleys", {"level_root_beta", "atoms", "seed", "beta"}};
  std::vector<double> x, y;
  for (const Minimum& m : minima) {
    if (m.level <= 0 || m.beside.beta < 5) continue;
    x.push_back(m.level * std::sqrt(m.beside.beta));
    y.push_back(m.atoms);
    table.rows.push_back({x.back(), y.back(), static_cast<double>(m.beside.seed), m.beside.beta});
  }
  const double r = correlation(x, y);
  Check check = holds("scaled kernel, ReLU level: correlation of atoms with L√β, β ≥ 5", r,
                      r > 0.95, "above 0.95");
  check.more["slope"] = line_of(x, y).slope;
  result.checks.push_back(check);
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = kPreset,
                            .table = "valleys",
                            .columns = {"atoms"},
                            .x_label = "L √β, L the length of the level valley",
                            .y_label = "atoms of the minimiser",
                            .title = "Every weight with a level valley",
                            .points = {"atoms"}});
}

void check_minima(const std::vector<Minimum>& minima, Reproduction& result) {
  ReproducedTable table{"minimisers",
                        {"seed", "activation", "kernel", "beta", "level", "atoms", "atoms_of_many",
                         "heaviest", "crowd", "bound", "certified"}};
  double differ = 0, open = 0, over = 0, bites = 0, silent = 0, scaled_ones = 0;
  for (const Minimum& m : minima) {
    const bool scaled = m.beside.kernel == Landscape::scaled;
    differ += m.atoms != m.atoms_of_many ? 1 : 0;
    open += m.certified ? 0 : 1;
    if (scaled) {
      ++scaled_ones;
      silent += m.bound >= 1 ? 1 : 0;
    }
    if (!scaled && m.bound < 1) {
      ++bites;
      over += m.crowd > m.bound ? 1 : 0;
    }
    table.rows.push_back({static_cast<double>(m.beside.seed), name_of(m.beside.activation),
                          scaled ? "scaled" : "plain", m.beside.beta, m.level,
                          static_cast<double>(m.atoms), static_cast<double>(m.atoms_of_many),
                          m.heaviest, m.crowd, m.bound, m.certified ? 1.0 : 0.0});
  }
  result.checks.push_back(holds(
      fmt::format("of {} minimisers, with other atoms from 256 tokens than from 64", minima.size()),
      differ, differ == 0, "none"));
  result.checks.push_back(
      holds("minimisers without a certificate on the whole circle", open, open == 0, "none"));
  Check crowds = holds("plain kernel: crowds in an arc of 1/(2√β) above the bound, where it is < 1",
                       over, bites > 0 && over == 0, "none");
  crowds.more["cases"] = bites;
  result.checks.push_back(crowds);
  Check says = holds("scaled kernel: share of cases where the bound is 1 or more and says nothing",
                     silent / scaled_ones, silent == scaled_ones, "all");
  says.more["cases"] = scaled_ones;
  result.checks.push_back(says);
  result.tables.push_back(std::move(table));
}

// The flow of the engine against the energy of the landscape.
void check_energy(const std::vector<int>& seeds, const ReproductionControl& control,
                  Reproduction& result) {
  for (const auto activation : {Perceptron::relu, Perceptron::gelu})
    for (const auto kernel : {Landscape::scaled, Landscape::plain}) {
      std::vector<int> reversals(seeds.size());
      for_blocks(static_cast<int>(seeds.size()), control.threads, [&](int k) {
        reversals[k] =
            fly_beside(
                {.preset = kPreset, .seed = seeds[k], .activation = activation, .kernel = kernel})
                .reversals;
      });
      double all = 0;
      for (const int count : reversals) all += count;
      Check check = holds(fmt::format("{}, {} kernel, β = 5: frames at which the energy rises",
                                      name_of(activation), name_of(kernel)),
                          all, all == 0, "none");
      check.more["cases"] = static_cast<double>(seeds.size());
      result.checks.push_back(check);
    }
}

// How few arcs of 1/(2 sqrt(beta)) hold all tokens, laid from behind the widest gap on.
struct Arcs {
  int count = 0;
  double fullest = 0;  // share of the tokens in one of them
};
Arcs arcs_of(const Atoms& mu, double length) {
  std::vector<double> angles = angles_of(mu);
  const std::size_t n = angles.size();
  std::size_t first = 0;
  double widest = angles[0] + kTurn - angles[n - 1];
  for (std::size_t i = 1; i < n; ++i)
    if (angles[i] - angles[i - 1] > widest) {
      widest = angles[i] - angles[i - 1];
      first = i;
    }
  for (std::size_t i = 0; i < first; ++i) angles[i] += kTurn;
  std::rotate(angles.begin(), angles.begin() + static_cast<std::ptrdiff_t>(first), angles.end());
  Arcs arcs;
  for (std::size_t i = 0, j = 0; i < n; i = j) {
    while (j < n && angles[j] - angles[i] <= length) ++j;
    arcs.fullest = std::max(arcs.fullest, static_cast<double>(j - i) / static_cast<double>(n));
    ++arcs.count;
  }
  return arcs;
}

// With the plain kernel tokens spread evenly as beta grows: arcs tile the circle, 4 pi sqrt(beta).
void check_spread(int n, Reproduction& result) {
  ReproducedTable table{"arcs", {"root_beta", "arcs", "whole_circle", "fullest", "bound"}};
  std::vector<double> root, count;
  double over = 0;
  for (const double beta : {5.0, 10.0, 15.0, 25.0, 50.0}) {
    const Beside beside{.preset = kPreset, .kernel = Landscape::plain, .beta = beta};
    const Landscape l = landscape_of(beside);
    const Climb flow =
        climb(l, start_of(beside, n), {.tolerance = 1e-2, .gradient = 1e-5, .most_steps = 400});
    const Arcs arcs = arcs_of(flow.mu, 1 / (2 * std::sqrt(beta)));
    root.push_back(std::sqrt(beta));
    count.push_back(arcs.count);
    over += arcs.fullest > crowd_bound(l) ? 1 : 0;
    table.rows.push_back(
        {root.back(), count.back(), 2 * kTurn * root.back(), arcs.fullest, crowd_bound(l)});
  }
  const double r = correlation(root, count);
  Check check = holds("plain kernel, ReLU: correlation of arcs that hold all tokens with √β", r,
                      r > 0.95, "above 0.95");
  check.more["slope"] = line_of(root, count).slope;
  result.checks.push_back(check);
  result.checks.push_back(
      holds("plain kernel, ReLU: fullest arcs above the bound", over, over == 0, "none"));
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = kPreset,
                            .table = "arcs",
                            .columns = {"arcs", "whole_circle"},
                            .x_label = "√β",
                            .y_label = "arcs of 1/(2√β) with all tokens",
                            .title = "e^{β x·y}: tokens spread evenly",
                            .dashed = {"whole_circle"}});
}

}  // namespace

std::optional<Reproduction> perceptron_clusters(const ReproductionControl& control) {
  Reproduction result = result_of(control, kPreset);
  const std::vector<double> betas = control.quick ? std::vector<double>{1, 5, 15, 50}
                                                  : std::vector<double>{1, 2, 5, 10, 15, 25, 50};
  const std::vector<int> seeds = seeds_of(12, control.quick ? 3 : 12);
  std::vector<int> few = seeds;  // with other units and with the other kernel
  if (control.quick) few.resize(4);
  std::vector<Beside> scaled, plain;
  for (const double beta : betas) {
    for (const int seed : seeds) scaled.push_back({.preset = kPreset, .seed = seed, .beta = beta});
    for (const int seed : few)
      scaled.push_back(
          {.preset = kPreset, .seed = seed, .activation = Perceptron::gelu, .beta = beta});
  }
  for (const int seed : few)
    for (const double beta : {1.0, 2.0, 3.0})
      plain.push_back({.preset = kPreset, .seed = seed, .kernel = Landscape::plain, .beta = beta});
  check_energy(few, control, result);
  std::vector<Minimum> minima = minima_of(scaled, control);
  if (control.stopped()) return std::nullopt;
  check_courses(minima, betas, result);
  check_level(minima, result);
  const std::vector<Minimum> more = minima_of(plain, control);
  if (control.stopped()) return std::nullopt;
  minima.insert(minima.end(), more.begin(), more.end());
  check_minima(minima, result);
  check_spread(control.quick ? 200 : 400, result);
  return result;
}

}  // namespace murmur
