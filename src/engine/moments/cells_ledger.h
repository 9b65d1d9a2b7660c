// cells_ledger.h: what the cuts of a step at a target cell cost, and whether its budget has them.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/moments/cells_cut.h"
#include "engine/moments/cells_walk.h"

namespace murmur::moments {

// A cut that is a share e^{log_share} of Z at most, in the three ways it is counted.
struct Loss {
  double weight = 0, mean = 0, spent = 0;
};
inline Loss loss_of(const CellProblem& problem, const Cut& cut, double log_share) {
  const double share = std::exp(std::min(log_share, 600.0));
  const double weight = share * cut.value;
  const double mean = share * (problem.reach * cut.value + cut.slope);
  return {weight, mean, std::max(weight / problem.tolerance, mean / problem.mean_tolerance)};
}

// How far the reference may be above Jensen's line, since it is made of sums with errors.
inline double slack(const HeldCell& at) { return 2 * at.weight_error + at.radius * at.mean_error; }

inline constexpr double kWorstCut = 0.05;  // of the own weight of sources with moments
inline constexpr double kMostDirt = 0.02;

// One of the cuts that a decision is made of.
struct CutOf {
  Cut cut{};
  double log_share = 0;  // log of a bound on their share of Z, over all targets of the cell
  double log_drift = 0;  // r |Gibbs mean - centre|
  double dirt = 0;
};

// What the cuts of one step at a target cell cost. A cut is counted in one of two ways.
// As a share of the weight of its own sources, of which Jensen at their Gibbs mean says that it is
// no less than e^{<v, mean>}: since shares add up to 1, the largest of such cuts bounds them all.
// Or as a share of Z, for sources that weigh little: these add up, and each may have its part of
// the budget, half of it by mass and half by weight.
class Ledger {
 public:
  Ledger(const CellProblem& problem, HeldCell& at, double budget)
      : problem_(problem), at_(at), budget_(budget) {}
  ~Ledger() { add(largest_); }
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Whether the cuts are within the budget; dirt: what is added in the second way.
  bool take(std::span<const CutOf> cuts, double part, double& dirt) {
    Loss largest = largest_, sum{};
    double worst = 0;
    bool own = true;
    for (const CutOf& c : cuts) {
      const Loss loss = loss_of(problem_, c.cut, c.log_drift + kMostDirt + slack(at_));
      own = own && loss.spent <= budget_ / 2 && c.dirt <= kMostDirt;
      largest = {std::max(largest.weight, loss.weight), std::max(largest.mean, loss.mean),
                 std::max(largest.spent, loss.spent)};
      const Loss more = loss_of(problem_, c.cut, c.log_share + slack(at_));
      sum = {sum.weight + more.weight, sum.mean + more.mean, sum.spent + more.spent};
      worst = std::max(worst, std::max(c.cut.value, c.cut.slope * at_.radius));
    }
    if (own) {
      largest_ = largest;
      return true;
    }
    if (!(sum.spent <= part * budget_ / 2 && worst <= kWorstCut)) return false;
    add(sum);
    dirt = worst;
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

}  // namespace murmur::moments
