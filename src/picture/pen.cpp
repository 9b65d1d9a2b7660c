// pen.cpp: colours and aligned text in points, by Cairo.
#include "picture/pen.h"

#include <numbers>

namespace murmur::picture {

void Pen::ink(Colour c, double alpha) const {
  cairo_set_source_rgba(cr_, c.red, c.green, c.blue, alpha);
}

double Pen::text_width(const std::string& text, double size, bool bold) const {
  cairo_select_font_face(cr_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr_, size);
  cairo_text_extents_t extents;
  cairo_text_extents(cr_, clean_text(text).c_str(), &extents);
  return extents.x_advance;
}

void Pen::text(double x, double baseline, const std::string& text, const TextStyle& style) const {
  const double width = text_width(text, style.size, style.bold);
  const double share = style.align == Align::left ? 0 : style.align == Align::centre ? 0.5 : 1;
  ink(style.colour, style.alpha);
  cairo_move_to(cr_, x - share * width, baseline);
  cairo_show_text(cr_, clean_text(text).c_str());
  cairo_new_path(cr_);
}

void Pen::turned_text(double x, double y, const std::string& words, const TextStyle& style) const {
  cairo_save(cr_);
  cairo_translate(cr_, x, y);
  cairo_rotate(cr_, -std::numbers::pi / 2);
  text(0, 0, words, style);
  cairo_restore(cr_);
}

}  // namespace murmur::picture
