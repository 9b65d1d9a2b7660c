// field_panels.h: one panel of a quiver plot: a field over a plane or in space, with its axes.
#pragma once

#include <algorithm>
#include <array>

#include "picture/fields.h"
#include "picture/pen.h"

namespace murmur::picture {

// Sizes of a page of fields, in its pixels.
struct FieldType {
  explicit FieldType(double width)
      : text(std::max(12.0, width / 76)),
        title(1.35 * text),
        line(std::max(1.2, width / 760)),
        margin(1.5 * text) {}
  double text, title, line, margin;
};

// How long arrows are: `reach` pixels for the longest.
struct ArrowScale {
  static constexpr double kLeast = 6.5;  // pixels: no arrow is shorter
  double longest = 0, reach = 1;
  double length(double value) const { return arrow_length(value, longest, reach, kLeast); }
};

// The whole length of the arrow at a point, the part out of the plane with it.
double value_at(const VectorField& field, std::size_t point, std::size_t dimensions);

// Paints fields of one page.
struct FieldBrush {
  const Pen& pen;
  const Theme& look;
  const FieldType& type;

  // A field in a frame, whose longest arrow on any panel is `longest`; returns the scale that this
  // gave. Over a plane the ticks are outside of the frame, in space inside of it.
  ArrowScale plane(const VectorField& field, const Frame& frame, Colour colour,
                   double longest) const;
  ArrowScale space(const VectorField& field, const Frame& frame, Colour colour,
                   double longest) const;
  // Two arrows with their values, or one where there is no room for two, at the right end of a line
  // from (x, y) of the given width.
  void reference(const ArrowScale& scale, const Frame& line, Colour colour) const;
};

}  // namespace murmur::picture
