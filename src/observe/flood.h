// flood.h: what both ways of finding clusters share: the test of a link, the search, the numbering.
#pragma once

#include <span>
#include <vector>

#include "core/pair_kernels.h"
#include "observe/clusters.h"

namespace murmur {

// Tests whether one particle is linked to each of a tile of others.
class Linker {
 public:
  explicit Linker(Closeness closeness)
      : closeness_(closeness),
        bound_(closeness.manifold == Manifold::sphere ? 1 - closeness.tol
                                                      : -(closeness.tol * closeness.tol)) {}

  // Whether a (d) is linked to any of x_first .. x_{first + count - 1}, count <= tile.
  bool ask(const double* a, const HostSwarm& x, int first, int count);
  bool linked(int c) const { return score_[c] > bound_; }  // the answer for x_{first + c}

 private:
  Closeness closeness_;
  double bound_;
  double score_[tile];  // <a, x> on the sphere, -|a - x|^2 in space
};

// Reorders `members` (particles of x, at least one) so that each component among them is
// contiguous, and returns the sizes of the components.
std::vector<int> flood(const HostSwarm& x, Closeness closeness, std::span<int> members);

// From groups 0 .. at most n-1 in any order, some perhaps empty, to clusters by first member.
Clusters number_clusters(const HostSwarm& x, const std::vector<int>& group);

}  // namespace murmur
