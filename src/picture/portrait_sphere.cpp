// portrait_sphere.cpp: a measure on S^2: both halves of the sphere as discs seen from outside.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "picture/portrait_pen.h"

namespace murmur::picture {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kAtom = 0.24;  // radius of an atom of all mass; the sphere's is 1
constexpr int kPixels = 181;    // of a disc, across

using Point = std::array<double, 3>;

double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Point normalised(const Point& a) {
  const double length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Orthographic: a point is seen at (right . x, up . x) where towards . x > 0.
struct Side {
  Point right{}, up{}, towards{};
  double x = 0, y = 0;  // middle of the disc
};

// The heaviest atom a little off the middle, the third axis upwards.
Side front_of(const Portrait& p) {
  Point heaviest{0, 0, 1};
  double most = 0;
  for (int i = 0; i < p.atoms.rows; ++i)
    if (p.mass[i] > most) {
      most = p.mass[i];
      heaviest = {p.atoms(i, 0), p.atoms(i, 1), p.atoms(i, 2)};
    }
  const Point pole = std::fabs(heaviest[2]) < 0.9 ? Point{0, 0, 1} : Point{1, 0, 0};
  const Point right = normalised(cross(pole, heaviest));
  Point towards{};
  for (int k = 0; k < 3; ++k) towards[k] = heaviest[k] + 0.35 * right[k] + 0.15 * pole[k];
  towards = normalised(towards);
  const Point across = normalised(cross(pole, towards));
  return {.right = across, .up = cross(towards, across), .towards = towards};
}

class DiscPainter {
 public:
  DiscPainter(const PortraitPen& pen, const Portrait& portrait, const Frame& at)
      : pen_(pen), style_(pen.style()), p_(portrait) {
    const double gap = 0.06 * at.height, below = 2.6 * style_.type;
    radius_ = std::min((at.width - gap) / 4, (at.height - below) / 2);
    Side front = front_of(p_), back = front;
    for (int k = 0; k < 3; ++k) {
      back.right[k] = -front.right[k];
      back.towards[k] = -front.towards[k];
    }
    front.x = at.x + at.width / 2 - radius_ - gap / 2;
    back.x = at.x + at.width / 2 + radius_ + gap / 2;
    front.y = back.y = at.y + radius_;
    sides_ = {front, back};
  }

  void function() {
    std::array<Vector, 2> f;
    for (int s = 0; s < 2; ++s) f[s] = p_.value(grid(sides_[s]));
    low_ = std::min(*std::min_element(f[0].begin(), f[0].end()),
                    *std::min_element(f[1].begin(), f[1].end()));
    high_ = std::max(*std::max_element(f[0].begin(), f[0].end()),
                     *std::max_element(f[1].begin(), f[1].end()));
    for (int s = 0; s < 2; ++s) {
      image(sides_[s], f[s]);
      pen_.disc(sides_[s].x, sides_[s].y, radius_);
      pen_.stroke(style_.quiet, 0.8 * style_.line);
    }
  }

  // a . x = 0: half of each great circle is seen from either side. A mark stands where a points.
  void units() {
    for (int m = 0; m < p_.units.rows; ++m) {
      const Point a = normalised({p_.units(m, 0), p_.units(m, 1), p_.units(m, 2)});
      const Colour colour = unit_colour(style_, p_.omega[m]);
      for (const Side& side : sides_) {
        great_circle(side, a);
        pen_.stroke(style_.ground, 2.4 * style_.line);
        great_circle(side, a);
        pen_.stroke(colour, 1.2 * style_.line, p_.omega[m] < 0);
        if (dot(a, side.towards) > 0) sign(side, a, p_.omega[m] > 0, colour);
      }
    }
  }

  void atoms() {
    std::vector<int> order(p_.atoms.rows);
    for (int i = 0; i < p_.atoms.rows; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](int i, int j) { return p_.mass[i] > p_.mass[j]; });
    for (const int i : order) {
      const Point x{p_.atoms(i, 0), p_.atoms(i, 1), p_.atoms(i, 2)};
      for (const Side& side : sides_) {
        if (dot(x, side.towards) <= 0 && &side == &sides_[0]) continue;
        if (dot(x, sides_[0].towards) > 0 && &side == &sides_[1]) continue;
        pen_.disc(left(side, x), top(side, x), kAtom * radius_ * std::sqrt(p_.mass[i]));
        pen_.fill_and_outline(style_.atom, style_.ground, 0.8 * style_.line);
      }
    }
  }

  void extrema() {
    for (const Vector& at : p_.extrema) {
      const Point x{at[0], at[1], at[2]};
      const Side& side = sides_[dot(x, sides_[0].towards) > 0 ? 0 : 1];
      pen_.diamond(left(side, x), top(side, x), 3.2 * style_.line);
      pen_.fill_and_outline(style_.ground, style_.extremum, 1.2 * style_.line);
    }
  }

  // What the darkest and the lightest colour mean, and which side is which.
  void captions() {
    const double size = 0.9 * style_.type, baseline = sides_[0].y + radius_ + 1.7 * style_.type;
    const TextStyle quiet{.size = size, .colour = style_.quiet, .align = Align::centre};
    pen_.text(sides_[0].x - 0.62 * radius_, baseline, "front", quiet);
    pen_.text(sides_[1].x + 0.62 * radius_, baseline, "back", quiet);
    const double middle = (sides_[0].x + sides_[1].x) / 2, half = 0.36 * radius_;
    const Pattern bar(cairo_pattern_create_linear(middle - half, 0, middle + half, 0));
    Canvas::stop(bar, 0, style_.low);
    Canvas::stop(bar, 1, style_.high);
    cairo_rectangle(pen_.cr(), middle - half, baseline - 0.7 * size, 2 * half, 0.75 * size);
    cairo_set_source(pen_.cr(), bar.get());
    cairo_fill_preserve(pen_.cr());
    pen_.stroke(style_.quiet, 0.5 * style_.line);
    const auto number = [&](double x, double value, Align align) {
      pen_.text(x, baseline, fmt::format("{:.3g}", value),
                {.size = size, .colour = style_.quiet, .align = align});
    };
    number(middle - half - 0.5 * size, low_, Align::right);
    number(middle + half + 0.5 * size, high_, Align::left);
  }

 private:
  double left(const Side& side, const Point& x) const {
    return side.x + radius_ * dot(side.right, x);
  }
  double top(const Side& side, const Point& x) const { return side.y - radius_ * dot(side.up, x); }

  // (kPixels^2, 3) the points below the pixels; beyond the rim, those of the rim.
  static Matrix grid(const Side& side) {
    Matrix x = zeros(kPixels * kPixels, 3);
    for (int row = 0; row < kPixels; ++row)
      for (int column = 0; column < kPixels; ++column) {
        double u = 2 * (column + 0.5) / kPixels - 1, v = 1 - 2 * (row + 0.5) / kPixels;
        const double r = std::max(1.0, std::hypot(u, v));
        u /= r;
        v /= r;
        const double w = std::sqrt(std::max(0.0, 1 - u * u - v * v));
        for (int k = 0; k < 3; ++k)
          x(row * kPixels + column, k) = u * side.right[k] + v * side.up[k] + w * side.towards[k];
      }
    return x;
  }

  void image(const Side& side, const Vector& f) {
    const Surface picture(cairo_image_surface_create(CAIRO_FORMAT_RGB24, kPixels, kPixels));
    unsigned char* bytes = cairo_image_surface_get_data(picture.get());
    const int stride = cairo_image_surface_get_stride(picture.get());
    const double range = std::max(high_ - low_, 1e-300);
    for (int row = 0; row < kPixels; ++row)
      for (int column = 0; column < kPixels; ++column) {
        const Colour c = mix(style_.low, style_.high, (f[row * kPixels + column] - low_) / range);
        const double channel[] = {c.blue, c.green, c.red};
        for (int k = 0; k < 3; ++k)
          bytes[row * stride + 4 * column + k] =
              static_cast<unsigned char>(std::lround(255 * channel[k]));
      }
    cairo_surface_mark_dirty(picture.get());
    cairo_save(pen_.cr());
    pen_.disc(side.x, side.y, radius_);
    cairo_clip(pen_.cr());
    cairo_translate(pen_.cr(), side.x - radius_, side.y - radius_);
    cairo_scale(pen_.cr(), 2 * radius_ / kPixels, 2 * radius_ / kPixels);
    cairo_set_source_surface(pen_.cr(), picture.get(), 0, 0);
    cairo_pattern_set_extend(cairo_get_source(pen_.cr()), CAIRO_EXTEND_PAD);
    cairo_paint(pen_.cr());
    cairo_restore(pen_.cr());
  }

  void great_circle(const Side& side, const Point& a) {
    // From limb to limb: the limb's points are along a x towards.
    Point limb = cross(a, side.towards);
    if (dot(limb, limb) < 1e-12) limb = side.right;
    limb = normalised(limb);
    Point over = cross(limb, a);
    if (dot(over, side.towards) < 0) over = {-over[0], -over[1], -over[2]};
    for (int k = 0; k <= 90; ++k) {
      const double angle = kPi * k / 90, c = std::cos(angle), s = std::sin(angle);
      const Point x{c * limb[0] + s * over[0], c * limb[1] + s * over[1],
                    c * limb[2] + s * over[2]};
      (k == 0 ? cairo_move_to : cairo_line_to)(pen_.cr(), left(side, x), top(side, x));
    }
  }

  void sign(const Side& side, const Point& a, bool plus, Colour colour) {
    const double x = left(side, a), y = top(side, a), half = 3 * style_.line;
    for (const bool halo : {true, false}) {
      cairo_move_to(pen_.cr(), x - half, y);
      cairo_line_to(pen_.cr(), x + half, y);
      if (plus) cairo_move_to(pen_.cr(), x, y - half);
      if (plus) cairo_line_to(pen_.cr(), x, y + half);
      pen_.stroke(halo ? style_.ground : colour, (halo ? 3.2 : 1.6) * style_.line);
    }
  }

  const PortraitPen& pen_;
  const PortraitStyle& style_;
  const Portrait& p_;
  std::array<Side, 2> sides_{};
  double radius_ = 1, low_ = 0, high_ = 1;
};

}  // namespace

void draw_discs(const PortraitPen& pen, const Portrait& portrait, const Frame& at) {
  DiscPainter painter(pen, portrait, at);
  painter.function();
  painter.units();
  painter.atoms();
  painter.extrema();
  painter.captions();
}

}  // namespace murmur::picture
