// close_pairs.cpp: the nearest two particles, by a sweep along the first axis.
#include "core/close_pairs.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "murmur/stop.h"

namespace murmur {

ClosePair nearest_pair(const HostSwarm& x, double delta) {
  std::vector<int> order(x.n());
  std::iota(order.begin(), order.end(), 0);
  const double* first = x.axis(0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return first[a] != first[b] ? first[a] < first[b] : a < b; });
  ClosePair best{delta * delta, -1, -1};
  for (int a = 0; a < x.n(); ++a) {
    if (a % 256 == 0) stop_point();
    for (int b = a + 1; b < x.n() && first[order[b]] - first[order[a]] < delta; ++b) {
      double square = 0;
      for (int k = 0; k < x.d(); ++k) {
        const double delta_k = x.at(order[a], k) - x.at(order[b], k);
        square += delta_k * delta_k;
      }
      const ClosePair pair{square, std::min(order[a], order[b]), std::max(order[a], order[b])};
      const bool nearer =
          square < best.square || (square == best.square && best.i >= 0 &&
                                   (pair.i < best.i || (pair.i == best.i && pair.j < best.j)));
      if (nearer) best = pair;
    }
  }
  return best;
}

}  // namespace murmur
