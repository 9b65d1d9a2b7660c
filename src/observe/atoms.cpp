// atoms.cpp: how many clusters it takes to hold almost all of the mass.
#include <algorithm>
#include <functional>
#include <string>

#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur {

int atoms_holding(const Clusters& clusters, double share) {
  if (!(share > 0 && share <= 1))
    throw Error(Fault::input, "atoms hold a fraction of the mass",
                "share = " + std::to_string(share), "give a share above 0, up to 1");
  constexpr double kRounding = 1e-12;  // of masses added up
  std::vector<double> mass = clusters.mass;
  std::sort(mass.begin(), mass.end(), std::greater<>());
  double held = 0;
  for (std::size_t k = 0; k < mass.size(); ++k) {
    held += mass[k];
    if (held >= share - kRounding) return static_cast<int>(k) + 1;
  }
  return static_cast<int>(mass.size());
}

Series atoms_over_time(const History& history, const Dynamics& dynamics, const AtomRule& rule) {
  Series series;
  for (std::int64_t frame = 0; frame < history.count; ++frame) {
    series.t.push_back(history.time(frame));
    series.value.push_back(
        atoms_holding(clusters(history.frame(frame), dynamics, rule.tol), rule.share));
  }
  return series;
}

}  // namespace murmur
