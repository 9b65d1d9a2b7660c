// clusters.h: two algorithms for the components of the graph of close pairs; they agree exactly.
#pragma once

#include "murmur/observe.h"

namespace murmur {

// Two particles are linked when
//   sphere:  <x, y> > 1 - tol        space:  |x - y|^2 < tol^2
// with the sum over coordinates in order, in double. Both algorithms test exactly this condition.
struct Closeness {
  Manifold manifold = Manifold::sphere;
  double tol = 1e-3;
};

// Finds components by breadth-first search over all pairs: at most n^2 / 2 tests.
Clusters clusters_directly(const HostSwarm& x, Closeness closeness);

// Sorts particles into cells of a grid over the first min(d, 3) coordinates and tests only pairs of
// neighbouring cells. For d <= 3 a cell is so small that all its particles are linked.
Clusters clusters_by_cells(const HostSwarm& x, Closeness closeness);

}  // namespace murmur
