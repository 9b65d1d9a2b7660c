// gnuplot.h: the scripts of figures for gnuplot, and the terminals and sizes that they share.
#pragma once

#include <filesystem>
#include <string>

#include "picture/canvas.h"
#include "picture/figure.h"

namespace murmur::picture {

struct Terminal {
  double width = 0, height = 0;  // points
  bool enhanced = false;         // text with markup
  std::string background = "#ffffff";
  double type = 9;             // size of the letters, points
  int pixels = 2;              // of a PNG, per point
  double pdf_linewidth = 1.3;  // that makes lines as wide as in SVG
};
// The first lines of a script: they choose the terminal, and a minus sign as wide as a digit.
// Error(input) for another ending than .svg, .png, .pdf.
std::string opening_lines(const std::string& ending, const Terminal& terminal);

// The width of a letter and the height of a line of text that the terminal of an ending assumes at
// a type of 10, and the radius of a mark of size 1; points.
struct Measure {
  double letter, line, mark;
};
Measure measure_of(const std::string& ending);

std::string hex(Colour colour);  // #rrggbb

std::string script_of_grid(const Figure& figure, const std::string& ending);
std::string script_of_stack(const Figure& figure, const std::string& ending);

}  // namespace murmur::picture
