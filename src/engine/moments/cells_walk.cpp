// cells_walk.cpp: the steps of a target cell with the sources it holds: leave out, expand, merge,
// pass on to its halves, evaluate.
#include "engine/moments/cells_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/buffer.h"
#include "core/parallel.h"

namespace murmur::moments {

Truncation truncate_sources(int p, double r, double fourth, double widest) {
  Truncation cut;
  if (fourth == 0) return cut;
  cut.slope = fourth * std::exp(r * widest);
  for (int k = 1; k <= p; ++k) cut.slope *= r / k * (k > 3 ? widest : 1.0);
  cut.value = cut.slope * r / (p + 1);
  return cut;
}

Truncation truncate_product(const double* norms, int stride, int p, double r, double gamma) {
  Truncation cut;
  if (r == 0 || gamma == 0) return cut;
  const double g = r * gamma;
  double tail[kMaxDegree + 2] = {1};  // g^m / m!
  for (int m = 1; m <= p + 1; ++m) tail[m] = tail[m - 1] * g / m;
  double power = std::exp(g);
  for (int k = 0; k <= p; ++k, power *= r) {
    const double h = norms[k * stride] * power;
    cut.value += h * tail[p - k + 1];
    cut.slope += h * (k * tail[p - k + 1] + g * tail[p - k]) / r;
  }
  return cut;
}

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();

constexpr double kMostExponent = 300;  // leaves of the target tree are within it
constexpr double kLeastValue = 0.02;   // of a polynomial that began at 1

double dot(const double* a, const double* b, int d) {
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += a[k] * b[k];
  return sum;
}

double distance(const double* a, const double* b, int d) {
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

// high + low += more, exactly in high.
void add_to(double& high, double& low, double more) {
  const double sum = high + more, back = sum - high;
  low += (high - (sum - back)) + (more - back);
  high = sum;
}

// The arrays of one thread.
struct CellScratch {
  simd::Buffer<double> t, square, w, moments, block, gamma, series, v, sums, c;
  std::vector<double> pairs{};
  HeldCell spare{};
};
CellScratch& thread_scratch() {
  static thread_local CellScratch scratch;
  return scratch;
}

double* moments_of_lane(const HeldCell& at, const Terms& terms, int lane) {
  const std::size_t block = static_cast<std::size_t>(lane / kTogetherCells);
  return at.moments + block * terms.count * kTogetherCells + lane % kTogetherCells;
}

double* norms_of_lane(HeldCell& at, const Terms& terms, int lane) {
  const std::size_t block = static_cast<std::size_t>(lane / kTogetherCells);
  return at.norms.data() + block * (terms.p + 1) * kTogetherCells + lane % kTogetherCells;
}

// Makes space for that many lanes of moments; new ones are zero.
void resize_lanes(HeldCell& at, const Terms& terms, int lanes) {
  const std::size_t block = static_cast<std::size_t>(terms.count) * kTogetherCells;
  const std::size_t before = (at.lanes + kTogetherCells - 1) / kTogetherCells * block;
  const std::size_t after = (lanes + kTogetherCells - 1) / kTogetherCells * block;
  if (before == 0) {
    at.moments = at.memory.need(after);
  } else if (after > before) {
    simd::Buffer<double> more;
    double* to = more.need(after);
    std::copy_n(at.moments, before, to);
    at.memory = std::move(more);
    at.moments = to;
  }
  std::fill(at.moments + before, at.moments + after, 0.0);
  for (int lane = at.lanes; lane < lanes && lane % kTogetherCells != 0; ++lane) {
    double* m = at.moments + lane / kTogetherCells * block + lane % kTogetherCells;
    for (int e = 0; e < terms.count; ++e) m[e * kTogetherCells] = 0;
  }
  at.centres.resize(static_cast<std::size_t>(lanes) * terms.d);
  at.lanes = lanes;
}

// Copies the moments of `held` to adjacent lanes, and sets their lanes.
void copy_lanes(const HeldCell& from, const Terms& terms, std::vector<HeldSources>& held,
                HeldCell& to) {
  const int d = terms.d;
  std::vector<int> lanes;
  for (HeldSources& s : held) {
    if (s.lane < 0) continue;
    std::copy_n(from.centres.begin() + s.lane * d, d,
                to.centres.begin() + static_cast<std::ptrdiff_t>(lanes.size()) * d);
    lanes.push_back(s.lane);
    s.lane = static_cast<int>(lanes.size()) - 1;
  }
  const int count = static_cast<int>(lanes.size());
  for (int first = 0; first < count; first += kTogetherCells) {
    const int together = std::min(kTogetherCells, count - first);
    double* copy = moments_of_lane(to, terms, first);
    bool whole = together == kTogetherCells && lanes[first] % kTogetherCells == 0;
    for (int e = 1; e < together; ++e) whole = whole && lanes[first + e] == lanes[first] + e;
    if (whole) {
      std::copy_n(moments_of_lane(from, terms, lanes[first]), terms.count * kTogetherCells, copy);
      continue;
    }
    const double* of[kTogetherCells];
    for (int e = 0; e < together; ++e) of[e] = moments_of_lane(from, terms, lanes[first + e]);
    for (int t = 0; t < terms.count * kTogetherCells; t += kTogetherCells)
      for (int e = 0; e < together; ++e) copy[t + e] = of[e][t];
  }
}

long padded(long count) { return (count + kPadded - 1) / kPadded * kPadded; }

// Returns t_j = <u_T, y_j> minus the reference, in scratch.t; also writes |y_j - mean|^2 to
// scratch.square.
const double* tilt_cell(const CellProblem& problem, const HeldCell& at, int c,
                        CellScratch& scratch) {
  const CellTree& tree = problem.sources;
  const CellTree::Cell& cell = tree.cell(c);
  double* t = scratch.t.need(padded(cell.count) + kPadded);
  double* square = scratch.square.need(padded(cell.count) + kPadded);
  tilt_sources(tree.d(), {tree.axis(0) + cell.first, static_cast<long>(tree.stride()), cell.count},
               {at.u, at.mean, at.high, at.low}, t, square);
  return t;
}

// Returns w_j = m_j e^{<u_T, y_j>} over their sum, in scratch.w and padded with zeros; the log of
// the sum minus the reference becomes the log_weight of s.
double* compute_cell_weights(const CellProblem& problem, const HeldCell& at, HeldSources& s,
                             CellScratch& scratch) {
  const CellTree::Cell& cell = problem.sources.cell(s.cell);
  const double* t = tilt_cell(problem, at, s.cell, scratch);
  double top = -std::numeric_limits<double>::infinity();
  for (int j = 0; j < cell.count; ++j) top = std::max(top, t[j]);
  double* w = scratch.w.need(padded(cell.count) + kPadded);
  weigh_sources(problem.mass + cell.first, t, top, cell.count, w);
  double sum = 0;
  for (int j = 0; j < cell.count; ++j) sum += w[j];
  s.log_weight = top + std::log(sum);
  for (int j = 0; j < cell.count; ++j) w[j] /= sum;
  std::fill(w + cell.count, w + padded(cell.count) + kPadded, 0.0);
  return w;
}

// The error of a cut whose sources have at most the share e^{log_share} of Z: of the weight, of the
// mean, and relative to the tolerances.
struct Loss {
  double weight = 0, mean = 0, spent = 0;
};
Loss loss_of(const CellProblem& problem, const Truncation& cut, double log_share) {
  const double share = std::exp(std::min(log_share, 600.0));
  const double weight = share * cut.value;
  const double mean = share * (problem.reach * cut.value + cut.slope);
  return {weight, mean, std::max(weight / problem.tolerance, mean / problem.mean_tolerance)};
}

// Returns how far the reference may be above Jensen's line because of the errors of its sums.
double reference_slack(const HeldCell& at) {
  return 2 * at.weight_error + at.radius * at.mean_error;
}

constexpr double kWorstCut = 0.05;  // of the own weight of sources with moments
constexpr double kMostLocalError = 0.02;

// One of the cuts of a step.
struct TruncationStep {
  Truncation cut{};
  double log_share = 0;  // log of a bound on the share of Z of its sources, for all targets
  double log_drift = 0;  // r |Gibbs mean - centre|
  double local_error = 0;
};

// Adds up the errors of the cuts of one step at a target cell. A cut is counted in one of two ways.
// Relative to the weight of its own sources, which is at least e^{<v, mean>} by Jensen at their
// Gibbs mean: since the shares of all sources add up to 1, the largest of such cuts bounds them
// all. Or relative to Z, for sources with little weight: these errors add up, and each may use its
// part of the budget, half of it by mass and half by weight.
class ErrorBudget {
 public:
  ErrorBudget(const CellProblem& problem, HeldCell& at, double budget)
      : problem_(problem), at_(at), budget_(budget) {}
  ~ErrorBudget() { add(largest_); }
  ErrorBudget(const ErrorBudget&) = delete;
  ErrorBudget& operator=(const ErrorBudget&) = delete;

  // Returns whether the cuts are within the budget, and counts them if so; local_error becomes the
  // error that is counted in the second way.
  bool accept(std::span<const TruncationStep> cuts, double part, double& local_error) {
    Loss largest = largest_, sum{};
    double worst = 0;
    bool own = true;
    for (const TruncationStep& c : cuts) {
      const Loss loss =
          loss_of(problem_, c.cut, c.log_drift + kMostLocalError + reference_slack(at_));
      own = own && loss.spent <= budget_ / 2 && c.local_error <= kMostLocalError;
      largest = {std::max(largest.weight, loss.weight), std::max(largest.mean, loss.mean),
                 std::max(largest.spent, loss.spent)};
      const Loss more = loss_of(problem_, c.cut, c.log_share + reference_slack(at_));
      sum = {sum.weight + more.weight, sum.mean + more.mean, sum.spent + more.spent};
      worst = std::max(worst, std::max(c.cut.value, c.cut.slope * at_.radius));
    }
    if (own) {
      largest_ = largest;
      return true;
    }
    if (!(sum.spent <= part * budget_ / 2 && worst <= kWorstCut)) return false;
    add(sum);
    local_error = worst;
    return true;
  }

 private:
  void add(const Loss& loss) {
    at_.weight_error += loss.weight;
    at_.mean_error += loss.mean;
    at_.spent += loss.spent;
  }

  const CellProblem& problem_;
  HeldCell& at_;
  double budget_;
  Loss largest_{};
};

}  // namespace

void CellWalk::start(HeldCell& root, int threads) const {
  root.cell = 0;
  root.u = problem_.targets.centre(0);
  root.radius = problem_.targets.cell(0).radius;
  root.held = {{.cell = 0, .mass = problem_.cell_mass[0]}};
  update_sources(root, threads);
}

void CellWalk::update_sources(HeldCell& at, int threads) const {
  const CellTree& tree = problem_.targets;
  for (const int half : tree.halves(at.cell))
    if (half >= 0)
      at.radius = std::max(at.radius, distance(at.u, tree.centre(half), tree.d()) * (1 + 1e-14));
  update_reference(at);
  refine_sources(at);
  double budget = std::max(0.0, 0.8 * (at.depth + 1) / (tree.depth() + 1) - at.spent);
  make_moments(at, budget / 2, threads);
  raise_to_parents(at);
  while (merge_sisters(at, budget /= 2, threads)) raise_to_parents(at);
  update_reference(at);
  drop_negligible(at);
}

// Sets the reference to the line of Jensen's inequality for the sources that are held: those with
// moments at their Gibbs mean, others at their centre of mass.
void CellWalk::update_reference(HeldCell& at) const {
  const int d = problem_.terms.d;
  std::vector<double> logs;
  logs.reserve(at.held.size());
  double top = -std::numeric_limits<double>::infinity();
  for (const HeldSources& s : at.held) {
    logs.push_back(s.lane >= 0 || at.weighed
                       ? s.log_weight
                       : std::log(s.mass) + dot(at.u, problem_.mean_of(s.cell), d) - at.high -
                             at.low);
    top = std::max(top, logs.back());
  }
  double sum = 0, mean[kMaxCoordinates] = {};
  for (std::size_t i = 0; i < at.held.size(); ++i) {
    const HeldSources& s = at.held[i];
    const double w = std::exp(logs[i] - top);
    sum += w;
    const double* of = s.lane >= 0  ? at.centres.data() + s.lane * d
                       : at.weighed ? at.means.data() + i * d
                                    : problem_.mean_of(s.cell);
    for (int k = 0; k < d; ++k) mean[k] += w * of[k];
    if (s.lane < 0) continue;
    const double* m = moments_of_lane(at, problem_.terms, s.lane);
    for (int k = 0; k < d; ++k) mean[k] += w * m[problem_.terms.linear[k] * kTogetherCells];
  }
  for (int k = 0; k < d; ++k) at.mean[k] = mean[k] / sum;
  const double by = top + std::log(sum);
  add_to(at.high, at.low, by);
  for (HeldSources& s : at.held)
    if (s.lane >= 0) s.log_weight -= by;
}

bool CellWalk::moments_are_cheaper(double targets, double sources) const {
  return problem_.eager ||
         targets * sources * problem_.pair_cost >
             1.5 * (sources * problem_.moments_cost + 0.5 * targets * problem_.series_cost);
}

// Leaves out source cells that are negligible for all targets, and splits those that are too wide
// to decide, or to have moments. For y in the ball of a source cell and u = u_T + v of this one
//   <u, y> - (reference at u) <= <u_T, c> - high - low + |u_T| r_S + r_T (|c - mean| + r_S).
void CellWalk::refine_sources(HeldCell& at) const {
  const CellTree& tree = problem_.sources;
  const int d = tree.d();
  const double length = std::sqrt(dot(at.u, at.u, d)),
               targets = problem_.targets.cell(at.cell).count;
  std::vector<HeldSources> kept;
  std::vector<int> open;
  for (const HeldSources& s : at.held) {
    if (s.lane >= 0) {
      kept.push_back(s);
      continue;
    }
    for (open.assign(1, s.cell); !open.empty();) {
      const int c = open.back();
      open.pop_back();
      const CellTree::Cell& cell = tree.cell(c);
      const double mass = problem_.cell_mass[c], far = distance(tree.centre(c), at.mean, d);
      if (mass == 0) continue;
      const double most = dot(at.u, tree.centre(c), d) - at.high - at.low + length * cell.radius +
                          at.radius * (far + cell.radius) + reference_slack(at);
      if (most <= problem_.log_drop) {
        const double share = mass * std::exp(most) * 1.001;
        at.weight_error += share;
        at.mean_error += share * problem_.reach;
        continue;
      }
      const double tau = at.radius * cell.radius;
      bool split = (length + at.radius) * cell.radius >
                   std::max(2.0, 0.25 * at.radius * (far + cell.radius));
      if (moments_are_cheaper(targets, cell.count)) {
        const double shrink = problem_.widest / tau;
        split = tau > problem_.widest &&
                (split ||
                 moments_are_cheaper(targets, cell.count * std::pow(shrink, std::max(1, d - 1))));
      }
      if (split && cell.left >= 0) {
        open.push_back(cell.right);
        open.push_back(cell.left);
      } else {
        kept.push_back({.cell = c, .mass = mass});
      }
    }
  }
  at.held = std::move(kept);
}

// Computes moments about their Gibbs mean c for source cells that are narrow enough. The cut at
// degree p removes sum_j w_j tau_j^{p+1} e^{tau_j} / (p+1)! of sum_j w_j e^{<v, y_j - c>}, tau_j =
// r_T |y_j - c|.
void CellWalk::make_moments(HeldCell& at, double budget, int threads) const {
  const CellTree& tree = problem_.sources;
  const Terms& terms = problem_.terms;
  const int d = tree.d(), before = at.lanes;
  const double targets = problem_.targets.cell(at.cell).count;
  std::vector<int> chosen;
  for (std::size_t i = 0; i < at.held.size(); ++i) {
    const HeldSources& s = at.held[i];
    const CellTree::Cell& cell = tree.cell(s.cell);
    if (s.lane < 0 && at.radius * cell.radius <= problem_.widest &&
        moments_are_cheaper(targets, cell.count))
      chosen.push_back(static_cast<int>(i));
  }
  if (chosen.empty()) return;
  const int lanes = before + static_cast<int>(chosen.size());
  resize_lanes(at, terms, lanes);
  std::vector<Truncation> cuts(chosen.size());
  for_blocks(static_cast<int>(chosen.size()), threads, [&](int which) {
    HeldSources& s = at.held[chosen[which]];
    const CellTree::Cell& cell = tree.cell(s.cell);
    CellScratch& scratch = thread_scratch();
    const double* w = compute_cell_weights(problem_, at, s, scratch);
    s.lane = before + which;
    double* centre = at.centres.data() + s.lane * d;
    for (int k = 0; k < d; ++k) {
      centre[k] = 0;
      for (int j = 0; j < cell.count; ++j) centre[k] += w[j] * tree.axis(k)[cell.first + j];
    }
    double fourth = 0, widest = 0;  // sum_j w_j |y_j - c|^4, and max_j |y_j - c|^2
    for (int j = 0; j < cell.count; ++j) {
      double square = 0;
      for (int k = 0; k < d; ++k) {
        const double off = tree.axis(k)[cell.first + j] - centre[k];
        square += off * off;
      }
      fourth += w[j] * square * square;
      widest = std::max(widest, square);
    }
    cuts[which] = truncate_sources(terms.p, at.radius, fourth, std::sqrt(widest));
  });
  update_reference(at);
  {
    ErrorBudget errors(problem_, at, budget);
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      HeldSources& s = at.held[chosen[c]];
      const double far = distance(at.centres.data() + s.lane * d, at.mean, d);
      const TruncationStep cut{cuts[c], s.log_weight + at.radius * far, 0, 0};
      const double part = 0.5 * s.mass / problem_.cell_mass[0] + 0.5 * std::exp(s.log_weight);
      s.local_error = 0;
      if (!errors.accept({&cut, 1}, part, s.local_error)) s.lane = -1;
    }
  }
  for_blocks(static_cast<int>(chosen.size()), threads, [&](int which) {
    HeldSources& s = at.held[chosen[which]];  // weights again: the reference is near them now
    if (s.lane < 0) return;
    const CellTree::Cell& cell = tree.cell(s.cell);
    CellScratch& scratch = thread_scratch();
    double* w = compute_cell_weights(problem_, at, s, scratch);
    for (int first = 0; first < cell.count; first += kFlush * kTogetherCells) {
      const int count = std::min(kFlush * kTogetherCells, cell.count - first);
      const CellSources part{tree.axis(0) + cell.first + first, static_cast<long>(tree.stride()),
                             count};
      // Only the last part is padded with zeros: all others are whole.
      add_moments(terms, part, w + first, at.centres.data() + s.lane * d,
                  scratch.moments.need(moments_scratch_size(terms)),
                  moments_of_lane(at, problem_.terms, s.lane));
    }
  });
  update_norms(at, threads);
}

void CellWalk::update_norms(HeldCell& at, int threads) const {
  const Terms& terms = problem_.terms;
  const int blocks = (at.lanes + kTogetherCells - 1) / kTogetherCells;
  at.norms.resize(static_cast<std::size_t>(blocks) * (terms.p + 1) * kTogetherCells);
  for_blocks(blocks, threads, [&](int block) {
    double* norms = thread_scratch().gamma.need((kMaxDegree + 1) * kTogetherCells);
    norms_of(terms, moments_of_lane(at, terms, block * kTogetherCells), norms);
    std::copy_n(norms, (terms.p + 1) * kTogetherCells,
                norms_of_lane(at, terms, block * kTogetherCells));
  });
}

// Drops moments that are negligible for all targets of the cell:
//   their sum of e^{<v, y - mean>} <= e^{log_weight + r |c - mean|} sum_k h_k r^k.
void CellWalk::drop_negligible(HeldCell& at) const {
  const int d = problem_.terms.d, p = problem_.terms.p;
  std::erase_if(at.held, [&](const HeldSources& s) {
    if (s.lane < 0) return false;
    const double far = distance(at.centres.data() + s.lane * d, at.mean, d);
    double sum = 0, power = 1;
    const double* norms = norms_of_lane(at, problem_.terms, s.lane);
    for (int k = 0; k <= p; ++k, power *= at.radius) sum += norms[k * kTogetherCells] * power;
    const double most = s.log_weight + at.radius * far + std::log(sum) + reference_slack(at);
    if (most > problem_.log_drop + std::log(s.mass)) return false;
    at.weight_error += std::exp(most) * 1.001;
    at.mean_error += std::exp(most) * 1.001 * problem_.reach;
    return true;
  });
}

// Moments whose sister cell is no longer held become moments of their parent cell.
void CellWalk::raise_to_parents(HeldCell& at) const {
  const CellTree& tree = problem_.sources;
  for (std::size_t i = 0; i < at.held.size(); ++i) {
    if (at.held[i].lane < 0) continue;
    while (true) {
      const int parent = tree.cell(at.held[i].cell).parent;
      if (parent < 0) break;
      const CellTree::Cell& cell = tree.cell(parent);
      if (i > 0 && tree.cell(at.held[i - 1].cell).first >= cell.first) break;
      if (i + 1 < at.held.size() && tree.cell(at.held[i + 1].cell).first < cell.first + cell.count)
        break;
      at.held[i].cell = parent;
    }
  }
}

namespace {

// Two neighbours in `held`.
struct Pair {
  int first = 0;  // and first + 1, of held
  double share[2] = {}, log_weight = 0, local_error = 0;
};

// Returns the sister cells that may merge; `means` becomes their common Gibbs means, (pairs, d).
std::vector<Pair> choose_sisters(const CellProblem& problem, HeldCell& at, double budget,
                                 std::vector<double>& means) {
  const CellTree& tree = problem.sources;
  const Terms& terms = problem.terms;
  const int d = tree.d();
  ErrorBudget errors(problem, at, budget);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i + 1 < at.held.size(); ++i) {
    const HeldSources &a = at.held[i], &b = at.held[i + 1];
    if (a.lane < 0 || b.lane < 0 || tree.cell(a.cell).parent != tree.cell(b.cell).parent) continue;
    const double top = std::max(a.log_weight, b.log_weight);
    const double ea = std::exp(a.log_weight - top), eb = std::exp(b.log_weight - top);
    Pair pair{.first = static_cast<int>(i), .log_weight = top + std::log(ea + eb)};
    pair.share[0] = ea / (ea + eb);
    pair.share[1] = eb / (ea + eb);
    double mean[kMaxCoordinates];
    std::fill_n(mean, d, 0.0);
    for (int e = 0; e < 2; ++e) {
      const int lane = at.held[i + e].lane;
      const double* m = moments_of_lane(at, terms, lane);
      for (int k = 0; k < d; ++k)
        mean[k] += pair.share[e] * (at.centres[lane * d + k] + m[terms.linear[k] * kTogetherCells]);
    }
    TruncationStep cuts[2];
    for (int e = 0; e < 2; ++e) {
      const HeldSources& s = at.held[i + e];
      const double* centre = at.centres.data() + s.lane * d;
      const double* m = moments_of_lane(at, terms, s.lane);
      double square = 0;
      for (int k = 0; k < d; ++k) {
        const double drift = m[terms.linear[k] * kTogetherCells];
        square += drift * drift;
      }
      const double gamma = distance(centre, mean, d), g = at.radius * gamma;
      cuts[e] = {truncate_product(norms_of_lane(at, terms, s.lane), kTogetherCells, terms.p,
                                  at.radius, gamma),
                 s.log_weight + at.radius * distance(centre, at.mean, d),
                 at.radius * std::sqrt(square), s.local_error};
      if (s.local_error > 0)
        pair.local_error += pair.share[e] * s.local_error * std::exp(g) * (1 + g);
    }
    double more = 0;
    const double part =
        0.5 * (a.mass + b.mass) / problem.cell_mass[0] + 0.5 * std::exp(pair.log_weight);
    if (!errors.accept(cuts, part, more)) continue;
    pair.local_error += more;
    pairs.push_back(pair);
    means.insert(means.end(), mean, mean + d);
    ++i;
  }
  return pairs;
}

}  // namespace

bool CellWalk::merge_sisters(HeldCell& at, double budget, int threads) const {
  const Terms& terms = problem_.terms;
  const int d = terms.d;
  std::vector<double> means;
  const std::vector<Pair> pairs = choose_sisters(problem_, at, budget, means);
  if (pairs.empty()) return false;
  const int blocks = (at.lanes + kTogetherCells - 1) / kTogetherCells;
  std::vector<char> wanted(blocks, 0);
  std::vector<double> gamma(static_cast<std::size_t>(blocks) * d * kTogetherCells, 0.0);
  for (std::size_t p = 0; p < pairs.size(); ++p)
    for (int e = 0; e < 2; ++e) {
      const int lane = at.held[pairs[p].first + e].lane, block = lane / kTogetherCells;
      wanted[block] = 1;
      for (int k = 0; k < d; ++k)
        gamma[(block * d + k) * kTogetherCells + lane % kTogetherCells] =
            at.centres[lane * d + k] - means[p * d + k];
    }
  for_blocks(blocks, threads, [&](int block) {
    if (!wanted[block]) return;
    double* own = thread_scratch().gamma.need(kMaxCoordinates * kTogetherCells);
    std::copy_n(gamma.data() + block * d * kTogetherCells, d * kTogetherCells, own);
    move_moments(terms, own, moments_of_lane(at, terms, block * kTogetherCells));
  });
  constexpr int kPairs = 64;
  for_blocks((static_cast<int>(pairs.size()) + kPairs - 1) / kPairs, threads, [&](int part) {
    const int last = std::min(static_cast<int>(pairs.size()), (part + 1) * kPairs);
    for (int e = part * kPairs; e < last; ++e) {
      const Pair& pair = pairs[e];
      double* a = moments_of_lane(at, terms, at.held[pair.first].lane);
      const double* b = moments_of_lane(at, terms, at.held[pair.first + 1].lane);
      for (int t = 0; t < terms.count * kTogetherCells; t += kTogetherCells)
        a[t] = pair.share[0] * a[t] + pair.share[1] * b[t];
    }
  });
  std::vector<HeldSources> merged;
  std::size_t next = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const std::size_t first = pairs[p].first;
    for (; next < first; ++next) merged.push_back(at.held[next]);
    HeldSources one = at.held[next];
    one.mass += at.held[next + 1].mass;
    one.cell = problem_.sources.cell(one.cell).parent;
    one.log_weight = pairs[p].log_weight;
    one.local_error = pairs[p].local_error;
    std::copy_n(means.begin() + static_cast<std::ptrdiff_t>(p) * d, d,
                at.centres.begin() + one.lane * d);
    merged.push_back(one);
    next += 2;
  }
  merged.insert(merged.end(), at.held.begin() + static_cast<std::ptrdiff_t>(next), at.held.end());
  at.held = std::move(merged);
  compact_lanes(at);
  update_norms(at, threads);
  return true;
}

// If many lanes are empty, moves the others together.
void CellWalk::compact_lanes(HeldCell& at) const {
  int lanes = 0;
  for (const HeldSources& s : at.held) lanes += s.lane >= 0;
  if (lanes > 0.7 * at.lanes) return;
  HeldCell& spare = thread_scratch().spare;
  spare.lanes = 0;
  resize_lanes(spare, problem_.terms, lanes);
  copy_lanes(at, problem_.terms, at.held, spare);
  std::swap(at.memory, spare.memory);
  std::swap(at.moments, spare.moments);
  std::swap(at.centres, spare.centres);
  at.lanes = lanes;
}

bool CellWalk::finished(const HeldCell& at) const {
  const CellTree::Cell& cell = problem_.targets.cell(at.cell);
  if (cell.left < 0) return true;
  double lanes = 0, single = 0;
  for (const HeldSources& s : at.held)
    s.lane >= 0 ? lanes += 1 : single += problem_.sources.cell(s.cell).count;
  if (single > 0) return false;
  if (lanes <= 1) return true;
  if (at.radius * problem_.reach > kMostExponent) return false;  // e^{<v, c - mean>} overflows
  const double now = cell.count * lanes * problem_.series_cost;
  return now <= 4 * std::ceil(lanes / kTogetherCells) * problem_.shift_cost;
}

// At u = u_T + delta + v the sources of a lane have e^{<v, c>} P(delta + v), and their weight is
// multiplied by e^{<delta, c>} P(delta).
void CellWalk::descend(const HeldCell& from, int cell, HeldCell& to, int threads) const {
  const Terms& terms = problem_.terms;
  const int d = terms.d;
  to.cell = cell;
  to.depth = from.depth + 1;
  to.u = problem_.targets.centre(cell);
  to.radius = problem_.targets.cell(cell).radius;
  double delta[kMaxCoordinates];
  for (int k = 0; k < d; ++k) delta[k] = to.u[k] - from.u[k];
  to.high = from.high;
  to.low = from.low;
  std::copy_n(from.mean, d, to.mean);
  for (int k = 0; k < d; ++k) {
    const double product = delta[k] * from.mean[k];
    add_to(to.high, to.low, product);
    to.low += std::fma(delta[k], from.mean[k], -product);
  }
  to.spent = from.spent;
  to.weight_error = from.weight_error;
  to.mean_error = from.mean_error;
  to.rounding = from.rounding;
  to.held = from.held;
  to.lanes = 0;
  int lanes = 0;
  for (const HeldSources& s : from.held) lanes += s.lane >= 0;
  if (lanes > 0) {
    resize_lanes(to, terms, lanes);
    to.rounding += 8 + 2 * (d + 2) * std::sqrt(dot(delta, delta, d)) * problem_.largest_norm;
    copy_lanes(from, terms, to.held, to);
    for (HeldSources& s : to.held) {
      if (s.lane < 0) continue;
      const double* centre = to.centres.data() + s.lane * d;
      for (int k = 0; k < d; ++k) s.log_weight += delta[k] * (centre[k] - from.mean[k]);
    }
    shift_lanes(to, delta, threads);
  }
  update_sources(to, threads);
}

void CellWalk::shift_lanes(HeldCell& to, const double* delta, int threads) const {
  const Terms& terms = problem_.terms;
  const int blocks = (to.lanes + kTogetherCells - 1) / kTogetherCells;
  std::vector<double> value(static_cast<std::size_t>(blocks) * kTogetherCells);  // P(delta)
  for_blocks(blocks, threads, [&](int block) {
    double* m = moments_of_lane(to, terms, block * kTogetherCells);
    shift_moments(terms, delta, m);
    double by[kTogetherCells];
    for (int e = 0; e < kTogetherCells; ++e) {
      value[block * kTogetherCells + e] = m[e];
      by[e] = m[e] > kLeastValue ? 1 / m[e] : 0;
    }
    for (int b = 0; b < terms.count; ++b)
      for (int e = 0; e < kTogetherCells; ++e) m[b * kTogetherCells + e] *= by[e];
  });
  update_norms(to, threads);
  for (HeldSources& s : to.held) {
    if (s.lane < 0) continue;
    if (value[s.lane] > kLeastValue) {
      s.log_weight += std::log(value[s.lane]);
      s.local_error /= value[s.lane];
    } else {  // only error is left of them
      s.lane = -1;
      s.mass = problem_.cell_mass[s.cell];
    }
  }
}

SumsCost CellWalk::evaluate(HeldCell& at) const {
  const CellTree& tree = problem_.targets;
  const CellTree::Cell& cell = tree.cell(at.cell);
  const int d = tree.d();
  CellScratch& scratch = thread_scratch();
  scratch.pairs.clear();
  const int pairs = gather_pairs(at, scratch.pairs);
  const long wide = padded(cell.count);
  double* v = scratch.v.need(d * wide);
  double* sums = scratch.sums.need((1 + d) * wide);
  std::fill_n(sums, (1 + d) * wide, 0.0);
  for (int k = 0; k < d; ++k) {
    for (int i = 0; i < cell.count; ++i) v[k * wide + i] = tree.axis(k)[cell.first + i] - at.u[k];
    std::fill(v + k * wide + cell.count, v + (k + 1) * wide, 0.0);
  }
  const CellTargets to{v, sums, wide, cell.count};
  add_series_of(at, to);
  if (pairs > 0) add_pairs(d, to, scratch.pairs.data(), pairs);
  store_results(at, to, pairs);
  return {.cells = 1, .pairs = static_cast<double>(pairs) * cell.count};
}

void CellWalk::add_series_of(const HeldCell& at, const CellTargets& to) const {
  const Terms& terms = problem_.terms;
  CellScratch& scratch = thread_scratch();
  double* c = scratch.c.need(terms.count);
  for (const HeldSources& s : at.held) {
    if (s.lane < 0) continue;
    const double* m = moments_of_lane(at, terms, s.lane);
    for (int e = 0; e < terms.count; ++e) c[e] = m[e * kTogetherCells] * terms.inverse[e];
    double offset[kMaxCoordinates];
    for (int k = 0; k < terms.d; ++k) offset[k] = at.centres[s.lane * terms.d + k] - at.mean[k];
    add_series(terms, to,
               {c, offset, s.log_weight, scratch.series.need(series_scratch_size(terms))});
  }
}

// Collects the sources without moments. The reference moves to the Gibbs mean of all sources that
// are held, and those with a noticeable weight for a target of the cell are written one after
// another, (y_j - mean, m_j e^{t_j}).
int CellWalk::gather_pairs(HeldCell& at, std::vector<double>& pairs) const {
  const CellTree& tree = problem_.sources;
  const int d = tree.d();
  CellScratch& scratch = thread_scratch();
  bool any = false;
  for (HeldSources& s : at.held) {
    if (s.lane >= 0) continue;
    any = true;
    const CellTree::Cell& cell = tree.cell(s.cell);
    const double* w = compute_cell_weights(problem_, at, s, scratch);
    at.means.resize(d * (1 + &s - at.held.data()));
    double* mean = at.means.data() + d * (&s - at.held.data());
    for (int k = 0; k < d; ++k) {
      mean[k] = 0;
      for (int j = 0; j < cell.count; ++j) mean[k] += w[j] * tree.axis(k)[cell.first + j];
    }
  }
  if (!any) return 0;
  at.weighed = true;
  update_reference(at);
  const double least = problem_.log_drop - 2 * at.weight_error - at.radius * at.mean_error;
  double left_out = 0;
  for (const HeldSources& s : at.held) {
    if (s.lane >= 0) continue;
    const CellTree::Cell& cell = tree.cell(s.cell);
    const double* t = tilt_cell(problem_, at, s.cell, scratch);
    const double* square = scratch.square.need(cell.count);
    double* w = scratch.w.need(padded(cell.count) + kPadded);
    weigh_sources(problem_.mass + cell.first, t, 0, cell.count, w);
    for (int j = 0; j < cell.count; ++j) {
      if (t[j] + at.radius * std::sqrt(square[j]) * (1 + 1e-14) <= least) {
        left_out += problem_.mass[cell.first + j];
        continue;
      }
      for (int k = 0; k < d; ++k) pairs.push_back(tree.axis(k)[cell.first + j] - at.mean[k]);
      pairs.push_back(w[j]);
    }
  }
  const double share = left_out * std::exp(problem_.log_drop) * 1.001;
  at.weight_error += share;
  at.mean_error += share * problem_.reach;
  return static_cast<int>(pairs.size()) / (d + 1);
}

//   log Z_i = high + low + <v_i, mean> + log of the sum,   M_i = mean + sum (y - mean) / sum
void CellWalk::store_results(const HeldCell& at, const CellTargets& from, int pairs) const {
  const CellTree& tree = problem_.targets;
  const CellTree::Cell& cell = tree.cell(at.cell);
  const int d = tree.d();
  double units = at.rounding + 4 * at.radius * problem_.largest_norm + 96;
  if (pairs > 0) units += std::min(pairs, kFlush) + pairs / kFlush;
  const double certain = 1 - at.weight_error;
  const double infinite = std::numeric_limits<double>::infinity();
  const double weight_bound = certain > 0.5 ? at.weight_error / certain + units * kUnit : infinite;
  const double mean_bound =
      certain > 0.5
          ? at.mean_error / certain + kUnit * (units * problem_.reach + 4 * problem_.largest_norm)
          : infinite;
  for (int b = 0; b < cell.count; ++b) {
    const int i = tree.original(cell.first + b);
    double high = at.high, low = at.low;
    for (int k = 0; k < d; ++k) add_to(high, low, from.v[k * from.stride + b] * at.mean[k]);
    result_.weight[i] = from.sums[b] * std::exp(low);
    result_.shift[i] = high;
    result_.weight_bound[i] = weight_bound;
    if (result_.mean == nullptr) continue;
    for (int k = 0; k < d; ++k)
      result_.mean[k * result_.stride + i] =
          at.mean[k] + from.sums[(1 + k) * from.stride + b] / from.sums[b];
    result_.mean_bound[i] = mean_bound;
  }
}

}  // namespace murmur::moments
