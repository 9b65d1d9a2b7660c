// chaining.cpp: whether a count of clusters means something: their width, and other tolerances.
#include <algorithm>
#include <cmath>

#include "core/sums.h"
#include "murmur/observe.h"

namespace murmur {

namespace {

// How far the particle farthest from the mean of its own cluster is: 1 - cos of directions, or the
// distance in R^d.
double widest(const HostSwarm& x, const Clusters& found, bool directions) {
  const auto d = static_cast<std::size_t>(x.d());
  std::vector<double> mean(found.count * d);  // (count, d)
  for (int i = 0; i < x.n(); ++i)
    for (std::size_t k = 0; k < d; ++k)
      mean[found.label[i] * d + k] += x.at(i, static_cast<int>(k)) / found.size[found.label[i]];
  double most = 0;
  for (int i = 0; i < x.n(); ++i) {
    const double* centre = mean.data() + found.label[i] * d;
    double dot = 0, apart = 0, length = 0, norm = 0;
    for (std::size_t k = 0; k < d; ++k) {
      const double here = x.at(i, static_cast<int>(k));
      dot += here * centre[k];
      apart += (here - centre[k]) * (here - centre[k]);
      length += centre[k] * centre[k];
      norm += here * here;
    }
    most = std::max(most, directions ? 1 - dot / std::sqrt(length * norm) : std::sqrt(apart));
  }
  return most;
}

}  // namespace

ClusterCounts count_clusters(const HostSwarm& x, const Dynamics& dynamics, double tol) {
  constexpr double kMostWidths = 10;
  const bool directions = moves_norms(dynamics) || dynamics.manifold == Manifold::sphere;
  const Clusters found = clusters(x, dynamics, tol);
  ClusterCounts counts{.count = found.count, .width = widest(x, found, directions)};
  counts.chained = !(counts.width <= kMostWidths * tol);
  counts.finer = clusters(x, dynamics, tol / 10).count;
  counts.coarser = clusters(x, dynamics, 10 * tol).count;
  return counts;
}

}  // namespace murmur
