// heat_sheet.h: where the parts of a sheet of heat maps go, and how they are painted.
#pragma once

#include <vector>

#include "murmur/heat.h"
#include "picture/canvas.h"
#include "picture/colour.h"

namespace murmur::picture {

struct HeatBlock {        // one panel: the mean above, its error below
  Frame mean{}, error{};  // an error of no height is not drawn
};

struct HeatLayout {  // in points
  double width = 0, height = 0;
  double type = 8;  // size of the letters
  int columns = 1;
  bool y_on_all = false;  // panels have different y axes
  double most_error = 0;  // top of the errors' colours; 0: none to draw
  double left = 0;        // margin of the sheet
  double legend = 0;      // baseline of the names of the curves; 0: none
  std::vector<HeatBlock> blocks{};
  Colour ground{}, ink{}, quiet{}, missing{};
};

inline constexpr double kLegendRow = 1.6;  // from one name to the next below it, in em

std::vector<std::string> names_of_curves(const HeatSheet& sheet);  // each once, as first met
HeatLayout lay_out(const HeatSheet& sheet);
void paint_heat(cairo_t* cr, const HeatSheet& sheet, const HeatLayout& layout);

// Viridis (van der Walt and Smith 2015): equal steps look equally large; share in [0, 1].
Colour heat_colour(double share);
// From the ground of the figure to its ink.
Colour error_colour(double share, const HeatLayout& layout);

}  // namespace murmur::picture
