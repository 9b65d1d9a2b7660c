// fields.cpp: draws what query, key, value and feed-forward make of each place, as arrows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "murmur/error.h"
#include "picture/camera.h"
#include "picture/digit_pictures.h"
#include "picture/labels.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

struct Sheet {  // sizes shared by both pictures
  explicit Sheet(const Canvas& canvas)
      : unit(std::sqrt(canvas.width() * canvas.height() / (1280.0 * 720.0))),
        margin(std::max(12.0, 30 * unit)),
        title(std::max(12.0, 20 * unit)),
        text(std::max(9.0, 12.5 * unit)) {}
  double unit, margin, title, text;
};

void check(const VectorField& field, std::size_t dimensions) {
  const std::size_t count = field.at.size();
  bool good = count > 0 && count % dimensions == 0 && field.arrow.size() == count;
  for (std::size_t k = 0; good && k < count; ++k)
    good = std::isfinite(field.at[k]) && std::isfinite(field.arrow[k]);
  if (!good)
    throw Error(Fault::input,
                fmt::format("the field has {} places and {} arrows: not ({}) each, or not finite",
                            count, field.arrow.size(), fmt::format("points, {}", dimensions)),
                fmt::format("field {}", field.name),
                fmt::format("give one arrow of {} finite numbers a place", dimensions));
}

Colour colour_of(const VectorField& field, std::size_t index, const Theme& look) {
  const auto known = std::find_if(std::begin(kFieldNames), std::end(kFieldNames),
                                  [&](std::string_view name) { return field.name == name; });
  const auto place = known != std::end(kFieldNames)
                         ? static_cast<std::size_t>(known - std::begin(kFieldNames))
                         : index % 4;
  constexpr int kHue[] = {0, 2, 4};  // blue, green, vermilion
  return place < 3 ? class_colour(kHue[place], look.dark) : look.ink;
}

double length_of(const VectorField& field, std::size_t point, std::size_t dimensions) {
  double square = 0;
  for (std::size_t k = 0; k < dimensions; ++k)
    square += field.arrow[point * dimensions + k] * field.arrow[point * dimensions + k];
  return std::sqrt(square);
}

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

// How much longer arrows are drawn than they are: all but the longest 2 % fit the grid.
struct ArrowScale {
  double grow = 1, longest = 0;
  std::string sentence() const {
    if (longest == 0) return "zero everywhere";
    return fmt::format("arrows × {}, longest {}", short_number(grow), short_number(longest));
  }
};

ArrowScale scale_of(const std::vector<const VectorField*>& fields, std::size_t dimensions,
                    double reach) {
  std::vector<double> lengths;
  for (const VectorField* field : fields)
    for (std::size_t p = 0; p < field->at.size() / dimensions; ++p)
      lengths.push_back(length_of(*field, p, dimensions));
  std::sort(lengths.begin(), lengths.end());
  ArrowScale scale;
  scale.longest = lengths.back();
  const double usual = lengths[lengths.size() - 1 - lengths.size() / 50];
  const double measure = usual > 0 ? usual : scale.longest;
  if (!(measure > 0)) return scale;
  const double raw = reach / measure, power = std::pow(10.0, std::floor(std::log10(raw)));
  const double lead = raw / power;  // down to a round number, for the reader
  scale.grow = power;
  for (double round : {1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (lead >= round) scale.grow = round * power;
  return scale;
}

struct Arrow {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // pixels
  double depth = 0, fog = 0;
};

void paint_arrow(Canvas& canvas, const Arrow& a, Colour colour, double width) {
  cairo_t* cr = canvas.cr();
  canvas.ink(colour);
  const double dx = a.x1 - a.x0, dy = a.y1 - a.y0, length = std::hypot(dx, dy);
  if (length < 1.2 * width) {
    cairo_arc(cr, a.x0, a.y0, 0.75 * width, 0, 2 * std::numbers::pi);
    cairo_fill(cr);
    return;
  }
  const double head = std::min(0.55 * length, 4.6 * width), ux = dx / length, uy = dy / length;
  canvas.line(a.x0, a.y0, a.x1 - 0.7 * head * ux, a.y1 - 0.7 * head * uy);
  cairo_set_line_width(cr, width);
  cairo_stroke(cr);
  cairo_move_to(cr, a.x1, a.y1);
  cairo_line_to(cr, a.x1 - head * ux - 0.42 * head * uy, a.y1 - head * uy + 0.42 * head * ux);
  cairo_line_to(cr, a.x1 - head * ux + 0.42 * head * uy, a.y1 - head * uy - 0.42 * head * ux);
  cairo_close_path(cr);
  cairo_fill(cr);
}

// A cube of places seen by a camera, with its edges and the names of its axes.
class SpacePanel {
 public:
  SpacePanel(Canvas& canvas, const Theme& look, const Extent& extent, const Frame& room)
      : canvas_(canvas), look_(look), room_(room) {
    double square = 0;
    for (int k = 0; k < 3; ++k) {
      centre_[k] = (extent.low[k] + extent.high[k]) / 2;
      half_[k] = std::max((extent.high[k] - extent.low[k]) / 2 + 0.5 * extent.spacing, 1e-9);
      square += half_[k] * half_[k];
    }
    scale_ = 1 / std::sqrt(square);
    double wide = 0, tall = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const Sight seen = camera_.project(corner_point(corner));
      wide = std::max(wide, std::abs(seen.x)), tall = std::max(tall, std::abs(seen.y));
    }
    zoom_ = std::min(room.width / (2 * wide), room.height / (2 * tall)) * 0.97;
  }

  void paint(const VectorField& field, Colour colour, double grow) {
    const Sheet sheet(canvas_);
    paint_edges(sheet, false);
    std::vector<Arrow> arrows;
    for (std::size_t p = 0; p < field.at.size() / 3; ++p) {
      std::array<double, 3> from{}, to{};
      for (int k = 0; k < 3; ++k) {
        const double half = 0.5 * grow * field.arrow[3 * p + k];  // centred on its place
        from[k] = field.at[3 * p + k] - half, to[k] = field.at[3 * p + k] + half;
      }
      const Sight a = camera_.project(point(from)), b = camera_.project(point(to));
      const double cx = room_.x + room_.width / 2, cy = room_.y + room_.height / 2;
      const double depth = (a.depth + b.depth) / 2;
      arrows.push_back({cx + zoom_ * a.x, cy - zoom_ * a.y, cx + zoom_ * b.x, cy - zoom_ * b.y,
                        depth, std::clamp((0.75 - depth) / 1.5, 0.0, 1.0)});
    }
    std::stable_sort(arrows.begin(), arrows.end(),
                     [](const Arrow& a, const Arrow& b) { return a.depth < b.depth; });
    const Colour far = look_.dark ? mix(look_.edge, look_.centre, 0.6) : look_.centre;
    for (const Arrow& arrow : arrows)
      paint_arrow(canvas_, arrow, mix(colour, far, 0.72 * arrow.fog),
                  std::max(0.8, (1.75 - 0.7 * arrow.fog) * sheet.unit));
    paint_edges(sheet, true);
  }

 private:
  Point point(const std::array<double, 3>& x) const {
    const auto along = [&](int k) { return static_cast<float>(scale_ * (x[k] - centre_[k])); };
    return {along(0), along(1), along(2)};
  }
  Point corner_point(int corner) const {
    std::array<double, 3> x{};
    for (int k = 0; k < 3; ++k) x[k] = centre_[k] + ((corner >> k & 1) != 0 ? 1 : -1) * half_[k];
    return point(x);
  }

  // The three edges that meet nearest to the eye are drawn over the arrows, the others under them.
  void paint_edges(const Sheet& sheet, bool near) {
    int nearest = 0;
    for (int corner = 1; corner < 8; ++corner)
      if (camera_.project(corner_point(corner)).depth >
          camera_.project(corner_point(nearest)).depth)
        nearest = corner;
    const double cx = room_.x + room_.width / 2, cy = room_.y + room_.height / 2;
    for (int corner = 0; corner < 8; ++corner)
      for (int k = 0; k < 3; ++k) {
        const int other = corner ^ 1 << k;
        if (other < corner || (corner == nearest || other == nearest) != near) continue;
        const Sight a = camera_.project(corner_point(corner)),
                    b = camera_.project(corner_point(other));
        canvas_.line(cx + zoom_ * a.x, cy - zoom_ * a.y, cx + zoom_ * b.x, cy - zoom_ * b.y);
      }
    canvas_.ink(look_.line, near ? 0.20 : 0.34);
    cairo_set_line_width(canvas_.cr(), std::max(0.7, sheet.unit));
    cairo_stroke(canvas_.cr());
    if (near) return;
    // x and y along the near edges of the floor, z up the left one.
    const char* const names[] = {"x", "y", "z"};
    const int edges[][2] = {{0, 1}, {1, 3}, {0, 4}};
    for (int k = 0; k < 3; ++k) {
      const Sight a = camera_.project(corner_point(edges[k][0]));
      const Sight b = camera_.project(corner_point(edges[k][1]));
      const double out_x = k == 2 ? -1.0 : k == 1 ? 0.8 : 0, out_y = k == 2 ? 0 : 1.2;
      canvas_.text(cx + zoom_ * (a.x + b.x) / 2 + out_x * sheet.text,
                   cy - zoom_ * (a.y + b.y) / 2 + (out_y + 0.36) * sheet.text, names[k],
                   {.size = sheet.text, .colour = look_.quiet, .align = Align::centre});
    }
  }

  Canvas& canvas_;
  const Theme& look_;
  Frame room_;
  Camera camera_{-std::numbers::pi / 2 + 0.42, 0.42};
  std::array<double, 3> centre_{}, half_{};
  double scale_ = 1, zoom_ = 1;
};

void paint_plane(Canvas& canvas, const Theme& look, const VectorField& field, const Frame& f,
                 const ArrowScale& scale, Colour colour) {
  const Sheet sheet(canvas);
  const Extent extent = extent_of(field, 2);
  const double half_x = (extent.high[0] - extent.low[0]) / 2 + 0.6 * extent.spacing;
  const double half_y = (extent.high[1] - extent.low[1]) / 2 + 0.6 * extent.spacing;
  const double zoom = std::min(f.width / (2 * half_x), f.height / (2 * half_y));
  const double cx = f.x + f.width / 2, cy = f.y + f.height / 2;
  const double mid_x = (extent.low[0] + extent.high[0]) / 2;
  const double mid_y = (extent.low[1] + extent.high[1]) / 2;
  cairo_t* cr = canvas.cr();
  cairo_rectangle(cr, f.x, f.y, f.width, f.height);
  canvas.ink(look.dark ? look.lit : look.body, look.dark ? 0.16 : 0.5);
  cairo_fill_preserve(cr);
  canvas.ink(look.line, 0.3);
  cairo_set_line_width(cr, 1);
  cairo_stroke(cr);
  cairo_save(cr);
  cairo_rectangle(cr, f.x, f.y, f.width, f.height);
  cairo_clip(cr);
  const double width = std::clamp(0.075 * extent.spacing * zoom, 0.8, 2.0 * sheet.unit + 0.4);
  for (std::size_t p = 0; p < field.at.size() / 2; ++p) {
    const double x = cx + zoom * (field.at[2 * p] - mid_x);
    const double y = cy - zoom * (field.at[2 * p + 1] - mid_y);
    const double dx = 0.5 * scale.grow * zoom * field.arrow[2 * p];
    const double dy = -0.5 * scale.grow * zoom * field.arrow[2 * p + 1];
    paint_arrow(canvas, {x - dx, y - dy, x + dx, y + dy}, colour, width);
  }
  cairo_restore(cr);
}

void paint_name(Canvas& canvas, const Theme& look, const VectorField& field, const Frame& f,
                const std::pair<Colour, std::string>& said) {
  const Sheet sheet(canvas);
  const std::string name = canvas.shorten(clean_text(field.name), f.width, sheet.title, true);
  canvas.text(f.x, f.y + 0.85 * sheet.title, name,
              {.size = sheet.title, .colour = said.first, .bold = true});
  const double used = canvas.text_width(name, sheet.title, true) + 0.8 * sheet.text;
  const double needed = canvas.text_width(said.second, sheet.text);
  const bool below = used + needed > f.width;
  canvas.text(below ? f.x : f.x + used, f.y + 0.85 * sheet.title + (below ? 1.5 * sheet.text : 0),
              canvas.shorten(said.second, f.width, sheet.text),
              {.size = sheet.text, .colour = look.quiet});
}

// Fields in rows, all of one grid: a row's name stands left of it.
struct FieldRows {
  const std::vector<std::vector<VectorField>>& planes;  // (rows, columns)
  std::vector<std::string> labels{};                    // (rows)
  bool heads = false;                                   // a colour a row instead of one a column
  const char* parameters = "planes, heights";
};

void check_rows(const FieldRows& rows) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Fault::input, what, fmt::format("parameters {}", rows.parameters),
                "give one row of fields a height or head, with the same fields in each");
  };
  if (rows.planes.empty() || rows.planes.size() != rows.labels.size() ||
      rows.planes.front().empty())
    refuse(fmt::format("there are {} planes for {} names", rows.planes.size(), rows.labels.size()));
  for (const auto& plane : rows.planes) {
    if (plane.size() != rows.planes.front().size()) refuse("the planes hold different fields");
    for (const VectorField& field : plane) check(field, 2);
  }
}

void paint_rows(const FieldRows& shown, const PictureStyle& style,
                const std::filesystem::path& png) {
  const Theme& look = theme(style.dark);
  Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, look);
  const Sheet sheet(canvas);
  const std::size_t columns = shown.planes.front().size(), rows = shown.planes.size();
  const double head = 2.2 * sheet.title + 1.2 * sheet.text, gap = 0.4 * sheet.margin;
  double left = sheet.margin + 5.2 * sheet.text;
  const double side = std::min((style.width - left - sheet.margin) / columns - gap,
                               (style.height - head - 1.6 * sheet.margin) / rows - gap);
  const double room = style.width - left - sheet.margin;
  const double pitch = std::max(side + gap, std::min((room + gap) / columns, 17 * sheet.text));
  left += std::max(0.0, (room + gap - pitch * columns) / 2);
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<const VectorField*> column;
    for (const auto& plane : shown.planes) column.push_back(&plane[c]);
    const double spacing = extent_of(*column.front(), 2).spacing;
    const ArrowScale scale = scale_of(column, 2, 0.95 * spacing);
    const Colour of_column = shown.heads ? look.ink : colour_of(*column.front(), c, look);
    const double x = left + static_cast<double>(c) * pitch;
    paint_name(canvas, look, *column.front(), {x, 0.7 * sheet.margin, pitch - gap, head},
               {of_column, scale.sentence()});
    for (std::size_t r = 0; r < rows; ++r) {
      const Colour colour = shown.heads ? class_colour(static_cast<int>(r), look.dark) : of_column;
      const double y = 0.7 * sheet.margin + head + static_cast<double>(r) * (side + gap);
      paint_plane(canvas, look, *column[r], {x, y, side, side}, scale, colour);
      if (c == 0)
        canvas.text(left - 0.8 * sheet.text, y + side / 2 + 0.36 * sheet.text, shown.labels[r],
                    {.size = sheet.text,
                     .colour = shown.heads ? colour : look.ink,
                     .bold = shown.heads,
                     .align = Align::right});
    }
  }
  canvas.save(png);
}

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

void draw_fields_in_space(const std::vector<VectorField>& fields, const PictureStyle& style,
                          const std::filesystem::path& png) {
  check_size(style);
  if (fields.empty())
    throw Error(Fault::input, "there is no field to draw", "parameter fields",
                "give one field or more");
  for (const VectorField& field : fields) picture::check(field, 3);
  const Theme& look = theme(style.dark);
  Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, look);
  const Sheet sheet(canvas);
  const int columns = fields.size() > 1 ? 2 : 1;
  const int rows = (static_cast<int>(fields.size()) + columns - 1) / columns;
  const double width = (style.width - sheet.margin) / columns;
  const double height = (style.height - sheet.margin) / rows;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const auto column = static_cast<double>(k % columns), row = static_cast<double>(k / columns);
    const Frame panel{sheet.margin + column * width, 0.7 * sheet.margin + row * height,
                      width - sheet.margin, height - 0.5 * sheet.margin};
    const double head = 1.1 * sheet.title;
    const Extent extent = extent_of(fields[k], 3);
    const ArrowScale scale = scale_of({&fields[k]}, 3, 1.3 * extent.spacing);
    const Colour colour = colour_of(fields[k], k, look);
    SpacePanel(canvas, look, extent,
               {panel.x, panel.y + 0.6 * head, panel.width, panel.height - 0.8 * head})
        .paint(fields[k], colour, scale.grow);
    paint_name(canvas, look, fields[k], panel, {colour, scale.sentence()});
  }
  canvas.save(png);
}

void draw_fields_in_planes(const std::vector<std::vector<VectorField>>& planes,
                           const std::vector<double>& heights, const PictureStyle& style,
                           const std::filesystem::path& png) {
  check_size(style);
  FieldRows rows{planes};
  for (const double z : heights) rows.labels.push_back(fmt::format("z = {}", short_number(z)));
  check_rows(rows);
  paint_rows(rows, style, png);
}

void draw_fields_of_heads(const std::vector<std::vector<VectorField>>& heads,
                          const PictureStyle& style, const std::filesystem::path& png) {
  check_size(style);
  FieldRows rows{heads, {}, true, "heads"};
  for (std::size_t h = 0; h < heads.size(); ++h) rows.labels.push_back(fmt::format("head {}", h));
  check_rows(rows);
  paint_rows(rows, style, png);
}

}  // namespace murmur
