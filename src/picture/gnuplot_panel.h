// gnuplot_panel.h: one panel of a grid as a script for gnuplot: its axes, its key, its curves.
#pragma once

#include <string>
#include <vector>

#include "picture/figure.h"
#include "picture/gnuplot.h"

namespace murmur::picture {

// Colours, type and lines of a style; lengths in points.
struct GridStyle {
  const char *background, *ink, *quiet, *grid;
  double type, line;
  bool dark;
  Measure measure{};      // of the file's kind
  std::size_t sharp = 1;  // pixels that a map has along each axis, or more
};

struct PanelPlace {
  std::size_t number;    // keeps the names of its data apart
  double width, height;  // of the plot, in one unit
  double canvas;         // the width of the whole drawing, in the same
};

std::vector<std::string> key_names(const Panel& panel);  // in the order in which they are shown
double letters_of(const std::string& text);              // as wide as so many letters, about
std::string script_of_panel(const Panel& panel, const GridStyle& style, const PanelPlace& place);
// As many as the whole numbers 1, 2, ... that are all of its values and so name classes, each with
// a colour of its own; 0 where values are measured, or are less than three.
int classes_of(const ColourMap& map);
// From dark blue over green to yellow, evenly in lightness: read alike with any colour vision.
std::string palette_line(int classes);  // 0: without steps
// Its rows, named: viewers smooth between the pixels of an image, and `sharp` of them or more along
// each axis leave the edges of cells sharp.
std::string map_data(const ColourMap& map, const std::string& name, std::size_t sharp);
// A plot of nothing whose key has the names of the panel.
std::string script_of_key(const Panel& panel, const GridStyle& style);

}  // namespace murmur::picture
