// gnuplot_panel.h: one panel of a grid as a script for gnuplot: its axes, its key, its curves.
#pragma once

#include <string>
#include <vector>

#include "picture/figure.h"

namespace murmur::picture {

// Colours, type and lines of a style; lengths in points.
struct GridStyle {
  const char *background, *ink, *quiet, *grid;
  double type, line;
  bool dark;
};

struct PanelPlace {
  std::size_t number;    // keeps the names of its data apart
  double width, height;  // of the plot, in one unit
  double canvas;         // the width of the whole drawing, in the same
};

std::vector<std::string> key_names(const Panel& panel);  // in the order in which they are shown
double letters_of(const std::string& text);              // as wide as so many letters, about
std::string script_of_panel(const Panel& panel, const GridStyle& style, const PanelPlace& place);
// A plot of nothing whose key has the names of the panel.
std::string script_of_key(const Panel& panel, const GridStyle& style);

}  // namespace murmur::picture
