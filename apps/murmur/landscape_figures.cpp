// landscape_figures.cpp: draws critical points over the first variation that holds them in place.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "landscape.h"
#include "murmur/curves.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::size_t kMostPanels = 4;

std::string title_of(const CriticalPoint& point) {
  return fmt::format("E = {:.6g}, {} atom{}, index {}", point.energy, point.mu.count(),
                     point.mu.count() == 1 ? "" : "s", point.index);
}

// The circle, F around it (a fifth of the radius from least to most), and a spoke an atom, inwards,
// as long as its mass.
CurveSheet circle_sheet(const Landscape& l, const CriticalPoint& point) {
  constexpr int kPoints = 720;
  CurveSheet sheet{.title = title_of(point), .equal_axes = true};
  Vector f(kPoints + 1);
  for (int k = 0; k <= kPoints; ++k) {
    const double angle = 2 * kPi * k / kPoints;
    f[k] = first_variation(l, point.mu, Vector{std::cos(angle), std::sin(angle)});
  }
  const auto [low, high] = std::minmax_element(f.begin(), f.end());
  const double range = std::max(*high - *low, 1e-300), floor = *low;
  Curve round{.mark = Curve::dashes, .colour = 7},
      around{.name = "first variation F", .mark = Curve::line, .colour = 0};
  for (int k = 0; k <= kPoints; ++k) {
    const double angle = 2 * kPi * k / kPoints, r = 1.05 + 0.3 * (f[k] - floor) / range;
    round.x.push_back(std::cos(angle));
    round.y.push_back(std::sin(angle));
    around.x.push_back(r * std::cos(angle));
    around.y.push_back(r * std::sin(angle));
  }
  sheet.curves = {round, around};
  Curve atoms{.name = "atoms; a spoke is as long as its mass", .mark = Curve::points, .colour = 1};
  for (int i = 0; i < point.mu.count(); ++i) {
    const double x = point.mu.x(i, 0), y = point.mu.x(i, 1), inner = 1 - point.mu.mass[i];
    atoms.x.push_back(x);
    atoms.y.push_back(y);
    sheet.curves.push_back(
        {.x = {x, inner * x}, .y = {y, inner * y}, .mark = Curve::line, .colour = 1});
  }
  sheet.curves.push_back(atoms);
  return sheet;
}

// F over longitude and latitude, the atoms upon it.
CurveSheet sphere_sheet(const Landscape& l, const CriticalPoint& point) {
  CurveSheet sheet{.x_label = "longitude", .y_label = "latitude", .title = title_of(point)};
  ColourMap& map = sheet.map;
  for (int k = -90; k <= 90; ++k) map.x.push_back(2.0 * k);
  for (int k = -45; k <= 45; ++k) map.y.push_back(2.0 * k);
  for (const double latitude : map.y)
    for (const double longitude : map.x) {
      const double u = longitude * kPi / 180, v = latitude * kPi / 180;
      map.value.push_back(first_variation(
          l, point.mu, Vector{std::cos(v) * std::cos(u), std::cos(v) * std::sin(u), std::sin(v)}));
    }
  const auto [low, high] = std::minmax_element(map.value.begin(), map.value.end());
  map.low = *low;
  map.high = std::max(*high, *low + 1e-12);
  map.label = "first variation F";
  Curve atoms{.name = "atoms", .mark = Curve::points, .colour = 1};
  for (int i = 0; i < point.mu.count(); ++i) {
    atoms.x.push_back(std::atan2(point.mu.x(i, 1), point.mu.x(i, 0)) * 180 / kPi);
    atoms.y.push_back(std::asin(std::clamp(point.mu.x(i, 2), -1.0, 1.0)) * 180 / kPi);
  }
  sheet.curves = {atoms};
  return sheet;
}

CurveSheet index_sheet(const Search& search) {
  CurveSheet sheet{.x_label = "index", .y_label = "energy", .title = "critical points"};
  Curve points{.mark = Curve::points};
  for (const CriticalPoint& point : search.points) {
    points.x.push_back(point.index);
    points.y.push_back(point.energy);
  }
  sheet.curves = {points};
  return sheet;
}

}  // namespace

std::vector<fs::path> draw_landscape(const Landscape& l, const Search& search,
                                     const fs::path& directory) {
  std::vector<CurveSheet> sheets;
  for (std::size_t k = 0; k < std::min(search.points.size(), kMostPanels) && l.d <= 3; ++k)
    sheets.push_back(l.d == 2 ? circle_sheet(l, search.points[k])
                              : sphere_sheet(l, search.points[k]));
  if (l.d > 3) sheets.push_back(index_sheet(search));
  fs::create_directories(directory / "figures");
  std::vector<fs::path> made;
  for (const char* name : {"landscape.svg", "landscape.png"}) {
    made.push_back(directory / "figures" / name);
    plot_sheets(sheets, Look::paper, made.back());
  }
  return made;
}

}  // namespace murmur::app
