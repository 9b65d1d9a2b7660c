// gnuplot.cpp: runs gnuplot on the script of a figure: panels of curves and colour maps, row by
// row, or a stack of panels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/figure.h"
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

namespace {

// Colours, type and lines of a style; lengths in points.
struct GridStyle {
  const char *background, *ink, *quiet, *grid;
  double type, line;
  bool dark;
  Measure measure{};      // of the file's kind
  std::size_t sharp = 1;  // least number of pixels of a map along each axis
};

struct PanelPlace {
  std::size_t number;    // makes the names of its data unique
  double width, height;  // of the plot, in one unit
  double canvas;         // the width of the whole drawing, in the same
};

// Places of pixels along an axis of a map, `each` of them to a cell.
double pixel_at(const std::vector<double>& at, std::size_t pixel, std::size_t each) {
  const double cell =
      at.size() > 1 ? (at.back() - at.front()) / static_cast<double>(at.size() - 1) : 1;
  const double part = (static_cast<double>(pixel % each) + 0.5) / static_cast<double>(each);
  return at[pixel / each] + cell * (part - 0.5);
}

// From dark blue over green to yellow, evenly in lightness, so that it is read alike with any
// colour vision; of 0 classes without steps.
std::string palette_line(int classes) {
  const int colours = classes > 0 ? classes : 10;
  std::vector<std::string> stops;
  for (int k = 0; k < colours; ++k) {
    const std::string colour = hex(heat_colour(k / std::fmax(colours - 1.0, 1.0)));
    stops.push_back(fmt::format("{} '{}'", k, colour));
    if (classes > 0) stops.push_back(fmt::format("{} '{}'", k + 1, colour));  // a level each
  }
  return fmt::format("set palette defined ({})\n", fmt::join(stops, ", "));
}

// The number of classes where the values are the whole numbers 1, 2, ... and all of them occur, so
// that each class has its own colour; 0 where values are measured, or are fewer than three.
int classes_of(const ColourMap& map) {
  std::set<double> values;
  for (const double value : map.value) {
    if (!std::isfinite(value)) continue;
    if (value < 1 || value > 64 || value != std::floor(value)) return 0;
    values.insert(value);
  }
  const bool all = values.size() > 2 && *values.rbegin() == static_cast<double>(values.size());
  return all ? static_cast<int>(values.size()) : 0;
}

// The rows of a map as a named data block. Viewers smooth between the pixels of an image: with
// `sharp` of them or more along each axis the edges of cells stay sharp.
std::string map_data(const ColourMap& map, const std::string& name, std::size_t sharp) {
  std::string script = fmt::format("{} << ENDOFDATA\n", name);
  const std::size_t wide = map.x.size(), high = map.y.size();
  const std::size_t across = (std::max(sharp, wide) + wide - 1) / wide;
  const std::size_t up = (std::max(sharp, high) + high - 1) / high;
  for (std::size_t r = 0; r < high * up; ++r)
    for (std::size_t c = 0; c < wide * across; ++c) {
      const double value = map.value[r / up * wide + c / across];
      script += fmt::format("{} {} {}\n", pixel_at(map.x, c, across), pixel_at(map.y, r, up),
                            std::isfinite(value) ? fmt::format("{}", value) : "NaN");
    }
  return script + "ENDOFDATA\n";
}

// A single-quoted string of gnuplot's enhanced text, in which only _{...} and ^{...} are markup. A
// line end would end the string, and gnuplot would run the rest: control characters become spaces.
std::string in_quotes(const std::string& label) {
  const std::string text = clean_text(label);
  std::string safe = "'";
  bool inside = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    const bool opens = (c == '_' || c == '^') && !inside && k + 1 < text.size() &&
                       text[k + 1] == '{' && text.find('}', k) != std::string::npos;
    if (opens) {
      safe += c;
      safe += '{';
      inside = true;
      ++k;
    } else if (c == '}' && inside) {
      safe += c;
      inside = false;
    } else if (c == '\'') {
      safe += "''";
    } else {
      if (std::string("_^{}@&~\\").find(c) != std::string::npos) safe += '\\';
      safe += c;
    }
  }
  return safe + "'";
}

// Both ends of what an axis shows.
struct Span {
  double low = INFINITY, high = -INFINITY;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::fmin(low, value);
    high = std::fmax(high, value);
  }
  bool some() const { return high >= low; }
};

bool is_drawable(const Panel& panel, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && !(panel.x.log && x <= 0) &&
         !(panel.y.log && y <= 0);
}

bool from_zero(const Curve& curve) {
  return curve.mark == Curve::bars || curve.mark == Curve::histogram;
}

// Half the room that the bars of one place share.
double bar_room(const Panel& panel) {
  double spacing = INFINITY;
  for (const Curve& curve : panel.curves)
    if (curve.mark == Curve::bars)
      for (std::size_t k = 1; k < curve.x.size(); ++k)
        spacing = std::fmin(spacing, std::fabs(curve.x[k] - curve.x[k - 1]));
  return 0.4 * (std::isfinite(spacing) ? spacing : 1);
}

bool is_side_by_side(const Curve& curve, const Panel& panel) {
  if (curve.x.empty()) return false;
  return curve.mark == Curve::bars ||
         (panel.side_by_side && (curve.mark == Curve::points || curve.mark == Curve::rings));
}

constexpr double kSideStep = 0.013;  // of the axis, from one of the points at a place to the next

// The distance that the points of one place reach to either side of it, as a share of the axis.
double side_by_side_room(const Panel& panel) {
  const auto count = std::count_if(panel.curves.begin(), panel.curves.end(), [&](const Curve& c) {
    return c.mark != Curve::bars && is_side_by_side(c, panel);
  });
  return count > 1 ? 0.5 * kSideStep * static_cast<double>(count - 1) : 0;
}

Span data_span(const Panel& panel, bool along) {
  Span span;
  for (const Curve& curve : panel.curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!is_drawable(panel, curve.x[i], curve.y[i])) continue;
      const double bar = curve.error.empty() || std::isnan(curve.error[i]) ? 0 : curve.error[i];
      if (along) {
        const double room = curve.mark == Curve::bars ? bar_room(panel) : 0;
        span.add(curve.x[i] - room);
        span.add(curve.x[i] + room);
      } else {
        span.add(curve.y[i] + bar);
        if (!panel.y.log || curve.y[i] > bar) span.add(curve.y[i] - bar);
      }
    }
    if (!along && from_zero(curve) && !panel.y.log) span.add(0);
  }
  for (const Guide& guide : panel.guides) span.add(along ? guide.x : guide.y);
  return span;
}

// The range that the axis gives, else that of the data with a margin, so that no mark is cut in
// two.
Span range_of(const Panel& panel, bool along) {
  const double share = 0.04 + (along ? side_by_side_room(panel) : 0);
  const FigureAxis& axis = along ? panel.x : panel.y;
  Span span = data_span(panel, along);
  if (!span.some()) span = axis.log ? Span{1, 10} : Span{0, 1};
  const bool grounded =
      !along && span.low == 0 &&
      std::any_of(panel.curves.begin(), panel.curves.end(), [](auto& c) { return from_zero(c); });
  if (axis.log) {
    const double room = std::fmax(std::pow(span.high / span.low, share), 1.02);
    span = {span.low / room, span.high * room};
  } else {
    const double room = span.high > span.low ? share * (span.high - span.low)
                                             : std::fmax(0.5, 0.1 * std::fabs(span.high));
    span = {grounded ? span.low : span.low - room, span.high + room};
  }
  if (axis.angle) span = {-std::numbers::pi, std::numbers::pi};
  if (std::isfinite(axis.from) && !(axis.log && axis.from <= 0)) span.low = axis.from;
  if (std::isfinite(axis.to)) span.high = axis.to;
  if (!(span.high > span.low)) span.high = axis.log ? 10 * span.low : span.low + 1;
  return span;
}

// The shorter axis is made longer until one unit is as long along both.
void equalise(Span& x, Span& y, const PanelPlace& place) {
  const double unit = std::fmax((x.high - x.low) / place.width, (y.high - y.low) / place.height);
  const auto widen = [](Span& span, double length) {
    const double middle = (span.low + span.high) / 2;
    span = {middle - length / 2, middle + length / 2};
  };
  widen(x, unit * place.width);
  widen(y, unit * place.height);
}

// Marks at 1, 2 and 5 where a logarithmic axis is too short for powers of ten only; exponents where
// it is long.
std::string log_marks(const char* axis, const Span& span) {
  if (span.high > 2e4 || span.low < 8e-4) return fmt::format("set format {} '10^{{%L}}'\n", axis);
  if (span.high / span.low > 60) return "";
  std::string marks;
  for (double power = std::floor(std::log10(span.low)); power <= std::log10(span.high); ++power)
    for (const double lead : {1.0, 2.0, 5.0})
      marks += fmt::format("{}{:g}", marks.empty() ? "" : ", ", lead * std::pow(10, power));
  return fmt::format("set {}tics nomirror ({})\n", axis, marks);
}

// Enough digits to distinguish the marks where curves vary little about a value far from 0.
std::string y_format(const Panel& panel, const Span& span) {
  const double size = std::fmax(std::fabs(span.low), std::fabs(span.high));
  if (panel.y.log || span.high - span.low > 1e-4 * size) return "set format '%g'\n";
  const int digits =
      std::min(15, 2 + static_cast<int>(std::ceil(std::log10(size / (span.high - span.low)))));
  return fmt::format("set format '%g'\nset format y '%.{}g'\n", digits);
}

std::string axis_script(const FigureAxis& axis, const char* name, const Span& span) {
  std::string script = fmt::format("set {}range [{}:{}]\n", name, span.low, span.high);
  if (axis.angle)
    return script +
           fmt::format("set {0}tics nomirror ('−π' -{1}, '−π/2' -{2}, '0' 0, 'π/2' {2}, 'π' {1})\n",
                       name, std::numbers::pi, std::numbers::pi / 2);
  script += axis.mark_every > 0 ? fmt::format("set {}tics nomirror {}\n", name, axis.mark_every)
                                : fmt::format("set {}tics nomirror autofreq\n", name);
  if (axis.log) script += fmt::format("set logscale {}\n", name) + log_marks(name, span);
  return script;
}

std::string axes(const Panel& panel, const GridStyle& style, const PanelPlace& place) {
  const double excess = style.measure.line / 11.6 - 1;  // places labels where a PNG has them
  std::string script = fmt::format(
      "set xlabel {} offset 0,{:.3g} textcolor '{}'\nset ylabel {} offset {:.3g},0 textcolor "
      "'{}'\n",
      in_quotes(panel.x.label), 0.4 + 1.9 * excess, style.quiet, in_quotes(panel.y.label),
      1.7 * excess, style.quiet);
  if (!panel.title.empty())
    script += fmt::format("set title {} textcolor '{}' offset 0,{:.3g}\n", in_quotes(panel.title),
                          style.ink, -0.3 - excess);
  script +=
      fmt::format("unset logscale\nset size noratio\nset xtics offset 0,{:.3g}\n", 1.13 * excess);
  if (panel.map.value.empty()) {
    Span x = range_of(panel, true), y = range_of(panel, false);
    if (panel.equal_axes) equalise(x, y, place);
    return script + y_format(panel, y) + axis_script(panel.x, "x", x) +
           axis_script(panel.y, "y", y);
  }
  const auto edges = [](const std::vector<double>& at) {
    const double spacing =
        at.size() > 1 ? (at.back() - at.front()) / static_cast<double>(at.size() - 1) : 1;
    return Span{at.front() - spacing / 2, at.back() + spacing / 2};
  };
  if (panel.equal_axes) script += "set size ratio -1\n";
  script += "set format '%g'\n" + axis_script(panel.x, "x", edges(panel.map.x)) +
            axis_script(panel.y, "y", edges(panel.map.y));
  const int classes = classes_of(panel.map);
  const Span colours = classes > 0 ? Span{0.5, classes + 0.5} : Span{panel.map.low, panel.map.high};
  return script + palette_line(classes) +
         fmt::format("set cbrange [{}:{}]\nset cblabel {} offset 1.2,0 textcolor '{}'\n",
                     colours.low, colours.high, in_quotes(panel.map.label), style.quiet);
}

// Finite rows "x y [error]" of a curve, and an empty one where x is NaN; on logarithmic axes only
// what they can show.
std::string rows_of(const Curve& curve, const Panel& panel) {
  std::string rows;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double x = curve.x[i], y = curve.y[i];
    if (std::isnan(x) && !rows.empty()) rows += "\n";
    if (!is_drawable(panel, x, y)) continue;
    const double bar = curve.error.empty() || std::isnan(curve.error[i]) ? 0 : curve.error[i];
    rows += fmt::format("{} {} {}\n", x, y, bar);
  }
  return rows;
}

// The n-th filled or hollow shape.
int shape(int n, bool filled) {
  static constexpr int kFilled[] = {7, 5, 9, 13, 11, 15};
  return kFilled[std::max(n, 0) % 6] - (filled ? 0 : 1);
}

struct Appearance {
  std::string colour{};
  int place = 0;  // of its shape
};

std::string mark_of(Curve::Mark mark, const Appearance& appearance, const GridStyle& style) {
  const double line = style.line;
  const auto ink = [&](double width, const char* alpha = "") {
    return fmt::format("linewidth {:.2f} linecolor rgb '#{}{}'", width, alpha,
                       appearance.colour.substr(1));
  };
  const auto shapes = [&](int type, double size) {
    return fmt::format("pointtype {} pointsize {:.2f}", type,
                       size * line * 2.4 / style.measure.mark);
  };
  switch (mark) {
    case Curve::linespoints:
      return fmt::format("with linespoints {} {}", ink(0.6 * line), shapes(7, 0.3));
    case Curve::line:
      return fmt::format("with lines {}", ink(line));
    case Curve::dashes:
      return fmt::format("with lines {} dashtype (6,4)", ink(line));
    case Curve::points:
      return fmt::format("with points {} {}", ink(0.5 * line),
                         shapes(shape(appearance.place, true), 0.48));
    case Curve::rings:
      return fmt::format("with points {} {}", ink(0.8 * line),
                         shapes(shape(appearance.place, false), 0.66));
    case Curve::steps:
      return fmt::format("with steps {}", ink(line));
    case Curve::dots:
      return fmt::format("with points {} {}", ink(0.5 * line, "50"), shapes(7, 0.16));
    case Curve::path:
      return fmt::format("with lines {}", ink(0.45 * line, "60"));
    case Curve::area:
      return fmt::format("with filledcurves closed {} fillstyle transparent solid 0.13 border",
                         ink(0.7 * line));
    case Curve::histogram:
      return fmt::format("with histeps {}", ink(line));
    case Curve::bars:
      return fmt::format("with boxes {} fillstyle solid 0.8 noborder", ink(0.5 * line));
    case Curve::diamonds:
      return fmt::format("with points {} {}", ink(0.5 * line), shapes(13, 0.72));
  }
  return {};
}

// Over a colour map curves have colours that no map has, seen on white and on black too.
Appearance appearance_of(const Panel& panel, std::size_t k, const GridStyle& style) {
  const int own = panel.curves[k].colour;
  const int place = own == Curve::kByPlace ? static_cast<int>(k) : own;
  if (!panel.map.value.empty()) {
    static constexpr const char* kOver[] = {"#ff4d3d", "#ff9bd2", "#c9cfd8"};
    return {kOver[std::max(place, 0) % 3], place};
  }
  if (own == Curve::kInk) return {style.ink};
  if (own == Curve::kQuiet) return {style.quiet};
  return {hex(class_colour(place, style.dark)), place};
}

// Guides of different names have different dashes: long, dots, or both in turn. Dots are wider,
// because less of the line is visible.
std::string guide_line(const Panel& panel, const Guide& guide, const GridStyle& style) {
  static constexpr struct {
    double width;
    const char* dashes;
  } kDashes[] = {{0.6, "(8,5)"}, {1.1, "(1.2,3)"}, {0.7, "(12,4,2,4)"}};
  std::vector<std::string> names;
  for (const Guide& one : panel.guides) {
    if (one.name == guide.name) break;
    if (std::count(names.begin(), names.end(), one.name) == 0) names.push_back(one.name);
  }
  const auto& [width, dashes] = kDashes[names.size() % std::size(kDashes)];
  return fmt::format("linewidth {:.2f} linecolor rgb '{}' dashtype {}", width * style.line,
                     style.quiet, dashes);
}

// Arrows without heads across the panel, and entries of the key for those with names.
std::string guides_of(const Panel& panel, const GridStyle& style) {
  std::string script;
  for (const Guide& guide : panel.guides) {
    const std::string at = fmt::format("{}", std::isnan(guide.x) ? guide.y : guide.x);
    script += std::isnan(guide.x)
                  ? fmt::format("set arrow from graph 0, first {0} to graph 1, first {0}", at)
                  : fmt::format("set arrow from first {0}, graph 0 to first {0}, graph 1", at);
    script += fmt::format(" nohead back {}\n", guide_line(panel, guide, style));
  }
  return script;
}

// The columns of its data that a curve is drawn from; bars of several curves are drawn side by
// side, and points too where the panel asks for it.
std::string columns_of(const Panel& panel, std::size_t k) {
  if (!is_side_by_side(panel.curves[k], panel)) return "1:2";
  int count = 0, place = 0;
  for (std::size_t j = 0; j < panel.curves.size(); ++j) {
    const Curve& other = panel.curves[j];
    if (!is_side_by_side(other, panel)) continue;
    place += j < k ? 1 : 0;
    ++count;
  }
  const double from_middle = place - 0.5 * (count - 1);
  if (panel.curves[k].mark == Curve::bars) {
    const double width = 2 * bar_room(panel) / std::max(count, 1);
    return fmt::format("($1+({})):2:({})", width * from_middle, 0.92 * width);
  }
  const Span span = range_of(panel, true);
  return panel.x.log
             ? fmt::format("($1*{}):2", std::pow(span.high / span.low, kSideStep * from_middle))
             : fmt::format("($1+({})):2", kSideStep * from_middle * (span.high - span.low));
}

// The plot command's parts for one curve with data.
void add_curve(const Panel& panel, std::size_t k, const GridStyle& style, const std::string& data,
               double cap, std::vector<std::string>& parts) {
  const Curve& curve = panel.curves[k];
  const Appearance appearance = appearance_of(panel, k, style);
  const std::string columns = columns_of(panel, k);
  const bool bars = curve.mark == Curve::bars;
  const bool cased =
      !panel.map.value.empty() && (curve.mark == Curve::line || curve.mark == Curve::dashes);
  if (cased) {
    GridStyle wide = style;
    wide.line *= 1.45;
    parts.push_back(fmt::format("{} using 1:2 {}", data, mark_of(Curve::line, {"#10151f"}, wide)));
  }
  parts.push_back(
      fmt::format("{} using {} {}", data, columns, mark_of(curve.mark, appearance, style)));
  if (curve.error.empty()) return;
  const std::string x = columns.substr(0, columns.find(':'));
  const char* const low = panel.y.log ? "($2>$3?$2-$3:1e-3*$2)" : "($2-$3)";
  parts.push_back(
      fmt::format("{} using {}:{}:(0):($2+$3-{}) with vectors heads size screen {:.5f},90 "
                  "linewidth {:.2f} linecolor rgb '{}'",
                  data, x, low, low, cap, 0.6 * style.line, bars ? style.ink : appearance.colour));
}

std::string plot_command(const Panel& panel, const GridStyle& style, const PanelPlace& place) {
  std::string script;
  std::vector<std::string> parts;
  if (!panel.map.value.empty()) {
    const std::string name = fmt::format("$map{}", place.number);
    script += map_data(panel.map, name, style.sharp);
    parts.push_back(fmt::format("{} using 1:2:3 with image", name));
  }
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    const std::string rows = rows_of(panel.curves[k], panel);
    if (rows.empty()) continue;
    const std::string name = fmt::format("$data{}_{}", place.number, k);
    script += fmt::format("{} << ENDOFDATA\n{}ENDOFDATA\n", name, rows);
    add_curve(panel, k, style, name, 2.5 / place.canvas, parts);
  }
  if (parts.empty()) parts.emplace_back("NaN");
  return script + fmt::format("plot {}\n", fmt::join(parts, ", "));
}

bool in_key(const Curve& curve, const Panel& panel) {
  return !curve.name.empty() && (curve.x.empty() || !rows_of(curve, panel).empty());
}

// The names of the key in the order in which they are shown.
std::vector<std::string> key_names(const Panel& panel) {
  std::vector<std::string> names;
  for (const Curve& curve : panel.curves)
    if (in_key(curve, panel)) names.push_back(curve.name);
  for (const Guide& guide : panel.guides)
    if (!guide.name.empty() && std::count(names.begin(), names.end(), guide.name) == 0)
      names.push_back(guide.name);
  return names;
}

// The width of a text in letters, about.
double width_in_letters(const std::string& text) {
  double letters = 0;
  bool small = false;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // inside a letter of UTF-8
    if (c == '{' || c == '}') {
      small = c == '{';
      continue;
    }
    letters += small ? 0.7 : 1;
  }
  return letters;
}

std::string script_of_panel(const Panel& panel, const GridStyle& style, const PanelPlace& place) {
  return axes(panel, style, place) + guides_of(panel, style) + plot_command(panel, style, place);
}

// A plot of nothing whose key has the names of the panel.
std::string script_of_key(const Panel& panel, const GridStyle& style) {
  std::vector<std::string> parts, named;
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    if (!in_key(panel.curves[k], panel)) continue;
    named.push_back(panel.curves[k].name);
    parts.push_back(fmt::format(
        "NaN {} title {}", mark_of(panel.curves[k].mark, appearance_of(panel, k, style), style),
        in_quotes(named.back())));
  }
  for (const Guide& guide : panel.guides) {
    if (guide.name.empty() || std::count(named.begin(), named.end(), guide.name) > 0) continue;
    named.push_back(guide.name);
    parts.push_back(fmt::format("NaN with lines {} title {}", guide_line(panel, guide, style),
                                in_quotes(guide.name)));
  }
  return fmt::format("plot {}\n", fmt::join(parts, ", "));
}

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
constexpr double kGridLeft = 64, kGridRight = 20, kBar = 74, kTop = 30, kBottom = 43,
                 kKeyRow = 16.5;
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
  for (const std::string& name : names)
    shape.widest = std::fmax(shape.widest, width_in_letters(name));
  const int count = static_cast<int>(names.size());
  const int most = std::clamp(static_cast<int>(width / shape.one()), 1, count);
  shape.rows = (count + most - 1) / most;
  shape.columns = (count + shape.rows - 1) / shape.rows;  // rows as even as can be
  return shape;
}

// The places of panels, in points at a type of 10 from the upper left corner.
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
  l.cell = kGridLeft + l.plot + (bar ? kBar : kGridRight);
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

// The upper left corner of a panel's plot; a last row that is not full is centred.
struct Corner {
  double left, top;
};
Corner corner_of(const Figure& figure, const GridLayout& l, std::size_t number) {
  const int count = static_cast<int>(figure.panels.size()), k = static_cast<int>(number);
  const int row = k / l.columns, in_row = std::min(l.columns, count - row * l.columns);
  const double left = (l.columns - in_row) * l.cell / 2 + k % l.columns * l.cell + kGridLeft;
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
         margins(l, {plot.left - kGridLeft, plot.top + kHeight + kBottom}, l.cell,
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
