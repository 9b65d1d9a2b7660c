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

// For targets u in a cell T with centre u_T, |u - u_T| <= r, and a cell S of sources y_j,
//   sum_j m_j e^{<u, y_j>} = W e^{<u - u_T, c>} P(u - u_T),   P(v) = sum_j w_j e^{<v, y_j - c>},
// with the tilted weights w_j = m_j e^{<u_T, y_j>} / W, which add up to 1. P is held as its moments
// m_b = sum_j w_j (y_j - c)^b, |b| <= p, which make the polynomial sum_b m_b v^b / b!. No e^{beta}
// appears: weights are positive and at most 1, whatever beta, Q and K are. Three steps keep it so:
//   moments  of a cell S that is narrow beside T, r |y_j - c| small, about its Gibbs mean c;
//   shift    from T to its half T' with centre u_T + delta: P(delta + v) is a polynomial of the
//   same
//            degree, so that nothing is lost, and the weights of S are tilted to T';
//   merge    of two sister cells about their common Gibbs mean, each e^{<v, gamma>} P(v) cut at
//            degree p again, since r is smaller now.
// The further down, the narrower T and the wider S, with r_T r_S about the same, so that every
// level has about as many pairs of cells; at the end a target cell holds one polynomial of all
// sources that matter to it. (Candes, Demanet, Ying, Multiscale Model. Simul. 7, 2009, do so for
// oscillations.)
//
// Errors. By Jensen's inequality at the Gibbs mean C of all sources at u_T,
//   Z(u) >= Z(u_T) e^{<u - u_T, C>},
// and the same of the sources of S alone. A cut of P by eps on the ball is therefore at most
//   eps e^{r |mean of S - c|}   of what the sources of S weigh, and   (W / Z(u_T)) e^{r |c - C|}
//   eps
// of Z(u), for every target of T. Bounds are computed from the moments themselves (cells_cut.h) and
// added up on the way down (cells_ledger.h). Sources are left out where (W / Z(u_T)) e^{r |c - C|}
// sup P is below 0.05 of the tolerance times their part of the mass, source cells without moments
// where their ball says so: all of them together are below 0.05 of the tolerance. Where cells would
// not pay, the sources that are left are summed pair by pair, tilted to u_T.
// The sum is W e^{..} (c P + grad P) for the numerator of the mean; its error has the gradient's.
// Rounding, in units of 2^-53: 8 + 2 (d + 2) |delta| max |y| a shift, 4 r max |y| of a target, 96
// besides, and as many as pairs are added one after another; tests/conformance/cells_test.cpp holds
// sums to it.
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

HostSwarm without_massless(const HostSwarm& x) {
  HostSwarm kept({static_cast<int>(x.n() - std::count(x.mass.begin(), x.mass.end(), 0.0)), x.d()});
  for (int from = 0, to = 0; from < x.n(); ++from) {
    if (x.mass[from] == 0) continue;
    for (int k = 0; k < x.d(); ++k) kept.at(to, k) = x.at(from, k);
    kept.mass[to++] = x.mass[from];
  }
  return kept;
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
        for (const int half : problem_.targets.halves(at->cell)) {
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
    for (const int half : problem_.targets.halves(at.cell)) {
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
  if (std::find(x.mass.begin(), x.mass.end(), 0.0) != x.mass.end()) {
    // Who has no mass may score above all others, and has no say.
    const HostSwarm with_mass = without_massless(x);
    return cell_sums({with_mass, u, request.tolerance, request.threads, request.mean}, result,
                     choice);
  }
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

// Trees, a visit of every particle, and then what is less: pairs of particles, or of cells. Of the
// sources only a part matters to a target where scores are large; the pairs of cells are so many
// that the product of their radii is about 1.
double cells_cost(const CellsLoad& load) {
  constexpr double kTree = 300, kVisit = 400, kPair = 1.0;
  constexpr double kCells[] = {1e6, 1e7, 1e8, 6e9};  // by the dimension of the set, 1 to 4
  const int dimension = load.sphere ? load.d - 1 : load.d;
  const double particles = load.sources + load.targets, exponent = std::max(load.exponent, 1.0);
  const double digits = -std::log10(std::clamp(load.tolerance, 1e-16, 0.1));
  const double near = std::pow(std::min(1.0, (5 + 1.2 * digits) / exponent), 0.5 * dimension);
  const double pairs = kPair * std::max(1.0, 0.25 * load.d) * load.sources * load.targets * near;
  if (dimension > 4) return kTree * particles + 1.5 * pairs;
  const double cells = kCells[std::max(dimension, 1) - 1] * std::pow(exponent, dimension) * near;
  return kTree * particles + std::min(1.5 * pairs, cells + kVisit * particles);
}

}  // namespace murmur::moments
