// plot.cpp: draws observables against time by gnuplot, in the house style, with the numbers beside.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "murmur/formats.h"
#include "murmur/picture.h"
#include "picture/colour.h"
#include "picture/labels.h"
#include "picture/process.h"
#include "picture/stage.h"
#include "picture/track.h"

namespace murmur::picture {

namespace {

// Lengths in points of a figure as wide as a page of text; terminals scale them.
constexpr double kWidth = 470, kPanel = 118, kHead = 25, kFoot = 42, kLeft = 46, kRight = 14;

struct Panel {
  std::string name;
  Series series;
};

struct Sheet {
  std::vector<Panel> panels{};
  int rows = 1, columns = 1;
  bool log_time = false;
  const char* axis = "";
  double from = 0, to = 1;  // time axis
  double height() const { return rows * (kHead + kPanel) + kFoot; }
};

std::string hex(Colour c) {
  const auto byte = [](double v) { return std::lround(255 * v); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.red), byte(c.green), byte(c.blue));
}

// A double-quoted gnuplot string that means `text`, backquotes aside.
std::string quoted(const std::string& text) {
  std::string safe = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c == '`' ? '\'' : c;  // gnuplot would run what stands between backquotes
  }
  return safe + "\"";
}

std::string terminal(const std::string& ending, const Sheet& sheet) {
  const double width = kWidth, height = sheet.height();
  if (ending == ".svg")
    return fmt::format(
        "set terminal svg enhanced size {:.0f},{:.0f} dynamic background "
        "'#ffffff' font 'DejaVu Sans,9' linewidth 1\n",
        width, height);
  if (ending == ".png")
    return fmt::format(
        "set terminal pngcairo enhanced size {:.0f},{:.0f} background '#ffffff' "
        "font 'DejaVu Sans,9' fontscale 2.25 linewidth 3\n",
        3 * width, 3 * height);
  if (ending == ".pdf")
    return fmt::format(
        "set terminal pdfcairo enhanced size {:.3f}in,{:.3f}in background "
        "'#ffffff' font 'DejaVu Sans,9' fontscale 0.75 linewidth 1.8\n",
        width / 72, height / 72);
  throw Error(Fault::input, "a figure ends in .svg, .png or .pdf",
              fmt::format("ending \"{}\"", ending), "give the figure one of these endings");
}

// Finite points as lines "t value"; a missing one leaves a gap, whole numbers go in steps.
std::string data_block(const Sheet& sheet, const Series& series, int* points) {
  std::string block;
  bool gap = false;
  double level = 0;
  *points = 0;
  for (std::size_t k = 0; k < series.t.size(); ++k) {
    if (sheet.log_time && series.t[k] <= 0) continue;
    if (!std::isfinite(series.value[k])) {
      gap = *points > 0;
      continue;
    }
    if (gap) block += "\n";
    if (series.whole && *points > 0 && !gap)
      block += fmt::format("{:.17g} {:.17g}\n", series.t[k], level);
    level = series.value[k];
    block += fmt::format("{:.17g} {:.17g}\n", series.t[k], level);
    gap = false;
    ++*points;
  }
  return block;
}

std::string time_axis(const Sheet& sheet, bool lowest) {
  std::string script = fmt::format("set xrange [{:.17g}:{:.17g}]\n", sheet.from, sheet.to);
  script += sheet.log_time ? "set logscale x\nset mxtics 10\n" : "unset logscale x\nset mxtics 1\n";
  if (lowest)
    script += fmt::format("set format x {}\nset xlabel '{}' offset 0,0.3 textcolor '#3f4858'\n",
                          sheet.log_time && sheet.to / sheet.from > 1000 ? "'10^{%L}'" : "'%g'",
                          sheet.axis);
  else
    script += "set format x ''\nunset xlabel\n";
  return script;
}

std::string value_axis(const Series& series) {
  const double span = series.high - series.low;
  const double low = series.whole && series.low == 0 ? 0 : series.low - 0.07 * span;
  const double high = series.high + 0.07 * span;
  const Ticks ticks = nice_ticks(low, high, 4);
  std::string marks;
  for (double tick : ticks.at) {
    if (series.whole && tick != std::floor(tick)) continue;
    marks += fmt::format("{}{} {:.17g}", marks.empty() ? "" : ", ", quoted(ticks.text(tick)), tick);
  }
  return fmt::format("set yrange [{:.17g}:{:.17g}]\nset ytics ({})\n", low, high, marks);
}

std::string panel_script(const Sheet& sheet, int index) {
  const Panel& panel = sheet.panels[static_cast<std::size_t>(index)];
  const int row = index % sheet.rows, column = index / sheet.rows;
  const bool lowest = row + 1 == sheet.rows || index + 1 == static_cast<int>(sheet.panels.size());
  const double share = 1.0 / sheet.columns;
  const double top = 1 - (row * (kHead + kPanel) + kHead) / sheet.height();
  int points = 0;
  const std::string block = data_block(sheet, panel.series, &points);
  std::string script = fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n",
      share * column + kLeft / kWidth, share * (column + 1) - kRight / kWidth, top,
      top - kPanel / sheet.height());
  script += time_axis(sheet, lowest) + value_axis(panel.series);
  script += fmt::format("set label 1 {} at graph 0,1 offset 0,0.75 left textcolor '#1a2130'\n",
                        quoted(label_of(panel.name).markup));
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

std::string figure_script(const std::string& ending, const Sheet& sheet) {
  std::string script = "set encoding utf8\n" + terminal(ending, sheet);
  script +=
      "set border 3 linewidth 0.7 linecolor rgb '#6d7686'\n"
      "set tics nomirror out scale 0.55,0.3 textcolor rgb '#3f4858'\n"
      "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb '#e4e8ee'\n"
      "set grid back\nunset key\nset xtics autofreq\n"
      "set multiplot\n";
  for (int k = 0; k < static_cast<int>(sheet.panels.size()); ++k) script += panel_script(sheet, k);
  return script + "unset multiplot\nunset output\n";
}

std::string csv_text(const Sheet& sheet) {
  std::string text = "t";
  for (const Panel& panel : sheet.panels) text += "," + panel.name;
  text += "\n";
  const std::vector<double>& t = sheet.panels.front().series.t;
  for (std::size_t k = 0; k < t.size(); ++k) {
    text += fmt::format("{}", t[k]);
    for (const Panel& panel : sheet.panels) text += fmt::format(",{}", panel.series.value[k]);
    text += "\n";
  }
  return text;
}

Sheet make_sheet(const RunReader& run, const std::vector<std::string>& names,
                 const TimeAxis& axis) {
  if (run.frames() == 0)
    throw Error(Fault::input, "the run holds no whole frame yet", run.directory().string(),
                "wait for the first frame, or resume the run");
  if (names.empty())
    throw Error(Fault::input, "no observable was named", run.directory().string(),
                "name at least one column of observables.csv");
  Sheet sheet;
  for (const std::string& name : names) sheet.panels.push_back({name, read_series(run, name)});
  sheet.axis = axis.label;
  const int count = static_cast<int>(names.size());
  sheet.columns = count > 5 ? 2 : 1;
  sheet.rows = (count + sheet.columns - 1) / sheet.columns;
  const std::vector<double>& t = run.times();
  const auto positive = std::find_if(t.begin(), t.end(), [](double time) { return time > 0; });
  sheet.log_time = axis.log && positive != t.end();
  sheet.from = sheet.log_time ? *positive : t.front();
  sheet.to = t.back();
  if (sheet.from < sheet.to) return sheet;
  const double room = sheet.from != 0 ? std::abs(sheet.from) / 2 : 1;  // a single frame
  sheet.to = sheet.from + room;
  sheet.from -= room;
  return sheet;
}

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

void plot_observables(const RunReader& run, const std::vector<std::string>& names,
                      const TimeAxis& axis, const std::filesystem::path& figure) {
  const Sheet sheet = make_sheet(run, names, axis);
  const std::string script = figure_script(figure.extension().string(), sheet);
  Draft draft(figure);
  Process gnuplot({.words = {"gnuplot", "-d", "-"},
                   .output = draft.path(),
                   .remedy = "Install it with: apt-get install gnuplot-nox"});
  gnuplot.write(script);
  gnuplot.finish();
  write_file_atomically(std::filesystem::path(figure).replace_extension(".csv"), csv_text(sheet));
  draft.keep();
}

}  // namespace murmur
