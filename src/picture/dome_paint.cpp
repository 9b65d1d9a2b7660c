// dome_paint.cpp: a translucent sphere with points on it and arrows within.
#include "picture/dome_paint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "picture/globe.h"

namespace murmur::picture {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kReach = 0.82;       // of the radius: the longest way of the arrows
constexpr double kBall = 0.26;        // of the radius: a key that gets all attention
constexpr std::size_t kThreads = 12;  // lines from the keys attended to most

double length(const Arrow3& a) { return std::hypot(a[0], a[1], a[2]); }

Arrow3 sum(const Arrow3& a, const Arrow3& b, double share = 1) {
  return {a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]};
}

double dot(const Arrow3& a, const Arrow3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Draws one sphere.
class Painter {
 public:
  Painter(const Pen& pen, const DomeLook& look, const DomeView& view, const Frame& square)
      : pen_(pen),
        cr_(pen.cr()),
        look_(fitted(look, square)),
        theme_(*look.theme),
        view_(view),
        globe_(pen, theme_, view.camera, square, look_.line),
        cx_(globe_.x()),
        cy_(globe_.y()),
        radius_(globe_.radius()) {}

  void paint(const DomePicture& picture, const DomeHead& head) {
    const double most = *std::max_element(head.weights.begin(), head.weights.end());
    globe_.body();
    globe_.graticule(false);
    keys(head, most, false);
    threads(head, most);
    token();
    query(head, false);
    arrows(picture, head);
    globe_.graticule(true);
    keys(head, most, true);
    query(head, true);
    globe_.outline();
  }

 private:
  // Lines of small spheres are thinner.
  static DomeLook fitted(DomeLook look, const Frame& square) {
    look.line *= std::clamp(square.width / (36 * look.em), 0.6, 1.0);
    return look;
  }

  using Spot = Globe::Spot;
  Spot at(const Arrow3& a) const { return globe_.at(a); }
  static bool front(const Spot& s) { return Globe::front(s); }
  void disc(double x, double y, double r) const { globe_.disc(x, y, r); }

  double ball(double weight) const {
    return std::max(1.8 * look_.line, kBall * radius_ * std::sqrt(view_.parts.weights * weight));
  }

  // Small ones over large ones, so that none is lost below a neighbour.
  void keys(const DomeHead& head, double most, bool near) const {
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < head.keys.size(); ++j)
      if (length(head.keys[j]) > 0) order.push_back(j);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return head.weights[a] > head.weights[b]; });
    const double alpha = view_.parts.keys * (near ? 0.88 : 0.45);
    for (const std::size_t j : order) {
      const Spot s = at(head.keys[j]);
      if (front(s) != near) continue;
      const double share = most > 0 ? head.weights[j] / most : 0;
      disc(s.x, s.y, ball(head.weights[j]));
      pen_.ink(weight_colour(look_, view_.parts.weights * share), alpha);
      cairo_fill_preserve(cr_);
      pen_.ink(theme_.dark ? theme_.edge : theme_.centre, 0.8 * alpha);
      cairo_set_line_width(cr_, 0.8 * look_.line);
      cairo_stroke(cr_);
    }
  }

  // From the keys attended to most to the token; in a film the messages travel along them.
  void threads(const DomeHead& head, double most) const {
    if (view_.parts.messages <= 0 || most <= 0) return;
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < head.keys.size(); ++j)
      if (length(head.keys[j]) > 0 && head.weights[j] > 0.02 * most) order.push_back(j);
    const std::size_t count = std::min(order.size(), kThreads);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(),
                      [&](auto a, auto b) { return head.weights[a] > head.weights[b]; });
    for (std::size_t k = 0; k < count; ++k) {
      const Arrow3& key = head.keys[order[k]];
      const double share = head.weights[order[k]] / most;
      const Spot from = at(key), to = at(sum(key, key, -view_.parts.messages));
      cairo_move_to(cr_, from.x, from.y);
      cairo_line_to(cr_, to.x, to.y);
      pen_.ink(look_.value, 0.12 + 0.33 * share);
      cairo_set_line_width(cr_, (0.6 + 1.6 * share) * look_.line);
      cairo_stroke(cr_);
      if (view_.parts.messages >= 1) continue;
      disc(to.x, to.y, 2.2 * look_.line);
      pen_.ink(look_.value);
      cairo_fill(cr_);
    }
  }

  void token() const {
    disc(cx_, cy_, 3.4 * look_.line);
    pen_.ink(theme_.ink);
    cairo_fill(cr_);
  }

  // A line to the sphere, and a ring with a dot where it meets it.
  void query(const DomeHead& head, bool near) const {
    if (length(head.query) == 0 || view_.parts.query <= 0) return;
    const Spot end = at(head.query);
    if (!near) {
      const Spot tip = at(sum({}, head.query, view_.parts.query));
      const double dashes[] = {4 * look_.line, 3 * look_.line};
      cairo_move_to(cr_, cx_, cy_);
      cairo_line_to(cr_, tip.x, tip.y);
      pen_.ink(look_.query, 0.9);
      cairo_set_line_width(cr_, 1.6 * look_.line);
      cairo_set_dash(cr_, dashes, 2, 0);
      cairo_stroke(cr_);
      cairo_set_dash(cr_, nullptr, 0, 0);
    }
    if (front(end) != near || view_.parts.query < 1) return;
    const double alpha = near ? 1 : 0.6;
    for (const bool halo : {true, false}) {
      disc(end.x, end.y, 6.5 * look_.line);
      pen_.ink(halo ? theme_.centre : look_.query, halo ? 0.8 * alpha : alpha);
      cairo_set_line_width(cr_, (halo ? 4.4 : 2.2) * look_.line);
      cairo_stroke(cr_);
    }
    disc(end.x, end.y, 2 * look_.line);
    pen_.ink(look_.query, alpha);
    cairo_fill(cr_);
    globe_.rimmed(
        "q", end.x + 1.1 * look_.em, end.y + 0.35 * look_.em,
        {.size = 1.05 * look_.em, .colour = look_.query, .bold = true, .align = Align::centre});
  }

  void arrow(const Arrow3& from, const Arrow3& way, Colour colour, double width,
             double alpha = 1) const {
    const Spot a = at(from), b = at(sum(from, way));
    paint_arrow(pen_, {a.x, a.y, b.x, b.y}, colour, width * look_.line, alpha);
  }

  // Head to tail: this head's message, those of the others, feed-forward; then what they come to.
  void arrows(const DomePicture& picture, const DomeHead& head) const {
    const DomeParts& parts = view_.parts;
    const auto scaled = [&](const Arrow3& a, double share) {
      return sum({}, a, share * view_.scale);
    };
    const Arrow3 own = scaled(head.message, 1), all = scaled(picture.messages, 1);
    if (parts.move > 0) move(picture);  // wide, and below what it is made of
    if (parts.messages > 0) {
      arrow({}, scaled(head.message, parts.messages), look_.value, 2.6);
      const Arrow3 rest = sum(all, own, -1);
      if (length(rest) > 0.01 && parts.messages >= 1) arrow(own, rest, look_.value, 1.8, 0.55);
    }
    if (parts.feed_forward > 0)
      arrow(all, scaled(picture.feed_forward, parts.feed_forward), look_.feed_forward, 2.6);
  }

  void move(const DomePicture& picture) const {
    const Arrow3 to = sum({}, picture.move, view_.scale);
    const Arrow3 end =
        sum(sum({}, picture.messages, view_.scale), picture.feed_forward, view_.scale);
    if (length(sum(to, end, -1)) > 0.01) {
      const Spot a = at(end), b = at(to);
      const double dashes[] = {2 * look_.line, 2.5 * look_.line};
      cairo_move_to(cr_, a.x, a.y);
      cairo_line_to(cr_, b.x, b.y);
      pen_.ink(theme_.quiet);
      cairo_set_line_width(cr_, 1.5 * look_.line);
      cairo_set_dash(cr_, dashes, 2, 0);
      cairo_stroke(cr_);
      cairo_set_dash(cr_, nullptr, 0, 0);
    }
    arrow({}, sum({}, picture.move, view_.parts.move * view_.scale), look_.move, 6.5, 0.85);
  }

  const Pen& pen_;
  cairo_t* cr_;
  const DomeLook look_;
  const Theme& theme_;
  const DomeView& view_;
  const Globe globe_;
  double cx_, cy_, radius_;
};

// How far from the middle the arrows of a picture reach, drawn head to tail.
double reach_of(const DomePicture& p) {
  double most =
      std::max({length(p.messages), length(p.move), length(sum(p.messages, p.feed_forward))});
  for (const DomeHead& head : p.heads) most = std::max(most, length(head.message));
  return most;
}

}  // namespace

DomeLook dome_look(const DomeStyle& style) {
  const bool dark = style.style == FigureStyle::dark, large = style.style == FigureStyle::slides;
  const Theme& look = theme(dark);
  const double unit = std::sqrt(style.width * style.height / (1280.0 * 720.0));
  return {.theme = &look,
          .query = class_colour(0, dark),
          .key = class_colour(2, dark),
          .value = class_colour(4, dark),
          .feed_forward = look.ink,
          .move = class_colour(1, dark),
          .em = (large ? 19 : 14.5) * unit,
          .line = (large ? 1.5 : 1.15) * unit};
}

DomeParts dome_parts(double share) {
  const double at = kDomeParts * std::clamp(share, 0.0, 1.0);
  const auto part = [&](int k) {
    const double s = std::clamp(2 * (at - k), 0.0, 1.0);
    return s * s * (3 - 2 * s);
  };
  return {part(0), part(1), part(2), part(3), part(4), part(5)};
}

Camera dome_camera(const std::vector<DomePicture>& pictures) {
  const auto sidewards = [](const Arrow3& eye, const Arrow3& way) {
    const double size = length(way), along = size > 0 ? dot(eye, way) / size : 0;
    return size > 0 ? 1 - along * along : 0;
  };
  double best = -1e300, azimuth = 0.6, elevation = 0.35;
  for (int turn = 0; turn < 36; ++turn)
    for (const double high : {0.15, 0.35, 0.6, -0.3}) {
      const double a = turn * kPi / 18;
      const Arrow3 eye{std::cos(high) * std::cos(a), std::cos(high) * std::sin(a), std::sin(high)};
      double value = 0;
      for (const DomePicture& p : pictures) {
        for (const DomeHead& head : p.heads)
          value += std::min(dot(eye, head.query), 0.72) / static_cast<double>(p.heads.size());
        value += 0.4 * sidewards(eye, p.move) + 0.2 * sidewards(eye, p.messages) +
                 0.2 * sidewards(eye, p.feed_forward);
      }
      if (value > best + 1e-9) best = value, azimuth = a, elevation = high;
    }
  return {azimuth, elevation};
}

double arrow_scale(const std::vector<DomePicture>& pictures) {
  double most = 0;
  for (const DomePicture& p : pictures) most = std::max(most, reach_of(p));
  return most > 0 ? kReach / most : 1;
}

Colour weight_colour(const DomeLook& look, double share) {
  const Colour none = mix(look.theme->quiet, look.theme->centre, 0.45);
  return mix(none, look.key, std::sqrt(std::clamp(share, 0.0, 1.0)));
}

void paint_arrow(const Pen& pen, std::array<double, 4> way, Colour colour, double width,
                 double alpha) {
  cairo_t* cr = pen.cr();
  const auto [x0, y0, x1, y1] = way;
  const double dx = x1 - x0, dy = y1 - y0, size = std::hypot(dx, dy);
  if (size < 0.6 * width) return;
  const double head = std::min(0.6 * size, 4.2 * width), ux = dx / size, uy = dy / size;
  pen.ink(colour, alpha);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
  cairo_set_line_width(cr, width);
  cairo_move_to(cr, x0, y0);
  cairo_line_to(cr, x1 - 0.8 * head * ux, y1 - 0.8 * head * uy);
  cairo_stroke(cr);
  cairo_move_to(cr, x1, y1);
  cairo_line_to(cr, x1 - head * ux - 0.42 * head * uy, y1 - head * uy + 0.42 * head * ux);
  cairo_line_to(cr, x1 - head * ux + 0.42 * head * uy, y1 - head * uy - 0.42 * head * ux);
  cairo_close_path(cr);
  cairo_fill(cr);
}

void paint_dome(const Pen& pen, const DomeLook& look, const DomePicture& picture, std::size_t head,
                const DomeView& view, const Frame& square) {
  Painter(pen, look, view, square).paint(picture, picture.heads[head]);
}

}  // namespace murmur::picture
