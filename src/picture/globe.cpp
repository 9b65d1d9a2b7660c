// globe.cpp: a translucent sphere with parallels and meridians.
#include "picture/globe.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace murmur::picture {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kPieces = 96;  // straight pieces of a circle

using Place = std::array<double, 3>;

// The points of the sphere at one angle from its middle, by their turn around it.
class Circle {
 public:
  Circle(const Place& middle, double angle) : middle_(middle), angle_(angle) {
    const int least = std::fabs(middle[0]) < std::fabs(middle[1]) ? 0 : 1;
    Place axis{};
    axis[std::fabs(middle[2]) < std::fabs(middle[least]) ? 2 : least] = 1;
    u_ = cross(middle, axis);
    const double size = std::hypot(u_[0], u_[1], u_[2]);
    for (double& c : u_) c /= size;
    v_ = cross(middle, u_);
  }
  Place operator()(double turn) const {
    Place p{};
    for (int c = 0; c < 3; ++c)
      p[c] = std::cos(angle_) * middle_[c] +
             std::sin(angle_) * (std::cos(turn) * u_[c] + std::sin(turn) * v_[c]);
    return p;
  }

 private:
  static Place cross(const Place& a, const Place& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  Place middle_, u_{}, v_{};
  double angle_;
};

}  // namespace

void paint_ground(cairo_t* cr, const Theme& theme) {
  const Colour c = theme.dark ? rgb(0x10151f) : theme.centre;
  cairo_set_source_rgb(cr, c.red, c.green, c.blue);
  cairo_paint(cr);
}

Globe::Globe(const Pen& pen, const Theme& theme, const Camera& camera, const Frame& square,
             double line)
    : pen_(pen),
      cr_(pen.cr()),
      theme_(theme),
      camera_(camera),
      x_(square.x + square.width / 2),
      y_(square.y + square.height / 2),
      radius_(0.46 * std::min(square.width, square.height)),
      line_(line) {}

Globe::Spot Globe::at(const std::array<double, 3>& place) const {
  const Sight s = camera_.project(
      {static_cast<float>(place[0]), static_cast<float>(place[1]), static_cast<float>(place[2])});
  return {x_ + radius_ * s.x, y_ - radius_ * s.y, s.depth};
}

void Globe::disc(double x, double y, double r) const {
  cairo_new_sub_path(cr_);
  cairo_arc(cr_, x, y, r, 0, 2 * kPi);
}

void Globe::body() const {
  const Pattern fill =
      Canvas::radial(x_ - 0.38 * radius_, y_ - 0.45 * radius_, 0.04 * radius_, x_, y_, radius_);
  Canvas::stop(fill, 0, theme_.lit, theme_.dark ? 0.55 : 1);
  Canvas::stop(fill, 0.8, theme_.body, theme_.dark ? 0.75 : 0.8);
  Canvas::stop(fill, 1, theme_.limb, theme_.dark ? 0.9 : 0.85);
  cairo_set_source(cr_, fill.get());
  disc(x_, y_, radius_);
  cairo_fill(cr_);
}

void Globe::outline() const {
  disc(x_, y_, radius_);
  pen_.ink(theme_.line, 0.5);
  cairo_set_line_width(cr_, 1.1 * line_);
  cairo_stroke(cr_);
}

template <class At>
void Globe::curve(const At& point, bool near) const {
  bool drawing = false;
  for (int k = 0; k <= kPieces; ++k) {
    const Spot s = at(point(2 * kPi * k / kPieces));
    const bool here = front(s) == near;
    if (here) (drawing ? cairo_line_to : cairo_move_to)(cr_, s.x, s.y);
    drawing = here;
  }
}

void Globe::graticule(bool near) const {
  for (int step = -2; step <= 2; ++step)
    curve(
        [&](double s) {
          const double z = step * kPi / 6;
          return Place{std::cos(z) * std::cos(s), std::cos(z) * std::sin(s), std::sin(z)};
        },
        near);
  for (int step = 0; step < 6; ++step)
    curve(
        [&](double s) {
          const double a = step * kPi / 6;
          return Place{std::cos(s) * std::cos(a), std::cos(s) * std::sin(a), std::sin(s)};
        },
        near);
  pen_.ink(theme_.line, 0.7 * (near ? theme_.line_front : theme_.line_back));
  cairo_set_line_width(cr_, 0.7 * line_);
  cairo_stroke(cr_);
}

void Globe::cap_edge(const Place& middle, double angle, bool near) const {
  curve(Circle(middle, angle), near);
}

void Globe::cap(const Place& middle, double angle, bool near) const {
  const Circle circle(middle, angle);
  // On the outline of the sphere, at a turn anticlockwise from the right.
  const auto holds = [&](double turn) {
    const double h = Camera::horizon(), out = std::sqrt(1 - h * h);
    const Point p = camera_.on_sphere({out * std::cos(turn), out * std::sin(turn), h});
    return middle[0] * p.x + middle[1] * p.y + middle[2] * p.z >= std::cos(angle);
  };
  std::vector<Spot> spots;
  int first = -1, here = 0;  // the first on this side after one that is not
  for (int k = 0; k < kPieces; ++k) spots.push_back(at(circle(2 * kPi * k / kPieces)));
  for (int k = 0; k < kPieces; ++k) {
    if (front(spots[k]) != near) continue;
    ++here;
    if (front(spots[(k + kPieces - 1) % kPieces]) != near) first = k;
  }
  cairo_new_path(cr_);
  for (int k = 0; k < here; ++k) {
    const Spot& s = spots[(std::max(first, 0) + k) % kPieces];
    cairo_line_to(cr_, s.x, s.y);
  }
  if (first < 0) {  // the circle is on one side: the outline is within the cap, or it is not
    cairo_close_path(cr_);
    if (holds(0)) disc(x_, y_, radius_);
  } else {  // back along the outline, through the cap
    const Spot &start = spots[first], &end = spots[(first + here - 1) % kPieces];
    const double from = std::atan2(y_ - end.y, end.x - x_);
    double to = std::atan2(y_ - start.y, start.x - x_);
    if (to < from) to += 2 * kPi;
    if (holds((from + to) / 2))
      cairo_arc_negative(cr_, x_, y_, radius_, -from, -to);
    else
      cairo_arc(cr_, x_, y_, radius_, -from, -to);
    cairo_close_path(cr_);
  }
  cairo_set_fill_rule(cr_, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_fill(cr_);
  cairo_set_fill_rule(cr_, CAIRO_FILL_RULE_WINDING);
}

void Globe::rimmed(const std::string& text, double x, double baseline,
                   const TextStyle& style) const {
  const std::string words = clean_text(text);
  const double width = pen_.text_width(words, style.size, style.bold);
  const double left = style.align == Align::left     ? x
                      : style.align == Align::centre ? x - width / 2
                                                     : x - width;
  cairo_save(cr_);
  cairo_move_to(cr_, left, baseline);
  cairo_text_path(cr_, words.c_str());
  pen_.ink(theme_.dark ? theme_.edge : theme_.centre, 0.85 * style.alpha);
  cairo_set_line_width(cr_, 3.2 * line_);
  cairo_stroke_preserve(cr_);
  pen_.ink(style.colour, style.alpha);
  cairo_fill(cr_);
  cairo_restore(cr_);
}

}  // namespace murmur::picture
