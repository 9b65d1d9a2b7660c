// views.cpp: draws a swarm in each of its views: on the sphere or in the ball, on the circle, in
// the plane, and in a box of R^d.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "picture/stage.h"
#include "picture/swarm_paint.h"

namespace murmur::picture {

namespace {

constexpr double kPi = std::numbers::pi;
enum Layer { behind = 0, before = 1 };

// The front surface: dims what lies behind, brightens towards the outline.
void paint_veil(Canvas& canvas, const Stage& stage, double opacity) {
  const Layout& at = stage.layout;
  const Theme& theme = *stage.theme;
  const double x = at.cx, y = at.cy, r = at.radius;
  cairo_t* cr = canvas.cr();
  Pattern veil = Canvas::radial(x - 0.38 * r, y - 0.45 * r, 0.04 * r, x, y, r);
  Canvas::stop(veil, 0, theme.lit, opacity);
  Canvas::stop(veil, 0.6, theme.body, opacity);
  Canvas::stop(veil, 1, theme.limb, 0.8 * opacity);
  cairo_set_source(cr, veil.get());
  cairo_arc(cr, x, y, r, 0, 2 * kPi);
  cairo_fill_preserve(cr);

  const Colour rim = theme.dark ? mix(theme.shade, rgb(0xffffff), 0.25) : theme.line;
  Pattern edge = Canvas::radial(x, y, 0.78 * r, x, y, r);
  Canvas::stop(edge, 0, rim, 0);
  Canvas::stop(edge, 0.6, rim, theme.dark ? 0.05 : 0.02);
  Canvas::stop(edge, 1, rim, theme.dark ? 0.26 : 0.15);
  cairo_set_source(cr, edge.get());
  cairo_fill(cr);

  Pattern shine = Canvas::radial(x - 0.42 * r, y - 0.5 * r, 0, x - 0.42 * r, y - 0.5 * r, 0.5 * r);
  Canvas::stop(shine, 0, rgb(0xffffff), theme.dark ? 0.085 : 0.55);
  Canvas::stop(shine, 0.5, rgb(0xffffff), theme.dark ? 0.025 : 0.18);
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
    const double alpha = side == before ? stage.theme->line_front : stage.theme->line_back;
    canvas.ink(stage.theme->line, strong ? std::min(1.0, 1.9 * alpha) : alpha);
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
  canvas.ink(stage.theme->line, stage.theme->dark ? 0.38 : 0.45);
  cairo_set_line_width(canvas.cr(), std::max(0.8, 1.2 * at.unit));
  cairo_stroke(canvas.cr());
}

}  // namespace

// The light falls from the upper left.
void draw_body(Canvas& canvas, const Stage& stage) {
  const Layout& at = stage.layout;
  const Theme& theme = *stage.theme;
  const double x = at.cx, y = at.cy, r = at.radius;
  cairo_t* cr = canvas.cr();
  const double drop = theme.dark ? 0 : 0.035 * r, spread = theme.dark ? 1.32 * r : 1.13 * r;
  Pattern around = Canvas::radial(x, y + drop, 0.9 * r, x, y + drop, spread);
  Canvas::stop(around, 0, theme.shade, theme.dark ? 0.22 : 0.20);
  Canvas::stop(around, 0.45, theme.shade, theme.dark ? 0.075 : 0.06);
  Canvas::stop(around, 1, theme.shade, 0);
  cairo_set_source(cr, around.get());
  cairo_paint(cr);

  Pattern body = Canvas::radial(x - 0.38 * r, y - 0.45 * r, 0.04 * r, x, y, r);
  Canvas::stop(body, 0, theme.lit);
  Canvas::stop(body, 0.5, mix(theme.lit, theme.body, 0.75));
  Canvas::stop(body, 0.8, theme.body);
  Canvas::stop(body, 1, theme.limb);
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
  if (!ball) surface(stage.theme->veil);
  paint_grid_of_map(canvas, stage, past.back()->grid, place, before);
  paint_starts(canvas, stage, place, before);
  paint_trails(canvas, stage, marks, near);
  paint_ties(canvas, stage, *past.back(), place);
  paint_dots(canvas, stage, open);
  paint_names(canvas, stage, *past.back(), place);
}

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kDepth = 0.8;  // share of the radius into which the whole past sinks

// The past on the circle: an instant of progress q lies at radius 1 - kDepth (p - q) when the clock
// shows p, so every particle draws its angle against time inwards from the rim.
class PastRings {
 public:
  PastRings(const Stage& stage, double progress)
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
void paint_first_ring(Canvas& canvas, const Stage& stage, const PastRings& rings, double first) {
  const Layout& at = stage.layout;
  const double shown = std::clamp(4 * (1 - rings.radius(0) / rings.radius()), 0.0, 1.0);
  if (shown <= 0) return;
  cairo_arc(canvas.cr(), at.cx, at.cy, rings.radius(0), 0, kTurn);
  canvas.ink(stage.theme->line, 0.4 * shown);
  cairo_set_line_width(canvas.cr(), std::max(0.6, 0.9 * at.unit));
  cairo_stroke(canvas.cr());
  canvas.text(at.cx, at.cy + 0.36 * at.small_size, stage.clock->readout(first),
              {.size = at.small_size,
               .colour = stage.theme->quiet,
               .align = Align::centre,
               .alpha = shown});
}

void paint_past(Canvas& canvas, const Stage& stage, const Past& past, const PastRings& rings) {
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
    const Colour colour = class_colour(stage.label(sample.front()), stage.theme->dark);
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
  const PastRings rings(stage, 1);
  const Layout& at = stage.layout;
  const Theme& theme = *stage.theme;
  cairo_t* cr = canvas.cr();
  Pattern disc = Canvas::radial(at.cx, at.cy, 0, at.cx, at.cy, rings.radius());
  Canvas::stop(disc, 0, theme.body, theme.dark ? 0.2 : 0.0);
  Canvas::stop(disc, 0.7, theme.body, theme.dark ? 0.45 : 0.35);
  Canvas::stop(disc, 1, theme.body, theme.dark ? 0.9 : 0.85);
  cairo_set_source(cr, disc.get());
  cairo_arc(cr, at.cx, at.cy, rings.radius(), 0, kTurn);
  cairo_fill(cr);
  for (int spoke = 0; spoke < 12; ++spoke) {
    const double c = std::cos(kTurn * spoke / 12), s = std::sin(kTurn * spoke / 12);
    const double inner = (1 - kDepth) * rings.radius();
    canvas.line(at.cx + inner * c, at.cy - inner * s, at.cx + rings.radius() * c,
                at.cy - rings.radius() * s);
  }
  canvas.ink(theme.line, 0.7 * theme.line_back);
  cairo_set_line_width(cr, std::max(0.6, 0.9 * at.unit));
  cairo_stroke(cr);
  cairo_arc(cr, at.cx, at.cy, rings.radius(), 0, kTurn);
  canvas.ink(theme.line, theme.dark ? 0.5 : 0.6);
  cairo_set_line_width(cr, std::max(1.0, 1.6 * at.unit));
  cairo_stroke(cr);
}

void draw_circle(Canvas& canvas, const Stage& stage, const Past& past) {
  const Snapshot& now = *past.back();
  const PastRings rings(stage, now.progress);
  if (past.size() > 1) {
    paint_past(canvas, stage, past, rings);
    paint_first_ring(canvas, stage, rings, past.front()->t);
  }
  const Place place = [&](const Point& p) { return rings.place(p, now.progress); };
  paint_ties(canvas, stage, now, place);
  paint_dots(canvas, stage, flat_dots(stage, now, place));
  paint_names(canvas, stage, now, place);
}

namespace {

// The place of the grid on the canvas, in pixels; both axes have one scale.
struct Grid {
  double cx, cy;         // middle
  double width, height;  // half lengths
  double per_unit;       // pixels a scene unit
};

// As large as the box of the trajectory allows; the grid continues to the edges of the scene.
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
  const TextStyle under{.size = em, .colour = stage.theme->quiet, .align = Align::centre};
  const TextStyle beside{.size = em, .colour = stage.theme->quiet, .align = Align::right};
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
      canvas.ink(stage.theme->line, tick == 0 ? 0.42 : 0.16);
      cairo_stroke(canvas.cr());
    }
  }
  const TextStyle name{.size = 1.15 * em,
                       .colour = mix(stage.theme->quiet, stage.theme->ink, 0.6),
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

namespace {

struct Spot {
  double x, y;  // pixels
};

class BoxPainter {
 public:
  BoxPainter(Canvas& canvas, const Stage& stage, const Camera& camera)
      : canvas_(canvas), stage_(stage), camera_(camera), at_(stage.layout) {
    for (int k = 0; k < 3; ++k) {
      half_[k] = stage.projection.half[k] * stage.projection.scale;
      back_[k] = camera.sees_side(k, 1) ? -half_[k] : half_[k];
    }
    fit();
  }

  Spot spot(const std::array<double, 3>& p) const {
    const Sight seen = camera_.project(
        {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
    return {cx_ + zoom_ * seen.x, cy_ - zoom_ * seen.y};
  }

  void paint() {
    for (int k = 0; k < 3; ++k) paint_face(k);
    for (int k = 0; k < 3; ++k) paint_scale(k);
  }

  // Shadows straight below on the floor show how high each particle is.
  void paint_shadows(const std::vector<Point>& points) {
    if (points.size() > 4000) return;
    std::unordered_set<std::uint64_t> taken;
    const Colour dark = stage_.theme->dark ? rgb(0x000000) : stage_.theme->shade;
    for (const Point& p : points) {
      if (!is_finite(p)) continue;
      const Spot s = spot({p.x, p.y, back_[2]});
      const auto cell =
          static_cast<std::uint64_t>(static_cast<std::uint32_t>(std::lround(s.x / stage_.dot)))
              << 32 |
          static_cast<std::uint32_t>(std::lround(s.y / stage_.dot));
      if (taken.insert(cell).second)
        canvas_.haze(s.x, s.y, 1.4 * stage_.dot, dark, stage_.theme->dark ? 0.28 : 0.15);
    }
  }

 private:
  // As large as the corners allow wherever the camera travels, with room for numbers and names.
  void fit() {
    constexpr int kAngles = 9;
    double left = 0, right = 0, low = 0, high = 0;
    for (int k = 0; k < kAngles; ++k) {
      const Camera camera(stage_.settings.azimuth + stage_.settings.turn * k / (kAngles - 1),
                          stage_.settings.elevation);
      for (int corner = 0; corner < 8; ++corner) {
        const auto along = [&](int k) {
          return static_cast<float>(corner >> k & 1 ? half_[k] : -half_[k]);
        };
        const Sight seen = camera.project({along(0), along(1), along(2)});
        left = std::min(left, seen.x), right = std::max(right, seen.x);
        low = std::min(low, seen.y), high = std::max(high, seen.y);
      }
    }
    const double beside = 4.6 * at_.small_size, below = 3.4 * at_.small_size;
    const double width = 2 * at_.reach - 2 * beside, height = 2 * at_.tall - below;
    zoom_ = std::min(width / (right - left), height / (high - low));
    cx_ = at_.cx - zoom_ * (left + right) / 2;
    cy_ = at_.cy - 0.5 * below + zoom_ * (low + high) / 2;
  }

  Ticks ticks(int k) const {
    const Projection& box = stage_.projection;
    const double share = box.half[k] / *std::max_element(box.half.begin(), box.half.end());
    return nice_ticks(box.centre[k] - box.half[k], box.centre[k] + box.half[k],
                      share > 0.6 ? 5 : 3);
  }
  double scene(int k, double value) const {
    return (value - stage_.projection.centre[k]) * stage_.projection.scale;
  }

  // The face across axis k that lies behind everything, with its grid.
  void paint_face(int k) {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    cairo_t* cr = canvas_.cr();
    const auto corner = [&](int sa, int sb) {
      std::array<double, 3> p{};
      p[k] = back_[k], p[a] = sa * half_[a], p[b] = sb * half_[b];
      return spot(p);
    };
    for (const auto& [sa, sb] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
      const Spot s = corner(sa, sb);
      cairo_line_to(cr, s.x, s.y);
    }
    cairo_close_path(cr);
    const double fill = stage_.theme->dark ? (k == 2 ? 0.55 : 0.3) : (k == 2 ? 0.75 : 0.4);
    canvas_.ink(stage_.theme->body, fill);
    cairo_fill_preserve(cr);
    canvas_.ink(stage_.theme->line, 0.3);
    cairo_set_line_width(cr, std::max(0.6, 0.9 * at_.unit));
    cairo_stroke(cr);
    for (const auto& [along, across] : {std::pair{a, b}, {b, a}}) {
      for (double tick : ticks(along).at) {
        std::array<double, 3> p{};
        p[k] = back_[k], p[along] = scene(along, tick), p[across] = -half_[across];
        const Spot from = spot(p);
        p[across] = half_[across];
        const Spot to = spot(p);
        canvas_.line(from.x, from.y, to.x, to.y);
      }
    }
    canvas_.ink(stage_.theme->line, stage_.theme->dark ? 0.14 : 0.17);
    cairo_stroke(cr);
  }

  // Numbers and name of axis k along the edge where they hide nothing: x and y on the near edges
  // of the floor, z on the leftmost upright edge.
  void paint_scale(int k) {
    std::array<double, 3> edge = back_;
    if (k == 0) edge[1] = -back_[1];
    if (k == 1) edge[0] = -back_[0];
    if (k == 2) {
      const Spot one = spot({-back_[0], back_[1], 0}), two = spot({back_[0], -back_[1], 0});
      edge[one.x < two.x ? 0 : 1] *= -1;
    }
    edge[k] = 0;
    const Spot middle = spot({0, 0, k == 2 ? 0 : back_[2]}), mid_edge = spot(edge);
    const double reach = std::hypot(mid_edge.x - middle.x, mid_edge.y - middle.y);
    const Spot out{(mid_edge.x - middle.x) / reach, (mid_edge.y - middle.y) / reach};
    const TextStyle small{
        .size = at_.small_size, .colour = stage_.theme->quiet, .align = Align::centre};
    const Ticks marks = ticks(k);
    double widest = 0;
    for (double tick : marks.at) {
      edge[k] = scene(k, tick);
      const Spot s = spot(edge);
      const double width = canvas_.text_width(marks.text(tick), small.size);
      widest = std::max(widest, width);
      const double away = 0.9 * small.size + std::abs(out.x) * width / 2;
      canvas_.text(s.x + away * out.x, s.y + away * out.y + 0.36 * small.size, marks.text(tick),
                   small);
    }
    TextStyle name = small;
    name.size *= 1.15;
    name.colour = mix(stage_.theme->quiet, stage_.theme->ink, 0.6);
    const double away = 2.5 * small.size + std::abs(out.x) * widest;
    canvas_.text(mid_edge.x + away * out.x, mid_edge.y + away * out.y + 0.36 * name.size,
                 axis_name(k), name);
  }

  std::string axis_name(int k) const {
    static const char* const subscripts[] = {"₁", "₂", "₃"};
    if (stage_.projection.principal) return fmt::format("PC {}", k + 1);
    return fmt::format("{}{}", stage_.settings.axes.empty() ? "x" : "a", subscripts[k]);
  }

  Canvas& canvas_;
  const Stage& stage_;
  const Camera& camera_;
  const Layout& at_;
  std::array<double, 3> half_{}, back_{};
  double zoom_ = 1;         // pixels per unit of the camera's plane
  double cx_ = 0, cy_ = 0;  // the middle of the box
};

}  // namespace

void draw_box(Canvas& canvas, const Stage& stage, const Past& past, double azimuth) {
  const Camera camera(azimuth, stage.settings.elevation);
  BoxPainter box(canvas, stage, camera);
  const auto place = [&](const Point& p) {
    const Spot s = box.spot({p.x, p.y, p.z});
    return Mark{s.x, s.y, 0};
  };
  box.paint();
  const Layout& at = stage.layout;
  const SceneClip clip(canvas, {at.cx - at.reach, at.cy - at.tall, 2 * at.reach, 2 * at.tall});
  box.paint_shadows(past.back()->points);
  paint_starts(canvas, stage, place, 0);
  paint_trails(canvas, stage, place_marks(stage, past, place), trail_style(stage));
  paint_dots(canvas, stage, deep_dots(stage, *past.back(), camera, place, 0.42));
}

}  // namespace murmur::picture
