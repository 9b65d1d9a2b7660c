// spread.h: particles onto the grid of a non-uniform Fourier transform, block by block.
#pragma once

#include <functional>
#include <vector>

#include "engine/moments/fixed_point.h"
#include "engine/moments/sums.h"

namespace murmur::moments {

inline constexpr int kSpreadPoints = 1 << 16;  // whose grids are added before all others

// Particles under the window of a transform, on a grid with kMargin cells around it.
struct SpreadGrid {
  std::vector<double> grid{};
  double off = 0;  // max_j | |x_j| - 1 |
};
// What kSpreadPoints particles at most leave on a grid of their own, and how long they are.
struct SpreadBlock {
  const double *grid, *length;  // (size), (n of the block)
};
struct Sharing {
  int threads;
  const Reduction* ranks;
};
// The blocks' grids, added as integers: the same for any number of threads and ranks.
SpreadGrid spread_blocks(
    const HostSwarm& x, std::size_t size, const Sharing& sharing,
    const std::function<SpreadBlock(const Targets& here, const double* mass)>& spread);

// What scores are off by: an angle is right to a few units of its own size, a score to that times
// rho; and targets and particles may be off their lengths.
double angle_scores(double rho, double off, double length);

// The least even number of the form 2^a 3^b 5^c that is at least `least` and divisible by `by`.
int grid_size(int least, int by);

}  // namespace murmur::moments
