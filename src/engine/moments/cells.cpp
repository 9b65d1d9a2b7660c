// cells.cpp: trees over targets and sources, and the walk down the one with moments of the other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "core/parallel.h"
#include "engine/moments/cells_walk.h"
#include "engine/moments/sums.h"

// For targets u in a cell T with centre u_T, |u - u_T| <= r, and a cell S of sources y_j,
//   sum_j m_j e^{<u, y_j>} = W e^{<u - u_T, c>} P(u - u_T),   P(v) = sum_j w_j e^{<v, y_j - c>},
// with the tilted weights w_j = m_j e^{<u_T, y_j>} / W, which add up to 1. P is stored as its
// moments m_b = sum_j w_j (y_j - c)^b, |b| <= p, which make the polynomial sum_b m_b v^b / b!.
// There is no e^{beta}: weights are positive and at most 1 for every beta, Q and K. Three steps
// keep it so:
//   moments  of a cell S that is narrow compared with T, r |y_j - c| small, about its Gibbs mean c;
//   shift    from T to its half T' with centre u_T + delta, without a cut: P(delta + v) is a
//            polynomial of the same degree, and the weights of S are tilted to T';
//   merge    of two sister cells about their common Gibbs mean, each e^{<v, gamma>} P(v) cut at
//            degree p again, since r is smaller now.
// Further down T is narrower and S wider, with r_T r_S about the same, so that every level has
// about the same number of pairs of cells. At the end a target cell has one polynomial for all
// sources with a noticeable weight. (Candes, Demanet, Ying, Multiscale Model. Simul. 7, 2009, do so
// for oscillations.)
//
// Errors. By Jensen's inequality at the Gibbs mean C of all sources at u_T,
//   Z(u) >= Z(u_T) e^{<u - u_T, C>},
// and the same holds for the sources of S only. A cut of P by eps on the ball is therefore at most
//   eps e^{r |mean of S - c|}        of the weight of the sources of S, and
//   (W / Z(u_T)) e^{r |c - C|} eps   of Z(u),
// for every target of T. Bounds are computed from the moments themselves (Truncation)
// and added up on the way down (ErrorBudget). Sources are left out if (W / Z(u_T)) e^{r |c - C|}
// sup P is below 0.05 of the tolerance times their part of the mass, and source cells without
// moments if a bound over their ball is: all of them together are below 0.05 of the tolerance. If
// moments would cost more, the remaining sources are summed pair by pair, tilted to u_T. The sum is
// W e^{..} (c P + grad P) for the numerator of the mean; its error includes that of the gradient.
// Rounding, in units of 2^-53: 8 + 2 (d + 2) |delta| max |y| per shift, 4 r max |y| of a target, 96
// more, and the additions of pairs one after another; tests/conformance/cells_test.cpp checks it.
namespace murmur::moments {

// Points are records of d coordinates and their number, which are moved as a whole. Boxes are cut
// across their longest side, in the middle or so that half of the points are on each side.
struct CellTree::Build {
  CellTree& tree;
  int leaf;
  double widest;
  int d, size;                    // size of a record
  std::vector<double> records{};  // (n, d + 1)
  std::vector<double> keys{};

  double* record(int p) { return records.data() + static_cast<std::size_t>(p) * size; }

  struct Box {
    double low[kMaxCoordinates], high[kMaxCoordinates];
  };

  Box box_of(int first, int count) {
    Box box;
    for (int k = 0; k < d; ++k) box.low[k] = box.high[k] = record(first)[k];
    for (int p = first + 1; p < first + count; ++p) {
      const double* at = record(p);
      for (int k = 0; k < d; ++k) {
        box.low[k] = std::min(box.low[k], at[k]);
        box.high[k] = std::max(box.high[k], at[k]);
      }
    }
    return box;
  }

  // Moves the points below `cut` before the others. Returns their number.
  int partition(int first, int count, int axis, double cut) {
    int low = first, high = first + count - 1;
    while (true) {
      while (low <= high && record(low)[axis] < cut) ++low;
      while (low <= high && record(high)[axis] >= cut) --high;
      if (low >= high) return low - first;
      std::swap_ranges(record(low), record(low) + size, record(high));
      ++low;
      --high;
    }
  }

  // Returns an estimate of the median, from at most 256 of the points.
  double median(int first, int count, int axis) {
    const int step = 1 + (count - 1) / 256;
    keys.clear();
    for (int p = first; p < first + count; p += step) keys.push_back(record(p)[axis]);
    const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2);
    std::nth_element(keys.begin(), middle, keys.end());
    return *middle;
  }

  // Splits in the middle while cells are large and neither side is too small, so that cells are
  // round; in halves below that, so that leaves have about the same number of points.
  int split(int first, int count, int axis, const Box& box) {
    const double middle = box.low[axis] + (box.high[axis] - box.low[axis]) / 2;
    const auto balanced = [&](int share) {
      return share >= count / 8 && count - share >= count / 8;
    };
    if (count > 8 * leaf) {
      const int share = partition(first, count, axis, middle);
      if (balanced(share)) return share;
    }
    const int half = partition(first, count, axis, median(first, count, axis));
    if (half > 0 && half < count) return half;
    const int share =
        partition(first, count, axis, middle > box.low[axis] ? middle : box.high[axis]);
    return share;
  }

  int add(int first, int count, int parent, int depth) {
    const int index = static_cast<int>(tree.cells_.size());
    tree.depth_ = std::max(tree.depth_, depth);
    const Box box = box_of(first, count);
    int axis = 0;
    double centre[kMaxCoordinates], square = 0;
    for (int k = 0; k < d; ++k) {
      centre[k] = box.low[k] + (box.high[k] - box.low[k]) / 2;
      if (box.high[k] - box.low[k] > box.high[axis] - box.low[axis]) axis = k;
      tree.centres_.push_back(centre[k]);
    }
    for (int p = first; p < first + count; ++p) {
      double far = 0;
      for (int k = 0; k < d; ++k) far += (record(p)[k] - centre[k]) * (record(p)[k] - centre[k]);
      square = std::max(square, far);
    }
    // A little more than the root, so that the ball holds all points in spite of rounding.
    tree.cells_.push_back({first, count, -1, -1, parent, std::sqrt(square) * (1 + 1e-14)});
    const bool fits = count <= leaf && tree.cells_[index].radius <= widest;
    if (fits || !(box.high[axis] > box.low[axis])) return index;
    const int share = split(first, count, axis, box);
    const int left = add(first, share, index, depth + 1);
    const int right = add(first + share, count - share, index, depth + 1);
    tree.cells_[index].left = left;
    tree.cells_[index].right = right;
    return index;
  }
};

CellTree::CellTree(const Points& points, int leaf, double widest)
    : n_(points.n), d_(points.d), stride_((points.n + 2 * kPadded - 1) / kPadded * kPadded) {
  Build build{*this, leaf, widest, d_, d_ + 1};
  build.records.resize(static_cast<std::size_t>(n_) * (d_ + 1));
  for (int p = 0; p < n_; ++p) {
    for (int k = 0; k < d_; ++k)
      build.record(p)[k] = points.x[static_cast<std::size_t>(k) * points.stride + p];
    build.record(p)[d_] = p;
  }
  if (n_ > 0) build.add(0, n_, -1, 0);
  x_ = memory_.need(d_ * stride_);
  std::fill(x_, x_ + d_ * stride_, 0.0);
  original_.resize(n_);
  for (int p = 0; p < n_; ++p) {
    for (int k = 0; k < d_; ++k) x_[k * stride_ + p] = build.record(p)[k];
    original_[p] = static_cast<int>(build.record(p)[d_]);
  }
}

namespace {

constexpr double kWidestExponent = 150;  // r_T max_j |y_j| of target cells, far from overflow
constexpr int kSeparate = 64;            // target cells that are then distributed to threads

HostSwarm without_massless(const HostSwarm& x) {
  HostSwarm kept({static_cast<int>(x.n() - std::count(x.mass.begin(), x.mass.end(), 0.0)), x.d()});
  for (int from = 0, to = 0; from < x.n(); ++from) {
    if (x.mass[from] == 0) continue;
    for (int k = 0; k < x.d(); ++k) kept.at(to, k) = x.at(from, k);
    kept.mass[to++] = x.mass[from];
  }
  return kept;
}

void compute_cell_masses(CellProblem& problem) {
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

void estimate_costs(CellProblem& problem) {
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

// Returns r_T r_S up to which the cut for sources spread over a ball is within the tolerance.
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

// Fills in values that were measured to be about the best on S^2, with fewer terms for higher d.
CellsChoice complete_choice(CellsChoice choice, const SumsRequest& request) {
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

// Writes the result for a request whose sources all have mass 0.
SumsCost write_empty_sums(const SumsResult& result, int n) {
  std::fill_n(result.weight, n, 0.0);
  std::fill_n(result.shift, n, 0.0);
  std::fill_n(result.weight_bound, n, HUGE_VAL);
  if (result.mean_bound != nullptr) std::fill_n(result.mean_bound, n, HUGE_VAL);
  return {};
}

class TargetDescent {
 public:
  TargetDescent(const CellProblem& problem, const SumsResult& result, int threads)
      : problem_(problem), walk_(problem, result), threads_(threads) {}

  SumsCost sum_all() {
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
               [&](int f) { costs[f] = sum_below(*front[f], 0); });
    SumsCost sum{};
    for (const SumsCost& cost : costs) {
      sum.cells += cost.cells;
      sum.pairs += cost.pairs;
    }
    return sum;
  }

 private:
  SumsCost sum_below(HeldCell& at, int level) {
    if (walk_.finished(at)) return walk_.evaluate(at);
    SumsCost sum{};
    for (const int half : problem_.targets.halves(at.cell)) {
      HeldCell& to = thread_cell(level);
      walk_.descend(at, half, to, 1);
      const SumsCost cost = sum_below(to, level + 1);
      sum.cells += cost.cells;
      sum.pairs += cost.pairs;
    }
    return sum;
  }

  // Returns the cell of this thread at a level, so that its memory is used again.
  static HeldCell& thread_cell(int level) {
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
  if (x.n() == 0) return write_empty_sums(result, u.n);
  if (std::find(x.mass.begin(), x.mass.end(), 0.0) != x.mass.end()) {
    // A source without mass could have the largest score, which the sums must ignore.
    const HostSwarm with_mass = without_massless(x);
    return cell_sums({with_mass, u, request.tolerance, request.threads, request.mean}, result,
                     choice);
  }
  const double largest = largest_norm(x) * (1 + 1e-14);
  const CellsChoice chosen = complete_choice(choice, request);
  const CellTree sources({x.axis(0), x.stride(), x.n(), x.d()}, chosen.leaf_sources, HUGE_VAL);
  const CellTree targets({u.u, u.stride, u.n, u.d}, chosen.leaf_targets,
                         largest > 0 ? kWidestExponent / largest : HUGE_VAL);
  const Terms terms(x.d(), chosen.degree);
  std::vector<double> mass(x.n() + 2 * kPadded, 0.0);
  for (int j = 0; j < x.n(); ++j) mass[j] = x.mass[sources.original(j)];
  CellProblem problem{sources, targets, terms, mass.data()};
  problem.tolerance = request.tolerance;
  problem.mean_tolerance = request.tolerance * std::max(largest, 1e-300);
  problem.eager = chosen.eager;
  problem.largest_norm = largest;
  problem.reach = 2 * std::min(largest, sources.cell(0).radius);
  compute_cell_masses(problem);
  if (!(problem.cell_mass[0] > 0)) return write_empty_sums(result, u.n);
  problem.log_drop = std::log(0.05 * request.tolerance / problem.cell_mass[0]);
  problem.widest = widest_for(chosen.degree, request.tolerance);
  estimate_costs(problem);
  return TargetDescent(problem, result, request.threads).sum_all();
}

// Adds the cost of trees, of one visit per particle, and the smaller of those of pairs of particles
// and of cells. For large scores only a part of the sources matters to a target. The number of
// pairs of cells is such that the product of their radii is about 1.
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
