// pixels.h: draws a small grey picture large, with its pixels as squares.
#pragma once

#include <cstdint>
#include <vector>

#include "picture/canvas.h"

namespace murmur::picture {

struct Pixels {
  const std::vector<std::uint8_t>& ink;  // (height, width), 255 is ink
  int height, width;
};

// As large as the frame allows, in its middle, on paper with rounded corners.
void draw_pixels(Canvas& canvas, const Pixels& picture, const Frame& frame, const Theme& look);

// A rectangle with round corners as the current path.
void trace_round(Canvas& canvas, const Frame& frame, double radius);

}  // namespace murmur::picture
