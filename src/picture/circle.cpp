// circle.cpp: draws a swarm on the unit circle, with its past sinking towards the centre.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "picture/named_stage.h"
#include "picture/stage.h"
#include "picture/swarm_paint.h"

namespace murmur::picture {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kDepth = 0.8;  // share of the radius into which the whole past sinks

// The past on the circle: an instant of progress q lies at radius 1 - kDepth (p - q) when the
// clock stands at p, so every particle draws its angle against time inwards from the rim.
class Rings {
 public:
  Rings(const Stage& stage, double progress)
      : at_(stage.layout), radius_(kCircle * stage.layout.radius), progress_(progress) {}

  double radius() const { return radius_; }
  double radius(double progress) const { return radius_ * (1 - kDepth * (progress_ - progress)); }
  Mark place(const Point& p, double progress) const {
    const double size = std::hypot(p.x, p.y);
    const double r = size > 0 ? radius(progress) / size : 0;
    return {at_.cx + r * p.x, at_.cy - r * p.y, 0};
  }

 private:
  const Layout& at_;
  double radius_, progress_;
};

// The ring of the first instant, named in its empty middle.
void paint_beginning(Canvas& canvas, const Stage& stage, const Rings& rings, double first) {
  const Layout& at = stage.layout;
  const double shown = std::clamp(4 * (1 - rings.radius(0) / rings.radius()), 0.0, 1.0);
  if (shown <= 0) return;
  cairo_arc(canvas.cr(), at.cx, at.cy, rings.radius(0), 0, kTurn);
  canvas.ink(stage.look->line, 0.4 * shown);
  cairo_set_line_width(canvas.cr(), std::max(0.6, 0.9 * at.unit));
  cairo_stroke(canvas.cr());
  canvas.text(
      at.cx, at.cy + 0.36 * at.small_size, stage.clock->readout(first),
      {.size = at.small_size, .colour = stage.look->quiet, .align = Align::centre, .alpha = shown});
}

void paint_world_lines(Canvas& canvas, const Stage& stage, const Past& past, const Rings& rings) {
  const Layout& at = stage.layout;
  cairo_t* cr = canvas.cr();
  std::size_t trailing = 0;
  for (const auto& sample : stage.samples) trailing += sample.size();
  const std::size_t pieces = std::clamp<std::size_t>(40'000 / trailing, 24, 400);
  const std::size_t stride = std::max<std::size_t>(1, (past.size() + pieces - 1) / pieces);
  const double crowd = std::pow(64.0 / std::max<double>(64, static_cast<double>(trailing)), 0.22);
  for (const auto& sample : stage.samples) {
    for (int i : sample) {
      for (std::size_t k = 0; k < past.size(); ++k) {
        if (k % stride != 0 && k + 1 != past.size()) continue;
        const Snapshot& then = *past[k];
        if (!is_finite(then.points[i])) continue;
        const Mark mark = rings.place(then.points[i], then.progress);
        cairo_line_to(cr, mark.x, mark.y);
      }
      cairo_new_sub_path(cr);
    }
    const Colour colour = class_colour(stage.label(sample.front()), stage.look->dark);
    Pattern fade =
        Canvas::radial(at.cx, at.cy, (1 - kDepth) * rings.radius(), at.cx, at.cy, rings.radius());
    Canvas::stop(fade, 0, colour, 0.36 * crowd);
    Canvas::stop(fade, 0.6, colour, 0.62 * crowd);
    Canvas::stop(fade, 1, colour, 0.95 * crowd);
    cairo_set_source(cr, fade.get());
    cairo_set_line_width(cr, std::max(0.7, std::min(1.8 * at.unit, 0.4 * stage.dot)));
    cairo_stroke(cr);
  }
}

}  // namespace

void draw_disc(Canvas& canvas, const Stage& stage) {
  const Rings rings(stage, 1);
  const Layout& at = stage.layout;
  const Theme& look = *stage.look;
  cairo_t* cr = canvas.cr();
  Pattern disc = Canvas::radial(at.cx, at.cy, 0, at.cx, at.cy, rings.radius());
  Canvas::stop(disc, 0, look.body, look.dark ? 0.2 : 0.0);
  Canvas::stop(disc, 0.7, look.body, look.dark ? 0.45 : 0.35);
  Canvas::stop(disc, 1, look.body, look.dark ? 0.9 : 0.85);
  cairo_set_source(cr, disc.get());
  cairo_arc(cr, at.cx, at.cy, rings.radius(), 0, kTurn);
  cairo_fill(cr);
  for (int spoke = 0; spoke < 12; ++spoke) {
    const double c = std::cos(kTurn * spoke / 12), s = std::sin(kTurn * spoke / 12);
    const double inner = (1 - kDepth) * rings.radius();
    canvas.line(at.cx + inner * c, at.cy - inner * s, at.cx + rings.radius() * c,
                at.cy - rings.radius() * s);
  }
  canvas.ink(look.line, 0.7 * look.line_back);
  cairo_set_line_width(cr, std::max(0.6, 0.9 * at.unit));
  cairo_stroke(cr);
  cairo_arc(cr, at.cx, at.cy, rings.radius(), 0, kTurn);
  canvas.ink(look.line, look.dark ? 0.5 : 0.6);
  cairo_set_line_width(cr, std::max(1.0, 1.6 * at.unit));
  cairo_stroke(cr);
}

void draw_circle(Canvas& canvas, const Stage& stage, const Past& past) {
  const Snapshot& now = *past.back();
  const Rings rings(stage, now.progress);
  if (past.size() > 1) {
    paint_world_lines(canvas, stage, past, rings);
    paint_beginning(canvas, stage, rings, past.front()->t);
  }
  const Place place = [&](const Point& p) { return rings.place(p, now.progress); };
  paint_ties(canvas, stage, now, place);
  paint_dots(canvas, stage, flat_dots(stage, now, place));
  paint_names(canvas, stage, now, place);
}

}  // namespace murmur::picture
