// mode_sums.h: the power of a swarm in the harmonics of each degree, through its moments.
#pragma once

#include <optional>
#include <vector>

#include "murmur/swarm.h"

namespace murmur::moments {

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
