// table_panel.h: panels whose curves are columns of a table.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "picture/figure.h"

namespace murmur {

// Rows of numbers and texts under named columns.
struct ColumnTable {
  using Cell = std::variant<std::string, double>;
  std::string name{};  // the key in JSON, and the stem of the CSV file
  std::vector<std::string> columns{};
  std::vector<std::vector<Cell>> rows{};
};

// A column and how it is drawn, alike in all figures: theory as lines (dashes for a leading order,
// a bound or an unstable branch), measurements as points (rings for a second kind), counts as
// points or bars, a histogram as levels or bars, and the most important tokens as diamonds.
struct ColumnCurve {
  std::string column{};
  Curve::Mark drawn = Curve::points;
  std::string name{};            // in the key; empty: it is not in the key
  int colour = Curve::kByPlace;  // theory has the colour of the measurements it is compared with
  std::string error{};           // column with the half-lengths of its error bars
};

// Some columns of a table drawn over one of them. Panels of one name make one figure.
struct TablePanel {
  std::string name{}, table{};  // the figure's stem; the table it shows
  std::string title{};
  FigureAxis x{}, y{};
  std::vector<ColumnCurve> curves{};
  std::string over{};              // the column of the x axis; empty: the first
  std::string by{};                // one colour for each value of this column; empty: one colour
  std::string by_name{};           // "β": the key shows β = 4; empty: only the value
  std::string apart{};             // lines break where the value of this column changes
  std::string map{}, map_label{};  // column shown as colours over the first two columns
  std::vector<Guide> guides{};
  bool equal_axes = false;
  bool side_by_side = false;  // points of several curves at one x are drawn side by side
  int columns = 2;            // of the figure; the value of its first panel counts
};

// The panel with the columns of the table as curves. The table has every column that it names.
Panel panel_of(const TablePanel& described, const ColumnTable& table);

}  // namespace murmur
