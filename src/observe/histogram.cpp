// histogram.cpp: counts the cosines of the pairs of a swarm in equal bins.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/directions.h"
#include "core/sums.h"
#include "murmur/error.h"
#include "murmur/observe.h"
#include "observe/visit_pairs.h"

namespace murmur {

CosineHistogram cosine_histogram(const HostSwarm& x, int bins, const ObserveSettings& settings) {
  if (bins < 1 || bins > 1'000'000)
    throw Error(Fault::input, "a histogram has 1 to 1,000,000 bins",
                "bins = " + std::to_string(bins), "give such a number, for example bins=50");
  if (const auto lost = first_unmeasurable(x))
    throw Error(Fault::input, "a coordinate is not a finite number, or too large to square",
                "particle " + std::to_string(*lost), "look at an earlier frame, or mend the data");
  CosineHistogram found;
  for (int b = 0; b <= bins; ++b) found.edge.push_back(-1 + 2.0 * b / bins);
  found.count.assign(static_cast<std::size_t>(bins), 0);
  if (x.n() < 2) return found;

  const double scale = bins / 2.0;
  const auto count = [&](const PairTile& pairs, std::vector<std::int64_t>& part) {
    for (int c = 0; c < pairs.count; ++c) {
      const double place = std::floor((pairs.cosine[c] + 1) * scale);
      ++part[static_cast<std::size_t>(std::clamp(place, 0.0, bins - 1.0))];
    }
  };
  for (const auto& part : visit_pairs(directions_of(x), settings, found.count, count))
    for (int b = 0; b < bins; ++b) found.count[b] += part[b];
  for (const std::int64_t c : found.count) found.pairs += c;
  return found;
}

}  // namespace murmur
