// gnuplot.cpp: runs gnuplot on the script of a figure, and writes the script of a stack of panels.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/process.h"
#include "picture/render.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

// Lengths in points of a figure as wide as a page of text; terminals scale them.
constexpr double kWidth = 470, kPanel = 118, kHead = 25, kFoot = 42, kLeft = 46, kRight = 14;

struct Stack {
  const Figure& figure;
  int rows = 1, columns = 1;
  double height() const { return rows * (kHead + kPanel) + kFoot; }
};

// A double-quoted gnuplot string that means `text`. Backquotes become quotation marks and control
// characters spaces: gnuplot runs text between backquotes, and a line after a line end.
std::string quoted(const std::string& text) {
  std::string safe = "\"";
  for (char c : clean_text(text)) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c == '`' ? '\'' : c;
  }
  return safe + "\"";
}

// Finite points as lines "x y"; a missing point leaves a gap, whole numbers are drawn as steps.
std::string data_block(const Panel& panel, int* points) {
  const Curve& curve = panel.curves.front();
  std::string block;
  bool gap = false;
  double level = 0;
  *points = 0;
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    if (panel.x.log && curve.x[k] <= 0) continue;
    if (!std::isfinite(curve.y[k])) {
      gap = *points > 0;
      continue;
    }
    if (gap) block += "\n";
    if (curve.mark == Curve::steps && *points > 0 && !gap)
      block += fmt::format("{:.17g} {:.17g}\n", curve.x[k], level);
    level = curve.y[k];
    block += fmt::format("{:.17g} {:.17g}\n", curve.x[k], level);
    gap = false;
    ++*points;
  }
  return block;
}

// The ends of an axis: its own, or those of the data.
std::pair<double, double> ends_of(const FigureAxis& axis, const std::vector<double>& data) {
  double low = axis.from, high = axis.to;
  for (const double value : data) {
    if (!std::isfinite(value) || (axis.log && value <= 0)) continue;
    if (std::isnan(axis.from)) low = std::fmin(low, value);
    if (std::isnan(axis.to)) high = std::fmax(high, value);
  }
  if (low < high) return {low, high};
  return std::isfinite(low) ? std::pair{low - 1, low + 1} : std::pair{0.0, 1.0};
}

std::string x_axis(const Panel& panel, bool lowest) {
  const auto [from, to] = ends_of(panel.x, panel.curves.front().x);
  std::string script = fmt::format("set xrange [{:.17g}:{:.17g}]\n", from, to);
  script += panel.x.log ? "set logscale x\nset mxtics 10\n" : "unset logscale x\nset mxtics 1\n";
  if (lowest)
    script +=
        fmt::format("set format x {}\nset xlabel {} offset 0,0.3 textcolor '#3f4858'\n",
                    panel.x.log && to / from > 1000 ? "'10^{%L}'" : "'%g'", quoted(panel.x.label));
  else
    script += "set format x ''\nunset xlabel\n";
  return script;
}

std::string y_axis(const Panel& panel) {
  const Curve& curve = panel.curves.front();
  const auto [from, to] = ends_of(panel.y, curve.y);
  const bool whole = curve.mark == Curve::steps;
  const double span = to - from;
  const double low = whole && from == 0 ? 0 : from - 0.07 * span;
  const double high = to + 0.07 * span;
  const Ticks ticks = nice_ticks(low, high, 4);
  std::string marks;
  for (double tick : ticks.at) {
    if (whole && tick != std::floor(tick)) continue;
    marks += fmt::format("{}{} {:.17g}", marks.empty() ? "" : ", ", quoted(ticks.text(tick)), tick);
  }
  return fmt::format("set yrange [{:.17g}:{:.17g}]\nset ytics ({})\n", low, high, marks);
}

std::string panel_script(const Stack& stack, int index) {
  const std::vector<Panel>& panels = stack.figure.panels;
  const Panel& panel = panels[static_cast<std::size_t>(index)];
  const int row = index % stack.rows, column = index / stack.rows;
  const bool lowest = row + 1 == stack.rows || index + 1 == static_cast<int>(panels.size());
  const double share = 1.0 / stack.columns;
  const double top = 1 - (row * (kHead + kPanel) + kHead) / stack.height();
  int points = 0;
  const std::string block = data_block(panel, &points);
  std::string script = fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n",
      share * column + kLeft / kWidth, share * (column + 1) - kRight / kWidth, top,
      top - kPanel / stack.height());
  script += x_axis(panel, lowest) + y_axis(panel);
  script += fmt::format("set label 1 {} at graph 0,1 offset 0,0.75 left textcolor '#1a2130'\n",
                        quoted(panel.title));
  if (points == 0)  // something out of range, so that the axes appear
    return script +
           "set label 2 'no values' at graph 0.5,0.5 center textcolor '#8a93a3'\n"
           "set yrange [0:1]\nset ytics (0, 1)\nplot 2 notitle\nunset label 2\n";
  const std::string colour = hex(class_colour(index, false));
  script += fmt::format("$data{} << ENDOFDATA\n{}ENDOFDATA\n", index, block);
  script += fmt::format("plot $data{} with lines linewidth 1.7 linecolor rgb '{}' notitle", index,
                        colour);
  if (points <= 12)
    script += fmt::format(
        ", $data{} with points pointtype 7 pointsize 0.45 linecolor rgb '{}' "
        "notitle",
        index, colour);
  return script + "\n";
}

}  // namespace

std::string script_of_stack(const Figure& figure, const std::string& ending) {
  const int count = static_cast<int>(figure.panels.size()), columns = count > 5 ? 2 : 1;
  const Stack stack{figure, (count + columns - 1) / columns, columns};
  std::string script = opening_lines(ending, {.width = kWidth,
                                              .height = stack.height(),
                                              .enhanced = true,
                                              .pixels = 3,
                                              .pdf_linewidth = 1.8});
  script +=
      "set border 3 linewidth 0.7 linecolor rgb '#6d7686'\n"
      "set tics nomirror out scale 0.55,0.3 textcolor rgb '#3f4858'\n"
      "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb '#e4e8ee'\n"
      "set grid back\nunset key\nset xtics autofreq\n"
      "set multiplot\n";
  for (int k = 0; k < count; ++k) script += panel_script(stack, k);
  return script + "unset multiplot\nunset output\n";
}

namespace {

std::string terminal_line(const std::string& ending, const Terminal& t) {
  const char* const text = t.enhanced ? "enhanced" : "noenhanced";
  const std::string look =
      fmt::format("background '{}' font 'DejaVu Sans,{:g}'", t.background, t.type);
  if (ending == ".svg")
    return fmt::format("set terminal svg {} size {:.0f},{:.0f} dynamic {} linewidth 1\n", text,
                       t.width, t.height, look);
  if (ending == ".png")
    return fmt::format(
        "set terminal pngcairo {} size {:.0f},{:.0f} {} fontscale {:g} linewidth {} rounded "
        "dashlength {}\n",
        text, t.pixels * t.width, t.pixels * t.height, look, 0.75 * t.pixels, t.pixels, t.pixels);
  if (ending == ".pdf")
    return fmt::format(
        "set terminal pdfcairo {} size {:.3f}in,{:.3f}in {} fontscale 0.75 linewidth {:g} "
        "rounded\n",
        text, t.width / 72, t.height / 72, look, t.pdf_linewidth);
  throw Error(Fault::input, "a figure ends in .svg, .png or .pdf",
              fmt::format("ending \"{}\"", ending), "give the figure one of these endings");
}

}  // namespace

std::string opening_lines(const std::string& ending, const Terminal& terminal) {
  return "set encoding utf8\nif (GPVAL_VERSION >= 5.4) set minussign\n" +
         terminal_line(ending, terminal);
}

Measure measure_of(const std::string& ending) {
  if (ending == ".svg") return {7, 15, 3.77};
  return {6.39, 11.6, ending == ".pdf" ? 2.8 : 1.5};
}

std::string hex(Colour c) {
  const auto byte = [](double v) { return std::lround(255 * v); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.red), byte(c.green), byte(c.blue));
}

void render_by_gnuplot(const Figure& figure, const std::filesystem::path& path) {
  if (figure.panels.empty())
    throw Error(Fault::input, "a figure needs a panel", path.string(), "give at least one");
  for (const Panel& panel : figure.panels) {
    bool fits = figure.layout != Figure::stack || !panel.curves.empty();
    for (const Curve& curve : panel.curves) fits = fits && curve.x.size() == curve.y.size();
    if (!fits)
      throw Error(Fault::input, "the parts of a panel do not fit each other", path.string(),
                  "give curves with as many values as places");
  }
  const std::string ending = path.extension().string();
  const std::string script = figure.layout == Figure::stack ? script_of_stack(figure, ending)
                                                            : script_of_grid(figure, ending);
  ToolOutput output(path);
  // The script is a file because gnuplot reads "-" byte by byte, which takes ten times as long as
  // drawing.
  Process process({.words = {"gnuplot", "-d", "/dev/stdin"},
                   .output = output.path(),
                   .remedy = "Install it with: apt-get install gnuplot-nox",
                   .input = script});
  process.finish();
  output.keep("gnuplot");
}

}  // namespace murmur::picture
