// cairo_maps.h: where the parts of a figure of colour maps go, and how they are painted.
#pragma once

#include <vector>

#include "picture/figure.h"
#include "picture/pen.h"

namespace murmur::picture {

struct MapsBlock {         // one panel: the values above, their errors below
  Frame value{}, error{};  // an error of no height is not drawn
};

struct MapsLayout {  // in points
  double width = 0, height = 0;
  double type = 8;  // size of the letters
  int columns = 1;
  bool y_on_all = false;  // panels have different y axes
  double most_error = 0;  // top of the errors' colours; 0: none to draw
  double left = 0;        // margin of the figure
  double legend = 0;      // baseline of the names of the curves; 0: none
  double note = 0;        // baseline of the first line of the note
  std::vector<std::string> note_lines{};
  std::vector<MapsBlock> blocks{};
  Colour ground{}, ink{}, quiet{}, missing{};
};

inline constexpr double kLegendRow = 1.6;  // from one name to the next below it, in em

std::vector<std::string> names_of_curves(const Figure& figure);  // each once, as first met
MapsLayout lay_out(const Figure& figure);
void paint_maps(cairo_t* cr, const Figure& figure, const MapsLayout& layout);

// Viridis (van der Walt and Smith 2015): equal steps look equally large; share in [0, 1].
Colour heat_colour(double share);
// From the ground of the figure to its ink.
Colour error_colour(double share, const MapsLayout& layout);

}  // namespace murmur::picture
