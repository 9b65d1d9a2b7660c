// flow_map.cpp: paints what a map of single particles does to a grid, and where particles began.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "picture/swarm_paint.h"

namespace murmur::picture {

namespace {

// One line of the grid: its pieces whose ends lie in the layer.
void trace_line(cairo_t* cr, const std::vector<Mark>& marks, int layer) {
  bool drawing = false;
  for (std::size_t k = 0; k < marks.size(); ++k) {
    const bool here = marks[k].layer == layer && std::isfinite(marks[k].x);
    if (here && drawing) cairo_line_to(cr, marks[k].x, marks[k].y);
    if (here && !drawing) cairo_move_to(cr, marks[k].x, marks[k].y);
    drawing = here;
  }
}

}  // namespace

void paint_grid_of_map(Canvas& canvas, const Stage& stage, const std::vector<Point>& grid,
                       const Place& place, int layer) {
  if (!stage.settings.grid || grid.empty()) return;
  const double unit = stage.layout.unit;
  const double strength = layer == 0 && stage.projection.view == View::sphere ? 0.4 : 1;
  const auto paint = [&](const std::vector<Point>& points, Colour colour, double alpha,
                         double width) {
    cairo_new_path(canvas.cr());
    for (const std::vector<int>& line : stage.settings.grid->lines) {
      std::vector<Mark> marks;
      for (const int i : line) {
        constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
        marks.push_back(is_finite(points[i]) ? place(points[i]) : Mark{kNowhere, kNowhere, -1});
      }
      trace_line(canvas.cr(), marks, layer);
    }
    canvas.ink(colour, strength * alpha);
    cairo_set_line_width(canvas.cr(), std::max(0.6, width * unit));
    cairo_stroke(canvas.cr());
  };
  const Colour carried = class_colour(0, stage.look->dark);
  if (stage.projection.view == View::plane)  // on the sphere the graticule shows where it was
    paint(stage.first_grid, stage.look->line, 0.28, 0.9);
  paint(grid, carried, 0.85, 1.5);
}

void paint_starts(Canvas& canvas, const Stage& stage, const Place& place, int layer) {
  const double radius = std::max(1.2, 0.55 * stage.dot);
  cairo_new_path(canvas.cr());
  for (const Point& p : stage.start) {
    if (!is_finite(p)) continue;
    const Mark m = place(p);
    if (m.layer != layer) continue;
    cairo_new_sub_path(canvas.cr());
    cairo_arc(canvas.cr(), m.x, m.y, radius, 0, 2 * std::numbers::pi);
  }
  canvas.ink(stage.look->quiet, 0.55);
  cairo_set_line_width(canvas.cr(), std::max(0.6, 0.9 * stage.layout.unit));
  cairo_stroke(canvas.cr());
}

}  // namespace murmur::picture
