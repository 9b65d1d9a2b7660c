// curves.cpp: panels of curves and colour maps by gnuplot, in three looks.
#include "murmur/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "picture/colour.h"
#include "picture/process.h"

namespace murmur {

using namespace picture;

namespace {

// A single-quoted gnuplot string; nothing is special inside but the quote itself.
std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string("''") : std::string(1, c);
  return safe + "'";
}

std::string hex(Colour c) {
  const auto byte = [](double v) { return std::lround(255 * v); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.red), byte(c.green), byte(c.blue));
}

// What a look means: colours, type and lines; lengths in points.
struct Dress {
  const char *paper, *ink, *quiet, *grid;
  double type, line;
  bool dark;
};

Dress dress_of(FigureStyle look) {
  switch (look) {
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
std::string log_marks(const CurveSheet& sheet) {
  double low = INFINITY, high = 0;
  for (const Curve& curve : sheet.curves)
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
std::string y_format(const CurveSheet& sheet) {
  double low = INFINITY, high = -INFINITY;
  for (const Curve& curve : sheet.curves)
    for (const double y : curve.y)
      if (std::isfinite(y)) {
        low = std::fmin(low, y);
        high = std::fmax(high, y);
      }
  const double size = std::fmax(std::fabs(low), std::fabs(high));
  if (sheet.log_y || !(high > low) || high - low > 1e-4 * size) return "set format '%g'\n";
  const int digits = std::min(15, 2 + static_cast<int>(std::ceil(std::log10(size / (high - low)))));
  return fmt::format("set format '%g'\nset format y '%.{}g'\n", digits);
}

std::string axes(const CurveSheet& sheet, const Dress& dress) {
  // An empty line keeps a key below from touching the label.
  std::string script =
      fmt::format("set xlabel {}{} offset 0,0.6 textcolor '{}'\nset ylabel {} textcolor '{}'\n",
                  quoted(sheet.x_label), sheet.map.value.empty() ? ".\"\\n \"" : "", dress.quiet,
                  quoted(sheet.y_label), dress.quiet);
  const auto range = [](double spacing, const std::vector<double>& at) {
    return fmt::format("[{}:{}]", at.front() - spacing / 2, at.back() + spacing / 2);
  };
  const auto spacing = [](const std::vector<double>& at) {
    return at.size() > 1 ? (at.back() - at.front()) / static_cast<double>(at.size() - 1) : 1;
  };
  script += "unset logscale\n" + y_format(sheet) + "set autoscale\nset size noratio\n";
  script += "set xtics autofreq\n";
  if (sheet.log_x)  // no empty decade
    script += "set logscale x\nset autoscale xfix\n" + log_marks(sheet);
  if (sheet.log_y) script += "set logscale y\n";
  if (sheet.log_y && sheet.y_min > 0) script += fmt::format("set yrange [{}:*]\n", sheet.y_min);
  if (sheet.equal_axes) script += "set size ratio -1\n";
  if (!sheet.title.empty())
    script +=
        fmt::format("set title {} textcolor '{}' offset 0,-0.3\n", quoted(sheet.title), dress.ink);
  if (sheet.map.value.empty()) return script;
  script += fmt::format("set xrange {}\nset yrange {}\n", range(spacing(sheet.map.x), sheet.map.x),
                        range(spacing(sheet.map.y), sheet.map.y));
  return script + fmt::format("set cbrange [{}:{}]\nset cblabel {} textcolor '{}'\n", sheet.map.low,
                              sheet.map.high, quoted(sheet.map.label), dress.quiet);
}

// Finite rows "x y [error]" of a curve, and an empty one where x is NaN; on logarithmic axes only
// what they can show.
std::string rows_of(const Curve& curve, const CurveSheet& sheet) {
  std::string rows;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double x = curve.x[i], y = curve.y[i];
    if (std::isnan(x) && !rows.empty()) rows += "\n";
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    if ((sheet.log_x && x <= 0) || (sheet.log_y && y <= 0)) continue;
    rows += fmt::format("{} {} {}\n", x, y, curve.error.empty() ? 0 : curve.error[i]);
  }
  return rows;
}

std::string style_of(const Curve& curve, const std::string& colour, double line) {
  const bool alone = curve.mark == Curve::points || curve.mark == Curve::rings;
  const char* style = curve.mark == Curve::linespoints ? "linespoints" : alone ? "points" : "lines";
  std::string text =
      fmt::format("with {} linewidth {:.2f} linecolor rgb '{}'", style, line, colour);
  if (curve.mark == Curve::dashes) text += " dashtype (6,4)";
  if (curve.mark == Curve::linespoints || curve.mark == Curve::points)
    text += fmt::format(" pointtype 7 pointsize {:.2f}", 0.3 * line);
  if (curve.mark == Curve::rings) text += fmt::format(" pointtype 6 pointsize {:.2f}", 0.7 * line);
  return text;
}

// The data and the plot command of one panel; `number` keeps the names of its data apart.
std::string panel(const CurveSheet& sheet, const Dress& dress, std::size_t number) {
  std::string script, plot;
  const auto add = [&](const std::string& what) { plot += (plot.empty() ? "plot " : ", ") + what; };
  if (!sheet.map.value.empty()) {
    const ColourMap& map = sheet.map;
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
  for (std::size_t k = 0; k < sheet.curves.size(); ++k) {
    const Curve& curve = sheet.curves[k];
    const std::string rows = rows_of(curve, sheet);
    if (rows.empty()) continue;
    const std::string name = fmt::format("$data{}_{}", number, k);
    script += fmt::format("{} << ENDOFDATA\n{}ENDOFDATA\n", name, rows);
    // Over a colour map curves are white, which no colour of the map is.
    const std::string colour =
        sheet.map.value.empty()
            ? hex(class_colour(curve.colour < 0 ? static_cast<int>(k) : curve.colour, dress.dark))
            : "#ffffff";
    if (!curve.error.empty())
      add(
          fmt::format("{} using 1:2:3 with yerrorbars pointtype 0 linewidth {:.2f} linecolor rgb "
                      "'{}' notitle",
                      name, 0.6 * dress.line, colour));
    const std::string title = curve.name.empty() ? "notitle" : "title " + quoted(curve.name);
    add(fmt::format("{} using 1:2 {} {}", name, style_of(curve, colour, dress.line), title));
  }
  if (plot.empty()) plot = "set yrange [0:1]\nset xrange [0:1]\nplot 2 notitle";
  return script + plot + "\n";
}

// Below its panel, or in white on the colours of a map.
std::string key_of(const CurveSheet& sheet, const Dress& dress) {
  if (!sheet.map.value.empty())
    return "set key inside right top vertical samplen 1.5 textcolor '#ffffff'\n";
  return fmt::format("set key below horizontal center samplen 1.5 spacing 1.1 textcolor '{}'\n",
                     dress.ink);
}

std::string house(const Dress& dress) {
  return fmt::format(
             "set border 3 linewidth 0.7 linecolor rgb '{0}'\n"
             "set tics nomirror out scale 0.55,0.3 textcolor rgb '{0}'\n"
             "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb '{1}'\nset grid back\n",
             dress.quiet, dress.grid) +
         kPalette;
}

std::string terminal(const std::string& ending, const Dress& dress, double width, double height) {
  const std::string paper = dress.paper;
  if (ending == ".svg")
    return fmt::format(
        "set terminal svg noenhanced size {:.0f},{:.0f} dynamic background '{}' font 'DejaVu "
        "Sans,{:g}' linewidth 1\n",
        width, height, paper, dress.type);
  if (ending == ".png")
    return fmt::format(
        "set terminal pngcairo noenhanced size {:.0f},{:.0f} background '{}' font 'DejaVu "
        "Sans,{:g}' fontscale 1.5 linewidth 2\n",
        2 * width, 2 * height, paper, dress.type);
  if (ending == ".pdf")
    return fmt::format(
        "set terminal pdfcairo noenhanced size {:.3f}in,{:.3f}in background '{}' font 'DejaVu "
        "Sans,{:g}' fontscale 0.75 linewidth 1.3\n",
        width / 72, height / 72, paper, dress.type);
  throw Error(Fault::input, "a figure ends in .svg, .png or .pdf",
              fmt::format("ending \"{}\"", ending), "give the figure one of these endings");
}

void gnuplot(const std::string& script, const std::filesystem::path& path) {
  Draft draft(path);
  Process process({.words = {"gnuplot", "-d", "-"},
                   .output = draft.path(),
                   .remedy = "Install it with: apt-get install gnuplot-nox"});
  process.write(script);
  process.finish();
  draft.keep();
}

}  // namespace

void plot_sheets(std::span<const CurveSheet> sheets, FigureStyle look,
                 const std::filesystem::path& path) {
  if (sheets.empty())
    throw Error(Fault::input, "a figure needs a panel", path.string(), "give at least one");
  constexpr double kPanelWidth = 400, kPanelHeight = 330;
  const Dress dress = dress_of(look);
  const int count = static_cast<int>(sheets.size());
  const int columns = count == 4 ? 2 : std::min(count, 3);
  const int rows = (count + columns - 1) / columns;
  const double scale = dress.type / 10;  // larger type needs larger panels
  std::string script =
      "set encoding utf8\n" + terminal(path.extension().string(), dress,
                                       columns * kPanelWidth * scale, rows * kPanelHeight * scale);
  script += house(dress) + fmt::format("set multiplot layout {},{}\n", rows, columns);
  for (std::size_t k = 0; k < sheets.size(); ++k)
    script += "unset title\n" + key_of(sheets[k], dress) + axes(sheets[k], dress) +
              panel(sheets[k], dress, k);
  gnuplot(script + "unset multiplot\nunset output\n", path);
}

void plot_curves(const CurveSheet& sheet, const std::filesystem::path& svg) {
  const Dress dress = dress_of(FigureStyle::paper);
  const std::string script =
      "set encoding utf8\n" + terminal(".svg", dress, 560, 320) + house(dress) +
      fmt::format("set key outside right top reverse Left samplen 1.5 spacing 1.3 textcolor '{}'\n",
                  dress.ink) +
      axes(sheet, dress) + panel(sheet, dress, 0) + "unset output\n";
  gnuplot(script, svg);
}

}  // namespace murmur
