// spread.cpp: grids of blocks as integers, and the sizes that transforms are fast for.
#include "engine/moments/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/parallel.h"

namespace murmur::moments {

SpreadGrid spread_blocks(const HostSwarm& x, std::size_t size, const Sharing& sharing,
                         const std::function<SpreadBlock(const Targets&, const double*)>& spread) {
  std::vector<Fixed> total(size);
  SpreadGrid all{std::vector<double>(size)};
  std::mutex lock;
  for_blocks((x.n() + kSpreadPoints - 1) / kSpreadPoints, sharing.threads, [&](int block) {
    const int first = block * kSpreadPoints;
    const Targets here{x.axis(0) + first, x.stride(), std::min(kSpreadPoints, x.n() - first),
                       x.d()};
    const SpreadBlock part = spread(here, x.mass.data() + first);
    double off = 0;
    for (int i = 0; i < here.n; ++i) off = std::fmax(off, std::fabs(part.length[i] - 1));
    const std::lock_guard hold(lock);
    all.off = std::fmax(all.off, off);
    for (std::size_t e = 0; e < size; ++e)
      if (part.grid[e] != 0) total[e] += to_fixed(part.grid[e]);
  });
  if (sharing.ranks != nullptr) {
    sharing.ranks->sum(total);
    all.off = sharing.ranks->largest(all.off);
  }
  for (std::size_t e = 0; e < size; ++e) all.grid[e] = from_fixed(total[e]);
  return all;
}

double angle_scores(double rho, double off, double length) {
  return rho * (off + 8 * std::numeric_limits<double>::epsilon()) + std::fabs(rho - length);
}

int grid_size(int least, int by) {
  for (int size = (least + by - 1) / by * by;; size += by) {
    int rest = size;
    for (const int factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return size;
  }
}

}  // namespace murmur::moments
