// plane.h: points of the plane and their convex hull, for figures of tokens in R^2.
#pragma once

#include <vector>

#include "murmur/swarm.h"

namespace murmur {

struct PlanePoint {
  double x, y;
};

// Corners of the convex hull in turn, the first once more at the end.
std::vector<PlanePoint> hull_of(std::vector<PlanePoint> points);
std::vector<PlanePoint> points_of(const HostSwarm& z);  // the first two coordinates

}  // namespace murmur
