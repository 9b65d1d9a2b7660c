// plane.cpp: the convex hull of points of the plane, by their order from left to right.
#include "reproduce/plane.h"

#include <algorithm>

namespace murmur {

std::vector<PlanePoint> hull_of(std::vector<PlanePoint> points) {
  std::sort(points.begin(), points.end(), [](const PlanePoint& a, const PlanePoint& b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
  });
  std::vector<PlanePoint> hull;
  const auto turns_right = [&](const PlanePoint& c) {
    const PlanePoint &a = hull[hull.size() - 2], &b = hull.back();
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) <= 0;
  };
  for (const bool back : {false, true}) {
    const std::size_t min = hull.size() + (back ? 0 : 1);
    for (const PlanePoint& c : points) {
      while (hull.size() > min && turns_right(c)) hull.pop_back();
      hull.push_back(c);
    }
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

std::vector<PlanePoint> points_of(const HostSwarm& z) {
  std::vector<PlanePoint> points;
  for (int i = 0; i < z.n(); ++i) points.push_back({z.at(i, 0), z.at(i, 1)});
  return points;
}

}  // namespace murmur
