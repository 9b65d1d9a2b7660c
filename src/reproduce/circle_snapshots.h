// circle_snapshots.h: Fig. 4 of 2312.10794, the map for d = 2 and swarms on the circle next to it.
#pragma once

#include "reproduce/reproductions.h"

namespace murmur {

// Takes the last figure of the result, the map of close pairs for d = 2, as the first panel of
// `circle-clusters`, and adds one swarm at beta = 9 and one at beta = 4 at the times of the figure.
void draw_circle_snapshots(const ReproductionControl& control, Reproduction& result);

}  // namespace murmur
