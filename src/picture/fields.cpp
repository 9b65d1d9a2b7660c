// fields.cpp: lays out a page of vector fields, and puts it into a file.
#include "picture/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "murmur/error.h"
#include "picture/dome_paint.h"
#include "picture/field_panels.h"
#include "picture/globe.h"
#include "picture/stage.h"

namespace murmur {

double arrow_length(double value, double longest, double reach, double least) {
  if (!(value > 0) || !(longest > 0)) return 0;
  const double length = reach * std::sqrt(std::min(1.0, value / longest));
  return length < least ? 0 : length;
}

namespace picture {

namespace {

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
        fmt::format("give one arrow of {} finite numbers a place", dimensions));
}

void check(const FieldSheet& sheet) {
  const char* const remedy =
      "give one row of fields a height or head, with the same fields in each";
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

Colour colour_of(const VectorField& field, std::size_t index, const Theme& look) {
  const auto known = std::find_if(std::begin(kFieldNames), std::end(kFieldNames),
                                  [&](std::string_view name) { return field.name == name; });
  const auto place = known != std::end(kFieldNames)
                         ? static_cast<std::size_t>(known - std::begin(kFieldNames))
                         : index % 4;
  constexpr int kHue[] = {0, 2, 4};  // blue, green, vermilion
  return place < 3 ? class_colour(kHue[place], look.dark) : look.ink;
}

double longest_of(const std::vector<const VectorField*>& fields, std::size_t dimensions) {
  double longest = 0;
  for (const VectorField* field : fields)
    for (std::size_t p = 0; p < field->at.size() / dimensions; ++p)
      longest = std::max(longest, value_at(*field, p, dimensions));
  return longest;
}

// Where the panels go. A single row is broken where its panels are largest.
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
  SheetPainter(cairo_t* cr, const FieldSheet& sheet, const SheetLayout& at, const Theme& look)
      : pen_(cr), sheet_(sheet), at_(at), look_(look), type_(at.width) {}

  void paint() {
    paint_ground(pen_.cr(), look_);
    pen_.text(type_.margin, type_.margin + 0.8 * type_.title, sheet_.title,
              {.size = type_.title, .colour = look_.ink, .bold = true});
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
      pen_.text(type_.margin, y, line, {.size = type_.text, .colour = look_.quiet});
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
    const Colour colour = sheet_.a_colour_a_row ? class_colour(static_cast<int>(r), look_.dark)
                                                : colour_of(field, c, look_);
    const double longest = longest_of(alike, dimensions);
    const FieldBrush brush{pen_, look_, type_};
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
                        .colour = sheet_.a_colour_a_row ? colour : look_.ink,
                        .bold = true,
                        .align = Align::centre});
  }

  const Pen pen_;
  const FieldSheet& sheet_;
  const SheetLayout& at_;
  const Theme& look_;
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
            [&](cairo_t* cr) { SheetPainter(cr, sheet, at, theme(dark)).paint(); });
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
