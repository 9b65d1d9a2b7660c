// fields.cpp: draws vector fields over the plane or in space, with axes, ticks and arrows, as a
// page.
#include "picture/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/dome_paint.h"
#include "picture/labels.h"
#include "picture/projection.h"
#include "picture/stage.h"

namespace murmur {

double arrow_length(double value, double longest, double reach, double least) {
  if (!(value > 0) || !(longest > 0)) return 0;
  const double length = reach * std::sqrt(std::min(1.0, value / longest));
  return length < least ? 0 : length;
}

namespace picture {

namespace {

// Sizes of a page of fields, in its pixels.
struct FieldType {
  explicit FieldType(double width)
      : text(std::max(12.0, width / 76)),
        title(1.35 * text),
        line(std::max(1.2, width / 760)),
        margin(1.5 * text) {}
  double text, title, line, margin;
};

// The length of arrows: `reach` pixels for the longest.
struct ArrowScale {
  static constexpr double kLeast = 6.5;  // pixels: no arrow is shorter
  double longest = 0, reach = 1;
  double length(double value) const { return arrow_length(value, longest, reach, kLeast); }
};

// Paints fields of one page.
struct FieldBrush {
  const Pen& pen;
  const Theme& theme;
  const FieldType& type;

  // A field in a frame, whose longest arrow on any panel is `longest`; returns the scale that this
  // gave. Over a plane the ticks are outside of the frame, in space inside of it.
  ArrowScale plane(const VectorField& field, const Frame& frame, Colour colour,
                   double longest) const;
  ArrowScale space(const VectorField& field, const Frame& frame, Colour colour,
                   double longest) const;
  // Two arrows with their values, or one where there is no room for two, at the right end of a line
  // from (x, y) of the given width.
  void reference(const ArrowScale& scale, const Frame& line, Colour colour) const;
};

// The whole length of the arrow at a point, including the part out of the plane.
double value_at(const VectorField& field, std::size_t point, std::size_t dimensions) {
  double square = field.out.empty() ? 0 : field.out[point] * field.out[point];
  for (std::size_t k = 0; k < dimensions; ++k)
    square += field.arrow[point * dimensions + k] * field.arrow[point * dimensions + k];
  return std::sqrt(square);
}

constexpr double kPi = std::numbers::pi;
constexpr double kLeast = ArrowScale::kLeast;

// The range of the places along each axis, and the distance of neighbours on the grid.
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

// A ring with a dot, the tip of an arrow out of the plane, or with a cross, the tail of an arrow
// into it.
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
  PlanePanel(const Pen& pen, const Theme& theme, const FieldType& type, const Extent& extent,
             const Frame& f)
      : pen_(pen), cr_(pen.cr()), theme_(theme), type_(type), f_(f), extent_(extent) {
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
  Colour ground() const { return theme_.dark ? rgb(0x10151f) : theme_.centre; }

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
    pen_.ink(theme_.line, theme_.dark ? 0.12 : 0.14);
    cairo_set_line_width(cr_, 0.7 * type_.line);
    cairo_stroke(cr_);
    cairo_rectangle(cr_, f_.x, f_.y, f_.width, f_.height);
    for (const double at : x.at) line(place_x(at), bottom, place_x(at), bottom + tick);
    for (const double at : y.at) line(f_.x, place_y(at), f_.x - tick, place_y(at));
    pen_.ink(theme_.line, 0.75);
    cairo_set_line_width(cr_, 0.8 * type_.line);
    cairo_stroke(cr_);
    const TextStyle number{.size = type_.text, .colour = theme_.quiet, .align = Align::centre};
    for (const double at : x.at)
      pen_.text(place_x(at), bottom + tick + 1.1 * type_.text, x.text(at), number);
    for (const double at : y.at)
      pen_.text(f_.x - tick - 0.35 * type_.text, place_y(at) + 0.36 * type_.text, y.text(at),
                {.size = type_.text, .colour = theme_.quiet, .align = Align::right});
    const TextStyle name{.size = 1.1 * type_.text, .colour = theme_.ink, .align = Align::centre};
    pen_.text(f_.x + f_.width / 2, bottom + tick + 2.5 * type_.text, "x", name);
    pen_.text(f_.x - 3.3 * type_.text, f_.y + f_.height / 2 + 0.36 * type_.text, "y", name);
  }

  const Pen& pen_;
  cairo_t* cr_;
  const Theme& theme_;
  const FieldType& type_;
  Frame f_;
  const Extent& extent_;
  double middle_[2] = {0, 0}, half_ = 1, zoom_ = 1;
};

// A cube of places seen by a camera, with ticks along three edges and grids on the walls behind.
class SpacePanel {
 public:
  SpacePanel(const Pen& pen, const Theme& theme, const FieldType& type, const Extent& extent,
             const Frame& room)
      : pen_(pen), cr_(pen.cr()), theme_(theme), type_(type), room_(room), extent_(extent) {
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
    const Colour far = theme_.dark ? rgb(0x10151f) : theme_.centre;
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
    pen_.ink(theme_.line, theme_.dark ? 0.14 : 0.17);
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
    pen_.ink(theme_.line, 0.75);
    cairo_set_line_width(cr_, 0.8 * type_.line);
    cairo_stroke(cr_);
    for (const auto& [here, text] : numbers)
      pen_.text(here.x + 1.25 * type_.text * ox,
                here.y + 1.15 * type_.text * oy + 0.36 * type_.text, text,
                {.size = 0.92 * type_.text, .colour = theme_.quiet, .align = Align::centre});
    constexpr const char* kNames[] = {"x", "y", "z"};
    pen_.text(on.x + 2.75 * type_.text * ox, on.y + 2.55 * type_.text * oy + 0.36 * type_.text,
              kNames[k], {.size = 1.1 * type_.text, .colour = theme_.ink, .align = Align::centre});
  }

  const Pen& pen_;
  cairo_t* cr_;
  const Theme& theme_;
  const FieldType& type_;
  Frame room_;
  const Extent& extent_;
  Camera camera_{-kPi / 2 + 0.42, 0.42};
  std::array<double, 3> centre_{}, half_{};
  double scale_ = 1, zoom_ = 1, cx_ = 0, cy_ = 0;
};

ArrowScale FieldBrush::plane(const VectorField& field, const Frame& frame, Colour colour,
                             double longest) const {
  const Extent extent = extent_of(field, 2);
  PlanePanel panel(pen, theme, type, extent, frame);
  const ArrowScale scale{longest, 1.12 * panel.spacing()};
  panel.paint(field, colour, scale);
  return scale;
}

ArrowScale FieldBrush::space(const VectorField& field, const Frame& frame, Colour colour,
                             double longest) const {
  const Extent extent = extent_of(field, 3);
  SpacePanel panel(pen, theme, type, extent, frame);
  const ArrowScale scale{longest, 1.1 * panel.spacing()};
  panel.paint(field, colour, scale);
  return scale;
}

void FieldBrush::reference(const ArrowScale& scale, const Frame& room, Colour colour) const {
  double right = room.x + room.width;
  const double middle = room.y;
  if (!(scale.longest > 0)) {
    pen.text(right, middle + 0.36 * type.text, "zero everywhere",
             {.size = type.text, .colour = theme.quiet, .align = Align::right});
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
             {.size = type.text, .colour = theme.quiet, .align = Align::right});
    right -= width + 0.5 * type.text;
    paint_arrow(pen, Arrow{right - length, middle, right, middle}, colour, 1.15 * type.line);
    right -= length + 1.2 * type.text;
  }
}

[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

void check(const VectorField& field, std::size_t dimensions) {
  const std::size_t count = field.at.size();
  bool good = count > 0 && count % dimensions == 0 && field.arrow.size() == count &&
              (field.out.empty() || field.out.size() * dimensions == count);
  for (std::size_t k = 0; good && k < count; ++k)
    good = std::isfinite(field.at[k]) && std::isfinite(field.arrow[k]);
  for (const double part : field.out) good = good && std::isfinite(part);
  if (!good)
    refuse(
        fmt::format("the field has {} places and {} arrows: not (points, {}) each, or not finite",
                    count, field.arrow.size(), dimensions),
        fmt::format("field {}", field.name),
        fmt::format("give one arrow of {} finite numbers for each place", dimensions));
}

void check(const FieldSheet& sheet) {
  const char* const remedy =
      "give one row of fields for each height or head, with the same fields in each";
  if (sheet.dimensions != 2 && sheet.dimensions != 3)
    refuse(fmt::format("fields of {} dimensions cannot be drawn", sheet.dimensions),
           "parameter dimensions", "use 2 or 3");
  if (sheet.rows.empty() || sheet.rows.front().empty() ||
      (sheet.rows.size() != sheet.row_names.size() && sheet.rows.size() > 1))
    refuse(fmt::format("there are {} rows of fields for {} names", sheet.rows.size(),
                       sheet.row_names.size()),
           "parameters rows and row_names", remedy);
  for (const auto& row : sheet.rows) {
    if (row.size() != sheet.rows.front().size())
      refuse("the rows hold different fields", "parameter rows", remedy);
    for (const VectorField& field : row) check(field, static_cast<std::size_t>(sheet.dimensions));
  }
}

Colour colour_of(const VectorField& field, std::size_t index, const Theme& theme) {
  const auto known = std::find_if(std::begin(kFieldNames), std::end(kFieldNames),
                                  [&](std::string_view name) { return field.name == name; });
  const auto place = known != std::end(kFieldNames)
                         ? static_cast<std::size_t>(known - std::begin(kFieldNames))
                         : index % 4;
  constexpr int kHue[] = {0, 2, 4};  // blue, green, vermilion
  return place < 3 ? class_colour(kHue[place], theme.dark) : theme.ink;
}

double longest_of(const std::vector<const VectorField*>& fields, std::size_t dimensions) {
  double longest = 0;
  for (const VectorField* field : fields)
    for (std::size_t p = 0; p < field->at.size() / dimensions; ++p)
      longest = std::max(longest, value_at(*field, p, dimensions));
  return longest;
}

// The places of the panels. A single row is broken so that its panels are largest.
struct SheetLayout {
  int width = 1280, height = 0;
  std::size_t columns = 1, rows = 1;
  double left = 0, top = 0;  // of the first panel's room
  double room_width = 0, room_height = 0;
  std::vector<std::string> caption{};
};

std::string how_to_read(const FieldSheet& sheet) {
  const bool out = !sheet.rows.front().front().out.empty();
  return std::string(
             "The length of an arrow is proportional to the square root of the vector's length; "
             "the two arrows above each panel give the scale.") +
         (out ? " Rings: the vector is nearly perpendicular to the plane, out of the page (dot) "
                "or into it (cross)."
              : "") +
         " Small dots: vectors too small to be drawn as arrows.";
}

SheetLayout lay_out(const FieldSheet& sheet, const FieldStyle& style) {
  SheetLayout at;
  const std::size_t fields = sheet.rows.front().size();
  const bool broken = sheet.rows.size() == 1 && fields > 2;
  at.columns = broken ? (fields + 1) / 2 : fields;
  at.rows = broken ? 2 : sheet.rows.size();
  at.width = style.width > 0 ? style.width : at.columns > 2 ? 1600 : 1280;
  const FieldType type(at.width);
  Canvas ruler(8, 8);
  const double inner = at.width - 2 * type.margin;
  at.caption = ruler.wrap(sheet.caption + " " + how_to_read(sheet), inner, type.text, false, 5);
  at.left = type.margin + (sheet.row_names.empty() ? 0 : 1.6 * type.text);
  at.room_width = (at.width - type.margin - at.left) / static_cast<double>(at.columns);
  at.top = type.margin + 1.5 * type.title;
  const double below =
      at.top + 1.5 * type.text * static_cast<double>(at.caption.size()) + type.margin;
  const double square = at.room_width - 4.8 * type.text;
  at.room_height = sheet.dimensions == 3 ? 0.92 * at.room_width : square + 6.6 * type.text;
  if (style.height > 0) {
    at.height = style.height;
    at.room_height = (style.height - below) / static_cast<double>(at.rows);
  } else {
    at.height = 2 * static_cast<int>(
                        std::ceil((below + at.room_height * static_cast<double>(at.rows)) / 2));
  }
  return at;
}

// Paints the whole page.
class SheetPainter {
 public:
  SheetPainter(cairo_t* cr, const FieldSheet& sheet, const SheetLayout& at, const Theme& theme)
      : pen_(cr), sheet_(sheet), at_(at), theme_(theme), type_(at.width) {}

  void paint() {
    paint_ground(pen_.cr(), theme_);
    pen_.text(type_.margin, type_.margin + 0.8 * type_.title, sheet_.title,
              {.size = type_.title, .colour = theme_.ink, .bold = true});
    const std::size_t fields = sheet_.rows.front().size();
    for (std::size_t r = 0; r < sheet_.rows.size(); ++r)
      for (std::size_t c = 0; c < fields; ++c) {
        const std::size_t place = sheet_.rows.size() == 1 ? c : r * fields + c;
        const Frame room{at_.left + at_.room_width * static_cast<double>(place % at_.columns),
                         at_.top + at_.room_height * static_cast<double>(place / at_.columns),
                         at_.room_width, at_.room_height};
        paint_panel(r, c, room);
      }
    double y = at_.top + at_.room_height * static_cast<double>(at_.rows) + 1.2 * type_.text;
    for (const std::string& line : at_.caption) {
      pen_.text(type_.margin, y, line, {.size = type_.text, .colour = theme_.quiet});
      y += 1.5 * type_.text;
    }
  }

 private:
  // The name and the reference arrows above, the panel below. All panels of a field have one scale.
  void paint_panel(std::size_t r, std::size_t c, const Frame& room) {
    const auto dimensions = static_cast<std::size_t>(sheet_.dimensions);
    const VectorField& field = sheet_.rows[r][c];
    std::vector<const VectorField*> alike;
    for (const auto& row : sheet_.rows) alike.push_back(&row[c]);
    const Colour colour = sheet_.colour_by_row ? class_colour(static_cast<int>(r), theme_.dark)
                                               : colour_of(field, c, theme_);
    const double longest = longest_of(alike, dimensions);
    const FieldBrush brush{pen_, theme_, type_};
    ArrowScale scale;
    const double axis = 4.0 * type_.text, head = 2.0 * type_.text;
    Frame f{room.x + axis, room.y + head, room.width - axis - 0.8 * type_.text, 0};
    if (dimensions == 2) {
      f.width = f.height = std::min(f.width, room.height - head - 4.2 * type_.text);
      scale = brush.plane(field, f, colour, longest);
    } else {
      f = {room.x, room.y + head, room.width, room.height - head};
      scale = brush.space(field, f, colour, longest);
      f = {room.x + 1.2 * type_.text, f.y, room.width - 2.4 * type_.text, f.height};
    }
    const double middle = room.y + 0.9 * type_.text;
    const double letters = 1.2 * type_.text;
    pen_.text(f.x, middle + 0.4 * type_.text, field.name,
              {.size = letters, .colour = colour, .bold = true});
    const double named = pen_.text_width(field.name, letters, true) + type_.text;
    brush.reference(scale, {f.x + named, middle, f.width - named, 0}, colour);
    if (c == 0 && r < sheet_.row_names.size())
      pen_.turned_text(type_.margin + 0.5 * type_.text, f.y + f.height / 2, sheet_.row_names[r],
                       {.size = 1.1 * type_.text,
                        .colour = sheet_.colour_by_row ? colour : theme_.ink,
                        .bold = true,
                        .align = Align::centre});
  }

  const Pen pen_;
  const FieldSheet& sheet_;
  const SheetLayout& at_;
  const Theme& theme_;
  const FieldType type_;
};

}  // namespace

}  // namespace picture

using namespace picture;

void draw_fields(const FieldSheet& sheet, const FieldStyle& style,
                 const std::filesystem::path& path) {
  picture::check(sheet);
  const SheetLayout at = picture::lay_out(sheet, style);
  const bool dark = style.style == FigureStyle::dark;
  check_size({dark, at.width, at.height});
  draw_page({style.style, at.width, at.height}, path,
            [&](cairo_t* cr) { SheetPainter(cr, sheet, at, theme_of(dark)).paint(); });
}

std::vector<std::filesystem::path> draw_fields_svg_and_png(const FieldSheet& sheet,
                                                           const FieldStyle& style,
                                                           const std::filesystem::path& folder,
                                                           const std::string& stem) {
  std::vector<std::filesystem::path> made;
  for (const char* ending : {".svg", ".png"}) {
    made.push_back(folder / (stem + ending));
    draw_fields(sheet, style, made.back());
  }
  return made;
}

}  // namespace murmur
