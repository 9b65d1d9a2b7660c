// noise.cpp: bifurcation diagrams of the noisy mean field, with kappa increasing and decreasing.
#include "murmur/error.h"
#include "murmur/meanfield.h"
#include "murmur/stop.h"
#include "theory/stationary.h"

namespace murmur {

double stationary_order(const NoisyLaw& law, double kappa, double start) {
  return theory::StationaryBranch(law.d, law.beta).order_from(kappa, start);
}

Bifurcation bifurcation(const NoisyLaw& law, const BifurcationSweep& sweep) {
  if (!(sweep.from > 0 && sweep.to > sweep.from && sweep.points >= 2))
    throw Error(Fault::input, "the sweep is empty", "kappa", "write kappa=FROM:TO:POINTS");
  const theory::StationaryBranch branch(law.d, law.beta);
  if (!(sweep.from < branch.onset() && branch.onset() < sweep.to))
    throw Error(Fault::input, "the uniform law does not change its stability in this sweep",
                "kappa", "let the sweep begin below and end above beta / lambda_1");
  Bifurcation b;
  b.onset = branch.onset();
  b.fold = branch.fold();
  b.transition = branch.transition();
  b.hysteretic = b.fold < b.onset;
  b.jump = branch.order(b.onset);
  // Increasing kappa leaves the uniform law where it becomes unstable, decreasing kappa the ordered
  // one where it ceases to exist.
  for (int i = 0; i < sweep.points; ++i) {
    stop_point();
    const double kappa = sweep.from + (sweep.to - sweep.from) * i / (sweep.points - 1);
    b.kappa.push_back(kappa);
    b.down.push_back(branch.order(kappa));
    b.up.push_back(kappa > b.onset ? b.down.back() : 0);
  }
  return b;
}

}  // namespace murmur
