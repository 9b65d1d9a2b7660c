// cells_walk.cpp: what a target cell does with the sources it holds: leave out, expand, merge.
#include "engine/moments/cells_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "engine/moments/cells_cut.h"
#include "engine/moments/cells_ledger.h"
#include "engine/moments/cells_room.h"

namespace murmur::moments {

void CellWalk::start(HeldCell& root, int threads) const {
  root.cell = 0;
  root.u = problem_.targets.centre(0);
  root.radius = problem_.targets.cell(0).radius;
  root.held = {{.cell = 0, .mass = problem_.cell_mass[0]}};
  settle(root, threads);
}

void CellWalk::settle(HeldCell& at, int threads) const {
  const CellTree& tree = problem_.targets;
  for (const int half : tree.halves(at.cell))
    if (half >= 0)
      at.radius = std::max(at.radius, distance(at.u, tree.centre(half), tree.d()) * (1 + 1e-14));
  refer(at);
  look_closer(at);
  double budget = std::max(0.0, 0.8 * (at.depth + 1) / (tree.depth() + 1) - at.spent);
  convert(at, budget / 2, threads);
  rise(at);
  while (merge(at, budget /= 2, threads)) rise(at);
  refer(at);
  drop(at);
}

// The line of Jensen's inequality through what is held: sources with moments at their Gibbs mean,
// others at their centre of mass.
void CellWalk::refer(HeldCell& at) const {
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

bool CellWalk::pays(double targets, double sources) const {
  return problem_.eager ||
         targets * sources * problem_.pair_cost >
             1.5 * (sources * problem_.moments_cost + 0.5 * targets * problem_.series_cost);
}

// Leaves out source cells of which no target can feel anything, and opens those that are too wide
// to tell, or to have moments. For y in the ball of a source cell and u = u_T + v of this one
//   <u, y> - (reference at u) <= <u_T, c> - high - low + |u_T| r_S + r_T (|c - mean| + r_S).
void CellWalk::look_closer(HeldCell& at) const {
  const CellTree& tree = problem_.sources;
  const int d = tree.d();
  const double length = std::sqrt(dot(at.u, at.u, d)),
               targets = problem_.targets.cell(at.cell).count;
  std::vector<HeldSources> seen;
  std::vector<int> open;
  for (const HeldSources& s : at.held) {
    if (s.lane >= 0) {
      seen.push_back(s);
      continue;
    }
    for (open.assign(1, s.cell); !open.empty();) {
      const int c = open.back();
      open.pop_back();
      const CellTree::Cell& cell = tree.cell(c);
      const double mass = problem_.cell_mass[c], far = distance(tree.centre(c), at.mean, d);
      if (mass == 0) continue;
      const double most = dot(at.u, tree.centre(c), d) - at.high - at.low + length * cell.radius +
                          at.radius * (far + cell.radius) + slack(at);
      if (most <= problem_.log_drop) {
        const double share = mass * std::exp(most) * 1.001;
        at.weight_error += share;
        at.mean_error += share * problem_.reach;
        continue;
      }
      const double tau = at.radius * cell.radius;
      bool split = (length + at.radius) * cell.radius >
                   std::max(2.0, 0.25 * at.radius * (far + cell.radius));
      if (pays(targets, cell.count)) {
        const double shrink = problem_.widest / tau;
        split = tau > problem_.widest &&
                (split || pays(targets, cell.count * std::pow(shrink, std::max(1, d - 1))));
      }
      if (split && cell.left >= 0) {
        open.push_back(cell.right);
        open.push_back(cell.left);
      } else {
        seen.push_back({.cell = c, .mass = mass});
      }
    }
  }
  at.held = std::move(seen);
}

// Moments about their Gibbs mean c for source cells that are narrow enough. Cutting at degree p
// loses sum_j w_j tau_j^{p+1} e^{tau_j} / (p+1)! of sum_j w_j e^{<v, y_j - c>}, tau_j = r_T |y_j -
// c|.
void CellWalk::convert(HeldCell& at, double budget, int threads) const {
  const CellTree& tree = problem_.sources;
  const Terms& terms = problem_.terms;
  const int d = tree.d(), before = at.lanes;
  const double targets = problem_.targets.cell(at.cell).count;
  std::vector<int> chosen;
  for (std::size_t i = 0; i < at.held.size(); ++i) {
    const HeldSources& s = at.held[i];
    const CellTree::Cell& cell = tree.cell(s.cell);
    if (s.lane < 0 && at.radius * cell.radius <= problem_.widest && pays(targets, cell.count))
      chosen.push_back(static_cast<int>(i));
  }
  if (chosen.empty()) return;
  const int lanes = before + static_cast<int>(chosen.size());
  hold_lanes(at, terms, lanes);
  std::vector<Cut> cuts(chosen.size());
  for_blocks(static_cast<int>(chosen.size()), threads, [&](int which) {
    HeldSources& s = at.held[chosen[which]];
    const CellTree::Cell& cell = tree.cell(s.cell);
    CellRoom& room = own_cell_room();
    const double* w = weigh_cell(problem_, at, s, room);
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
    cuts[which] = cut_of_sources(terms.p, at.radius, fourth, std::sqrt(widest));
  });
  refer(at);
  {
    Ledger ledger(problem_, at, budget);
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      HeldSources& s = at.held[chosen[c]];
      const double far = distance(at.centres.data() + s.lane * d, at.mean, d);
      const CutOf cut{cuts[c], s.log_weight + at.radius * far, 0, 0};
      const double part = 0.5 * s.mass / problem_.cell_mass[0] + 0.5 * std::exp(s.log_weight);
      s.dirt = 0;
      if (!ledger.take({&cut, 1}, part, s.dirt)) s.lane = -1;
    }
  }
  for_blocks(static_cast<int>(chosen.size()), threads, [&](int which) {
    HeldSources& s = at.held[chosen[which]];  // weighed anew: the reference is near them now
    if (s.lane < 0) return;
    const CellTree::Cell& cell = tree.cell(s.cell);
    CellRoom& room = own_cell_room();
    double* w = weigh_cell(problem_, at, s, room);
    for (int first = 0; first < cell.count; first += kFlush * kTogetherCells) {
      const int count = std::min(kFlush * kTogetherCells, cell.count - first);
      const CellSources part{tree.axis(0) + cell.first + first, static_cast<long>(tree.stride()),
                             count};
      // The last part alone is padded with zeros: every other is whole.
      add_moments(terms, part, w + first, at.centres.data() + s.lane * d,
                  room.moments.need(moments_room(terms)),
                  moments_of_lane(at, problem_.terms, s.lane));
    }
  });
  renew_norms(at, threads);
}

void CellWalk::renew_norms(HeldCell& at, int threads) const {
  const Terms& terms = problem_.terms;
  const int blocks = (at.lanes + kTogetherCells - 1) / kTogetherCells;
  at.norms.resize(static_cast<std::size_t>(blocks) * (terms.p + 1) * kTogetherCells);
  for_blocks(blocks, threads, [&](int block) {
    double* norms = own_cell_room().gamma.need((kMaxDegree + 1) * kTogetherCells);
    norms_of(terms, moments_of_lane(at, terms, block * kTogetherCells), norms);
    std::copy_n(norms, (terms.p + 1) * kTogetherCells,
                norms_of_lane(at, terms, block * kTogetherCells));
  });
}

// Moments of which no target of the cell can feel anything:
//   their sum of e^{<v, y - mean>} <= e^{log_weight + r |c - mean|} sum_k h_k r^k.
void CellWalk::drop(HeldCell& at) const {
  const int d = problem_.terms.d, p = problem_.terms.p;
  std::erase_if(at.held, [&](const HeldSources& s) {
    if (s.lane < 0) return false;
    const double far = distance(at.centres.data() + s.lane * d, at.mean, d);
    double sum = 0, power = 1;
    const double* norms = norms_of_lane(at, problem_.terms, s.lane);
    for (int k = 0; k <= p; ++k, power *= at.radius) sum += norms[k * kTogetherCells] * power;
    const double most = s.log_weight + at.radius * far + std::log(sum) + slack(at);
    if (most > problem_.log_drop + std::log(s.mass)) return false;
    at.weight_error += std::exp(most) * 1.001;
    at.mean_error += std::exp(most) * 1.001 * problem_.reach;
    return true;
  });
}

}  // namespace murmur::moments
