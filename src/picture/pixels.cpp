// pixels.cpp: squares on whole pixels of the canvas, so that no seam shows.
#include "picture/pixels.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace murmur::picture {

void trace_round(Canvas& canvas, const Frame& f, double radius) {
  constexpr double kQuarter = std::numbers::pi / 2;
  const double r = std::min({radius, f.width / 2, f.height / 2});
  cairo_t* cr = canvas.cr();
  cairo_new_sub_path(cr);
  cairo_arc(cr, f.x + f.width - r, f.y + r, r, -kQuarter, 0);
  cairo_arc(cr, f.x + f.width - r, f.y + f.height - r, r, 0, kQuarter);
  cairo_arc(cr, f.x + r, f.y + f.height - r, r, kQuarter, 2 * kQuarter);
  cairo_arc(cr, f.x + r, f.y + r, r, 2 * kQuarter, 3 * kQuarter);
  cairo_close_path(cr);
}

void draw_pixels(Canvas& canvas, const Pixels& picture, const Frame& frame, const Theme& look) {
  const auto& [ink, height, width] = picture;
  cairo_t* cr = canvas.cr();
  const double cell = std::min(frame.width / width, frame.height / height);
  const double x0 = frame.x + (frame.width - cell * width) / 2;
  const double y0 = frame.y + (frame.height - cell * height) / 2;
  const Colour paper = look.dark ? mix(look.edge, rgb(0), 0.35) : look.centre;
  trace_round(canvas, frame, 0.03 * frame.width);
  canvas.ink(paper);
  cairo_fill(cr);
  cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      const int level = ink[static_cast<std::size_t>(row) * width + column];
      if (level == 0) continue;
      const double x = std::round(x0 + cell * column), y = std::round(y0 + cell * row);
      cairo_rectangle(cr, x, y, std::round(x0 + cell * (column + 1)) - x,
                      std::round(y0 + cell * (row + 1)) - y);
      canvas.ink(mix(paper, look.ink, level / 255.0));
      cairo_fill(cr);
    }
  cairo_set_antialias(cr, CAIRO_ANTIALIAS_DEFAULT);
  trace_round(canvas, frame, 0.03 * frame.width);
  canvas.ink(look.line, 0.4);
  cairo_set_line_width(cr, 1);
  cairo_stroke(cr);
}

}  // namespace murmur::picture
