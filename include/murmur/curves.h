// curves.h: draws curves and maps over one axis, panel by panel, for tables easier seen than read.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace murmur {

enum class FigureStyle {
  paper,   // white, small type: a column of a paper
  slides,  // white, large type and thick lines
  dark,    // for screens
};

struct Curve {
  std::string name{};            // in the key; empty: not there
  std::vector<double> x{}, y{};  // where x is NaN the line breaks
  enum Mark { linespoints, line, dashes, points, rings } mark = linespoints;
  std::vector<double> error{};  // (points) half-lengths of bars; empty: none
  int colour = -1;              // its class; negative: its place in the sheet
};

// Numbers over a grid, shown as colours below the curves.
struct ColourMap {
  std::vector<double> x{}, y{};  // increasing, evenly spaced
  std::vector<double> value{};   // (y, x); NaN: left blank
  double low = 0, high = 1;      // of the colour bar
  std::string label{};
};

struct CurveSheet {
  std::string x_label{}, y_label{};
  bool log_y = false;
  double y_min = 0;  // of log_y: the axis begins here; 0: where the curves do
  std::vector<Curve> curves{};
  std::string title{};
  bool log_x = false;
  bool equal_axes = false;  // one unit is as long along both: points of a plane
  ColourMap map{};          // empty: none
};

// The panels row by row in one figure, as SVG, PNG or PDF by the path's ending, by gnuplot.
// Error(tool) where gnuplot is missing.
void plot_sheets(std::span<const CurveSheet> sheets, FigureStyle style,
                 const std::filesystem::path& path);

// One panel, its key at its side, as SVG for a page.
void plot_curves(const CurveSheet& sheet, const std::filesystem::path& svg);

}  // namespace murmur
