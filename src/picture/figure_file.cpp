// figure_file.cpp: one vector drawing as a file, by Cairo.
#include "picture/figure_file.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fmt/format.h>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/process.h"

namespace murmur::picture {

void check_ending(const std::filesystem::path& figure) {
  const std::string ending = figure.extension().string();
  if (ending != ".svg" && ending != ".png" && ending != ".pdf")
    throw Error(Fault::input, "a figure ends in .svg, .png or .pdf",
                fmt::format("ending \"{}\"", ending), "give the figure one of these endings");
}

void write_figure(const std::filesystem::path& figure, FigureSize size,
                  const std::function<void(cairo_t*)>& paint) {
  check_ending(figure);
  constexpr double kPixels = 2.5;  // of a PNG, a point
  const std::string ending = figure.extension().string();
  Draft draft(figure);
  const std::string path = draft.path().string();
  Surface surface;
  if (ending == ".png")
    surface.reset(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                             static_cast<int>(kPixels * size.width + 0.5),
                                             static_cast<int>(kPixels * size.height + 0.5)));
  else
    surface.reset((ending == ".svg" ? cairo_svg_surface_create : cairo_pdf_surface_create)(
        path.c_str(), size.width, size.height));
  {
    const Context context(cairo_create(surface.get()));
    if (ending == ".png") cairo_scale(context.get(), kPixels, kPixels);
    paint(context.get());
  }
  cairo_status_t status = CAIRO_STATUS_SUCCESS;
  if (ending == ".png") status = cairo_surface_write_to_png(surface.get(), path.c_str());
  cairo_surface_finish(surface.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(Fault::runtime,
                fmt::format("the figure could not be drawn: {}", cairo_status_to_string(status)),
                figure.string(), "check the disk and the path");
  draft.keep();
}

}  // namespace murmur::picture
