// energy_sums.h: sums of the kernel of an energy at places, the interaction energy of a large
// swarm, and the power of its modes.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/moments/head_sums.h"
#include "murmur/engine.h"
#include "murmur/swarm.h"

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

//   a_k = sum_ij m_i m_j C_k(x_i . x_j) / C_k(1) = sum over S of degree k of |sum_j m_j S(x_j)|^2
//         / (square of S), over the dimension of that degree            (harmonics.h)
// for the directions of a swarm, k = 0 .. modes. No series is cut. The bound is for rounding, that
// of the directions included, in units of the square of the total mass.
struct ModeSums {
  std::vector<double> power{};  // (modes + 1) a_k
  std::vector<double> bound{};  // (modes + 1) on |computed a_k - a_k|
};
// Returns nothing if d, or the degree at that d, is too high.
std::optional<ModeSums> mode_sums(const HostSwarm& directions, int modes, int threads);

// Returns the cost in nanoseconds of one core (bench/results/moments.md); infinite if there are no
// such sums.
double mode_sums_cost(Shape shape, int modes);

}  // namespace murmur::moments
