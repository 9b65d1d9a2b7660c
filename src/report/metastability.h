// metastability.h: the two time scales of clusters in one picture: how fast they form, how long
// they live.
#pragma once

#include "report/distances.h"

namespace murmur {

// A swarm on the sphere over log t: the place of every token (on the circle its angle, elsewhere
// its angle from where the swarm ends) and the number of clusters. Marked are the times from which
// the first lasting and the longest-lived numbers of clusters stay, and the time at which one
// cluster is left; under SA with V = I and two clusters beside it the end that the equation of two
// bodies predicts. Error(input) for other manifolds, and where there is one cluster at all times
// after t = 0.
FigureWithNumbers metastability_figure(const RunReader& run, const Settings& settings,
                                       FigureStyle style);

}  // namespace murmur
