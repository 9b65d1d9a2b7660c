// camera.h: looks at the unit ball in perspective; the ball's outline is the unit circle.
#pragma once

#include <cmath>

namespace murmur::picture {

struct Point {
  float x = 0, y = 0, z = 0;
};

inline bool is_finite(Point p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

// A point as the camera sees it.
struct Sight {
  double x = 0, y = 0;  // right and up; the unit ball's outline has radius 1
  double depth = 0;     // towards the eye; -1 to 1 within the ball
  double scale = 1;     // apparent size of a unit length there
};

class Camera {
 public:
  static constexpr double kDistance = 4.5;

  Camera(double azimuth, double elevation)
      : eye_{std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
             std::sin(elevation)},
        right_{-std::sin(azimuth), std::cos(azimuth), 0},
        up_{-std::sin(elevation) * std::cos(azimuth), -std::sin(elevation) * std::sin(azimuth),
            std::cos(elevation)} {}

  Sight project(Point p) const {
    const double depth = along(eye_, p);
    const double scale = std::sqrt(kDistance * kDistance - 1) / (kDistance - depth);
    return {along(right_, p) * scale, along(up_, p) * scale, depth, scale};
  }

  // Points of the unit sphere nearer than this are on its visible side.
  static constexpr double horizon() { return 1 / kDistance; }

  Point eye() const {  // direction from the middle
    return {static_cast<float>(eye_[0]), static_cast<float>(eye_[1]), static_cast<float>(eye_[2])};
  }

  // The point of the unit sphere that a far eye sees at (x, y) of its disc, x^2 + y^2 <= 1; its
  // height above the disc is z.
  struct Facing {
    double x, y, z;
  };
  Point on_sphere(const Facing& at) const {
    const auto mix = [&](int k) {
      return static_cast<float>(at.x * right_[k] + at.y * up_[k] + at.z * eye_[k]);
    };
    return {mix(0), mix(1), mix(2)};
  }
  Facing from_afar(Point p) const { return {along(right_, p), along(up_, p), along(eye_, p)}; }

  bool sees_side(int axis, int sign) const { return eye_[axis] * sign > 0; }

 private:
  static double along(const double (&axis)[3], Point p) {
    return axis[0] * p.x + axis[1] * p.y + axis[2] * p.z;
  }
  double eye_[3], right_[3], up_[3];
};

}  // namespace murmur::picture
