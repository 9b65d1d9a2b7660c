// clusters.h: the two ways to find the components of the graph of close pairs; they agree exactly.
#pragma once

#include <optional>

#include "murmur/observe.h"

namespace murmur {

// Two particles are linked when
//   sphere:  <x, y> > 1 - tol        space:  |x - y|^2 < tol^2
// with the sum over coordinates taken in turn, in double: both ways ask this very question.
struct Closeness {
  Manifold manifold = Manifold::sphere;
  double tol = 1e-3;
};

// Floods: a seed absorbs those it is linked to, they absorb theirs. At most n^2 / 2 questions.
Clusters clusters_directly(const HostSwarm& x, Closeness closeness);

// Sorts particles into cells of a grid over the first min(d, 3) coordinates and asks only among
// neighbouring cells. For d <= 3 a cell is so small that all in it are linked.
Clusters clusters_by_cells(const HostSwarm& x, Closeness closeness);

// The first particle with a coordinate that is not finite, or whose square is not.
std::optional<int> first_unmeasurable(const HostSwarm& x);

}  // namespace murmur
