// cairo_maps.cpp: draws colour maps and their standard errors by Cairo, several panels a figure.
#include "picture/cairo_maps.h"

#include "murmur/error.h"
#include "picture/cairo.h"
#include "picture/figure_file.h"

namespace murmur::picture {

namespace {

void check(const Figure& figure) {
  const auto refuse = [](const std::string& what) {
    throw Error(Fault::input, what, "a heat map", "give increasing axes and one value a crossing");
  };
  if (figure.panels.empty()) refuse("there is no panel to draw");
  const Panel& first = figure.panels.front();
  if (!(first.map.high > first.map.low)) refuse("the colours have no range");
  for (const Panel& panel : figure.panels) {
    const ColourMap& map = panel.map;
    const std::size_t values = map.y.size() * map.x.size();
    const bool fits = values > 0 && map.value.size() == values &&
                      (map.error.empty() || map.error.size() == values);
    if (!fits) refuse("the values of a panel do not fit its axes");
    for (const std::vector<double>* axis : {&map.x, &map.y})
      for (std::size_t k = 1; k < axis->size(); ++k)
        if (!((*axis)[k] > (*axis)[k - 1])) refuse("an axis does not increase");
    if ((first.x.log && !(map.x.front() > 0)) || (first.y.log && !(map.y.front() > 0)))
      refuse("a logarithmic axis lies above 0");
    for (const Curve& curve : panel.curves)
      if (curve.x.size() != curve.y.size()) refuse("a curve has more of one coordinate");
  }
}

}  // namespace

void draw_maps(const Figure& figure, const std::filesystem::path& path) {
  check(figure);
  const MapsLayout layout = lay_out(figure);
  write_figure(path, {layout.width, layout.height},
               [&](cairo_t* context) { paint_maps(context, figure, layout); });
}

}  // namespace murmur::picture
