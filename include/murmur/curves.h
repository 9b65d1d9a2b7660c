// curves.h: draws a few curves over one axis, for tables that are easier seen than read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace murmur {

struct Curve {
  std::string name{};
  std::vector<double> x{}, y{};
};

struct CurveSheet {
  std::string x_label{}, y_label{};
  bool log_y = false;
  double y_least = 0;  // of log_y: the axis begins here; 0: where the curves do
  std::vector<Curve> curves{};
};

// As SVG, by gnuplot. Error(tool) where gnuplot is missing.
void plot_curves(const CurveSheet& sheet, const std::filesystem::path& svg);

}  // namespace murmur
