// portrait_circle.cpp: a measure on the circle: a function around it, spokes inside, units outside.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "picture/portrait_pen.h"

namespace murmur::picture {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kPoints = 720;
// Radii, the circle's being 1: the function, ticks of extrema, arcs of units.
constexpr double kLow = 1.05, kHigh = 1.38, kTickIn = 1.42, kTickOut = 1.52, kArcs = 1.6;
constexpr double kMostArcs = 0.42, kArcStep = 0.085;

class CirclePainter {
 public:
  CirclePainter(const PortraitPen& pen, const Portrait& portrait, const Frame& at)
      : pen_(pen), style_(pen.style()), p_(portrait) {
    const double outer = p_.units.empty() ? kHigh + 0.04 : kArcs + arc_step() * (p_.units.rows - 1);
    radius_ = std::min(at.width, at.height) / 2 / (outer + 0.03);
    x_ = at.x + at.width / 2;
    y_ = at.y + at.height / 2;
  }

  void function() {
    Matrix around = zeros(kPoints, 2);
    for (int k = 0; k < kPoints; ++k) {
      around(k, 0) = std::cos(2 * kPi * k / kPoints);
      around(k, 1) = std::sin(2 * kPi * k / kPoints);
    }
    const Vector f = p_.value(around);
    const double low = *std::min_element(f.begin(), f.end());
    const double range = std::max(*std::max_element(f.begin(), f.end()) - low, 1e-300);
    const auto trace = [&] {
      for (int k = 0; k < kPoints; ++k)
        point(around(k, 0), around(k, 1), kLow + (kHigh - kLow) * (f[k] - low) / range, k == 0);
      cairo_close_path(pen_.cr());
    };
    trace();
    pen_.disc(x_, y_, radius_);
    cairo_set_fill_rule(pen_.cr(), CAIRO_FILL_RULE_EVEN_ODD);
    pen_.ink(style_.function, 0.1);
    cairo_fill(pen_.cr());
    trace();
    pen_.stroke(style_.function, 1.3 * style_.line);
    pen_.disc(x_, y_, radius_);
    pen_.stroke(style_.faint, 0.8 * style_.line);
  }

  void atoms(double spokes) {
    for (int i = 0; i < p_.atoms.rows; ++i) {
      const double x = p_.atoms(i, 0), y = p_.atoms(i, 1);
      point(x, y, 1, true);
      point(x, y, 1 - spokes * p_.mass[i], false);
      pen_.stroke(style_.atom, 1.3 * style_.line);
    }
    for (int i = 0; i < p_.atoms.rows; ++i) {
      pen_.disc(x_ + radius_ * p_.atoms(i, 0), y_ - radius_ * p_.atoms(i, 1), 2.4 * style_.line);
      pen_.fill_and_outline(style_.atom, style_.ground, 0.5 * style_.line);
    }
  }

  void extrema() {
    for (const Vector& x : p_.extrema) {
      point(x[0], x[1], 1, true);
      point(x[0], x[1], kTickIn, false);
      pen_.stroke(style_.extremum, 0.5 * style_.line, true);
      point(x[0], x[1], kTickIn, true);
      point(x[0], x[1], kTickOut, false);
      pen_.stroke(style_.extremum, 2 * style_.line);
    }
  }

  void units() {
    for (int m = 0; m < p_.units.rows; ++m) {
      const double middle = -std::atan2(p_.units(m, 1), p_.units(m, 0));  // y goes down
      cairo_new_sub_path(pen_.cr());
      cairo_arc(pen_.cr(), x_, y_, radius_ * (kArcs + arc_step() * m), middle - kPi / 2,
                middle + kPi / 2);
      const double width = std::min(1.1 * style_.line, 0.6 * radius_ * arc_step());
      pen_.stroke(unit_colour(style_, p_.omega[m]), width, p_.omega[m] < 0);
    }
  }

 private:
  double arc_step() const { return std::min(kArcStep, kMostArcs / std::max(1, p_.units.rows - 1)); }
  void point(double x, double y, double r, bool first) {
    (first ? cairo_move_to : cairo_line_to)(pen_.cr(), x_ + radius_ * r * x, y_ - radius_ * r * y);
  }

  const PortraitPen& pen_;
  const PortraitStyle& style_;
  const Portrait& p_;
  double x_ = 0, y_ = 0, radius_ = 1;
};

}  // namespace

double spoke_scale(const Figure& figure) {
  double heaviest = 0, scale = 1;
  for (const Panel& panel : figure.panels) {
    const Vector& mass = panel.portrait.mass;
    heaviest = std::max(heaviest, *std::max_element(mass.begin(), mass.end()));
  }
  for (const double round : {2.0, 5.0, 10.0, 20.0, 50.0, 100.0})
    if (round * heaviest <= 0.9) scale = round;
  return scale;
}

void draw_circle(const PortraitPen& pen, const Portrait& portrait, const Frame& at, double spokes) {
  CirclePainter painter(pen, portrait, at);
  painter.function();
  painter.units();
  painter.extrema();
  painter.atoms(spokes);
}

}  // namespace murmur::picture
