// clusters.h: the two ways to find the components of the graph of close pairs; they agree exactly.
#pragma once

#include "murmur/observe.h"

namespace murmur {

// Two particles are linked when
//   sphere:  <x, y> > 1 - tol        space:  |x - y|^2 < tol^2
// with the sum over coordinates taken in order, in double: both ways test this very condition.
struct Closeness {
  Manifold manifold = Manifold::sphere;
  double tol = 1e-3;
};

// Breadth-first search of components over all pairs: at most n^2 / 2 tests.
Clusters clusters_directly(const HostSwarm& x, Closeness closeness);

// Sorts particles into cells of a grid over the first min(d, 3) coordinates and tests only pairs of
// neighbouring cells. For d <= 3 a cell is so small that all its particles are linked.
Clusters clusters_by_cells(const HostSwarm& x, Closeness closeness);

}  // namespace murmur
