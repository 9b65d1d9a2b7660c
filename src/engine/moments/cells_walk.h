// cells_walk.h: carries the moments of source cells down the tree of targets, with their errors.
#pragma once

#include <vector>

#include "core/buffer.h"
#include "engine/moments/cells_kernels.h"
#include "engine/moments/cells_tree.h"
#include "engine/moments/sums.h"

namespace murmur::moments {

// What does not change during a walk.
struct CellProblem {
  const CellTree& sources;
  const CellTree& targets;
  const Terms& terms;
  const double* mass;               // (n) of the sources in the order of their tree, padded
  double tolerance = 0;             // of weights, relative
  double mean_tolerance = 0;        // of means
  double reach = 0;                 // no two of sources and their means are further apart
  std::vector<double> cell_mass{};  // (source cells)
  std::vector<double> cell_mean{};  // (source cells, d) their centre of mass
  double log_drop = 0;              // what may be left out, as the log of a share of Z for a mass 1
  double farthest = 0;              // max_j |y_j|
  double widest = 0;                // r_T r_S above which no moments are tried
  bool eager = false;               // moments wherever they can be
  // In vector operations, for the choice of what to do.
  double pair_cost = 0, series_cost = 0, moments_cost = 0, shift_cost = 0;

  const double* mean_of(int cell) const {
    return cell_mean.data() + static_cast<std::size_t>(cell) * sources.d();
  }
};

// Sources that a target cell holds: as moments in a lane, or as they are.
struct HeldSources {
  int cell = 0;   // of the source tree; moments may be of a part of it, where the rest is left out
  int lane = -1;  // of the moments; -1: none, sum them one by one
  double mass = 0;
  double dirt = 0;  // of the moments: cuts that are large beside these sources, small beside Z
  double log_weight = 0;  // with moments: log of sum_j m_j e^{<u_T, y_j>}, less the reference
};

// A target cell T with its view of the sources. The reference is a line below log Z, by Jensen:
//   log Z(u) >= high + low + <u - u_T, mean>
struct HeldCell {
  int cell = 0, depth = 0;
  double radius = 0;  // of a ball around u_T with all targets and the centres of both halves
  const double* u = nullptr;  // (d) u_T
  double high = 0, low = 0;
  double mean[kMaxCoordinates] = {};
  std::vector<HeldSources> held{};  // in the order of the source tree
  simd::Buffer<double> memory{};
  double* moments = nullptr;      // (blocks, terms, kTogetherCells), m_0 = 1 in each lane
  std::vector<double> norms{};    // (blocks, p + 1, kTogetherCells)
  std::vector<double> centres{};  // (lanes, d)
  int lanes = 0;
  bool weighed = false;         // log_weight and means are known of sources without moments too
  std::vector<double> means{};  // (held, d) if weighed: Gibbs means of sources without moments
  double spent = 0;             // of the tolerance, by cuts
  double weight_error = 0;      // bound so far, as a share of Z(u) for every target u of the cell
  double mean_error = 0;        // the same of |N - mean Z| / Z
  double rounding = 0;          // units of 2^-53 that the steps down to here allow for
};

class CellWalk {
 public:
  CellWalk(const CellProblem& problem, const SumsResult& result)
      : problem_(problem), result_(result) {}

  void start(HeldCell& root, int threads) const;
  // Whether a cell is to be evaluated rather than split.
  bool finished(const HeldCell& at) const;
  void descend(const HeldCell& from, int cell, HeldCell& to, int threads) const;
  SumsCost evaluate(HeldCell& at) const;

 private:
  void settle(HeldCell& at, int threads) const;
  void refer(HeldCell& at) const;
  void look_closer(HeldCell& at) const;
  void shift(HeldCell& to, const double* delta, int threads) const;
  bool pays(double targets, double sources) const;
  void convert(HeldCell& at, double budget, int threads) const;
  void rise(HeldCell& at) const;
  bool merge(HeldCell& at, double budget, int threads) const;
  void close_up(HeldCell& at) const;
  void renew_norms(HeldCell& at, int threads) const;
  void drop(HeldCell& at) const;
  void add_series_of(const HeldCell& at, const CellTargets& to) const;
  int gather_pairs(HeldCell& at, std::vector<double>& pairs) const;
  void give(const HeldCell& at, const CellTargets& from, int pairs) const;

  const CellProblem& problem_;
  const SumsResult& result_;
};

}  // namespace murmur::moments
