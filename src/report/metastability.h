// metastability.h: the distances of the tokens of a run over time, and how fast its clusters form
// and how long they last.
#pragma once

#include <optional>

#include "report/readings.h"

namespace murmur {

struct DistancesRequest {
  std::optional<double> t{};  // only the stored frame nearest to it; else five times and a map
  int bins = 40;
  bool log_time = false;  // times are spread over log t
  FigureStyle style = FigureStyle::paper;
};
// Histograms of |x_i - x_j| over the pairs i < j, and the share of pairs at each distance over
// time. On the sphere distances go from 0 to 2, elsewhere up to the longest one shown. Of swarms
// of more than 2,000 tokens a fixed sample of a million pairs is counted. Error(input) for a swarm
// of one token, for bins out of 1 to 1,000, and where log t is asked for and no frame lies after t
// = 0.
Drawing distances_figure(const RunReader& run, const Experiment& e,
                         const DistancesRequest& request);

// The share of the pairs in each bin of distances, or of cosines, in each frame.
Table distances_table(const RunView& view, int bins);
Table cosines_table(const RunView& view, int bins);

// A swarm on the sphere over log t: the place of every token (on the circle its angle, elsewhere
// its angle from where the swarm ends) and the number of clusters. Marked are the times from which
// the first lasting and the longest-lived numbers of clusters stay, and the time at which one
// cluster is left; under SA with V = I and two clusters, also the end that the equation of two
// bodies predicts. Error(input) for other manifolds, and where there is one cluster at all times
// after t = 0.
Drawing metastability_figure(const RunReader& run, const Experiment& e, FigureStyle style);

}  // namespace murmur
