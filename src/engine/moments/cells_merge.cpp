// cells_merge.cpp: sister cells of sources become one, about their common Gibbs mean.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "engine/moments/cells_cut.h"
#include "engine/moments/cells_ledger.h"
#include "engine/moments/cells_room.h"
#include "engine/moments/cells_walk.h"

namespace murmur::moments {

// Moments whose sister cell is held no more stand for their parent cell.
void CellWalk::rise(HeldCell& at) const {
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

// Two neighbours among those held.
struct Pair {
  int first = 0;  // and first + 1, of held
  double share[2] = {}, log_weight = 0, dirt = 0;
};

}  // namespace

// Which sister cells may merge; `means` becomes their common Gibbs means, (pairs, d).
static std::vector<Pair> choose(const CellProblem& problem, HeldCell& at, double budget,
                                std::vector<double>& means) {
  const CellTree& tree = problem.sources;
  const Terms& terms = problem.terms;
  const int d = tree.d();
  Ledger ledger(problem, at, budget);
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
    CutOf cuts[2];
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
      cuts[e] = {cut_of_product(norms_of_lane(at, terms, s.lane), kTogetherCells, terms.p,
                                at.radius, gamma),
                 s.log_weight + at.radius * distance(centre, at.mean, d),
                 at.radius * std::sqrt(square), s.dirt};
      if (s.dirt > 0) pair.dirt += pair.share[e] * s.dirt * std::exp(g) * (1 + g);
    }
    double more = 0;
    const double part =
        0.5 * (a.mass + b.mass) / problem.cell_mass[0] + 0.5 * std::exp(pair.log_weight);
    if (!ledger.take(cuts, part, more)) continue;
    pair.dirt += more;
    pairs.push_back(pair);
    means.insert(means.end(), mean, mean + d);
    ++i;
  }
  return pairs;
}

bool CellWalk::merge(HeldCell& at, double budget, int threads) const {
  const Terms& terms = problem_.terms;
  const int d = terms.d;
  std::vector<double> means;
  const std::vector<Pair> pairs = choose(problem_, at, budget, means);
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
    double* own = own_cell_room().gamma.need(kMaxCoordinates * kTogetherCells);
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
    one.dirt = pairs[p].dirt;
    std::copy_n(means.begin() + static_cast<std::ptrdiff_t>(p) * d, d,
                at.centres.begin() + one.lane * d);
    merged.push_back(one);
    next += 2;
  }
  merged.insert(merged.end(), at.held.begin() + static_cast<std::ptrdiff_t>(next), at.held.end());
  at.held = std::move(merged);
  close_up(at);
  renew_norms(at, threads);
  return true;
}

// Where many lanes are empty, the others move together.
void CellWalk::close_up(HeldCell& at) const {
  int lanes = 0;
  for (const HeldSources& s : at.held) lanes += s.lane >= 0;
  if (lanes > 0.7 * at.lanes) return;
  HeldCell& spare = own_cell_room().spare;
  spare.lanes = 0;
  hold_lanes(spare, problem_.terms, lanes);
  take_lanes(at, problem_.terms, at.held, spare);
  std::swap(at.memory, spare.memory);
  std::swap(at.moments, spare.moments);
  std::swap(at.centres, spare.centres);
  at.lanes = lanes;
}

}  // namespace murmur::moments
