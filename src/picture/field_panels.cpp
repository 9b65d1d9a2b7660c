// field_panels.cpp: paints a field over a plane or in space, with axes, ticks and arrows.
#include "picture/field_panels.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "picture/camera.h"
#include "picture/labels.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kLeast = ArrowScale::kLeast;

// The range of the places along each axis, and how far apart neighbours on the grid are.
struct Extent {
  std::array<double, 3> low{}, high{};
  double spacing = 1;
};

Extent extent_of(const VectorField& field, std::size_t dimensions) {
  Extent extent;
  const std::size_t points = field.at.size() / dimensions;
  double sides = 0;
  for (std::size_t k = 0; k < dimensions; ++k) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t p = 0; p < points; ++p) {
      low = std::min(low, field.at[p * dimensions + k]);
      high = std::max(high, field.at[p * dimensions + k]);
    }
    extent.low[k] = low, extent.high[k] = high;
    sides += (high - low) / static_cast<double>(dimensions);
  }
  const double along = std::pow(static_cast<double>(points), 1.0 / static_cast<double>(dimensions));
  extent.spacing = along > 1.5 && sides > 0 ? sides / (along - 1) : 1;
  return extent;
}

struct Arrow {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // pixels
  double depth = 0, fog = 0;
};

void paint_dot(const Pen& pen, double x, double y, double radius, Colour colour) {
  cairo_new_sub_path(pen.cr());
  cairo_arc(pen.cr(), x, y, radius, 0, 2 * kPi);
  pen.ink(colour);
  cairo_fill(pen.cr());
}

void paint_arrow(const Pen& pen, const Arrow& a, Colour colour, double width) {
  cairo_t* cr = pen.cr();
  pen.ink(colour);
  const double dx = a.x1 - a.x0, dy = a.y1 - a.y0, length = std::hypot(dx, dy);
  if (length < 1.2 * width) return paint_dot(pen, a.x0, a.y0, 0.9 * width, colour);
  const double head = std::min(0.6 * length, 4.8 * width), ux = dx / length, uy = dy / length;
  cairo_move_to(cr, a.x0, a.y0);
  cairo_line_to(cr, a.x1 - 0.7 * head * ux, a.y1 - 0.7 * head * uy);
  cairo_set_line_width(cr, width);
  cairo_stroke(cr);
  const double half = 0.42 * std::max(head, 2.6 * width);
  cairo_move_to(cr, a.x1, a.y1);
  cairo_line_to(cr, a.x1 - head * ux - half * uy, a.y1 - head * uy + half * ux);
  cairo_line_to(cr, a.x1 - head * ux + half * uy, a.y1 - head * uy - half * ux);
  cairo_close_path(cr);
  cairo_fill(cr);
}

// A ring with a dot, the tip of an arrow that comes out of the plane, or with a cross, the tail of
// one that goes in.
void paint_tip(const Pen& pen, double x, double y, double radius, bool towards, Colour colour) {
  cairo_t* cr = pen.cr();
  cairo_new_sub_path(cr);
  cairo_arc(cr, x, y, radius, 0, 2 * kPi);
  if (!towards) {
    const double r = radius * std::numbers::sqrt2 / 2;
    cairo_move_to(cr, x - r, y - r);
    cairo_line_to(cr, x + r, y + r);
    cairo_move_to(cr, x - r, y + r);
    cairo_line_to(cr, x + r, y - r);
  }
  pen.ink(colour);
  cairo_set_line_width(cr, std::max(1.0, 0.28 * radius));
  cairo_stroke(cr);
  if (towards) paint_dot(pen, x, y, 0.36 * radius, colour);
}

// A panel over a plane: square, with ticks outside of its frame.
class PlanePanel {
 public:
  PlanePanel(const Pen& pen, const Theme& look, const FieldType& type, const Extent& extent,
             const Frame& f)
      : pen_(pen), cr_(pen.cr()), look_(look), type_(type), f_(f), extent_(extent) {
    double half = 0;
    for (int k = 0; k < 2; ++k) {
      middle_[k] = (extent.low[k] + extent.high[k]) / 2;
      half = std::max(half, (extent.high[k] - extent.low[k]) / 2);
    }
    half_ = half + 0.75 * extent.spacing;
    zoom_ = f.width / (2 * half_);
  }
  double spacing() const { return zoom_ * extent_.spacing; }

  void paint(const VectorField& field, Colour colour, const ArrowScale& scale) {
    paint_axes();
    cairo_save(cr_);
    cairo_rectangle(cr_, f_.x, f_.y, f_.width, f_.height);
    cairo_clip(cr_);
    const double width = std::clamp(0.055 * spacing(), 1.0, 1.5 * type_.line);
    for (std::size_t p = 0; p < field.at.size() / 2; ++p) {
      const double x = place_x(field.at[2 * p]), y = place_y(field.at[2 * p + 1]);
      const double dx = field.arrow[2 * p], dy = -field.arrow[2 * p + 1];
      const double value = value_at(field, p, 2), whole = scale.length(value);
      if (whole == 0) {
        paint_dot(pen_, x, y, 0.75 * width, mix(colour, ground(), 0.35));
        continue;
      }
      const double share = std::hypot(dx, dy) / value, length = whole * share;
      if (length < kLeast) {  // nearly all of it is out of the plane
        paint_tip(pen_, x, y, std::clamp(0.16 * whole, 3.2, 0.2 * spacing()), field.out[p] > 0,
                  colour);
        continue;
      }
      const double ux = 0.5 * whole * dx / value, uy = 0.5 * whole * dy / value;
      paint_arrow(pen_, Arrow{x - ux, y - uy, x + ux, y + uy}, colour, width);
    }
    cairo_restore(cr_);
  }

 private:
  double place_x(double x) const { return f_.x + f_.width / 2 + zoom_ * (x - middle_[0]); }
  double place_y(double y) const { return f_.y + f_.height / 2 - zoom_ * (y - middle_[1]); }
  Colour ground() const { return look_.dark ? rgb(0x10151f) : look_.centre; }

  void paint_axes() {
    const double tick = 0.4 * type_.text;
    const Ticks x = nice_ticks(extent_.low[0], extent_.high[0], 4);
    const Ticks y = nice_ticks(extent_.low[1], extent_.high[1], 4);
    const double bottom = f_.y + f_.height;
    const auto line = [&](double x0, double y0, double x1, double y1) {
      cairo_move_to(cr_, x0, y0);
      cairo_line_to(cr_, x1, y1);
    };
    for (const double at : x.at) line(place_x(at), f_.y, place_x(at), bottom);
    for (const double at : y.at) line(f_.x, place_y(at), f_.x + f_.width, place_y(at));
    pen_.ink(look_.line, look_.dark ? 0.12 : 0.14);
    cairo_set_line_width(cr_, 0.7 * type_.line);
    cairo_stroke(cr_);
    cairo_rectangle(cr_, f_.x, f_.y, f_.width, f_.height);
    for (const double at : x.at) line(place_x(at), bottom, place_x(at), bottom + tick);
    for (const double at : y.at) line(f_.x, place_y(at), f_.x - tick, place_y(at));
    pen_.ink(look_.line, 0.75);
    cairo_set_line_width(cr_, 0.8 * type_.line);
    cairo_stroke(cr_);
    const TextStyle number{.size = type_.text, .colour = look_.quiet, .align = Align::centre};
    for (const double at : x.at)
      pen_.text(place_x(at), bottom + tick + 1.1 * type_.text, x.text(at), number);
    for (const double at : y.at)
      pen_.text(f_.x - tick - 0.35 * type_.text, place_y(at) + 0.36 * type_.text, y.text(at),
                {.size = type_.text, .colour = look_.quiet, .align = Align::right});
    const TextStyle name{.size = 1.1 * type_.text, .colour = look_.ink, .align = Align::centre};
    pen_.text(f_.x + f_.width / 2, bottom + tick + 2.5 * type_.text, "x", name);
    pen_.text(f_.x - 3.3 * type_.text, f_.y + f_.height / 2 + 0.36 * type_.text, "y", name);
  }

  const Pen& pen_;
  cairo_t* cr_;
  const Theme& look_;
  const FieldType& type_;
  Frame f_;
  const Extent& extent_;
  double middle_[2] = {0, 0}, half_ = 1, zoom_ = 1;
};

// A cube of places seen by a camera, with ticks along three edges and grids on the walls behind.
class SpacePanel {
 public:
  SpacePanel(const Pen& pen, const Theme& look, const FieldType& type, const Extent& extent,
             const Frame& room)
      : pen_(pen), cr_(pen.cr()), look_(look), type_(type), room_(room), extent_(extent) {
    double square = 0;
    for (int k = 0; k < 3; ++k) {
      centre_[k] = (extent.low[k] + extent.high[k]) / 2;
      half_[k] = std::max((extent.high[k] - extent.low[k]) / 2 + 0.5 * extent.spacing, 1e-9);
      square += half_[k] * half_[k];
    }
    scale_ = 1 / std::sqrt(square);
    double left = 0, right = 0, low = 0, high = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const Sight seen = camera_.project(corner_point(corner));
      left = std::min(left, seen.x), right = std::max(right, seen.x);
      low = std::min(low, seen.y), high = std::max(high, seen.y);
    }
    const double beside = 3.4 * type.text,
                 below = 2.4 * type.text;  // numbers and names of the axes
    zoom_ = std::min((room.width - 2 * beside) / (right - left),
                     (room.height - 1.3 * below) / (high - low));
    cx_ = room.x + room.width / 2 - zoom_ * (left + right) / 2;
    cy_ = room.y + (room.height - below) / 2 + zoom_ * (low + high) / 2;
  }
  double spacing() const { return zoom_ * scale_ * extent_.spacing; }

  void paint(const VectorField& field, Colour colour, const ArrowScale& scale) {
    paint_walls();
    std::vector<Arrow> arrows;
    for (std::size_t p = 0; p < field.at.size() / 3; ++p) {
      const double value = value_at(field, p, 3), length = scale.length(value);
      const double grow = value > 0 ? length / (zoom_ * scale_ * value) : 0;
      std::array<double, 3> from{}, to{};
      for (int k = 0; k < 3; ++k) {
        const double half = 0.5 * grow * field.arrow[3 * p + k];  // centred on its place
        from[k] = field.at[3 * p + k] - half, to[k] = field.at[3 * p + k] + half;
      }
      const Sight a = camera_.project(point(from)), b = camera_.project(point(to));
      const double depth = (a.depth + b.depth) / 2;
      arrows.push_back({cx_ + zoom_ * a.x, cy_ - zoom_ * a.y, cx_ + zoom_ * b.x, cy_ - zoom_ * b.y,
                        depth, std::clamp((0.75 - depth) / 1.5, 0.0, 1.0)});
    }
    std::stable_sort(arrows.begin(), arrows.end(),
                     [](const Arrow& a, const Arrow& b) { return a.depth < b.depth; });
    const Colour far = look_.dark ? rgb(0x10151f) : look_.centre;
    for (const Arrow& arrow : arrows)
      paint_arrow(pen_, arrow, mix(colour, far, 0.62 * arrow.fog),
                  (1.5 - 0.5 * arrow.fog) * type_.line);
  }

 private:
  Point point(const std::array<double, 3>& x) const {
    const auto along = [&](int k) { return static_cast<float>(scale_ * (x[k] - centre_[k])); };
    return {along(0), along(1), along(2)};
  }
  std::array<double, 3> corner_place(int corner) const {
    std::array<double, 3> x{};
    for (int k = 0; k < 3; ++k) x[k] = centre_[k] + ((corner >> k & 1) != 0 ? 1 : -1) * half_[k];
    return x;
  }
  Point corner_point(int corner) const { return point(corner_place(corner)); }
  struct Spot {
    double x, y;
  };
  Spot spot(const std::array<double, 3>& x) const {
    const Sight seen = camera_.project(point(x));
    return {cx_ + zoom_ * seen.x, cy_ - zoom_ * seen.y};
  }
  void line(const std::array<double, 3>& from, const std::array<double, 3>& to) const {
    const Spot a = spot(from), b = spot(to);
    cairo_move_to(cr_, a.x, a.y);
    cairo_line_to(cr_, b.x, b.y);
  }

  // The floor, and the two walls behind, with lines at the ticks; then the axes along the edges
  // before: x and y below, z at the left.
  void paint_walls() {
    const std::array<double, 3> low = corner_place(0), high = corner_place(7);
    std::array<Ticks, 3> ticks;
    for (int k = 0; k < 3; ++k) ticks[k] = nice_ticks(extent_.low[k], extent_.high[k], 4);
    for (const double at : ticks[0].at) {
      line({at, low[1], low[2]}, {at, high[1], low[2]});
      line({at, high[1], low[2]}, {at, high[1], high[2]});
    }
    for (const double at : ticks[1].at) {
      line({low[0], at, low[2]}, {high[0], at, low[2]});
      line({low[0], at, low[2]}, {low[0], at, high[2]});
    }
    for (const double at : ticks[2].at) {
      line({low[0], high[1], at}, {high[0], high[1], at});
      line({low[0], low[1], at}, {low[0], high[1], at});
    }
    pen_.ink(look_.line, look_.dark ? 0.14 : 0.17);
    cairo_set_line_width(cr_, 0.7 * type_.line);
    cairo_stroke(cr_);
    for (int k = 0; k < 3; ++k) paint_axis(k, ticks[k], low, high);
  }

  void paint_axis(int k, const Ticks& ticks, const std::array<double, 3>& low,
                  const std::array<double, 3>& high) {
    // x before below, y right below, z left before.
    std::array<double, 3> from = low, to = low;
    if (k == 1) from[0] = to[0] = high[0];
    to[k] = high[k];
    line(from, to);
    const Spot middle = spot({centre_[0], centre_[1], centre_[2]});
    std::array<double, 3> half = from;
    half[k] = centre_[k];
    const Spot on = spot(half);
    const Spot a = spot(from), b = spot(to);
    // Outwards: across the edge, away from the middle of the cube.
    double ox = b.y - a.y, oy = a.x - b.x;
    const double size = std::hypot(ox, oy);
    const double side = (on.x - middle.x) * ox + (on.y - middle.y) * oy > 0 ? 1 : -1;
    ox *= side / size, oy *= side / size;
    const double tick = 0.4 * type_.text;
    std::vector<std::pair<Spot, std::string>> numbers;
    for (const double at : ticks.at) {
      std::array<double, 3> place = from;
      place[k] = at;
      const Spot here = spot(place);
      cairo_move_to(cr_, here.x, here.y);
      cairo_line_to(cr_, here.x + tick * ox, here.y + tick * oy);
      numbers.emplace_back(here, ticks.text(at));
    }
    pen_.ink(look_.line, 0.75);
    cairo_set_line_width(cr_, 0.8 * type_.line);
    cairo_stroke(cr_);
    for (const auto& [here, text] : numbers)
      pen_.text(here.x + 1.25 * type_.text * ox,
                here.y + 1.15 * type_.text * oy + 0.36 * type_.text, text,
                {.size = 0.92 * type_.text, .colour = look_.quiet, .align = Align::centre});
    constexpr const char* kNames[] = {"x", "y", "z"};
    pen_.text(on.x + 2.75 * type_.text * ox, on.y + 2.55 * type_.text * oy + 0.36 * type_.text,
              kNames[k], {.size = 1.1 * type_.text, .colour = look_.ink, .align = Align::centre});
  }

  const Pen& pen_;
  cairo_t* cr_;
  const Theme& look_;
  const FieldType& type_;
  Frame room_;
  const Extent& extent_;
  Camera camera_{-kPi / 2 + 0.42, 0.42};
  std::array<double, 3> centre_{}, half_{};
  double scale_ = 1, zoom_ = 1, cx_ = 0, cy_ = 0;
};

}  // namespace

// The whole length of the arrow at a point, the part out of the plane with it.
double value_at(const VectorField& field, std::size_t point, std::size_t dimensions) {
  double square = field.out.empty() ? 0 : field.out[point] * field.out[point];
  for (std::size_t k = 0; k < dimensions; ++k)
    square += field.arrow[point * dimensions + k] * field.arrow[point * dimensions + k];
  return std::sqrt(square);
}

ArrowScale FieldBrush::plane(const VectorField& field, const Frame& frame, Colour colour,
                             double longest) const {
  const Extent extent = extent_of(field, 2);
  PlanePanel panel(pen, look, type, extent, frame);
  const ArrowScale scale{longest, 1.12 * panel.spacing()};
  panel.paint(field, colour, scale);
  return scale;
}

ArrowScale FieldBrush::space(const VectorField& field, const Frame& frame, Colour colour,
                             double longest) const {
  const Extent extent = extent_of(field, 3);
  SpacePanel panel(pen, look, type, extent, frame);
  const ArrowScale scale{longest, 1.1 * panel.spacing()};
  panel.paint(field, colour, scale);
  return scale;
}

void FieldBrush::reference(const ArrowScale& scale, const Frame& room, Colour colour) const {
  double right = room.x + room.width;
  const double middle = room.y;
  if (!(scale.longest > 0)) {
    pen.text(right, middle + 0.36 * type.text, "zero everywhere",
             {.size = type.text, .colour = look.quiet, .align = Align::right});
    return;
  }
  const double power = std::pow(10.0, std::floor(std::log10(scale.longest)));
  const double lead = scale.longest / power;
  const double large = power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
  for (const double value : {large, large / 10}) {
    const std::string text = short_number(value);
    const double width = pen.text_width(text, type.text), length = scale.length(value);
    if (value < large && right - width - 0.5 * type.text - length < room.x) return;
    pen.text(right, middle + 0.36 * type.text, text,
             {.size = type.text, .colour = look.quiet, .align = Align::right});
    right -= width + 0.5 * type.text;
    paint_arrow(pen, Arrow{right - length, middle, right, middle}, colour, 1.15 * type.line);
    right -= length + 1.2 * type.text;
  }
}

}  // namespace murmur::picture
