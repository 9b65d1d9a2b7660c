// portrait_pen.h: what a portrait of a measure is drawn with, on the circle and on the sphere.
#pragma once

#include <string>
#include <utility>

#include "picture/figure.h"
#include "picture/pen.h"

namespace murmur::picture {

struct PortraitStyle {  // lengths in points
  Colour ground{}, ink{}, quiet{}, faint{};
  Colour function{}, atom{}, extremum{}, plus{}, minus{};
  Colour low{}, high{};  // of the function on the sphere
  double type = 8, line = 1, cell = 250;
};
PortraitStyle portrait_style(FigureStyle style);

class PortraitPen : public Pen {
 public:
  PortraitPen(cairo_t* cr, const PortraitStyle& style) : Pen(cr), style_(style) {}

  const PortraitStyle& style() const { return style_; }
  void stroke(Colour colour, double width, bool dashed = false) const;  // what was traced
  void fill_and_outline(Colour fill, Colour outline, double width) const;
  void disc(double x, double y, double radius) const;     // traced
  void diamond(double x, double y, double radius) const;  // traced

 private:
  const PortraitStyle& style_;
};

// A unit with omega > 0 is drawn in one colour, one with omega < 0 in another and dashed.
inline Colour unit_colour(const PortraitStyle& style, double omega) {
  return omega > 0 ? style.plus : style.minus;
}

// How many radii a spoke is long for an atom of all mass: a round number that shows the heaviest.
double spoke_scale(const Figure& figure);

// Draws into the square, or the rectangle twice as wide as high.
void draw_circle(const PortraitPen& pen, const Portrait& portrait, const Frame& at, double spokes);
void draw_discs(const PortraitPen& pen, const Portrait& portrait, const Frame& at);

// One entry of the key: a sample and its words.
struct KeyEntry {
  enum Sample { function, spoke, ball, extremum, plus, minus, colours } sample;
  std::string words;
  double width() const { return sample == ball || sample == extremum ? 1 : 2.4; }  // em
};
void draw_sample(const PortraitPen& pen, const KeyEntry& entry, const Frame& at, int d);

}  // namespace murmur::picture
