// heat.cpp: draws maps of means and their standard errors by Cairo, several panels to a sheet.
#include "murmur/heat.h"

#include <fmt/format.h>

#include "murmur/error.h"
#include "murmur/formats.h"
#include "picture/figure_file.h"
#include "picture/heat_sheet.h"

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

}  // namespace

void draw_heat(const HeatSheet& sheet, const std::filesystem::path& figure) {
  check(sheet);
  const HeatLayout layout = lay_out(sheet);
  write_figure(figure, {layout.width, layout.height},
               [&](cairo_t* context) { paint_heat(context, sheet, layout); });
  write_file_atomically(std::filesystem::path(figure).replace_extension(".csv"), csv_text(sheet));
}

}  // namespace murmur
