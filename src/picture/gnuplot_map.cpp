// gnuplot_map.cpp: the numbers of a colour map as gnuplot reads an image.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "picture/cairo_maps.h"
#include "picture/gnuplot_panel.h"

namespace murmur::picture {

namespace {

// Places of pixels along an axis of a map, `each` of them to a cell.
double pixel_at(const std::vector<double>& at, std::size_t pixel, std::size_t each) {
  const double cell =
      at.size() > 1 ? (at.back() - at.front()) / static_cast<double>(at.size() - 1) : 1;
  const double part = (static_cast<double>(pixel % each) + 0.5) / static_cast<double>(each);
  return at[pixel / each] + cell * (part - 0.5);
}

}  // namespace

std::string palette_line(int classes) {
  const int colours = classes > 0 ? classes : 10;
  std::vector<std::string> stops;
  for (int k = 0; k < colours; ++k) {
    const std::string colour = hex(heat_colour(k / std::fmax(colours - 1.0, 1.0)));
    stops.push_back(fmt::format("{} '{}'", k, colour));
    if (classes > 0) stops.push_back(fmt::format("{} '{}'", k + 1, colour));  // a level each
  }
  return fmt::format("set palette defined ({})\n", fmt::join(stops, ", "));
}

int classes_of(const ColourMap& map) {
  std::set<double> values;
  for (const double value : map.value) {
    if (!std::isfinite(value)) continue;
    if (value < 1 || value > 64 || value != std::floor(value)) return 0;
    values.insert(value);
  }
  const bool all = values.size() > 2 && *values.rbegin() == static_cast<double>(values.size());
  return all ? static_cast<int>(values.size()) : 0;
}

std::string map_data(const ColourMap& map, const std::string& name, std::size_t sharp) {
  std::string script = fmt::format("{} << ENDOFDATA\n", name);
  const std::size_t wide = map.x.size(), high = map.y.size();
  const std::size_t across = (std::max(sharp, wide) + wide - 1) / wide;
  const std::size_t up = (std::max(sharp, high) + high - 1) / high;
  for (std::size_t r = 0; r < high * up; ++r)
    for (std::size_t c = 0; c < wide * across; ++c) {
      const double value = map.value[r / up * wide + c / across];
      script += fmt::format("{} {} {}\n", pixel_at(map.x, c, across), pixel_at(map.y, r, up),
                            std::isfinite(value) ? fmt::format("{}", value) : "NaN");
    }
  return script + "ENDOFDATA\n";
}

}  // namespace murmur::picture
