// ground.h: distances between particles, as matrices of costs.
#pragma once

#include <vector>

#include "murmur/transport.h"

namespace murmur::transport {

// (n, m) d(x_i, y_j)^p, row by row. Error(input) where coordinates differ in number or are not
// finite, or where an arc is asked of a particle at 0.
struct Costs {
  int rows = 0, cols = 0;
  std::vector<double> at{};
  const double* row(int i) const { return at.data() + static_cast<std::size_t>(i) * cols; }
};
struct CostRequest {
  Ground ground = Ground::chord;
  int p = 2;
  int threads = 0;
};
Costs costs_of(const HostSwarm& x, const HostSwarm& y, const CostRequest& request);

void check_pair(const HostSwarm& x, const HostSwarm& y, Ground ground);

}  // namespace murmur::transport
