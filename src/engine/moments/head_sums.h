// head_sums.h: the force of one head on every particle, by certified sums.
#pragma once

#include <vector>

#include "engine/moments/bounded_sums.h"
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
  const BoundedSums& sums() const { return sums_; }

  // a_i += A_i, and bound_i += a bound on its error: that of the sums, of u_i, of the products
  // after them, and of `additions` to a_i.
  SumsAccount add(const HostSwarm& x, int additions, SharedMoments& shared, HostSwarm& a,
                  std::vector<double>& bound) const;

 private:
  // The origin that the sources of sums are taken from, x'_j = x_j - c: in space the middle of a
  // cloud that is further from 0 than it is wide, so that rounding is one of its width. Scores
  // <u_i, x_j> lose <u_i, c>, which softmax does not see.
  struct Origin {
    double farthest = 1;      // max |x'_j|
    std::vector<double> c{};  // (d); empty: 0, and the sources are the swarm
    double length = 0;        // |c|
    HostSwarm sources{};      // x'_j
    bool moved() const { return !c.empty(); }
  };
  Origin origin_of(const HostSwarm& x) const;

  struct Row {
    int i;               // of the swarm
    const double* mean;  // from the origin; coordinate k at mean[k * stride]
    std::size_t stride;
    double weight, shift, weight_bound, mean_bound;
  };
  double add_row(const HostSwarm& x, const Origin& origin, const Row& row, int additions,
                 HostSwarm& a) const;

  FoldedHead head_;
  SumsSetup setup_;
  BoundedSums sums_;
};

}  // namespace murmur::moments
