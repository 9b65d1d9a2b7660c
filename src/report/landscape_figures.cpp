// landscape_figures.cpp: draws critical points over the first variation that holds them in place,
// and best measures against beta.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostPanels = 4;

std::string title_of(const CriticalPoint& point) {
  return fmt::format("E = {:.6g}, {} atom{}, index {}", point.energy, point.mu.count(),
                     point.mu.count() == 1 ? "" : "s", point.index);
}

std::string subtitle_of(const Certificate& c) {
  if (c.holds) return fmt::format("certified: gap at most {:.1e}", std::fmax(c.bound, 0));
  return fmt::format("{}: gap {:.2g}", answer_of(c), std::fmax(c.duality_gap, 0));
}

Panel portrait_of(const Landscape& l, const CriticalPoint& point) {
  Panel panel{.title = title_of(point), .subtitle = subtitle_of(point.certificate)};
  panel.portrait = {.atoms = point.mu.x, .mass = point.mu.mass, .units = l.a, .omega = l.omega};
  panel.portrait.value = [&](const Matrix& x) { return first_variations(l, point.mu, x); };
  if (!l.a.empty()) panel.portrait.extrema = localise(l, point.mu).extrema;
  return panel;
}

Panel index_panel(const Search& search) {
  Panel panel{.title = "critical points", .x = {.label = "index"}, .y = {.label = "energy"}};
  Curve points{.mark = Curve::points};
  for (const CriticalPoint& point : search.points) {
    points.x.push_back(point.index);
    points.y.push_back(point.energy);
  }
  panel.curves = {points};
  return panel;
}

// Eigenvalues of the best points, in order: how many ways out, and how steep.
Panel spectrum_panel(const Search& search) {
  Panel panel{.title = "second derivative of the best, by E",
              .x = {.label = "eigenvalue, in order"}};
  for (std::size_t k = 0; k < std::min(search.points.size(), kMostPanels); ++k) {
    const Vector& spectrum = search.points[k].spectrum;
    Curve curve{.name = fmt::format("{:.3g}", search.points[k].energy), .mark = Curve::linespoints};
    for (std::size_t i = 0; i < spectrum.size(); ++i) {
      curve.x.push_back(static_cast<double>(i + 1));
      curve.y.push_back(spectrum[i]);
    }
    if (spectrum.size() > 60) curve.mark = Curve::line;
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

// How far the atoms of the best points are from their heaviest.
Panel spread_panel(const Search& search) {
  Panel panel{.title = "atoms of the best, by E",
              .x = {.label = "angle to the heaviest atom"},
              .y = {.label = "mass"}};
  for (std::size_t k = 0; k < std::min(search.points.size(), kMostPanels); ++k) {
    const CriticalPoint& point = search.points[k];
    Curve curve{.name = fmt::format("{:.3g}", point.energy), .mark = Curve::points};
    for (int i = 0; i < point.mu.count(); ++i) {
      double square = 0;
      for (int c = 0; c < point.mu.x.cols; ++c)
        square += std::pow(point.mu.x(i, c) - point.mu.x(0, c), 2);
      curve.x.push_back(2 * std::asin(std::fmin(1, std::sqrt(square) / 2)));
      curve.y.push_back(point.mu.mass[i]);
    }
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

// A panel against beta of one number of each point.
template <class Number>
Curve against_beta(std::span<const ScanPoint> scan, const std::string& name, const Number& number) {
  Curve curve{.name = name};
  for (const ScanPoint& point : scan) {
    curve.x.push_back(point.beta);
    curve.y.push_back(number(point));
  }
  if (scan.size() > 40) curve.mark = Curve::line;
  return curve;
}

bool any_finite(const Curve& curve) {
  return std::any_of(curve.y.begin(), curve.y.end(), [](double y) { return std::isfinite(y); });
}

}  // namespace

std::vector<fs::path> draw_landscape(const Landscape& l, const Search& search,
                                     const fs::path& directory, FigureStyle style) {
  if (search.points.empty()) return {};
  const std::size_t shown = std::min(search.points.size(), kMostPanels);
  Figure figure{.style = style};
  if (l.d > 3) {
    figure.panels = {index_panel(search), spectrum_panel(search)};
    if (std::any_of(search.points.begin(), search.points.begin() + shown,
                    [](const CriticalPoint& p) { return p.mu.count() > 1; }))
      figure.panels.push_back(spread_panel(search));
  } else {
    figure.layout = Figure::portraits;
    figure.value_name = "first variation F";
    figure.extrema_name = l.direction == Landscape::descent ? "minimum of the units' potential V"
                                                            : "maximum of the units' potential V";
    for (std::size_t k = 0; k < shown; ++k)
      figure.panels.push_back(portrait_of(l, search.points[k]));
  }
  return draw_svg_and_png(figure, directory / "figures", "landscape");
}

std::vector<fs::path> draw_scan(std::span<const ScanPoint> scan, const fs::path& directory,
                                FigureStyle style) {
  Figure figure{.style = style};
  const auto add = [&](const char* label, std::vector<Curve> curves) {
    figure.panels.push_back(
        {.x = {.label = "β", .log = true}, .y = {.label = label}, .curves = std::move(curves)});
  };
  add("atoms", {against_beta(scan, "", [](const ScanPoint& p) {
        return static_cast<double>(p.best.mu.count());
      })});
  add("mass of the heaviest atom",
      {against_beta(scan, "", [](const auto& p) { return p.where.heaviest; })});
  Curve arc_mass =
      against_beta(scan, "two or more atoms", [](const ScanPoint& p) { return p.where.arc_mass; });
  arc_mass.mark = Curve::points;  // it jumps: there are none that close, or there are
  Curve bound = against_beta(scan, "bound", [](const ScanPoint& p) {
    return std::fmin(p.where.arc_mass_bound, 1);  // more than all mass says nothing
  });
  bound.mark = Curve::dashes;
  if (any_finite(arc_mass)) add("most mass within 1/(2√β)", {arc_mass, bound});
  const Curve angle = against_beta(scan, "", [](const ScanPoint& p) { return p.angle; });
  if (any_finite(angle)) add("mean angle to an extremum of V", {angle});
  return draw_svg_and_png(figure, directory / "figures", "scan");
}

}  // namespace murmur
