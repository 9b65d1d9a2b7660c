// heat.cpp: draws maps of means and their standard errors by Cairo, several panels to a sheet.
#include "murmur/heat.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fmt/format.h>

#include "murmur/error.h"
#include "murmur/formats.h"
#include "picture/heat_sheet.h"
#include "picture/process.h"

namespace murmur {

using namespace picture;

namespace {

void check(const HeatSheet& sheet) {
  const auto refuse = [](const std::string& what) {
    throw Error(Fault::input, what, "a heat map", "give increasing axes and one value a crossing");
  };
  if (sheet.panels.empty()) refuse("there is no panel to draw");
  if (!(sheet.high > sheet.low)) refuse("the colours have no range");
  for (const HeatPanel& panel : sheet.panels) {
    const auto rows = static_cast<int>(panel.y.size()), cols = static_cast<int>(panel.x.size());
    const bool fits =
        rows > 0 && cols > 0 && panel.mean.rows == rows && panel.mean.cols == cols &&
        (panel.error.empty() || (panel.error.rows == rows && panel.error.cols == cols));
    if (!fits) refuse("the values of a panel do not fit its axes");
    for (const std::vector<double>* axis : {&panel.x, &panel.y})
      for (std::size_t k = 1; k < axis->size(); ++k)
        if (!((*axis)[k] > (*axis)[k - 1])) refuse("an axis does not increase");
    if ((sheet.log_x && !(panel.x.front() > 0)) || (sheet.log_y && !(panel.y.front() > 0)))
      refuse("a logarithmic axis lies above 0");
    for (const Curve& curve : panel.curves)
      if (curve.x.size() != curve.y.size()) refuse("a curve has more of one coordinate");
  }
}

std::string csv_text(const HeatSheet& sheet) {
  std::string text = fmt::format("panel,{},{},{},{}_se\n", sheet.y_name, sheet.x_name,
                                 sheet.value_name, sheet.value_name);
  const auto number = [](double value) {
    return value == value ? fmt::format("{}", value) : std::string();
  };
  for (const HeatPanel& panel : sheet.panels)
    for (int i = 0; i < panel.mean.rows; ++i)
      for (int j = 0; j < panel.mean.cols; ++j)
        text += fmt::format("{},{},{},{},{}\n", panel.title, panel.y[i], panel.x[j],
                            number(panel.mean(i, j)),
                            panel.error.empty() ? "" : number(panel.error(i, j)));
  return text;
}

void finish(cairo_surface_t* surface, const std::filesystem::path& figure) {
  cairo_surface_finish(surface);
  if (const cairo_status_t status = cairo_surface_status(surface); status != CAIRO_STATUS_SUCCESS)
    throw Error(Fault::runtime,
                fmt::format("the figure could not be drawn: {}", cairo_status_to_string(status)),
                figure.string(), "check the disk and the path");
}

}  // namespace

void draw_heat(const HeatSheet& sheet, const std::filesystem::path& figure) {
  check(sheet);
  const std::string ending = figure.extension().string();
  if (ending != ".svg" && ending != ".png" && ending != ".pdf")
    throw Error(Fault::input, "a figure ends in .svg, .png or .pdf",
                fmt::format("ending \"{}\"", ending), "give the figure one of these endings");
  constexpr double kPixels = 2.5;  // of a PNG, a point
  const HeatLayout layout = lay_out(sheet);
  Draft draft(figure);
  const std::string path = draft.path().string();
  Surface surface;
  if (ending == ".png")
    surface.reset(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                             static_cast<int>(kPixels * layout.width + 0.5),
                                             static_cast<int>(kPixels * layout.height + 0.5)));
  else
    surface.reset((ending == ".svg" ? cairo_svg_surface_create : cairo_pdf_surface_create)(
        path.c_str(), layout.width, layout.height));
  {
    const Context context(cairo_create(surface.get()));
    if (ending == ".png") cairo_scale(context.get(), kPixels, kPixels);
    paint_heat(context.get(), sheet, layout);
  }
  if (ending == ".png" &&
      cairo_surface_write_to_png(surface.get(), path.c_str()) != CAIRO_STATUS_SUCCESS)
    throw Error(Fault::runtime, "the figure could not be written", figure.string(),
                "check the disk and the path");
  finish(surface.get(), figure);
  write_file_atomically(std::filesystem::path(figure).replace_extension(".csv"), csv_text(sheet));
  draft.keep();
}

}  // namespace murmur
