// projection.h: brings particles of d coordinates into the three of a scene, and those in front of
// a camera, which sees the unit ball in perspective.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "picture/picture.h"

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

// The views of a scene.
enum class View {
  circle,  // S^1, face on
  sphere,  // S^2
  ball,    // S^(d-1) with d > 3, seen along three axes inside the unit ball
  plane,   // R^1 and R^2, face on
  box,     // R^d with d > 2, in a box with grids
};

// The extent of points along the three axes without outliers: of each frame the points within half
// a width of its middle 98 %.
struct TrajectoryExtent {
  std::array<double, 3> low{kNone, kNone, kNone}, high{-kNone, -kNone, -kNone};

  void add(const std::vector<Point>& frame);  // leaves points out that are not finite
  static constexpr double kNone = std::numeric_limits<double>::infinity();
};

struct Projection {
  View view = View::sphere;
  std::vector<double> axes{};             // (3, d)
  bool principal = false;                 // axes are principal ones
  double explained = 1;                   // share of the second moment that the axes carry
  std::array<double, 3> centre{0, 0, 0};  // of the box, along the axes
  std::array<double, 3> half{1, 1, 1};    // half lengths of the box
  double scale = 1;                       // scene units a unit of length

  // (n) points: scale * (axes x_i - centre).
  std::vector<Point> project(const HostSwarm& x) const;
  bool on_sphere() const { return view == View::circle || view == View::sphere; }
};

// Error(input) where settings and run do not fit.
Projection choose_projection(const RunReader& run, const SceneSettings& settings);

// " The ball drawn has radius 0.5.", where it is not 1.
std::string ball_sentence(const Projection& projection);

// Explains the axes to the reader; empty where they are the coordinates.
std::string projection_sentence(const Projection& projection, Shape shape, bool sphere);

}  // namespace murmur::picture
