// head_sums.h: the force of one attention head on every particle, by sums with bounds.
#pragma once

#include <optional>
#include <vector>

#include "engine/moments/bounded_sums.h"
#include "murmur/dynamics.h"

namespace murmur::moments {

// An Attention prepared for sums, with query, key and biases folded into the targets:
//   s_ij = beta <Q x_i + b_Q, K x_j + b_K> = <u_i, x_j> + c_i
//   u_i = G x_i + g,   G = beta K^T Q,   g = beta K^T b_Q
//   c_i = <t, x_i> + t_0,   t = beta Q^T b_K,   t_0 = beta <b_Q, b_K>
// in long double. If products of K and Q cancel, the error of an entry is more than its last digit:
// *_off bounds the length of the error.
struct FoldedHead {
  bool softmax = true;      // false: unnormalised
  bool relative = false;    // V acts on x_j - x_i
  Matrix query_key{};       // G (d, d)
  Vector query_key_bias{};  // (d) g
  Vector offset_slope{};    // (d) t
  double offset = 0;        // t_0 minus the exponent of the clock
  double rate = 1;          // of the clock
  Matrix value{};           // (d, d); empty: the identity
  Vector value_bias{};      // (d); empty: zero
  // Frobenius norms of matrices, and lengths of vectors.
  double query_key_size = 0, query_key_bias_size = 0, offset_slope_size = 0, value_size = 1,
         value_bias_size = 0;
  double query_key_off = 0, query_key_bias_off = 0, offset_slope_off = 0, offset_off = 0;
  double reach = 0;                // a tight upper bound of |u| over unit vectors
  std::optional<double> length{};  // |u| of every unit vector, if all are equal
};
FoldedHead fold_head(const Attention& head, Clock clock, int d);

// Returns the setup with the fields that depend on the head.
SumsSetup with_head(const FoldedHead& head, SumsSetup setup);

// Writes u_i of the particles `rows` to u (d, stride).
void compute_targets(const FoldedHead& head, const HostSwarm& x, std::span<const int> rows,
                     double* u, std::size_t stride);

class HeadSums {
 public:
  // `setup` as for with_head.
  HeadSums(const FoldedHead& head, SumsSetup setup);

  const FoldedHead& head() const { return head_; }
  const BoundedSums& sums() const { return sums_; }

  // a_i += A_i, and bound_i += a bound on its error: of the sums, of u_i, of the products after
  // them, and of `additions` to a_i.
  SumsCounts add(const HostSwarm& x, int additions, SharedMoments& shared, HostSwarm& a,
                 std::vector<double>& bound) const;

 private:
  // The origin c of the sources x'_j = x_j - c. In space it is the middle of a cloud that is
  // further from 0 than it is wide, so that rounding is relative to its width. This subtracts <u_i,
  // c> from the scores, which does not change a softmax.
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
