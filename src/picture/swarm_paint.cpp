// swarm_paint.cpp: paints particles as lit balls, trails as nested strokes, and the grid of a map.
#include "picture/swarm_paint.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>
#include <unordered_set>

namespace murmur::picture {

namespace {

std::uint64_t cell_of(double x, double y, double side) {
  const auto column = static_cast<std::int32_t>(std::floor(x / side));
  const auto row = static_cast<std::int32_t>(std::floor(y / side));
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(column)) << 32 |
         static_cast<std::uint32_t>(row);
}

// One halo a cell of a grid about as fine as the particles, on the nearest of its dots: a glow of
// the class's colour where it is dark, a soft shadow where it is light.
void paint_halos(Canvas& canvas, const Stage& stage, const std::vector<Dot>& dots) {
  struct Crowd {
    const Dot* dot;
    int count;
  };
  std::unordered_map<std::uint64_t, std::size_t> place;
  std::vector<Crowd> crowds;
  for (const Dot& dot : dots) {
    const auto [found, fresh] =
        place.try_emplace(cell_of(dot.x, dot.y, 1.3 * stage.dot), crowds.size());
    if (fresh) crowds.push_back({&dot, 0});
    Crowd& crowd = crowds[found->second];
    crowd.dot = &dot;
    ++crowd.count;
  }
  for (const auto& [dot, count] : crowds) {
    const double clear = 1 - dot->fog;
    if (stage.theme->dark) {
      const double glow = std::min(0.62, 0.17 + 0.075 * std::log2(1.0 + count));
      const double spread = 2.5 + 0.35 * std::min(4.0, std::log2(1.0 + count));
      canvas.haze(dot->x, dot->y, spread * dot->radius, class_colour(dot->label, true),
                  glow * clear * clear);
    } else {
      const double drop = 0.35 * dot->radius;
      canvas.haze(dot->x + 0.5 * drop, dot->y + drop, 1.75 * dot->radius, stage.theme->shade,
                  0.34 * clear * clear);
    }
  }
}

struct Trace {
  int oldest, particle, layer;
};

void trace_trail(cairo_t* cr, const std::vector<const std::vector<Mark>*>& rows, Trace trace) {
  bool drawing = false;
  for (std::size_t age = trace.oldest; age + 1 < rows.size(); ++age) {
    const Mark &from = (*rows[age])[trace.particle], &to = (*rows[age + 1])[trace.particle];
    const bool here = to.layer == trace.layer && std::isfinite(from.x) && std::isfinite(to.x);
    if (here && !drawing) cairo_move_to(cr, from.x, from.y);
    const double dx = to.x - from.x, dy = to.y - from.y;
    if (here && (!drawing || dx * dx + dy * dy > 4e-4)) cairo_line_to(cr, to.x, to.y);
    drawing = here;
  }
}

}  // namespace

void paint_dots(Canvas& canvas, const Stage& stage, std::vector<Dot> dots) {
  std::stable_sort(dots.begin(), dots.end(),
                   [](const Dot& a, const Dot& b) { return a.depth < b.depth; });
  paint_halos(canvas, stage, dots);
  // Of dots at the same eighth of a pixel only the nearest shows: found from the front.
  std::unordered_set<std::uint64_t> taken;
  std::vector<const Dot*> shown;
  for (auto dot = dots.rbegin(); dot != dots.rend(); ++dot)
    if (taken.insert(cell_of(dot->x, dot->y, 0.125)).second) shown.push_back(&*dot);
  for (auto dot = shown.rbegin(); dot != shown.rend(); ++dot)
    canvas.ball((*dot)->x, (*dot)->y, (*dot)->radius, (*dot)->label, (*dot)->fog, *stage.theme);
}

std::vector<Dot> flat_dots(const Stage& stage, const Snapshot& now, const Place& place) {
  std::vector<Dot> dots;
  dots.reserve(now.points.size());
  for (int i = 0; i < stage.shape.n; ++i) {
    if (!is_finite(now.points[i])) continue;
    const Mark mark = place(now.points[i]);
    dots.push_back({.x = mark.x,
                    .y = mark.y,
                    .depth = static_cast<double>(i),
                    .radius = stage.dot * stage.size[i],
                    .label = stage.label(i)});
  }
  return dots;
}

std::vector<Dot> deep_dots(const Stage& stage, const Snapshot& now, const Camera& camera,
                           const Place& place, double fog) {
  std::vector<Dot> dots;
  dots.reserve(now.points.size());
  for (int i = 0; i < stage.shape.n; ++i) {
    if (!is_finite(now.points[i])) continue;
    const Mark mark = place(now.points[i]);
    const Sight seen = camera.project(now.points[i]);
    const double far = std::clamp((1 - seen.depth) / 2, 0.0, 1.0);
    dots.push_back({.x = mark.x,
                    .y = mark.y,
                    .depth = seen.depth,
                    .radius = stage.dot * stage.size[i] * seen.scale,
                    .fog = fog * far * far,
                    .label = stage.label(i)});
  }
  return dots;
}

TrailStyle trail_style(const Stage& stage) {
  if (stage.settings.map)  // thin, so that the grid shows
    return {.width = std::max(0.8, 0.45 * stage.dot),
            .alpha = 0.5 * std::pow(32.0 / std::max(stage.shape.n, 32), 0.3)};
  return {.width = std::max(0.8, 0.62 * stage.dot),
          .alpha = 0.72 * std::pow(64.0 / std::max(stage.shape.n, 64), 0.22)};
}

std::vector<std::vector<Mark>> place_marks(const Stage& stage, const Past& past,
                                           const Place& place) {
  constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::vector<Mark>> marks;
  for (const auto& snapshot : past) {
    auto& row = marks.emplace_back(static_cast<std::size_t>(stage.shape.n));
    for (const auto& sample : stage.samples)
      for (int i : sample) {
        const Point& p = snapshot->points[i];
        row[i] = is_finite(p) ? place(p) : Mark{kNowhere, kNowhere, -1};
      }
  }
  return marks;
}

void paint_trails(Canvas& canvas, const Stage& stage, const std::vector<std::vector<Mark>>& marks,
                  const TrailStyle& style) {
  if (marks.size() < 2) return;
  std::size_t trailing = 0;
  for (const auto& sample : stage.samples) trailing += sample.size();
  // Each stroke covers a younger part of the trail; together they fade. Many trails need fewer
  // strokes.
  const int strokes = trailing <= 200 ? 14 : trailing <= 1000 ? 7 : 4;
  const std::size_t stride = trailing <= 1000 ? 1 : 1 + marks.size() / 10;
  std::vector<const std::vector<Mark>*> rows;
  for (std::size_t age = (marks.size() - 1) % stride; age < marks.size(); age += stride)
    rows.push_back(&marks[age]);
  const int steps = static_cast<int>(rows.size()) - 1;
  const double each = 1 - std::pow(1 - style.alpha, 1.0 / strokes);
  for (const auto& sample : stage.samples) {
    const Colour colour = mix(class_colour(stage.label(sample.front()), stage.theme->dark),
                              stage.theme->ink, style.pale);
    for (int stroke = 0; stroke < strokes; ++stroke) {
      const double part = static_cast<double>(stroke) / strokes;
      const int oldest = static_cast<int>(std::floor(steps * part));
      for (int i : sample) trace_trail(canvas.cr(), rows, {oldest, i, style.layer});
      canvas.ink(mix(colour, stage.theme->body, style.fog), each);
      cairo_set_line_width(canvas.cr(), style.width * (0.3 + 0.7 * (part + 1.0 / strokes)));
      cairo_stroke(canvas.cr());
    }
  }
}

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
  const Colour carried = class_colour(0, stage.theme->dark);
  if (stage.projection.view == View::plane)  // on the sphere the graticule shows where it was
    paint(stage.first_grid, stage.theme->line, 0.28, 0.9);
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
  canvas.ink(stage.theme->quiet, 0.55);
  cairo_set_line_width(canvas.cr(), std::max(0.6, 0.9 * stage.layout.unit));
  cairo_stroke(canvas.cr());
}

}  // namespace murmur::picture
