// projection.h: brings particles of d coordinates into the three of a scene.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "picture/camera.h"
#include "picture/picture.h"

namespace murmur::picture {

// How a scene is built.
enum class View {
  circle,  // S^1, face on
  sphere,  // S^2
  ball,    // S^(d-1) with d > 3, seen along three axes inside the unit ball
  plane,   // R^1 and R^2, face on
  box,     // R^d with d > 2, in a box with grids
};

// How far points reach along the three axes, but for stragglers: of each frame those within half a
// width of its middle 98 %.
struct FlightExtent {
  std::array<double, 3> low{kNone, kNone, kNone}, high{-kNone, -kNone, -kNone};

  void hold(const std::vector<Point>& frame);  // those that are not finite are left out
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

// What the reader must know to read the axes; empty when they are the coordinates.
std::string projection_sentence(const Projection& projection, Shape shape, bool sphere);

}  // namespace murmur::picture
