// figure_file.cpp: one vector drawing as a file, by Cairo.
#include "picture/figure_file.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fmt/format.h>

#include <map>
#include <regex>
#include <string>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/recipe.h"
#include "run/file.h"
#include "run/formats.h"

namespace murmur::picture {

void check_ending(const std::filesystem::path& figure) {
  const std::string ending = figure.extension().string();
  if (ending != ".svg" && ending != ".png" && ending != ".pdf")
    throw Error(Fault::input, "a figure ends in .svg, .png or .pdf",
                fmt::format("ending \"{}\"", ending), "give the figure one of these endings");
}

namespace {

// Cairo draws into memory, so that what reaches the disk is whole or an error of ours.
cairo_status_t append(void* to, const unsigned char* data, unsigned size) try {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
} catch (...) {
  return CAIRO_STATUS_NO_MEMORY;
}

// Cairo numbers surfaces and images through the life of the process; here they are counted anew, so
// that the same figure has the same bytes whatever was drawn before it.
std::string with_own_numbers(const std::string& svg) {
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
  constexpr double kPixels = 2.5;  // of a PNG, a point
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
  if (ending == ".svg") bytes = with_own_numbers(bytes);
  make_directory(parent_of(figure));
  write_file_atomically(figure, with_recipe(std::move(bytes), ending, recipe_for(figure)));
}

}  // namespace murmur::picture
