// portrait_pen.cpp: strokes, marks, words and samples of a portrait, in three styles.
#include "picture/portrait_pen.h"

#include <cmath>
#include <numbers>

namespace murmur::picture {

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

}  // namespace murmur::picture
