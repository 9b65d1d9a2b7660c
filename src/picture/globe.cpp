// globe.cpp: a translucent sphere with parallels and meridians.
#include "picture/globe.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace murmur::picture {

namespace {

constexpr double kPi = std::numbers::pi;

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

void Globe::graticule(bool near) const {
  constexpr int kPieces = 96;
  const auto curve = [&](const auto& point) {
    bool drawing = false;
    for (int k = 0; k <= kPieces; ++k) {
      const Spot s = at(point(2 * kPi * k / kPieces));
      const bool here = front(s) == near;
      if (here) (drawing ? cairo_line_to : cairo_move_to)(cr_, s.x, s.y);
      drawing = here;
    }
  };
  using Place = std::array<double, 3>;
  for (int step = -2; step <= 2; ++step)
    curve([&](double s) {
      const double z = step * kPi / 6;
      return Place{std::cos(z) * std::cos(s), std::cos(z) * std::sin(s), std::sin(z)};
    });
  for (int step = 0; step < 6; ++step)
    curve([&](double s) {
      const double a = step * kPi / 6;
      return Place{std::cos(s) * std::cos(a), std::cos(s) * std::sin(a), std::sin(s)};
    });
  pen_.ink(theme_.line, 0.7 * (near ? theme_.line_front : theme_.line_back));
  cairo_set_line_width(cr_, 0.7 * line_);
  cairo_stroke(cr_);
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
