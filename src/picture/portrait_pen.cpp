// portrait_pen.cpp: strokes, marks, words and samples of a portrait, in three looks.
#include "picture/portrait_pen.h"

#include <cmath>
#include <numbers>

namespace murmur::picture {

PortraitDress portrait_dress(FigureStyle look) {
  const bool dark = look == FigureStyle::dark;
  PortraitDress dress{.function = class_colour(0, dark),
                      .atom = class_colour(1, dark),
                      .extremum = class_colour(2, dark),
                      .plus = class_colour(4, dark),
                      .minus = class_colour(5, dark)};
  dress.ground = dark ? rgb(0x10151f) : rgb(0xffffff);
  dress.ink = dark ? rgb(0xeef2f8) : rgb(0x1a2130);
  dress.quiet = dark ? rgb(0xaab4c4) : rgb(0x3f4858);
  dress.faint = dark ? rgb(0x566176) : rgb(0x9aa4b4);
  dress.low = dark ? rgb(0x1d2838) : rgb(0xf6f8fb);
  dress.high = dark ? rgb(0x8aa5c4) : rgb(0x7796b8);
  if (look == FigureStyle::slides) {
    dress.type = 11;
    dress.line = 1.6;
    dress.cell = 300;
  }
  return dress;
}

void PortraitPen::ink(Colour c, double alpha) const {
  cairo_set_source_rgba(cr_, c.red, c.green, c.blue, alpha);
}

void PortraitPen::stroke(Colour colour, double width, bool dashed) const {
  const double dashes[] = {3.2 * dress_.line, 2 * dress_.line};
  ink(colour);
  cairo_set_line_width(cr_, width);
  cairo_set_line_cap(cr_, dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(cr_, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(cr_, dashes, dashed ? 2 : 0, 0);
  cairo_stroke(cr_);
  cairo_set_dash(cr_, nullptr, 0, 0);
}

void PortraitPen::fill_and_outline(Colour fill, Colour outline, double width) const {
  ink(fill);
  cairo_fill_preserve(cr_);
  stroke(outline, width);
}

void PortraitPen::disc(double x, double y, double radius) const {
  cairo_new_sub_path(cr_);
  cairo_arc(cr_, x, y, radius, 0, 2 * std::numbers::pi);
  cairo_close_path(cr_);
}

void PortraitPen::diamond(double x, double y, double radius) const {
  cairo_move_to(cr_, x, y - radius);
  cairo_line_to(cr_, x + radius, y);
  cairo_line_to(cr_, x, y + radius);
  cairo_line_to(cr_, x - radius, y);
  cairo_close_path(cr_);
}

void PortraitPen::set_font(double size, bool bold) const {
  cairo_select_font_face(cr_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr_, size);
}

double PortraitPen::text_width(const std::string& text, double size, bool bold) const {
  set_font(size, bold);
  cairo_text_extents_t extents;
  cairo_text_extents(cr_, clean_text(text).c_str(), &extents);
  return extents.x_advance;
}

void PortraitPen::text(double x, double baseline, const std::string& text,
                       const TextStyle& style) const {
  const double width = text_width(text, style.size, style.bold);
  const double share = style.align == Align::left ? 0 : style.align == Align::centre ? 0.5 : 1;
  ink(style.colour, style.alpha);
  cairo_move_to(cr_, x - share * width, baseline);
  cairo_show_text(cr_, clean_text(text).c_str());
}

void draw_sample(const PortraitPen& pen, const KeyEntry& entry, const Frame& at, int d) {
  const PortraitDress& dress = pen.dress();
  const double y = at.y + at.height / 2, middle = at.x + at.width / 2, right = at.x + at.width;
  const auto line = [&](Colour colour, double width, bool dashed) {
    cairo_move_to(pen.cr(), at.x, y);
    cairo_line_to(pen.cr(), right, y);
    pen.stroke(colour, width, dashed);
  };
  switch (entry.sample) {
    case KeyEntry::function:
      return line(dress.function, 1.3 * dress.line, false);
    case KeyEntry::spoke:
      line(dress.atom, 1.3 * dress.line, false);
      pen.disc(at.x, y, 2.4 * dress.line);
      return pen.fill_and_outline(dress.atom, dress.ground, 0.5 * dress.line);
    case KeyEntry::ball:
      pen.disc(middle, y, 0.45 * at.height);
      return pen.fill_and_outline(dress.atom, dress.ground, 0.8 * dress.line);
    case KeyEntry::extremum:
      if (d == 3) {
        pen.diamond(middle, y, 3.2 * dress.line);
        return pen.fill_and_outline(dress.ground, dress.extremum, 1.2 * dress.line);
      }
      cairo_move_to(pen.cr(), middle, at.y);
      cairo_line_to(pen.cr(), middle, at.y + at.height);
      return pen.stroke(dress.extremum, 2 * dress.line);
    case KeyEntry::plus:
      return line(dress.plus, 1.2 * dress.line, false);
    case KeyEntry::minus:
      return line(dress.minus, 1.2 * dress.line, true);
    case KeyEntry::colours: {
      const Pattern bar(cairo_pattern_create_linear(at.x, 0, right, 0));
      Canvas::stop(bar, 0, dress.low);
      Canvas::stop(bar, 1, dress.high);
      cairo_rectangle(pen.cr(), at.x, y - 0.35 * at.height, at.width, 0.7 * at.height);
      cairo_set_source(pen.cr(), bar.get());
      cairo_fill_preserve(pen.cr());
      return pen.stroke(dress.quiet, 0.5 * dress.line);
    }
  }
}

}  // namespace murmur::picture
