// globe.h: the unit sphere of a vector figure: its body, its lines, and where a point of it is
// seen.
#pragma once

#include <array>
#include <string>

#include "picture/camera.h"
#include "picture/pen.h"

namespace murmur::picture {

// The ground of figures that Cairo draws.
void paint_ground(cairo_t* cr, const Theme& theme);

class Globe {
 public:
  // Fills the square; `line` is the width of a line in its units.
  Globe(const Pen& pen, const Theme& theme, const Camera& camera, const Frame& square, double line);

  struct Spot {
    double x, y, depth;
  };
  Spot at(const std::array<double, 3>& place) const;
  static bool front(const Spot& s) { return s.depth > Camera::horizon(); }

  double x() const { return x_; }
  double y() const { return y_; }
  double radius() const { return radius_; }

  void disc(double x, double y, double r) const;  // traced
  void body() const;
  void outline() const;
  void graticule(bool near) const;  // every thirty degrees, on one side
  // The part of a cap on one side, filled: all points of the sphere within `angle` of its middle.
  void cap(const std::array<double, 3>& middle, double angle, bool near) const;
  void cap_edge(const std::array<double, 3>& middle, double angle, bool near) const;  // traced
  // Letters with a rim in the colour of the ground: points may lie below them.
  void rimmed(const std::string& text, double x, double baseline, const TextStyle& style) const;

 private:
  // A closed curve of points of the sphere: those on one side, traced.
  template <class At>
  void curve(const At& point, bool near) const;

  const Pen& pen_;
  cairo_t* cr_;
  const Theme& theme_;
  const Camera camera_;
  double x_, y_, radius_, line_;
};

}  // namespace murmur::picture
