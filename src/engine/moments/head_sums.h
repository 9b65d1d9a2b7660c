// head_sums.h: the force of one head on every particle, by certified sums.
#pragma once

#include <vector>

#include "engine/moments/certified_sums.h"
#include "engine/moments/folded_head.h"

namespace murmur::moments {

// A setup that says all but what is of the head, with that.
SumsSetup setup_of(const FoldedHead& head, SumsSetup setup);

// u_i of the particles `rows`, to u (d, stride).
void targets_of(const FoldedHead& head, const HostSwarm& x, std::span<const int> rows, double* u,
                std::size_t stride);

class HeadSums {
 public:
  // `setup` as for setup_of.
  HeadSums(const FoldedHead& head, SumsSetup setup);

  const FoldedHead& head() const { return head_; }
  const CertifiedSums& sums() const { return sums_; }

  // a_i += A_i, and bound_i += a bound on its error: that of the sums, of u_i and of the products
  // after them.
  SumsAccount add(const HostSwarm& x, SharedMoments& shared, HostSwarm& a,
                  std::vector<double>& bound) const;

 private:
  struct Row {
    int i;               // of the swarm
    double farthest;     // max |x_j|
    const double* mean;  // coordinate k at mean[k * stride]
    std::size_t stride;
    double weight, shift, weight_bound, mean_bound;
  };
  double add_row(const HostSwarm& x, const Row& row, HostSwarm& a) const;

  FoldedHead head_;
  SumsSetup setup_;
  CertifiedSums sums_;
};

}  // namespace murmur::moments
