// centres.cpp: Renyi centres of a sequence of tokens (2411.04990).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/pair_kernels.h"
#include "core/sums.h"
#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur {
namespace {

// Squared distance beyond which two tokens are farther than delta. On the sphere the angle phi has
// chord 2 sin(phi / 2), which resolves small angles better than the cosine does.
double far_square(Manifold manifold, double delta) {
  if (manifold == Manifold::space) return delta * delta;
  const double chord = 2 * std::sin(std::min(delta, std::numbers::pi) / 2);
  return chord * chord;
}

}  // namespace

std::vector<int> renyi_centres(const HostSwarm& x, Manifold manifold, double delta, Centres kind) {
  if (!(delta > 0))
    throw Error(Fault::input, "centres need a distance above 0", "delta = " + std::to_string(delta),
                "give one, such as delta=0.5, or 4 / sqrt(beta)");
  if (const auto lost = first_unmeasurable(x))
    throw Error(Fault::input, "a coordinate is not a finite number, or too large to square",
                "particle " + std::to_string(*lost), "look at an earlier frame, or mend the data");
  const double bound = far_square(manifold, delta);
  std::vector<int> centres;
  HostSwarm earlier(x.shape());                            // centres so far, or all tokens so far
  std::vector<double> a(static_cast<std::size_t>(x.d()));  // (d)
  double square[tile];
  int count = 0;
  for (int i = 0; i < x.n(); ++i) {
    gather(x, i, a.data());
    bool apart = true;
    for (int j = 0; j < count && apart; j += tile) {
      const int width = std::min(tile, count - j);
      squared_distances(a.data(), earlier, j, width, square);
      apart = std::all_of(square, square + width, [&](double s) { return s > bound; });
    }
    if (apart) centres.push_back(i);
    if (!apart && kind == Centres::ordinary) continue;
    for (int k = 0; k < x.d(); ++k) earlier.at(count, k) = a[k];
    ++count;
  }
  return centres;
}

}  // namespace murmur
