// gnuplot_grid.cpp: panels of curves and colour maps in rows, by gnuplot, in three styles.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "picture/gnuplot.h"
#include "picture/gnuplot_panel.h"

namespace murmur::picture {

namespace {

GridStyle grid_style(FigureStyle style, const std::string& ending) {
  const Measure measure = measure_of(ending);
  const std::size_t sharp = ending == ".svg" ? 240 : 1;
  switch (style) {
    case FigureStyle::slides:
      return {"#ffffff", "#10151f", "#3f4858", "#e4e8ee", 13, 2.6, false, measure, sharp};
    case FigureStyle::dark:
      return {"#10151f", "#eef2f8", "#aab4c4", "#2a3342", 10, 1.8, true, measure, sharp};
    case FigureStyle::paper:
      break;
  }
  return {"#ffffff", "#1a2130", "#3f4858", "#e4e8ee", 10, 1.7, false, measure, sharp};
}

// Lengths in points at a type of 10; larger type needs larger panels.
constexpr double kPlot = 262, kWidePlot = 372, kHeight = 206;
constexpr double kLeft = 64, kRight = 20, kBar = 74, kTop = 30, kBottom = 43, kKeyRow = 16.5;
constexpr double kKeyLine = 13.3;  // from one name of the key to the next
constexpr double kSample = 4.67;   // letters that gnuplot adds to a name for its sample and space

// Names of the key side by side, as many as fit below the panel.
struct KeyShape {
  int columns = 1, rows = 0;
  double widest = 0;  // letters
  double one() const { return 4.8 * widest + 43; }
};
KeyShape key_shape(const Panel& panel, double width) {
  const std::vector<std::string> names = key_names(panel);
  if (names.empty()) return {};
  KeyShape shape;
  for (const std::string& name : names) shape.widest = std::fmax(shape.widest, letters_of(name));
  const int count = static_cast<int>(names.size());
  const int most = std::clamp(static_cast<int>(width / shape.one()), 1, count);
  shape.rows = (count + most - 1) / most;
  shape.columns = (count + shape.rows - 1) / shape.rows;  // rows as even as can be
  return shape;
}

// Where panels go, in points at a type of 10 from the upper left corner.
struct GridLayout {
  int columns = 1, rows = 1;
  double plot = kPlot, cell = 0;
  std::vector<double> row_height{}, row_top{};
  double width = 0, height = 0;
};

GridLayout lay_out(const Figure& figure) {
  const int count = static_cast<int>(figure.panels.size());
  GridLayout l;
  l.columns = figure.columns > 0 ? std::min(count, figure.columns)
              : count == 4       ? 2
                                 : std::min(count, 3);
  l.rows = (count + l.columns - 1) / l.columns;
  bool bar = false, square = true;
  for (const Panel& panel : figure.panels) {
    bar = bar || !panel.map.value.empty();
    square = square && panel.equal_axes;
  }
  l.plot = square && bar ? kHeight : square || count > 1 ? kPlot : kWidePlot;
  l.cell = kLeft + l.plot + (bar ? kBar : kRight);
  for (int r = 0; r < l.rows; ++r) {
    int most = 0;
    for (int k = r * l.columns; k < std::min(count, (r + 1) * l.columns); ++k)
      most = std::max(most, key_shape(figure.panels[k], l.cell).rows);
    l.row_top.push_back(l.height);
    l.row_height.push_back(kTop + kHeight + kBottom + kKeyRow * most + (most > 0 ? 6 : 0));
    l.height += l.row_height.back();
  }
  l.width = l.columns * l.cell;
  return l;
}

// The upper left corner of a panel's plot; a last row that is not full stands in the middle.
struct Corner {
  double left, top;
};
Corner corner_of(const Figure& figure, const GridLayout& l, std::size_t number) {
  const int count = static_cast<int>(figure.panels.size()), k = static_cast<int>(number);
  const int row = k / l.columns, in_row = std::min(l.columns, count - row * l.columns);
  const double left = (l.columns - in_row) * l.cell / 2 + k % l.columns * l.cell + kLeft;
  return {left, l.row_top[row] + kTop};
}

std::string margins(const GridLayout& l, const Corner& corner, double width, double height) {
  return fmt::format(
      "set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\n"
      "set tmargin at screen {:.6f}\nset bmargin at screen {:.6f}\n",
      corner.left / l.width, (corner.left + width) / l.width, 1 - corner.top / l.height,
      1 - (corner.top + height) / l.height);
}

// Below the panel and as wide as its cell.
std::string key_below(const Panel& panel, const GridStyle& style, const GridLayout& l,
                      const Corner& plot) {
  const KeyShape shape = key_shape(panel, l.cell);
  if (shape.rows == 0) return "";
  return "unset border\nunset tics\nunset grid\nunset xlabel\nunset ylabel\nunset title\n"
         "unset arrow\nunset logscale\nset size noratio\nset xrange [0:1]\nset yrange [0:1]\n" +
         margins(l, {plot.left - kLeft, plot.top + kHeight + kBottom}, l.cell,
                 kKeyRow * shape.rows) +
         fmt::format(
             "set key inside center center horizontal maxcols {} width {:.1f} Left reverse "
             "samplen 1.6 spacing {:.3g} textcolor '{}'\n",
             shape.columns, shape.one() / style.measure.letter - shape.widest - kSample,
             kKeyLine / style.measure.line, style.ink) +
         script_of_key(panel, style);
}

std::string borders(const GridStyle& style) {
  return fmt::format(
             "set border 3 linewidth 0.7 linecolor rgb '{0}'\n"
             "set tics nomirror out scale 0.55,0.3 textcolor rgb '{0}'\n"
             "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb '{1}'\nset grid back\n",
             style.quiet, style.grid) +
         palette_line(0);
}

}  // namespace

std::string script_of_grid(const Figure& figure, const std::string& ending) {
  const GridStyle style = grid_style(figure.style, ending);
  const GridLayout l = lay_out(figure);
  const double scale = style.type / 10;
  std::string script = opening_lines(ending, {.width = l.width * scale,
                                              .height = l.height * scale,
                                              .enhanced = true,
                                              .background = style.background,
                                              .type = style.type});
  script += "set multiplot\n";
  for (std::size_t k = 0; k < figure.panels.size(); ++k) {
    const Corner corner = corner_of(figure, l, k);
    script += borders(style) + "unset title\nunset arrow\nunset key\n" +
              margins(l, corner, l.plot, kHeight) +
              script_of_panel(figure.panels[k], style, {k, l.plot, kHeight, l.width}) +
              key_below(figure.panels[k], style, l, corner);
  }
  return script + "unset multiplot\nunset output\n";
}

}  // namespace murmur::picture
