// approach.cpp: how far a swarm is from a given state, and when it is nearly one cluster.
#include <cmath>
#include <string>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "observe/pair_sample.h"

namespace murmur {

Series distance_from(const History& history, const HostSwarm& reference) {
  Series distance;
  for (std::int64_t f = 0; f < history.count; ++f) {
    const HostSwarm x = history.frame(f);
    if (x.shape() != reference.shape())
      throw Error(Fault::input, "the reference has another shape than the frames",
                  "frame " + std::to_string(f), "give n and d as the frames have them");
    double square = 0;
    for (int k = 0; k < x.d(); ++k) {
      for (int i = 0; i < x.n(); ++i) {
        const double gap = x.axis(k)[i] - reference.axis(k)[i];
        square += x.mass[i] * gap * gap;
      }
    }
    distance.t.push_back(history.time(f));
    distance.value.push_back(std::sqrt(square));
  }
  return distance;
}

NearClustering near_clustering(const History& history, const NearClusteringRequest& request,
                               const ObserveSettings& settings) {
  if (!(request.delta > 0 && request.delta <= 2) || !(request.share > 0 && request.share <= 1))
    throw Error(
        Fault::input, "near clustering needs 0 < delta <= 2 and a share in (0, 1]",
        "delta = " + std::to_string(request.delta) + ", share = " + std::to_string(request.share),
        "give such numbers, for example delta=1e-3 share=0.5");
  const PairRequest asked{.directions = true,
                          .threshold = 1 - request.delta,
                          .sample = sample_of(settings),
                          .threads = settings.threads};
  NearClustering found;
  double t_before = 0, min_before = 0, close_before = 0;
  for (std::int64_t f = 0; f < history.count && !(found.all && found.part); ++f) {
    const PairSums now = pair_sums(history.frame(f), asked);
    const double t = history.time(f);
    const auto passed = [&](double before, double after, double level) {
      return f == 0 || after == before
                 ? t
                 : t_before + (t - t_before) * (level - before) / (after - before);
    };
    if (!found.all && now.min > asked.threshold)
      found.all = passed(min_before, now.min, asked.threshold);
    if (!found.part && now.close >= request.share)
      found.part = passed(close_before, now.close, request.share);
    t_before = t;
    min_before = now.min;
    close_before = now.close;
  }
  return found;
}

}  // namespace murmur
