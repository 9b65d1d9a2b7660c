// cairo_portraits.cpp: draws measures on the circle and on S^2, with titles and one key, by Cairo.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/figure.h"
#include "picture/render.h"

namespace murmur::picture {

namespace {

struct PortraitStyle {  // lengths in points
  Colour ground{}, ink{}, quiet{}, faint{};
  Colour function{}, atom{}, extremum{}, plus{}, minus{};
  Colour low{}, high{};  // of the function on the sphere
  double type = 8, line = 1, cell = 250;
};

class PortraitPen : public Pen {
 public:
  PortraitPen(cairo_t* cr, const PortraitStyle& style) : Pen(cr), style_(style) {}

  const PortraitStyle& style() const { return style_; }
  void stroke(Colour colour, double width, bool dashed = false) const;  // the current path
  void fill_and_outline(Colour fill, Colour outline, double width) const;
  void disc(double x, double y, double radius) const;     // traced
  void diamond(double x, double y, double radius) const;  // traced

 private:
  const PortraitStyle& style_;
};

// A unit with omega > 0 is drawn in one colour, one with omega < 0 in another and dashed.
Colour unit_colour(const PortraitStyle& style, double omega) {
  return omega > 0 ? style.plus : style.minus;
}

// One entry of the key: a sample and its text.
struct KeyEntry {
  enum Sample { function, spoke, ball, extremum, plus, minus, colours } sample;
  std::string words;
  double width() const { return sample == ball || sample == extremum ? 1 : 2.4; }  // em
};

PortraitStyle portrait_style(FigureStyle kind) {
  const bool dark = kind == FigureStyle::dark;
  PortraitStyle style{.function = class_colour(0, dark),
                      .atom = class_colour(1, dark),
                      .extremum = class_colour(2, dark),
                      .plus = class_colour(4, dark),
                      .minus = class_colour(5, dark)};
  style.ground = dark ? rgb(0x10151f) : rgb(0xffffff);
  style.ink = dark ? rgb(0xeef2f8) : rgb(0x1a2130);
  style.quiet = dark ? rgb(0xaab4c4) : rgb(0x3f4858);
  style.faint = dark ? rgb(0x566176) : rgb(0x9aa4b4);
  style.low = dark ? rgb(0x1d2838) : rgb(0xf6f8fb);
  style.high = dark ? rgb(0x8aa5c4) : rgb(0x7796b8);
  if (kind == FigureStyle::slides) {
    style.type = 11;
    style.line = 1.6;
    style.cell = 300;
  }
  return style;
}

void PortraitPen::stroke(Colour colour, double width, bool dashed) const {
  const double dashes[] = {3.2 * style_.line, 2 * style_.line};
  ink(colour);
  cairo_set_line_width(cr(), width);
  cairo_set_line_cap(cr(), dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(cr(), CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(cr(), dashes, dashed ? 2 : 0, 0);
  cairo_stroke(cr());
  cairo_set_dash(cr(), nullptr, 0, 0);
}

void PortraitPen::fill_and_outline(Colour fill, Colour outline, double width) const {
  ink(fill);
  cairo_fill_preserve(cr());
  stroke(outline, width);
}

void PortraitPen::disc(double x, double y, double radius) const {
  cairo_new_sub_path(cr());
  cairo_arc(cr(), x, y, radius, 0, 2 * std::numbers::pi);
  cairo_close_path(cr());
}

void PortraitPen::diamond(double x, double y, double radius) const {
  cairo_move_to(cr(), x, y - radius);
  cairo_line_to(cr(), x + radius, y);
  cairo_line_to(cr(), x, y + radius);
  cairo_line_to(cr(), x - radius, y);
  cairo_close_path(cr());
}

void draw_sample(const PortraitPen& pen, const KeyEntry& entry, const Frame& at, int d) {
  const PortraitStyle& style = pen.style();
  const double y = at.y + at.height / 2, middle = at.x + at.width / 2, right = at.x + at.width;
  const auto line = [&](Colour colour, double width, bool dashed) {
    cairo_move_to(pen.cr(), at.x, y);
    cairo_line_to(pen.cr(), right, y);
    pen.stroke(colour, width, dashed);
  };
  switch (entry.sample) {
    case KeyEntry::function:
      return line(style.function, 1.3 * style.line, false);
    case KeyEntry::spoke:
      line(style.atom, 1.3 * style.line, false);
      pen.disc(at.x, y, 2.4 * style.line);
      return pen.fill_and_outline(style.atom, style.ground, 0.5 * style.line);
    case KeyEntry::ball:
      pen.disc(middle, y, 0.45 * at.height);
      return pen.fill_and_outline(style.atom, style.ground, 0.8 * style.line);
    case KeyEntry::extremum:
      if (d == 3) {
        pen.diamond(middle, y, 3.2 * style.line);
        return pen.fill_and_outline(style.ground, style.extremum, 1.2 * style.line);
      }
      cairo_move_to(pen.cr(), middle, at.y);
      cairo_line_to(pen.cr(), middle, at.y + at.height);
      return pen.stroke(style.extremum, 2 * style.line);
    case KeyEntry::plus:
      return line(style.plus, 1.2 * style.line, false);
    case KeyEntry::minus:
      return line(style.minus, 1.2 * style.line, true);
    case KeyEntry::colours: {
      const Pattern bar(cairo_pattern_create_linear(at.x, 0, right, 0));
      Canvas::stop(bar, 0, style.low);
      Canvas::stop(bar, 1, style.high);
      cairo_rectangle(pen.cr(), at.x, y - 0.35 * at.height, at.width, 0.7 * at.height);
      cairo_set_source(pen.cr(), bar.get());
      cairo_fill_preserve(pen.cr());
      return pen.stroke(style.quiet, 0.5 * style.line);
    }
  }
}

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
      const double middle = -std::atan2(p_.units(m, 1), p_.units(m, 0));  // y points down
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

// The length in radii of the spoke of an atom of mass 1: a round number at which the heaviest is
// visible.
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

// Draws a measure on the circle into a square.
void draw_circle(const PortraitPen& pen, const Portrait& portrait, const Frame& at, double spokes) {
  CirclePainter painter(pen, portrait, at);
  painter.function();
  painter.units();
  painter.extrema();
  painter.atoms(spokes);
}

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

  // a . x = 0: half of each great circle is seen from either side. A mark shows where a points.
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

  // Explains the darkest and the lightest colour, and names the sides.
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

// Draws a measure on S^2 into a rectangle twice as wide as high.
void draw_discs(const PortraitPen& pen, const Portrait& portrait, const Frame& at) {
  DiscPainter painter(pen, portrait, at);
  painter.function();
  painter.units();
  painter.atoms();
  painter.extrema();
  painter.captions();
}

void check(const Figure& figure) {
  const auto refuse = [](const char* what) {
    throw Error(Fault::input, what, "a portrait", "give atoms, masses, units of one d, 2 or 3");
  };
  if (figure.panels.empty()) refuse("there is nothing to draw");
  const int d = figure.panels.front().portrait.atoms.cols;
  if (d != 2 && d != 3) refuse("only the circle and S^2 have portraits");
  for (const Panel& panel : figure.panels) {
    const Portrait& p = panel.portrait;
    const bool fits = p.atoms.cols == d && p.atoms.rows > 0 && p.value &&
                      p.mass.size() == static_cast<std::size_t>(p.atoms.rows) &&
                      p.omega.size() == static_cast<std::size_t>(p.units.rows) &&
                      (p.units.empty() || p.units.cols == d) &&
                      std::all_of(p.extrema.begin(), p.extrema.end(), [&](const Vector& x) {
                        return x.size() == static_cast<std::size_t>(d);
                      });
    if (!fits) refuse("the parts of a portrait do not fit each other");
  }
}

// Entries for what is drawn, and for nothing else.
std::vector<KeyEntry> key_of(const Figure& figure, double spokes) {
  bool plus = false, minus = false, extrema = false;
  for (const Panel& panel : figure.panels) {
    const Portrait& p = panel.portrait;
    for (const double omega : p.omega) (omega > 0 ? plus : minus) = true;
    extrema = extrema || !p.extrema.empty();
  }
  const bool circle = figure.panels.front().portrait.atoms.cols == 2;
  std::vector<KeyEntry> key{{circle ? KeyEntry::function : KeyEntry::colours, figure.value_name}};
  if (circle && spokes == 1)
    key.push_back({KeyEntry::spoke, "atom; its spoke is as long as its mass"});
  else if (circle)
    key.push_back({KeyEntry::spoke, fmt::format("atom; its spoke is {:g} times its mass", spokes)});
  else
    key.push_back({KeyEntry::ball, "atom; its area is its mass"});
  if (extrema) key.push_back({KeyEntry::extremum, figure.extrema_name});
  const char* const unit = circle ? "where a unit is active" : "edge of a unit, its axis marked";
  if (plus) key.push_back({KeyEntry::plus, fmt::format("{}, ω > 0", unit)});
  if (minus) key.push_back({KeyEntry::minus, fmt::format("{}, ω < 0", unit)});
  return key;
}

// The places of all parts, in points.
struct PortraitLayout {
  double width = 0, height = 0;
  std::vector<Frame> cells{};                                // below the titles
  std::vector<std::vector<std::pair<int, double>>> lines{};  // of the key: entry, left edge
  double key_top = 0;
};

constexpr double kWordGap = 0.6, kKeyGap = 2.2, kKeyRow = 1.8;  // em

PortraitLayout lay_out(const PortraitPen& pen, const Figure& figure,
                       const std::vector<KeyEntry>& key) {
  const PortraitStyle& style = pen.style();
  const bool circle = figure.panels.front().portrait.atoms.cols == 2;
  const int count = static_cast<int>(figure.panels.size());
  const int columns = circle && count == 3 ? 3 : std::min(count, 2);
  const double em = style.type, margin = 1.2 * em, title = 3.4 * em;
  const double between = circle ? margin : 3.5 * em;  // space between pairs of discs
  const double wide = circle ? style.cell : 1.4 * style.cell;
  const double high = circle ? style.cell : 0.7 * style.cell + 2.6 * em;
  PortraitLayout l;
  l.width = std::max(columns * (wide + between) - between + 2 * margin, 1.9 * style.cell);
  const double left = (l.width - columns * (wide + between) + between) / 2;
  for (int k = 0; k < count; ++k)
    l.cells.push_back({left + k % columns * (wide + between),
                       margin + title + k / columns * (high + title + margin), wide, high});
  l.key_top = l.cells.back().y + high + 1.2 * em;
  const double right = l.width - margin;
  double x = right;
  const auto length = [&](const KeyEntry& entry) {
    return (entry.width() + kWordGap) * em + pen.text_width(entry.words, em);
  };
  for (int k = 0; k < static_cast<int>(key.size()); ++k) {
    if (k == 0 || x + length(key[k]) > right) {
      l.lines.emplace_back();
      x = margin;
    }
    l.lines.back().emplace_back(k, x);
    x += length(key[k]) + kKeyGap * em;
  }
  for (auto& line : l.lines) {  // each line is centred
    const auto [last, at] = line.back();
    const double shift = (right - at - length(key[last])) / 2;
    for (auto& [entry, left_edge] : line) left_edge += shift;
  }
  l.height = l.key_top + kKeyRow * em * static_cast<double>(l.lines.size()) + 0.6 * em;
  return l;
}

void paint(const PortraitPen& pen, const Figure& figure, const PortraitLayout& l,
           const std::vector<KeyEntry>& key) {
  const PortraitStyle& style = pen.style();
  const int d = figure.panels.front().portrait.atoms.cols;
  const double em = style.type, spokes = spoke_scale(figure);
  pen.ink(style.ground);
  cairo_paint(pen.cr());
  for (std::size_t k = 0; k < figure.panels.size(); ++k) {
    const Panel& panel = figure.panels[k];
    const Frame& cell = l.cells[k];
    const double middle = cell.x + cell.width / 2;
    pen.text(middle, cell.y - 2.2 * em, panel.title,
             {.size = 1.1 * em, .colour = style.ink, .bold = true, .align = Align::centre});
    pen.text(middle, cell.y - 0.8 * em, panel.subtitle,
             {.size = em, .colour = style.quiet, .align = Align::centre});
    if (d == 2)
      draw_circle(pen, panel.portrait, cell, spokes);
    else
      draw_discs(pen, panel.portrait, cell);
  }
  for (std::size_t line = 0; line < l.lines.size(); ++line)
    for (const auto& [k, x] : l.lines[line]) {
      const double y = l.key_top + kKeyRow * em * (static_cast<double>(line) + 0.5);
      draw_sample(pen, key[k], {x, y - em / 2, key[k].width() * em, em}, d);
      pen.text(x + (key[k].width() + kWordGap) * em, y + 0.36 * em, key[k].words,
               {.size = em, .colour = style.ink});
    }
}

}  // namespace

void draw_portraits(const Figure& figure, const std::filesystem::path& path) {
  check(figure);
  check_ending(path);
  const PortraitStyle style = portrait_style(figure.style);
  const std::vector<KeyEntry> key = key_of(figure, spoke_scale(figure));
  const Surface ruler(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  const Context measuring(cairo_create(ruler.get()));
  const PortraitLayout l = lay_out(PortraitPen(measuring.get(), style), figure, key);
  write_figure(path, {l.width, l.height},
               [&](cairo_t* context) { paint(PortraitPen(context, style), figure, l, key); });
}

}  // namespace murmur::picture
