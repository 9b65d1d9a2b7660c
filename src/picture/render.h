// render.h: turns a figure into a file: one function for each way to draw it, the scripts of
// gnuplot, and the file itself.
#pragma once

#include <cairo.h>

#include <filesystem>
#include <functional>
#include <string>

#include "picture/canvas.h"
#include "picture/figure.h"

namespace murmur::picture {

void render_by_gnuplot(const Figure& figure, const std::filesystem::path& path);  // grid, stack
void draw_maps(const Figure& figure, const std::filesystem::path& path);          // by Cairo
void draw_portraits(const Figure& figure, const std::filesystem::path& path);     // by Cairo

// Error(input) unless the name ends in .svg, .png or .pdf.
void check_ending(const std::filesystem::path& figure);

struct FigureSize {
  double width = 0, height = 0;  // points
};
// Lets `paint` draw, in points, and puts the whole file into place; Error(runtime) leaves none.
void write_figure(const std::filesystem::path& figure, FigureSize size,
                  const std::function<void(cairo_t*)>& paint);

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
