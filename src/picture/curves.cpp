// curves.cpp: curves over one axis by gnuplot, named at their side.
#include "murmur/curves.h"

#include <fmt/format.h>

#include <cmath>

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

std::string script_of(const CurveSheet& sheet) {
  std::string script =
      "set encoding utf8\n"
      "set terminal svg noenhanced size 560,320 dynamic background '#ffffff' "
      "font 'DejaVu Sans,10' linewidth 1\n"
      "set border 3 linewidth 0.7 linecolor rgb '#6d7686'\n"
      "set tics nomirror out scale 0.55,0.3 textcolor rgb '#3f4858'\n"
      "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb '#e4e8ee'\nset grid back\n"
      "set key outside right top reverse Left samplen 1.5 spacing 1.3 textcolor '#1a2130'\n";
  script += fmt::format("set xlabel {} textcolor '#3f4858'\nset ylabel {} textcolor '#3f4858'\n",
                        quoted(sheet.x_label), quoted(sheet.y_label));
  if (sheet.log_y) script += "set logscale y\nset format y '%.0e'\n";
  if (sheet.log_y && sheet.y_least > 0) script += fmt::format("set yrange [{}:*]\n", sheet.y_least);
  std::string plot;
  for (std::size_t k = 0; k < sheet.curves.size(); ++k) {
    const Curve& curve = sheet.curves[k];
    script += fmt::format("$data{} << ENDOFDATA\n", k);
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      if (std::isfinite(curve.y[i])) script += fmt::format("{} {}\n", curve.x[i], curve.y[i]);
    script += "ENDOFDATA\n";
    plot += fmt::format(
        "{}$data{} with linespoints linewidth 1.7 pointtype 7 pointsize 0.4 linecolor rgb '{}' "
        "title {}",
        plot.empty() ? "plot " : ", ", k, hex(class_colour(static_cast<int>(k), false)),
        quoted(curve.name));
  }
  return script + plot + "\nunset output\n";
}

}  // namespace

void plot_curves(const CurveSheet& sheet, const std::filesystem::path& svg) {
  Draft draft(svg);
  Process gnuplot({.words = {"gnuplot", "-d", "-"},
                   .output = draft.path(),
                   .remedy = "Install it with: apt-get install gnuplot-nox"});
  gnuplot.write(script_of(sheet));
  gnuplot.finish();
  draft.keep();
}

}  // namespace murmur
