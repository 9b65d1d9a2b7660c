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

// As large as the box of the trajectory allows; the grid goes on to the edges of the scene.
Grid place_grid(const Stage& stage) {
  const Layout& at = stage.layout;
  const Projection& box = stage.projection;
  const double half_x = box.half[0] * box.scale, half_y = box.half[1] * box.scale;
  const double room = 2.6 * at.small_size;  // for the numbers
  const double width = at.reach - 0.9 * room, height = at.tall - 0.75 * room;
  return {at.cx + 0.5 * room, at.cy - 0.25 * room, width, height,
          std::min((width - 1.6 * stage.dot) / half_x, (height - 1.6 * stage.dot) / half_y)};
}

void paint_grid(Canvas& canvas, const Stage& stage, const Grid& grid) {
  const Projection& box = stage.projection;
  const double em = stage.layout.small_size;
  const double below = grid.cy + grid.height + 1.7 * em, left = grid.cx - grid.width - 0.7 * em;
  const TextStyle under{.size = em, .colour = stage.look->quiet, .align = Align::centre};
  const TextStyle beside{.size = em, .colour = stage.look->quiet, .align = Align::right};
  cairo_set_line_width(canvas.cr(), std::max(0.6, 0.9 * stage.layout.unit));
  for (int axis = 0; axis < std::min(2, stage.shape.d); ++axis) {
    const double reach = (axis == 0 ? grid.width : grid.height) / (box.scale * grid.per_unit);
    const double low = box.centre[axis] - reach, high = box.centre[axis] + reach;
    const double pixels = axis == 0 ? grid.width : grid.height;
    const Ticks ticks = nice_ticks(low, high, std::max(3, static_cast<int>(pixels / (5.5 * em))));
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
  const TextStyle name{.size = 1.15 * em,
                       .colour = mix(stage.look->quiet, stage.look->ink, 0.6),
                       .align = Align::right};
  canvas.text(grid.cx + grid.width - 0.4 * em, grid.cy + grid.height - 0.6 * em, "x₁", name);
  if (stage.shape.d > 1)
    canvas.text(grid.cx - grid.width + 1.9 * em, grid.cy - grid.height + 1.3 * em, "x₂", name);
}

}  // namespace

void draw_plane(Canvas& canvas, const Stage& stage, const Past& past) {
  const Grid grid = place_grid(stage);
  paint_grid(canvas, stage, grid);
  const auto place = [&](const Point& p) {
    return Mark{grid.cx + grid.per_unit * p.x, grid.cy - grid.per_unit * p.y, 0};
  };
  const SceneClip clip(
      canvas, {grid.cx - grid.width, grid.cy - grid.height, 2 * grid.width, 2 * grid.height});
  paint_grid_of_map(canvas, stage, past.back()->grid, place, 0);
  paint_starts(canvas, stage, place, 0);
  paint_trails(canvas, stage, place_marks(stage, past, place), trail_style(stage));
  paint_dots(canvas, stage, flat_dots(stage, *past.back(), place));
}

}  // namespace murmur::picture
