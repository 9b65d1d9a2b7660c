// figure.cpp: hands a figure to the program that draws its layout, and writes its numbers beside.
#include "picture/figure.h"

#include <fmt/format.h>

#include <cmath>

#include "picture/render.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/text.h"

namespace murmur {

using namespace picture;

namespace {

// One row a point of x: all curves of a stack have the same.
std::string csv_of_stack(const Figure& figure) {
  std::string text = figure.panels.front().x.name;
  for (const Panel& panel : figure.panels) text += "," + panel.y.name;
  text += "\n";
  const std::vector<double>& x = figure.panels.front().curves.front().x;
  for (std::size_t k = 0; k < x.size(); ++k) {
    text += fmt::format("{}", x[k]);
    for (const Panel& panel : figure.panels) text += fmt::format(",{}", panel.curves.front().y[k]);
    text += "\n";
  }
  return text;
}

// One row a value; an empty cell where there is none, or where it is not finite.
std::string csv_of_maps(const Figure& figure) {
  const Panel& first = figure.panels.front();
  const bool exact = !first.map.exact.empty();
  std::string text =
      fmt::format("panel,{},{},{},{}_se{}\n", first.y.name, first.x.name, first.map.name,
                  first.map.name, exact ? "," + first.map.exact_name : "");
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  };
  for (const Panel& panel : figure.panels) {
    const ColourMap& map = panel.map;
    for (std::size_t i = 0; i < map.y.size(); ++i)
      for (std::size_t j = 0; j < map.x.size(); ++j) {
        const std::size_t at = i * map.x.size() + j;
        text += fmt::format("{},{},{},{},{}{}\n", csv_cell(panel.title), map.y[i], map.x[j],
                            number(map.value[at]), map.error.empty() ? "" : number(map.error[at]),
                            exact ? "," + number(map.exact[at]) : "");
      }
  }
  return text;
}

}  // namespace

FigureStyle style_of(const std::string& word) {
  return word == "slides" ? FigureStyle::slides
         : word == "dark" ? FigureStyle::dark
                          : FigureStyle::paper;
}

void draw(const Figure& figure, const std::filesystem::path& path) {
  const auto beside = std::filesystem::path(path).replace_extension(".csv");
  switch (figure.layout) {
    case Figure::grid:
      return render_by_gnuplot(figure, path);
    case Figure::stack:
      render_by_gnuplot(figure, path);
      return write_file_atomically(beside, csv_of_stack(figure));
    case Figure::maps:
      render_by_cairo(figure, path);
      return write_file_atomically(beside, csv_of_maps(figure));
    case Figure::portraits:
      return render_by_cairo(figure, path);
  }
}

namespace {

std::vector<std::filesystem::path> draw_all(const Figure& figure,
                                            const std::filesystem::path& folder,
                                            const std::string& stem,
                                            std::initializer_list<const char*> endings) {
  make_folder_of_run(folder);
  std::vector<std::filesystem::path> made;
  for (const char* ending : endings) {
    made.push_back(folder / (stem + ending));
    draw(figure, made.back());
  }
  return made;
}

}  // namespace

std::vector<std::filesystem::path> draw_svg_and_png(const Figure& figure,
                                                    const std::filesystem::path& folder,
                                                    const std::string& stem) {
  return draw_all(figure, folder, stem, {".svg", ".png"});
}

std::vector<std::filesystem::path> draw_svg_pdf_and_png(const Figure& figure,
                                                        const std::filesystem::path& folder,
                                                        const std::string& stem) {
  return draw_all(figure, folder, stem, {".svg", ".pdf", ".png"});
}

}  // namespace murmur
