// gnuplot_grid.cpp: panels of curves and colour maps in rows, by gnuplot, in three styles.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "picture/gnuplot.h"

namespace murmur::picture {

namespace {

// A single-quoted gnuplot string; nothing is special inside but the quote itself.
std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string("''") : std::string(1, c);
  return safe + "'";
}

// Colours, type and lines of a style; lengths in points.
struct GridStyle {
  const char *background, *ink, *quiet, *grid;
  double type, line;
  bool dark;
};

GridStyle grid_style(FigureStyle style) {
  switch (style) {
    case FigureStyle::slides:
      return {"#ffffff", "#10151f", "#3f4858", "#e4e8ee", 13, 2.6, false};
    case FigureStyle::dark:
      return {"#10151f", "#eef2f8", "#aab4c4", "#2a3342", 10, 1.8, true};
    case FigureStyle::paper:
      break;
  }
  return {"#ffffff", "#1a2130", "#3f4858", "#e4e8ee", 10, 1.7, false};
}

// From dark blue over green to yellow, evenly in lightness: read alike with any colour vision.
constexpr const char* kPalette =
    "set palette defined (0 '#440154', 0.13 '#482878', 0.25 '#3e4a89', 0.38 '#31688e', 0.5 "
    "'#26828e', 0.63 '#1f9e89', 0.75 '#35b779', 0.88 '#6dcd59', 1 '#fde725')\n";

// Marks at 1, 2 and 5 where a logarithmic axis is too short for powers of ten alone.
std::string log_marks(const Panel& panel) {
  double low = INFINITY, high = 0;
  for (const Curve& curve : panel.curves)
    for (const double x : curve.x)
      if (std::isfinite(x) && x > 0) {
        low = std::fmin(low, x);
        high = std::fmax(high, x);
      }
  if (!(high > low) || high / low > 60) return "";
  std::string marks;
  for (double power = std::floor(std::log10(low)); power <= std::log10(high); ++power)
    for (const double lead : {1.0, 2.0, 5.0})
      marks += fmt::format("{}{:g}", marks.empty() ? "" : ", ", lead * std::pow(10, power));
  // A little wider than the curves: rounding must not cut off a mark at an end.
  return fmt::format("set xtics ({})\nset xrange [{}:{}]\n", marks, low * (1 - 1e-9),
                     high * (1 + 1e-9));
}

// As many digits as tell marks apart where curves move little about a value far from 0.
std::string y_format(const Panel& panel) {
  double low = INFINITY, high = -INFINITY;
  for (const Curve& curve : panel.curves)
    for (const double y : curve.y)
      if (std::isfinite(y)) {
        low = std::fmin(low, y);
        high = std::fmax(high, y);
      }
  const double size = std::fmax(std::fabs(low), std::fabs(high));
  if (panel.y.log || !(high > low) || high - low > 1e-4 * size) return "set format '%g'\n";
  const int digits = std::min(15, 2 + static_cast<int>(std::ceil(std::log10(size / (high - low)))));
  return fmt::format("set format '%g'\nset format y '%.{}g'\n", digits);
}

std::string axes(const Panel& panel, const GridStyle& style) {
  // An empty line keeps a key below from touching the label.
  std::string script =
      fmt::format("set xlabel {}{} offset 0,0.6 textcolor '{}'\nset ylabel {} textcolor '{}'\n",
                  quoted(panel.x.label), panel.map.value.empty() ? ".\"\\n \"" : "", style.quiet,
                  quoted(panel.y.label), style.quiet);
  const auto range = [](double spacing, const std::vector<double>& at) {
    return fmt::format("[{}:{}]", at.front() - spacing / 2, at.back() + spacing / 2);
  };
  const auto spacing = [](const std::vector<double>& at) {
    return at.size() > 1 ? (at.back() - at.front()) / static_cast<double>(at.size() - 1) : 1;
  };
  script += "unset logscale\n" + y_format(panel) + "set autoscale\nset size noratio\n";
  script += "set xtics autofreq\n";
  if (panel.x.log)  // no empty decade
    script += "set logscale x\nset autoscale xfix\n" + log_marks(panel);
  if (panel.y.log) script += "set logscale y\n";
  if (panel.y.log && panel.y.from > 0) script += fmt::format("set yrange [{}:*]\n", panel.y.from);
  if (panel.equal_axes) script += "set size ratio -1\n";
  if (!panel.title.empty())
    script +=
        fmt::format("set title {} textcolor '{}' offset 0,-0.3\n", quoted(panel.title), style.ink);
  if (panel.map.value.empty()) return script;
  script += fmt::format("set xrange {}\nset yrange {}\n", range(spacing(panel.map.x), panel.map.x),
                        range(spacing(panel.map.y), panel.map.y));
  return script + fmt::format("set cbrange [{}:{}]\nset cblabel {} textcolor '{}'\n", panel.map.low,
                              panel.map.high, quoted(panel.map.label), style.quiet);
}

// Finite rows "x y [error]" of a curve, and an empty one where x is NaN; on logarithmic axes only
// what they can show.
std::string rows_of(const Curve& curve, const Panel& panel) {
  std::string rows;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double x = curve.x[i], y = curve.y[i];
    if (std::isnan(x) && !rows.empty()) rows += "\n";
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    if ((panel.x.log && x <= 0) || (panel.y.log && y <= 0)) continue;
    rows += fmt::format("{} {} {}\n", x, y, curve.error.empty() ? 0 : curve.error[i]);
  }
  return rows;
}

std::string mark_of(const Curve& curve, const std::string& colour, double line) {
  const std::string ink = fmt::format("linewidth {:.2f} linecolor rgb '{}'", line, colour);
  const std::string disc = fmt::format("pointtype 7 pointsize {:.2f}", 0.3 * line);
  switch (curve.mark) {
    case Curve::linespoints:
      return fmt::format("with linespoints {} {}", ink, disc);
    case Curve::line:
      return fmt::format("with lines {}", ink);
    case Curve::dashes:
      return fmt::format("with lines {} dashtype (6,4)", ink);
    case Curve::points:
      return fmt::format("with points {} {}", ink, disc);
    case Curve::rings:
      return fmt::format("with points {} pointtype 6 pointsize {:.2f}", ink, 0.7 * line);
    case Curve::steps:
      return fmt::format("with steps {}", ink);
  }
  return {};
}

// The data and the plot command of one panel; `number` keeps the names of its data apart.
std::string plot_command(const Panel& panel, const GridStyle& style, std::size_t number) {
  std::string script, plot;
  const auto add = [&](const std::string& what) { plot += (plot.empty() ? "plot " : ", ") + what; };
  if (!panel.map.value.empty()) {
    const ColourMap& map = panel.map;
    script += fmt::format("$map{} << ENDOFDATA\n", number);
    for (std::size_t r = 0; r < map.y.size(); ++r)
      for (std::size_t c = 0; c < map.x.size(); ++c) {
        const double value = map.value[r * map.x.size() + c];
        script += fmt::format("{} {} {}\n", map.x[c], map.y[r],
                              std::isfinite(value) ? fmt::format("{}", value) : "NaN");
      }
    script += "ENDOFDATA\n";
    add(fmt::format("$map{} using 1:2:3 with image notitle", number));
  }
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    const Curve& curve = panel.curves[k];
    const std::string rows = rows_of(curve, panel);
    if (rows.empty()) continue;
    const std::string name = fmt::format("$data{}_{}", number, k);
    script += fmt::format("{} << ENDOFDATA\n{}ENDOFDATA\n", name, rows);
    // Over a colour map curves are white, which no colour of the map is.
    const std::string colour =
        panel.map.value.empty()
            ? hex(class_colour(curve.colour < 0 ? static_cast<int>(k) : curve.colour, style.dark))
            : "#ffffff";
    if (!curve.error.empty())
      add(
          fmt::format("{} using 1:2:3 with yerrorbars pointtype 0 linewidth {:.2f} linecolor rgb "
                      "'{}' notitle",
                      name, 0.6 * style.line, colour));
    const std::string title = curve.name.empty() ? "notitle" : "title " + quoted(curve.name);
    add(fmt::format("{} using 1:2 {} {}", name, mark_of(curve, colour, style.line), title));
  }
  if (plot.empty()) plot = "unset logscale\nset yrange [0:1]\nset xrange [0:1]\nplot 2 notitle";
  return script + plot + "\n";
}

// Below its panel, or in white on the colours of a map.
std::string key_of(const Panel& panel, const GridStyle& style) {
  if (!panel.map.value.empty())
    return "set key inside right top vertical samplen 1.5 textcolor '#ffffff'\n";
  return fmt::format("set key below horizontal center samplen 1.5 spacing 1.1 textcolor '{}'\n",
                     style.ink);
}

std::string borders(const GridStyle& style) {
  return fmt::format(
             "set border 3 linewidth 0.7 linecolor rgb '{0}'\n"
             "set tics nomirror out scale 0.55,0.3 textcolor rgb '{0}'\n"
             "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb '{1}'\nset grid back\n",
             style.quiet, style.grid) +
         kPalette;
}

}  // namespace

std::string script_of_grid(const Figure& figure, const std::string& ending) {
  constexpr double kPanelWidth = 400, kPanelHeight = 330;
  const GridStyle style = grid_style(figure.style);
  const int count = static_cast<int>(figure.panels.size());
  const int columns = count == 4 ? 2 : std::min(count, 3);
  const int rows = (count + columns - 1) / columns;
  const double scale = style.type / 10;  // larger type needs larger panels
  std::string script =
      "set encoding utf8\n" + terminal_line(ending, {.width = columns * kPanelWidth * scale,
                                                     .height = rows * kPanelHeight * scale,
                                                     .background = style.background,
                                                     .type = style.type});
  script += borders(style) + fmt::format("set multiplot layout {},{}\n", rows, columns);
  for (std::size_t k = 0; k < figure.panels.size(); ++k) {
    const Panel& panel = figure.panels[k];
    script +=
        "unset title\n" + key_of(panel, style) + axes(panel, style) + plot_command(panel, style, k);
  }
  return script + "unset multiplot\nunset output\n";
}

}  // namespace murmur::picture
