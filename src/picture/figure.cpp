// figure.cpp: hands a figure to the renderer of its layout, writes its numbers as CSV, and puts
// what Cairo draws into a file.
#include "picture/figure.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <regex>
#include <string>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/recipe.h"
#include "picture/render.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/text.h"

namespace murmur::picture {

void check_ending(const std::filesystem::path& figure) {
  const std::string ending = figure.extension().string();
  if (ending != ".svg" && ending != ".png" && ending != ".pdf")
    throw Error(Fault::input, "a figure ends in .svg, .png or .pdf",
                fmt::format("ending \"{}\"", ending), "give the figure one of these endings");
}

namespace {

// Cairo draws into memory, so that this program writes the whole file and reports its errors.
cairo_status_t append(void* to, const unsigned char* data, unsigned size) try {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
} catch (...) {
  return CAIRO_STATUS_NO_MEMORY;
}

// Cairo numbers surfaces and images over the whole life of the process. This counts them from 0
// again, so that the same figure has the same bytes whatever was drawn before it.
std::string renumber_surfaces(const std::string& svg) {
  static const std::regex kNumbered("([\"#](?:surface|image))([0-9]+)");
  std::map<std::string, std::size_t> numbers;
  std::string text;
  auto at = svg.cbegin();
  for (std::sregex_iterator match(svg.begin(), svg.end(), kNumbered), end; match != end; ++match) {
    const auto number = numbers.try_emplace(match->str(2), numbers.size()).first->second;
    text.append(at, (*match)[2].first).append(std::to_string(number));
    at = (*match)[2].second;
  }
  return text.append(at, svg.cend());
}

}  // namespace

void write_figure(const std::filesystem::path& figure, FigureSize size,
                  const std::function<void(cairo_t*)>& paint) {
  check_ending(figure);
  constexpr double kPixels = 2.5;  // pixels of a PNG per point
  const std::string ending = figure.extension().string();
  std::string bytes;
  Surface surface;
  if (ending == ".png")
    surface.reset(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                             static_cast<int>(kPixels * size.width + 0.5),
                                             static_cast<int>(kPixels * size.height + 0.5)));
  else
    surface.reset((ending == ".svg" ? cairo_svg_surface_create_for_stream
                                    : cairo_pdf_surface_create_for_stream)(
        append, &bytes, size.width, size.height));
  if (ending == ".pdf")  // the same figure has the same bytes
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                   "1970-01-01T00:00:00Z");
  cairo_status_t status = CAIRO_STATUS_SUCCESS;
  {
    const Context context(cairo_create(surface.get()));
    if (ending == ".png") cairo_scale(context.get(), kPixels, kPixels);
    paint(context.get());
    status = cairo_status(context.get());
  }
  if (ending == ".png" && status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream(surface.get(), append, &bytes);
  cairo_surface_finish(surface.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(Fault::runtime,
                fmt::format("the figure could not be drawn: {}", cairo_status_to_string(status)),
                figure.string(), "use a smaller figure, or a machine with more memory");
  if (ending == ".svg") bytes = renumber_surfaces(bytes);
  make_directory(parent_of(figure));
  write_file_atomically(figure, with_recipe(std::move(bytes), ending, recipe_for(figure)));
}

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

namespace {

// One row for each x: all curves of a stack have the same x.
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

// One row for each value; the cell is empty where there is none, or where it is not finite.
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
  const auto csv = std::filesystem::path(path).replace_extension(".csv");
  switch (figure.layout) {
    case Figure::grid:
      return render_by_gnuplot(figure, path);
    case Figure::stack:
      render_by_gnuplot(figure, path);
      return write_file_atomically(csv, csv_of_stack(figure));
    case Figure::maps:
      draw_maps(figure, path);
      return write_file_atomically(csv, csv_of_maps(figure));
    case Figure::portraits:
      return draw_portraits(figure, path);
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
