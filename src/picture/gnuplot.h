// gnuplot.h: what scripts for gnuplot share: its terminals, its colours, and the call itself.
#pragma once

#include <filesystem>
#include <string>

#include "picture/colour.h"
#include "picture/figure.h"

namespace murmur::picture {

struct Terminal {
  double width = 0, height = 0;  // points
  bool enhanced = false;         // text with markup
  std::string background = "#ffffff";
  double type = 9;             // size of the letters, points
  int pixels = 2;              // of a PNG, a point
  double pdf_linewidth = 1.3;  // that makes lines as wide as in SVG
};
// The lines that a script begins with: numbers have a minus sign of their width, and the program's
// output is chosen. Error(input) for another ending than .svg, .png, .pdf.
std::string opening_lines(const std::string& ending, const Terminal& terminal);

// What the terminal of an ending takes for one letter and one line of text when it lays them out,
// at a type of 10, and how far a mark of size 1 reaches from its middle; points.
struct Measure {
  double letter, line, mark;
};
Measure measure_of(const std::string& ending);

std::string hex(Colour colour);  // #rrggbb

std::string script_of_grid(const Figure& figure, const std::string& ending);
std::string script_of_stack(const Figure& figure, const std::string& ending);

}  // namespace murmur::picture
