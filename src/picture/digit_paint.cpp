// digit_paint.cpp: paints the scene of a digit or a sentence: floor, ink, gates, tokens as darts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "picture/digit_stage.h"

namespace murmur::picture {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

class ManifoldPainter {
 public:
  ManifoldPainter(Canvas& canvas, const DigitStage& stage, const Shot& shot, const Moment& now)
      : canvas_(canvas),
        cr_(canvas.cr()),
        stage_(stage),
        look_(stage.look()),
        shot_(shot),
        now_(now),
        unit_(shot.unit) {}

  void paint_floor() {
    cairo_save(cr_);
    const Frame& w = shot_.window;
    cairo_rectangle(cr_, w.x, w.y, w.width, w.height);
    cairo_clip(cr_);
    trace({stage_.place(-10, -10, 0), stage_.place(10, -10, 0), stage_.place(10, 10, 0),
           stage_.place(-10, 10, 0)});
    cairo_close_path(cr_);
    canvas_.ink(look_.dark ? look_.lit : look_.body, look_.dark ? 0.20 : 0.62);
    cairo_fill_preserve(cr_);
    canvas_.ink(look_.line, look_.dark ? 0.34 : 0.40);
    cairo_set_line_width(cr_, std::max(0.7, 1.1 * unit_));
    cairo_stroke(cr_);
    for (int k = -5; k <= 5; k += 5) {
      trace({stage_.place(k, -10, 0), stage_.place(k, 10, 0)});
      trace({stage_.place(-10, k, 0), stage_.place(10, k, 0)});
    }
    canvas_.ink(look_.line, look_.dark ? 0.13 : 0.20);
    cairo_set_line_width(cr_, std::max(0.6, 0.8 * unit_));
    cairo_stroke(cr_);
    cairo_restore(cr_);
  }

  // The ink as tiles on the floor; what has left leaves a print.
  void paint_print() {
    const DigitTrajectory& trajectory = *stage_.trajectory;
    const double share = 0.16 + 0.5 * (1 - smooth(now_.t / 0.8));
    if (trajectory.ink.empty()) return;
    const PixelPlaces at = pixel_places(trajectory);
    const double dx = at.width, dy = at.height;
    for (int row = 0; row < trajectory.height; ++row) {
      for (int column = 0; column < trajectory.width; ++column) {
        const int ink = trajectory.ink[static_cast<std::size_t>(row) * trajectory.width + column];
        if (ink < 16) continue;
        const double x = at.column[column], y = at.row[row], a = 0.44 * dx, b = 0.44 * dy;
        trace({stage_.place(x - a, y - b, 0), stage_.place(x + a, y - b, 0),
               stage_.place(x + a, y + b, 0), stage_.place(x - a, y + b, 0)});
        cairo_close_path(cr_);
        canvas_.ink(look_.dark ? look_.line : look_.shade, share * ink / 255);
        cairo_fill(cr_);
      }
    }
  }

  void paint_shadows(const std::vector<Point>& points) {
    if (stage_.flat || points.size() > 4000) return;
    const Point low = stage_.place(-10, -10, 0), high = stage_.place(10, 10, 0);
    const double strength = (look_.dark ? 0.30 : 0.13) * smooth(now_.t / 0.5);
    for (const Point& p : points) {
      const bool above = p.x > low.x && p.x < high.x && p.y > low.y && p.y < high.y && p.z > low.z;
      const Point below{p.x, p.y, low.z};
      const Mark m = token_mark(below);
      if (above && std::isfinite(m.x))
        canvas_.haze(m.x, m.y, 1.5 * radius(below, 1), look_.dark ? rgb(0) : look_.shade, strength);
    }
  }

  // A ring that faces the eye, turned a little to the middle, on a post from the floor; the far
  // half goes behind the tokens.
  void paint_gates(bool near) {
    const std::vector<double> chance = stage_.chances(now_.t);
    for (int c = 0; c < stage_.classes(); ++c) {
      const Colour colour = class_colour(c, look_.dark);
      const double won = now_.landed * (c == stage_.verdict ? 1 : 0);
      const double power = std::min(1.0, 0.5 + 0.4 * chance[c] + 0.3 * won);
      if (!near) paint_post(c, colour, chance[c], won);
      const double width = std::max(1.6, (3.0 + 1.2 * won) * unit_);
      for (const auto& [spread, alpha] : {std::pair{3.6, 0.10}, {2.0, 0.16}, {1.0, 1.0}}) {
        trace_ring(c, near);
        cairo_set_line_width(cr_, spread * width);
        canvas_.ink(colour, alpha * power);
        cairo_stroke(cr_);
      }
    }
  }

  void paint_gate_names() {
    const double size = std::clamp((stage_.classes() > 4 ? 20 : 30) * unit_,
                                   std::min(16.0, 1.1 * stage_.layout.text_size), 60.0);
    std::vector<PlacedWord> names;
    for (int c = 0; c < stage_.classes(); ++c) {
      double top = canvas_.height();
      const Mark middle = shot_.mark(stage_.gate[c]);
      if (!std::isfinite(middle.x)) continue;
      for (const Point& p : ring_points(c)) {
        const Mark m = shot_.mark(p);
        if (std::isfinite(m.y)) top = std::min(top, m.y);
      }
      const std::string name =
          canvas_.shorten(clean_text(stage_.trajectory->classes[c]), 8 * size, size, true);
      names.push_back({.text = name,
                       .style = {.size = size,
                                 .colour = class_colour(c, look_.dark),
                                 .bold = true,
                                 .align = Align::centre},
                       .x = middle.x,
                       .y = top - 0.71 * size,
                       .width = canvas_.text_width(name, size, true)});
    }
    for (int round = 0; round < 20; ++round) push_apart(names);
    for (const PlacedWord& name : names)
      halo_text(name.x, name.y + 0.36 * size, name.text, name.style);
  }

  void paint_trails_of(const Past& past) {
    const double dot = radius({0, 0, 0}, 1);
    paint_trails(canvas_, stage_.swarm,
                 place_marks(stage_.swarm, past, [&](const Point& p) { return token_mark(p); }),
                 {.width = std::max(0.8, 0.62 * dot),
                  .alpha = 0.5 * std::pow(100.0 / std::max(stage_.swarm.shape.n, 100), 0.22),
                  .pale = 0.6 * (1 - now_.boldness)});
  }

  void paint_tokens(const Past& past) {
    const std::vector<Point>&here = past.back()->points, &before = past[past.size() - 2]->points;
    const double dt = past.back()->t - past[past.size() - 2]->t;
    std::vector<Dart> darts;
    for (int i = 0; i < stage_.swarm.shape.n; ++i) {
      const Dart dart = dart_of(i, here[i], before[i], dt);
      if (std::isfinite(dart.x)) darts.push_back(dart);
    }
    std::stable_sort(darts.begin(), darts.end(),
                     [](const Dart& a, const Dart& b) { return a.depth < b.depth; });
    for (const Dart& dart : darts) {
      const double clear = 1 - 0.5 * dart.fog;
      if (look_.dark)
        canvas_.haze(dart.x, dart.y, 2.9 * dart.radius, dart.colour, 0.17 * clear);
      else
        canvas_.haze(dart.x + 0.15 * dart.radius, dart.y + 0.35 * dart.radius, 1.6 * dart.radius,
                     look_.shade, 0.22 * clear);
    }
    for (const Dart& dart : darts) paint_dart(dart);
  }

  // The place of what is read, the one token or the mean of all; outside of the window at its rim.
  Mark readout_mark(const std::vector<Point>& points) const {
    Point p{};
    if (const int read = stage_.trajectory->read(); read >= 0) {
      p = points[static_cast<std::size_t>(read)];
    } else {
      for (const Point& q : points) p = {p.x + q.x, p.y + q.y, p.z + q.z};
      const auto n = static_cast<float>(points.size());
      p = {p.x / n, p.y / n, p.z / n};
    }
    Mark m = shot_.mark(p);
    if (!std::isfinite(m.x)) return m;
    const double r = readout_radius();
    const Frame& w = shot_.window;
    m.x = std::clamp(m.x, w.x + 1.5 * r, w.x + w.width - 1.5 * r);
    m.y = std::clamp(m.y, w.y + 1.5 * r, w.y + w.height - 1.5 * r);
    return m;
  }

  // A ring around what is read.
  void paint_readout(const std::vector<Point>& points) {
    const Mark m = readout_mark(points);
    if (!std::isfinite(m.x)) return;
    const double r = readout_radius();
    for (const auto& [width, colour, alpha] :
         {std::tuple{4.2, look_.edge, 0.7}, {1.9, look_.ink, 1.0}}) {
      cairo_new_sub_path(cr_);
      cairo_arc(cr_, m.x, m.y, r, 0, kTurn);
      for (const auto& [x, y] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}})
        canvas_.line(m.x + x * r, m.y + y * r, m.x + 1.45 * x * r, m.y + 1.45 * y * r);
      canvas_.ink(colour, alpha);
      cairo_set_line_width(cr_, std::max(0.5 * width, width * unit_));
      cairo_stroke(cr_);
    }
  }

  // Words above their tokens, pushed apart where they would cover each other, with lines to the
  // tokens that they left.
  void paint_words(const std::vector<Point>& points) {
    if (stage_.trajectory->words.empty()) return;
    std::vector<Mark> marks;
    for (const Point& p : points) marks.push_back(token_mark(p));
    marks[static_cast<std::size_t>(stage_.trajectory->asked)] = readout_mark(points);
    const std::vector<PlacedWord> placed =
        place_words(canvas_, stage_, shot_, marks, 1.2 * radius({0, 0, 0}, 1));
    for (const PlacedWord& word : placed) {
      const double low = word.y + word.style.size / 2;
      if (std::hypot(word.x - word.token.x, low - word.token.y) < 2.2 * word.style.size) continue;
      const double end = word.y > word.token.y ? word.y - 0.5 * word.style.size : low;
      canvas_.line(word.token.x, word.token.y, word.x, end);
      canvas_.ink(look_.quiet, 0.35);
      cairo_set_line_width(cr_, std::max(0.7, 0.9 * unit_));
      cairo_stroke(cr_);
    }
    for (const PlacedWord& word : placed)
      halo_text(word.x, word.y + 0.36 * word.style.size, word.text, word.style);
  }

  // Tokens that are not inside of the window.
  int outside(const std::vector<Point>& points) const {
    return static_cast<int>(std::count_if(points.begin(), points.end(), [&](const Point& p) {
      return !std::isfinite(token_mark(p).x);
    }));
  }

 private:
  struct Dart {
    double x = 0, y = 0, depth = 0;
    double along = 1, across = 0;  // heading on the canvas, of length 1
    double length = 0;             // 0: a disc, 1: a dart seen from the side
    double radius = 1, fog = 0;
    Colour colour{};
  };

  Mark token_mark(const Point& p) const {
    const Mark m = shot_.mark(p);
    const Frame& w = shot_.window;
    const bool inside = m.x > w.x && m.x < w.x + w.width && m.y > w.y && m.y < w.y + w.height;
    constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
    return inside ? m : Mark{kNowhere, kNowhere, 0};
  }

  double readout_radius() const { return std::max(4.5, 12 * unit_); }

  double radius(const Point& p, double size) const {
    const int n = stage_.swarm.shape.n;
    const double world = 0.32 * std::pow(110.0 / std::max(n, 110), 0.4);
    return size * std::max(1.4 + 0.9 * unit_, world * stage_.unit() * shot_.size(p));
  }

  Dart dart_of(int i, const Point& here, const Point& before, double dt) const {
    const Mark m = token_mark(here), from = shot_.mark(before);
    const bool cls = stage_.trajectory->cls && i + 1 == stage_.swarm.shape.n;
    Dart dart{.x = m.x, .y = m.y, .depth = shot_.camera.project(here).depth};
    dart.radius = radius(here, cls ? 1.5 : 1);
    dart.fog = shot_.fog(here);
    const int label = stage_.swarm.label(i);
    const double pale = std::round(16 * (1 - now_.boldness)) / 16;  // few colours, few sprites
    dart.colour = cls ? look_.ink : mix(class_colour(label, look_.dark), look_.ink, pale);
    const double way = std::hypot(here.x - before.x, here.y - before.y, here.z - before.z);
    const double seen = std::hypot(m.x - from.x, m.y - from.y);
    if (!(dt > 0) || !(seen > 1e-6) || !(way > 0)) return dart;
    dart.along = (m.x - from.x) / seen, dart.across = (m.y - from.y) / seen;
    const double speed = way / dt / stage_.unit();  // lengths a block
    const double side_on = std::min(1.0, seen / (way * shot_.size(here)));
    dart.length = smooth(speed / 0.25) * (0.35 + 0.65 * side_on);
    return dart;
  }

  // Outline from a disc to a dart with a notched tail, in halves lit from one side.
  void paint_dart(const Dart& dart) {
    static constexpr double kOutline[7][2] = {{1.95, 0},     {0.9, 0.36},   {-0.25, 0.74},
                                              {-1.25, 0.98}, {-1.08, 0.62}, {-0.86, 0.3},
                                              {-0.72, 0}};
    const auto point = [&](int k, double side) {
      const double angle = std::numbers::pi * k / 6;
      const double disc = 0.86, s = dart.length;
      const double x = dart.radius * ((1 - s) * disc * std::cos(angle) + s * kOutline[k][0]);
      const double y = dart.radius * ((1 - s) * disc * std::sin(angle) + s * kOutline[k][1]) * side;
      cairo_line_to(cr_, dart.x + dart.along * x - dart.across * y,
                    dart.y + dart.across * x + dart.along * y);
    };
    for (int k = 0; k < 7; ++k) point(k, 1);
    for (int k = 5; k > 0; --k) point(k, -1);
    cairo_close_path(cr_);
    const Colour base = mix(dart.colour, look_.dark ? look_.body : look_.centre, 0.42 * dart.fog);
    canvas_.ink(look_.dark ? look_.edge : look_.centre, 0.6);
    cairo_set_line_width(cr_, std::min(0.4 * dart.radius, 2.0));
    cairo_stroke_preserve(cr_);
    canvas_.ink(mix(base, rgb(0), 0.30 * dart.length));
    cairo_fill(cr_);
    const double lit = dart.along > 0 ? -1 : 1;  // the upper half is lit
    for (int k = 0; k < 7; ++k) point(k, lit);
    cairo_close_path(cr_);
    canvas_.ink(mix(base, rgb(0xffffff), 0.22 * dart.length));
    cairo_fill(cr_);
  }

  void trace(const std::vector<Point>& points) {
    bool drawing = false;
    for (const Point& p : points) {
      const Mark m = shot_.mark(p);
      if (!std::isfinite(m.x)) continue;
      drawing ? cairo_line_to(cr_, m.x, m.y) : cairo_move_to(cr_, m.x, m.y);
      drawing = true;
    }
  }

  std::vector<Point> ring_points(int c) const {
    constexpr int kPoints = 72;
    const Point g = stage_.gate[c], o = stage_.place(0, 0, 0);
    double u[3] = {1, 0, 0}, w[3] = {0, 1, 0};
    const Point eye = shot_.camera.eye();
    const double turned = 0.7 / std::max(1e-9F, std::hypot(g.x - o.x, g.y - o.y, g.z - o.z));
    const double nx = eye.x + turned * (g.x - o.x), ny = eye.y + turned * (g.y - o.y);
    const double nz = eye.z + turned * (g.z - o.z);
    const double flat = std::hypot(nx, ny), whole = std::hypot(flat, nz);
    if (!stage_.flat && flat > 1e-6) {
      u[0] = -ny / flat, u[1] = nx / flat;
      w[0] = -nx * nz / (flat * whole), w[1] = -ny * nz / (flat * whole), w[2] = flat / whole;
    }
    std::vector<Point> points;
    for (int k = 0; k <= kPoints; ++k) {
      const double a = stage_.ring * std::cos(kTurn * k / kPoints);
      const double b = stage_.ring * std::sin(kTurn * k / kPoints);
      points.push_back({static_cast<float>(g.x + a * u[0] + b * w[0]),
                        static_cast<float>(g.y + a * u[1] + b * w[1]),
                        static_cast<float>(g.z + a * u[2] + b * w[2])});
    }
    return points;
  }

  void trace_ring(int c, bool near) {
    const double middle = shot_.camera.project(stage_.gate[c]).depth;
    std::vector<Point> piece;
    cairo_new_path(cr_);
    for (const Point& p : ring_points(c)) {
      const double depth = shot_.camera.project(p).depth;
      const bool front = stage_.flat || depth > middle - 1e-6;
      if (front == near) {
        piece.push_back(p);
      } else {
        trace(piece);
        piece.clear();
      }
    }
    trace(piece);
  }

  void paint_post(int c, Colour colour, double chance, double won) {
    const Point g = stage_.gate[c];
    const Mark m = shot_.mark(g);
    if (!std::isfinite(m.x)) return;
    canvas_.haze(m.x, m.y, 2.1 * stage_.ring * shot_.size(g), colour,
                 (look_.dark ? 0.15 : 0.10) + 0.16 * chance + 0.2 * won);
    trace(ring_points(c));
    canvas_.ink(colour, 0.06 + 0.10 * chance);
    cairo_fill(cr_);
    const double floor = stage_.place(0, 0, 0).z;
    const double foot = g.z - std::copysign(stage_.ring, g.z - floor);
    if (stage_.flat || std::abs(g.z - floor) < 1.2 * stage_.ring) return;
    trace({{g.x, g.y, static_cast<float>(foot)}, {g.x, g.y, static_cast<float>(floor)}});
    canvas_.ink(colour, 0.34);
    cairo_set_line_width(cr_, std::max(0.8, 1.2 * unit_));
    cairo_stroke(cr_);
  }

  void halo_text(double x, double y, const std::string& text, const TextStyle& style) {
    const double width = canvas_.text_width(text, style.size, style.bold);
    cairo_move_to(cr_, x - width / 2, y);
    cairo_text_path(cr_, text.c_str());
    canvas_.ink(look_.dark ? look_.edge : look_.centre, 0.8 * style.alpha);
    cairo_set_line_width(cr_, 0.22 * style.size);
    cairo_stroke(cr_);
    canvas_.text(x, y, text, style);
  }

  Canvas& canvas_;
  cairo_t* cr_;
  const DigitStage& stage_;
  const Theme& look_;
  const Shot& shot_;
  const Moment& now_;
  double unit_;
};

}  // namespace

int draw_manifold(Canvas& canvas, const DigitStage& stage, const Shot& shot, const Moment& now) {
  const Past past = stage.past(now.t);
  ManifoldPainter manifold(canvas, stage, shot, now);
  manifold.paint_floor();
  manifold.paint_print();
  manifold.paint_shadows(past.back()->points);
  manifold.paint_gates(false);
  manifold.paint_trails_of(past);
  manifold.paint_tokens(past);
  manifold.paint_gates(true);
  manifold.paint_readout(past.back()->points);
  manifold.paint_words(past.back()->points);
  manifold.paint_gate_names();
  return manifold.outside(past.back()->points);
}

}  // namespace murmur::picture
