// sphere.cpp: draws a swarm on the unit sphere, or within the ball that is its projection.
#include <cmath>
#include <numbers>

#include "picture/named_stage.h"
#include "picture/stage.h"
#include "picture/swarm_paint.h"

namespace murmur::picture {

namespace {

constexpr double kPi = std::numbers::pi;
enum Layer { behind = 0, before = 1 };

// The front surface: dims what lies behind, brightens towards the outline.
void paint_veil(Canvas& canvas, const Stage& stage, double opacity) {
  const Layout& at = stage.layout;
  const Theme& look = *stage.look;
  const double x = at.cx, y = at.cy, r = at.radius;
  cairo_t* cr = canvas.cr();
  Pattern veil = Canvas::radial(x - 0.38 * r, y - 0.45 * r, 0.04 * r, x, y, r);
  Canvas::stop(veil, 0, look.lit, opacity);
  Canvas::stop(veil, 0.6, look.body, opacity);
  Canvas::stop(veil, 1, look.limb, 0.8 * opacity);
  cairo_set_source(cr, veil.get());
  cairo_arc(cr, x, y, r, 0, 2 * kPi);
  cairo_fill_preserve(cr);

  const Colour rim = look.dark ? mix(look.shade, rgb(0xffffff), 0.25) : look.line;
  Pattern edge = Canvas::radial(x, y, 0.78 * r, x, y, r);
  Canvas::stop(edge, 0, rim, 0);
  Canvas::stop(edge, 0.6, rim, look.dark ? 0.05 : 0.02);
  Canvas::stop(edge, 1, rim, look.dark ? 0.26 : 0.15);
  cairo_set_source(cr, edge.get());
  cairo_fill(cr);

  Pattern shine = Canvas::radial(x - 0.42 * r, y - 0.5 * r, 0, x - 0.42 * r, y - 0.5 * r, 0.5 * r);
  Canvas::stop(shine, 0, rgb(0xffffff), look.dark ? 0.085 : 0.55);
  Canvas::stop(shine, 0.5, rgb(0xffffff), look.dark ? 0.025 : 0.18);
  Canvas::stop(shine, 1, rgb(0xffffff), 0);
  cairo_set_source(cr, shine.get());
  cairo_arc(cr, x, y, r, 0, 2 * kPi);
  cairo_fill(cr);
}

// Parallels and meridians every thirty degrees, the side asked for.
void paint_graticule(Canvas& canvas, const Stage& stage, const Camera& camera, Layer side) {
  constexpr int kPieces = 120;
  const Layout& at = stage.layout;
  cairo_t* cr = canvas.cr();
  const auto curve = [&](const auto& point, bool strong) {
    bool drawing = false;
    for (int k = 0; k <= kPieces; ++k) {
      const Sight seen = camera.project(point(2 * kPi * k / kPieces));
      const bool here = (seen.depth > Camera::horizon()) == (side == before);
      const double x = at.cx + at.radius * seen.x, y = at.cy - at.radius * seen.y;
      if (here && drawing) cairo_line_to(cr, x, y);
      if (here && !drawing) cairo_move_to(cr, x, y);
      drawing = here;
    }
    const double alpha = side == before ? stage.look->line_front : stage.look->line_back;
    canvas.ink(stage.look->line, strong ? std::min(1.0, 1.9 * alpha) : alpha);
    cairo_set_line_width(cr, std::max(0.6, (strong ? 1.3 : 0.9) * at.unit));
    cairo_stroke(cr);
  };
  for (int step = -2; step <= 2; ++step) {
    const double latitude = step * kPi / 6;
    curve(
        [&](double s) {
          return Point{static_cast<float>(std::cos(latitude) * std::cos(s)),
                       static_cast<float>(std::cos(latitude) * std::sin(s)),
                       static_cast<float>(std::sin(latitude))};
        },
        step == 0);
  }
  for (int step = 0; step < 6; ++step) {
    const double longitude = step * kPi / 6;
    curve(
        [&](double s) {
          return Point{static_cast<float>(std::cos(s) * std::cos(longitude)),
                       static_cast<float>(std::cos(s) * std::sin(longitude)),
                       static_cast<float>(std::sin(s))};
        },
        false);
  }
}

void paint_outline(Canvas& canvas, const Stage& stage) {
  const Layout& at = stage.layout;
  cairo_arc(canvas.cr(), at.cx, at.cy, at.radius, 0, 2 * kPi);
  canvas.ink(stage.look->line, stage.look->dark ? 0.38 : 0.45);
  cairo_set_line_width(canvas.cr(), std::max(0.8, 1.2 * at.unit));
  cairo_stroke(canvas.cr());
}

}  // namespace

// The light falls from the upper left.
void draw_body(Canvas& canvas, const Stage& stage) {
  const Layout& at = stage.layout;
  const Theme& look = *stage.look;
  const double x = at.cx, y = at.cy, r = at.radius;
  cairo_t* cr = canvas.cr();
  const double drop = look.dark ? 0 : 0.035 * r, spread = look.dark ? 1.32 * r : 1.13 * r;
  Pattern around = Canvas::radial(x, y + drop, 0.9 * r, x, y + drop, spread);
  Canvas::stop(around, 0, look.shade, look.dark ? 0.22 : 0.20);
  Canvas::stop(around, 0.45, look.shade, look.dark ? 0.075 : 0.06);
  Canvas::stop(around, 1, look.shade, 0);
  cairo_set_source(cr, around.get());
  cairo_paint(cr);

  Pattern body = Canvas::radial(x - 0.38 * r, y - 0.45 * r, 0.04 * r, x, y, r);
  Canvas::stop(body, 0, look.lit);
  Canvas::stop(body, 0.5, mix(look.lit, look.body, 0.75));
  Canvas::stop(body, 0.8, look.body);
  Canvas::stop(body, 1, look.limb);
  cairo_set_source(cr, body.get());
  cairo_arc(cr, x, y, r, 0, 2 * kPi);
  cairo_fill(cr);
}

void draw_sphere(Canvas& canvas, const Stage& stage, const Past& past, double azimuth) {
  const Layout& at = stage.layout;
  const Camera camera(azimuth, stage.settings.elevation);
  const bool ball = stage.projection.view == View::ball;
  const double horizon = ball ? 0 : Camera::horizon();
  const auto place = [&](const Point& p) {
    const Sight seen = camera.project(p);
    return Mark{at.cx + at.radius * seen.x, at.cy - at.radius * seen.y,
                seen.depth > horizon ? before : behind};
  };
  const auto marks = place_marks(stage, past, place);
  TrailStyle near = trail_style(stage), far = near;
  near.layer = before;
  far.layer = behind, far.width *= 0.8, far.alpha *= 0.7, far.fog = 0.25;
  std::vector<Dot> open, hidden;
  for (const Dot& dot : deep_dots(stage, *past.back(), camera, place, 0.38))
    (dot.depth > horizon ? open : hidden).push_back(dot);

  const auto surface = [&](double opacity) {
    canvas.layer(kVeil, [&] { paint_veil(canvas, stage, opacity); });
    paint_graticule(canvas, stage, camera, before);
    paint_outline(canvas, stage);
  };
  paint_graticule(canvas, stage, camera, behind);
  if (ball) surface(0.08);  // everything moves inside: the surface stays faint, and behind
  paint_grid_of_map(canvas, stage, past.back()->grid, place, behind);
  paint_starts(canvas, stage, place, behind);
  paint_trails(canvas, stage, marks, far);
  paint_dots(canvas, stage, hidden);
  if (!ball) surface(stage.look->veil);
  paint_grid_of_map(canvas, stage, past.back()->grid, place, before);
  paint_starts(canvas, stage, place, before);
  paint_trails(canvas, stage, marks, near);
  paint_ties(canvas, stage, *past.back(), place);
  paint_dots(canvas, stage, open);
  paint_names(canvas, stage, *past.back(), place);
}

}  // namespace murmur::picture
