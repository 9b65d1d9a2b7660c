// energy_sums.h: sums of the kernel of an energy at places, and the interaction energy of a large
// swarm.
#pragma once

#include <functional>

#include "engine/moments/head_sums.h"
#include "murmur/engine.h"

namespace murmur::moments {

//   k(x, y) = e^{beta (<x, D y> - anchor)}, D symmetric; empty: the identity
struct PairKernel {
  double beta = 1;
  Matrix matrix{};
  double anchor = 0;
};

// The sums at place x_i over sources y_j of masses m_j.
struct KernelSum {
  int i;
  double value;        // sum_j m_j k(x_i, y_j)
  double value_bound;  // on its relative error
  // (d) sum_j m_j k(x_i, y_j) y_j / value, coordinate k at mean[k * stride]; null: not requested
  const double* mean;
  std::size_t stride;
  double mean_bound;  // on the length of its error
};

class KernelSums {
 public:
  // `setup` has the fields that do not depend on the kernel: shape, sphere (of places too), mean,
  // tolerance, threads.
  KernelSums(const PairKernel& kernel, const SumsSetup& setup);

  // Calls `done` once per place, from several threads.
  void evaluate(const HostSwarm& y, const HostSwarm& places,
                const std::function<void(const KernelSum&)>& done);

 private:
  PairKernel kernel_;
  FoldedHead head_;
  SumsSetup setup_;
  BoundedSums sums_;
  SharedMoments shared_{};
};

// Returns sum_ij m_i m_j e^{beta (c_ij - anchor)} of a request, c_ij = <w_i, D w_j>, to 1e-10 of
// itself, and the same for any number of threads. `sphere`: the w are unit vectors. At most
// kMostCoordinates.
double gibbs_sum(const HostSwarm& w, bool sphere, const PairRequest& request);

}  // namespace murmur::moments
