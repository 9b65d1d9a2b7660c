// plane.cpp: draws a swarm of one or two coordinates in R^d face on, over a grid.
#include <algorithm>
#include <cmath>

#include "picture/stage.h"
#include "picture/swarm_paint.h"

namespace murmur::picture {

namespace {

// Where the grid lies on the canvas, in pixels; both axes have one scale.
struct Grid {
  double cx, cy;         // middle
  double width, height;  // half lengths
  double per_unit;       // pixels a scene unit
};

Grid place_grid(const Stage& stage) {
  const Layout& at = stage.layout;
  const Projection& box = stage.projection;
  const double half_x = box.half[0] * box.scale, half_y = box.half[1] * box.scale;
  const double room = 2.6 * at.small_size;  // for the numbers
  const double per_unit =
      std::min((at.reach - 1.4 * room) / half_x, (at.radius - 0.7 * room) / half_y);
  return {at.cx + 0.4 * room, at.cy - 0.2 * room, per_unit * half_x, per_unit * half_y, per_unit};
}

void paint_grid(Canvas& canvas, const Stage& stage, const Grid& grid) {
  const Projection& box = stage.projection;
  const double em = stage.layout.small_size;
  const double below = grid.cy + grid.height + 1.7 * em, left = grid.cx - grid.width - 0.7 * em;
  const TextStyle under{.size = em, .colour = stage.look->quiet, .align = Align::centre};
  const TextStyle beside{.size = em, .colour = stage.look->quiet, .align = Align::right};
  cairo_set_line_width(canvas.cr(), std::max(0.6, 0.9 * stage.layout.unit));
  for (int axis = 0; axis < std::min(2, stage.shape.d); ++axis) {
    const double low = box.centre[axis] - box.half[axis], high = box.centre[axis] + box.half[axis];
    const Ticks ticks = nice_ticks(low, high, axis == 0 ? 6 : 5);
    for (double tick : ticks.at) {
      const double along = (tick - box.centre[axis]) * box.scale * grid.per_unit;
      if (axis == 0) {
        const double x = grid.cx + along;
        canvas.text(x, below, ticks.text(tick), under);
        canvas.line(x, grid.cy - grid.height, x, grid.cy + grid.height);
      } else {
        const double y = grid.cy - along;
        canvas.text(left, y + 0.36 * em, ticks.text(tick), beside);
        canvas.line(grid.cx - grid.width, y, grid.cx + grid.width, y);
      }
      canvas.ink(stage.look->line, tick == 0 ? 0.42 : 0.16);
      cairo_stroke(canvas.cr());
    }
  }
  canvas.text(grid.cx + grid.width + 1.2 * em, below, "x₁", under);
  if (stage.shape.d > 1) canvas.text(left, grid.cy - grid.height - 0.5 * em, "x₂", beside);
}

}  // namespace

void draw_plane(Canvas& canvas, const Stage& stage, const Past& past) {
  const Grid grid = place_grid(stage);
  paint_grid(canvas, stage, grid);
  const auto place = [&](const Point& p) {
    return Mark{grid.cx + grid.per_unit * p.x, grid.cy - grid.per_unit * p.y, 0};
  };
  paint_trails(canvas, stage, place_marks(stage, past, place), trail_style(stage));
  paint_dots(canvas, stage, flat_dots(stage, *past.back(), place));
}

}  // namespace murmur::picture
