// gnuplot.cpp: draws figures by a gnuplot script.
#include "picture/gnuplot.h"

#include <fmt/format.h>

#include <cmath>

#include "murmur/error.h"
#include "picture/draft.h"
#include "picture/process.h"
#include "picture/render.h"

namespace murmur::picture {

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
  Draft draft(path);
  // A script in a file: gnuplot reads "-" byte by byte, which costs ten times what drawing costs.
  Process process({.words = {"gnuplot", "-d", "/dev/stdin"},
                   .output = draft.path(),
                   .remedy = "Install it with: apt-get install gnuplot-nox",
                   .input = script});
  process.finish();
  draft.keep("gnuplot");
}

}  // namespace murmur::picture
