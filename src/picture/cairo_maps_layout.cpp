// cairo_maps_layout.cpp: sizes, places and colours of a figure of colour maps.
#include <algorithm>
#include <array>
#include <cmath>

#include "picture/cairo_maps.h"

namespace murmur::picture {

namespace {

struct Sizes {
  double type, width, height;  // letters; one map
};

Sizes sizes_of(FigureStyle style) {
  if (style == FigureStyle::slides) return {15, 300, 210};
  if (style == FigureStyle::dark) return {11, 250, 185};
  return {8, 158, 118};
}

double largest_error(const Figure& figure) {
  double most = 0;
  for (const Panel& panel : figure.panels)
    for (const double error : panel.map.error)
      if (std::isfinite(error)) most = std::max(most, error);
  return most;
}

}  // namespace

Colour heat_colour(double share) {
  static constexpr std::array<Colour, 10> anchors{
      rgb(0x440154), rgb(0x482878), rgb(0x3e4989), rgb(0x31688e), rgb(0x26828e),
      rgb(0x1f9e89), rgb(0x35b779), rgb(0x6ece58), rgb(0xb5de2b), rgb(0xfde725)};
  const double at = std::clamp(share, 0.0, 1.0) * (anchors.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
  return mix(anchors[low], anchors[low + 1], at - static_cast<double>(low));
}

Colour error_colour(double share, const MapsLayout& layout) {
  const double s = std::clamp(share, 0.0, 1.0);
  const Colour hue = rgb(0xd1622b);  // from ground over vermilion towards ink
  return s < 0.6 ? mix(layout.ground, hue, s / 0.6) : mix(hue, layout.ink, (s - 0.6) / 0.4 * 0.75);
}

std::vector<std::string> names_of_curves(const Figure& figure) {
  std::vector<std::string> names;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves)
      if (std::find(names.begin(), names.end(), curve.name) == names.end())
        names.push_back(curve.name);
  return names;
}

MapsLayout lay_out(const Figure& figure) {
  Sizes size = sizes_of(figure.style);
  if (figure.panel_width > 0) {
    const double grown = size.width / sizes_of(FigureStyle::paper).width;
    size.width = grown * figure.panel_width, size.height = grown * figure.panel_height;
  }
  MapsLayout l;
  l.type = size.type;
  const bool dark = figure.style == FigureStyle::dark;
  l.ground = dark ? rgb(0x0d1320) : rgb(0xffffff);
  l.ink = dark ? rgb(0xe9eef8) : rgb(0x1a2130);
  l.quiet = dark ? rgb(0xa3aec4) : rgb(0x4c5668);
  l.missing = dark ? rgb(0x2a3346) : rgb(0xd9dde4);
  const auto count = static_cast<int>(figure.panels.size());
  l.columns = figure.columns > 0 ? figure.columns : count <= 3 ? count : count == 4 ? 2 : 3;
  for (const Panel& panel : figure.panels)
    l.y_on_all = l.y_on_all || panel.map.y.front() != figure.panels.front().map.y.front() ||
                 panel.map.y.back() != figure.panels.front().map.y.back();
  l.most_error = largest_error(figure);
  const int rows = (count + l.columns - 1) / l.columns;
  const double em = size.type;
  const bool curves = std::any_of(figure.panels.begin(), figure.panels.end(),
                                  [](const Panel& panel) { return !panel.curves.empty(); });
  l.left = 1.2 * em;
  const double y_axis = 4.5 * em, gap = l.y_on_all ? 4.8 * em : 2.7 * em, bar = 8.2 * em;
  const double error_height = l.most_error > 0 ? 0.36 * size.height : 0;
  const double between = l.most_error > 0 ? 1.0 * em : 0;
  const bool titled = std::any_of(figure.panels.begin(), figure.panels.end(),
                                  [](const Panel& panel) { return !panel.title.empty(); });
  const double head = (titled ? 2.4 : 1.0) * em, foot = 4.2 * em;
  const double block = head + size.height + between + error_height + foot;
  double top = 0.6 * em;
  if (curves) {
    const std::size_t rows = l.columns == 1 ? names_of_curves(figure).size() : 1;
    l.legend = top + 1.5 * em;
    top += (2.2 + kLegendRow * static_cast<double>(rows - 1)) * em;
  }
  for (int k = 0; k < count; ++k) {
    const double x = l.left + y_axis + (k % l.columns) * (size.width + gap);
    const double y = top + (k / l.columns) * block + head;
    l.blocks.push_back({{x, y, size.width, size.height},
                        {x, y + size.height + between, size.width, error_height}});
  }
  l.width = l.left + y_axis + l.columns * size.width + (l.columns - 1) * gap + bar;
  l.height = top + rows * block + 0.2 * em;
  if (!figure.note.empty()) {
    Canvas ruler(8, 8);
    l.note_lines = ruler.wrap(figure.note, l.width - 2 * l.left, em, false, 6);
    l.note = l.height + 0.7 * em;
    l.height += (1.4 * static_cast<double>(l.note_lines.size()) + 0.6) * em;
  }
  return l;
}

}  // namespace murmur::picture
