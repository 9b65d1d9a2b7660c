// cells.cpp: trees over targets and sources, and the walk down the one with moments of the other.
#include "engine/moments/cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "core/parallel.h"
#include "engine/moments/cells_walk.h"

namespace murmur::moments {

namespace {

constexpr double kWidestExponent = 150;  // r_T max_j |y_j| of target cells, far from overflow
constexpr int kSeparate = 64;            // target cells that threads then share out

double farthest_of(const HostSwarm& x) {
  double most = 0;
  for (int j = 0; j < x.n(); ++j) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(j, k) * x.at(j, k);
    most = std::max(most, square);
  }
  return std::sqrt(most) * (1 + 1e-14);
}

void weigh_cells(CellProblem& problem) {
  const CellTree& tree = problem.sources;
  const int d = tree.d(), cells = static_cast<int>(tree.cells().size());
  problem.cell_mass.resize(cells);
  problem.cell_mean.assign(static_cast<std::size_t>(cells) * d, 0);
  for (int c = cells - 1; c >= 0; --c) {  // halves come after their parent
    const CellTree::Cell& cell = tree.cell(c);
    double* mean = problem.cell_mean.data() + static_cast<std::size_t>(c) * d;
    double& mass = problem.cell_mass[c];
    if (cell.left < 0) {
      for (int j = cell.first; j < cell.first + cell.count; ++j) {
        mass += problem.mass[j];
        for (int k = 0; k < d; ++k) mean[k] += problem.mass[j] * tree.axis(k)[j];
      }
      for (int k = 0; k < d; ++k) mean[k] = mass > 0 ? mean[k] / mass : tree.centre(c)[k];
    } else {
      const double a = problem.cell_mass[cell.left], b = problem.cell_mass[cell.right];
      mass = a + b;
      for (int k = 0; k < d; ++k)
        mean[k] =
            mass > 0
                ? (a * problem.mean_of(cell.left)[k] + b * problem.mean_of(cell.right)[k]) / mass
                : tree.centre(c)[k];
    }
  }
}

void count_costs(CellProblem& problem) {
  const Terms& terms = problem.terms;
  const double lanes = kTogetherCells;
  double shift = 0;
  for (std::size_t line = 0; line + 1 < terms.line_begin.size(); ++line) {
    const double length = terms.line_begin[line + 1] - terms.line_begin[line];
    shift += length * (length + 3) / 2;
  }
  problem.pair_cost = (2 * terms.d + 14) / lanes;
  problem.series_cost = 2.6 * terms.count / lanes;
  problem.moments_cost = 1.5 * terms.count / lanes;
  problem.shift_cost = 2 * shift;
}

// r_T r_S up to which sources spread over a ball have a cut of the tolerance.
double widest_for(int p, double tolerance) {
  double low = 0, high = 20;
  for (int step = 0; step < 60; ++step) {
    const double tau = (low + high) / 2;
    double cut = std::exp(tau);
    for (int k = 1; k <= p; ++k) cut *= tau / k;
    (cut <= tolerance ? low : high) = tau;
  }
  return low;
}

// Measured to be about the best on S^2; fewer terms where d is higher.
CellsChoice filled_in(CellsChoice choice, const SumsRequest& request) {
  const int d = request.x.d();
  if (choice.degree == 0) {
    const double digits = -std::log10(std::max(request.tolerance, 1e-16));
    choice.degree = std::clamp(static_cast<int>(1.5 * digits + 1), 3, kMaxDegree);
    const double most = std::min(1500.0, 0.1 * request.x.n());
    while (choice.degree > 3 && terms_count(d, choice.degree) > most) --choice.degree;
  }
  choice.degree = std::clamp(choice.degree, 3, kMaxDegree);
  const int leaf = std::clamp(static_cast<int>(0.3 * terms_count(d, choice.degree)), 32, 400);
  if (choice.leaf_sources == 0) choice.leaf_sources = leaf;
  if (choice.leaf_targets == 0) choice.leaf_targets = leaf;
  return choice;
}

// There is no source with a mass.
SumsCost nothing(const SumsResult& result, int n) {
  std::fill_n(result.weight, n, 0.0);
  std::fill_n(result.shift, n, 0.0);
  std::fill_n(result.weight_bound, n, HUGE_VAL);
  if (result.mean_bound != nullptr) std::fill_n(result.mean_bound, n, HUGE_VAL);
  return {};
}

class Sums {
 public:
  Sums(const CellProblem& problem, const SumsResult& result, int threads)
      : problem_(problem), walk_(problem, result), threads_(threads) {}

  SumsCost all() {
    std::vector<std::unique_ptr<HeldCell>> front, next;
    front.push_back(std::make_unique<HeldCell>());
    walk_.start(*front[0], threads_);
    while (front.size() < kSeparate) {  // level by level, while there are few
      bool split = false;
      next.clear();
      for (auto& at : front) {
        if (walk_.finished(*at)) {
          next.push_back(std::move(at));
          continue;
        }
        split = true;
        const CellTree::Cell& cell = problem_.targets.cell(at->cell);
        for (const int half : {cell.left, cell.right}) {
          next.push_back(std::make_unique<HeldCell>());
          walk_.descend(*at, half, *next.back(), threads_);
        }
        at.reset();
      }
      front.swap(next);
      if (!split) break;
    }
    std::vector<SumsCost> costs(front.size());
    for_blocks(static_cast<int>(front.size()), threads_,
               [&](int f) { costs[f] = below(*front[f], 0); });
    SumsCost sum{};
    for (const SumsCost& cost : costs) {
      sum.cells += cost.cells;
      sum.pairs += cost.pairs;
    }
    return sum;
  }

 private:
  SumsCost below(HeldCell& at, int level) {
    if (walk_.finished(at)) return walk_.evaluate(at);
    SumsCost sum{};
    const CellTree::Cell& cell = problem_.targets.cell(at.cell);
    for (const int half : {cell.left, cell.right}) {
      HeldCell& to = own_level(level);
      walk_.descend(at, half, to, 1);
      const SumsCost cost = below(to, level + 1);
      sum.cells += cost.cells;
      sum.pairs += cost.pairs;
    }
    return sum;
  }

  // One thread's cell at each level, so that memory is kept.
  static HeldCell& own_level(int level) {
    static thread_local std::vector<std::unique_ptr<HeldCell>> levels;
    while (static_cast<int>(levels.size()) <= level) levels.push_back(std::make_unique<HeldCell>());
    HeldCell& at = *levels[level];
    at.weighed = false;
    return at;
  }

  const CellProblem& problem_;
  CellWalk walk_;
  int threads_;
};

}  // namespace

SumsCost cell_sums(const SumsRequest& request, const SumsResult& result,
                   const CellsChoice& choice) {
  const HostSwarm& x = request.x;
  const Targets& u = request.u;
  if (u.n == 0) return {};
  if (x.n() == 0) return nothing(result, u.n);
  const double farthest = farthest_of(x);
  const CellsChoice chosen = filled_in(choice, request);
  const CellTree sources({x.axis(0), x.stride(), x.n(), x.d()}, chosen.leaf_sources, HUGE_VAL);
  const CellTree targets({u.u, u.stride, u.n, u.d}, chosen.leaf_targets,
                         farthest > 0 ? kWidestExponent / farthest : HUGE_VAL);
  const Terms terms(x.d(), chosen.degree);
  std::vector<double> mass(x.n() + 2 * kPadded, 0.0);
  for (int j = 0; j < x.n(); ++j) mass[j] = x.mass[sources.original(j)];
  CellProblem problem{sources, targets, terms, mass.data()};
  problem.tolerance = request.tolerance;
  problem.mean_tolerance = request.tolerance * std::max(farthest, 1e-300);
  problem.eager = chosen.eager;
  problem.farthest = farthest;
  problem.reach = 2 * std::min(farthest, sources.cell(0).radius);
  weigh_cells(problem);
  if (!(problem.cell_mass[0] > 0)) return nothing(result, u.n);
  problem.log_drop = std::log(0.05 * request.tolerance / problem.cell_mass[0]);
  problem.widest = widest_for(chosen.degree, request.tolerance);
  count_costs(problem);
  return Sums(problem, result, request.threads).all();
}

}  // namespace murmur::moments
