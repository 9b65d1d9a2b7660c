// heat.h: maps of a mean over two axes, with its standard error beside it and curves laid over.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "murmur/curves.h"
#include "murmur/matrix.h"

namespace murmur {

struct HeatPanel {
  std::string title{};
  std::vector<double> x{}, y{};  // increasing; values hold up to half way to the next
  Matrix mean{};                 // (y, x); NaN: no value
  Matrix error{};                // (y, x) standard error of the mean; empty: none drawn
  std::vector<Curve> curves{};   // over the mean, cut at its edges; one name has one style
};

struct HeatSheet {
  std::string x_label{}, y_label{}, value_label{};           // on the axes and the colour bar
  std::string x_name{"x"}, y_name{"y"}, value_name{"mean"};  // columns of the CSV
  bool log_x = false, log_y = false;
  double low = 0, high = 1;  // of the colours
  FigureStyle style = FigureStyle::paper;
  std::vector<HeatPanel> panels{};
};

// As SVG, PNG or PDF by the path's ending, with a CSV of the same stem beside. Error(input) for
// panels whose shapes do not fit.
void draw_heat(const HeatSheet& sheet, const std::filesystem::path& figure);

}  // namespace murmur
