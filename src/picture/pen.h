// pen.h: a Cairo context that draws in points, with colours and aligned text.
#pragma once

#include <string>

#include "picture/canvas.h"

namespace murmur::picture {

class Pen {
 public:
  explicit Pen(cairo_t* cr) : cr_(cr) {}

  cairo_t* cr() const { return cr_; }
  void ink(Colour colour, double alpha = 1) const;
  double text_width(const std::string& text, double size, bool bold = false) const;
  void text(double x, double baseline, const std::string& text, const TextStyle& style) const;
  void turned_text(double x, double y, const std::string& text, const TextStyle& style) const;

 private:
  cairo_t* cr_;
};

}  // namespace murmur::picture
