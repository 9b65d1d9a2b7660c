// meanfield_figures.cpp: draws a run of the mean field: its density, its modes, energy and order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "murmur/error.h"
#include "report/figures.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/kept_json.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostColumns = 128, kMostRows = 120, kMostModes = 6;
constexpr int kGrey = 7;  // a class that no other curve here has
constexpr double kDegrees = 180 / std::numbers::pi;

// A run of the mean field as its files tell it.
struct Seen {
  int d = 2;
  std::vector<double> t{};
  std::size_t cells = 0;
  std::vector<double> density{};  // (frames, cells) over the uniform one
  std::vector<double> grid{};     // (cells, d)
  KeptJson kept;                  // phases.json
  bool particles = false;         // cells count particles, and many may hold none
  const double* frame(std::size_t k) const { return &density[k * cells]; }
  // 0 where there is no linear phase, the last time where it has not ended.
  double linear_until() const {
    const KeptJson linear = kept.at("phases").at("linear");
    return linear.is_null() ? 0 : linear.at("until").number_or(t.back());
  }
};

Seen see(const RunReader& run) {
  const fs::path& folder = run.directory();
  Seen seen{.d = run.shape().d, .t = run.times(), .kept = KeptJson::read(folder / "phases.json")};
  const Array density = read_npy(folder / "density.npy"), grid = read_npy(folder / "grid.npy");
  const bool fits = !seen.t.empty() && density.shape.size() == 2 && grid.shape.size() == 2 &&
                    density.shape[1] == grid.shape[0] && density.shape[0] >= seen.t.size() &&
                    grid.shape[0] > 0 && grid.shape[1] == static_cast<std::size_t>(seen.d);
  if (!fits)
    throw Error(Fault::input, "the files of this mean field do not fit together", folder.string(),
                "make the run again from its config.toml");
  seen.particles =
      KeptJson::parse(run.manifest(), (folder / "manifest.json").string()).at("engine").text() !=
      "spectral";
  seen.cells = density.shape[1];
  seen.density = density.doubles();
  seen.grid = grid.doubles();
  return seen;
}

// Plain where the density stays near the uniform one, and its logarithm where it gathers.
void set_scale(ColourMap& map) {
  const auto ends = std::minmax_element(map.value.begin(), map.value.end());
  map.low = *ends.first;
  map.high = *ends.second;
  map.label = "density / uniform";
  if (map.high > 3) {
    map.high = std::log10(map.high);
    map.low = std::clamp(std::log10(std::fmax(map.low, 1e-300)), -2.0, -0.1);
    for (double& v : map.value) v = std::fmax(map.low, std::log10(std::fmax(v, 1e-300)));
    map.label = "log10 (density / uniform)";
  }
  if (!(map.high - map.low > 1e-9 * std::fabs(map.high))) {
    map.low -= 0.5;
    map.high += 0.5;
  }
}

// The first frame at or after a time; the last one where there is none.
std::size_t frame_from(const Seen& seen, double t) {
  const auto found = std::lower_bound(seen.t.begin(), seen.t.end(), t);
  return std::min<std::size_t>(found - seen.t.begin(), seen.t.size() - 1);
}

// The density over angle and time, on an even grid whatever frames were kept.
Panel circle_map(const Seen& seen) {
  Panel panel{.title = "density", .x = {.label = "angle in degrees"}, .y = {.label = "t"}};
  ColourMap& map = panel.map;
  const std::size_t columns = std::min(seen.cells, kMostColumns), width = seen.cells / columns;
  for (std::size_t c = 0; c < columns; ++c)
    map.x.push_back(360.0 * (static_cast<double>(c) + 0.5) / static_cast<double>(columns) - 180);
  const std::size_t rows = std::min(seen.t.size(), kMostRows);
  for (std::size_t r = 0; r < rows; ++r) {
    const double t = seen.t.front() + (seen.t.back() - seen.t.front()) * static_cast<double>(r) /
                                          static_cast<double>(rows - 1);
    const std::size_t next = std::max<std::size_t>(frame_from(seen, t), 1);
    const double before = seen.t[next - 1], share = (t - before) / (seen.t[next] - before);
    map.y.push_back(t);
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t g = 0; g < width; ++g) {
        const std::size_t cell = (c * width + g + seen.cells / 2) % seen.cells;
        sum += (1 - share) * seen.frame(next - 1)[cell] + share * seen.frame(next)[cell];
      }
      map.value.push_back(sum / static_cast<double>(width));
    }
  }
  set_scale(map);
  return panel;
}

Panel circle_profile(const Seen& seen) {
  Panel panel{.x = {.label = "angle in degrees"}, .y = {.label = "density / uniform"}};
  panel.title = fmt::format("t = {:.4g}", seen.t.back());
  Curve curve{.mark = Curve::line};
  for (std::size_t c = 0; c < seen.cells; ++c) {
    const std::size_t cell = (c + seen.cells / 2) % seen.cells;
    curve.x.push_back(360.0 * static_cast<double>(c) / static_cast<double>(seen.cells) - 180);
    curve.y.push_back(seen.frame(seen.t.size() - 1)[cell]);
  }
  panel.curves = {curve};
  return panel;
}

// (latitudes, longitudes) between the rows of equal latitude of a spectral grid.
std::vector<double> between_rows(const Seen& seen, std::size_t frame, const ColourMap& map) {
  std::size_t columns = 1;
  while (columns < seen.cells && seen.grid[3 * columns + 2] == seen.grid[2]) ++columns;
  const std::size_t rows = seen.cells / columns;
  const auto latitude = [&](std::size_t row) {
    return std::asin(std::clamp(seen.grid[3 * row * columns + 2], -1.0, 1.0)) * kDegrees;
  };
  const auto along = [&](std::size_t row, double longitude) {
    const auto count = static_cast<double>(columns);
    const double place = (longitude / 360 + 2) * count;
    const auto first = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(first);
    const double* density = seen.frame(frame) + row * columns;
    return (1 - share) * density[first % columns] + share * density[(first + 1) % columns];
  };
  std::vector<double> value;
  for (const double at : map.y) {
    std::size_t below = 0;  // rows go south
    while (below < rows && latitude(below) > at) ++below;
    const std::size_t above = below > 0 ? below - 1 : 0;
    below = std::min(below, rows - 1);
    const double gap = latitude(above) - latitude(below);
    const double share = gap > 0 ? (latitude(above) - at) / gap : 0;
    for (const double longitude : map.x)
      value.push_back((1 - share) * along(above, longitude) + share * along(below, longitude));
  }
  return value;
}

// (latitudes, longitudes) particles spread by e^{60 x.y}, about 7 degrees, over cells of equal
// area.
std::vector<double> smoothed(const Seen& seen, std::size_t frame, const ColourMap& map) {
  std::vector<double> value;
  for (const double latitude : map.y)
    for (const double longitude : map.x) {
      const double v = latitude / kDegrees, u = longitude / kDegrees;
      const double x[] = {std::cos(v) * std::cos(u), std::cos(v) * std::sin(u), std::sin(v)};
      double sum = 0, weights = 0;
      for (std::size_t c = 0; c < seen.cells; ++c) {
        const double weight =
            std::exp(60 * (std::inner_product(x, x + 3, &seen.grid[3 * c], 0.0) - 1));
        sum += weight * seen.frame(frame)[c];
        weights += weight;
      }
      value.push_back(sum / weights);
    }
  return value;
}

// The density of a frame over longitude and latitude.
Panel sphere_map(const Seen& seen, std::size_t frame, const std::string& when) {
  Panel panel{.x = {.label = "longitude and latitude in degrees"}};
  panel.title = fmt::format("{}, t = {:.4g}", when, seen.t[frame]);
  ColourMap& map = panel.map;
  const int step = seen.particles ? 5 : 3;
  for (int k = -180; k <= 180; k += step) map.x.push_back(k);
  for (int k = -90; k <= 90; k += step) map.y.push_back(k);
  map.value = seen.particles ? smoothed(seen, frame, map) : between_rows(seen, frame, map);
  set_scale(map);
  return panel;
}

std::vector<Panel> sphere_maps(const Seen& seen) {
  const std::size_t last = seen.t.size() - 1, linear = frame_from(seen, seen.linear_until());
  if (last == 0) return {sphere_map(seen, 0, "end")};
  const bool ended = linear > 0 && linear < last;
  return {sphere_map(seen, 0, "start"),
          ended ? sphere_map(seen, linear, "end of the linear phase")
                : sphere_map(seen, last / 2, "half way"),
          sphere_map(seen, last, "end")};
}

// The modes that stand out at the end of the linear phase, their predicted growth dashed.
Panel modes_panel(const RunReader& run, const Seen& seen) {
  Panel panel{.x = {.label = "t"}, .y = {.label = "amplitude of mode", .log = true}};
  const std::size_t linear = std::max<std::size_t>(1, frame_from(seen, seen.linear_until()));
  std::vector<std::pair<double, int>> order;  // greatest amplitude until then, mode
  for (int k = 1; k <= 12; ++k) {
    const std::vector<double> a = run.column(fmt::format("mode_{}", k));
    const double most = *std::max_element(a.begin(), a.begin() + linear + 1);
    if (most > 1e-12) order.emplace_back(-most, k);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kMostModes));
  std::sort(order.begin(), order.end(), [](auto a, auto b) { return a.second < b.second; });
  const KeptJson predicted = seen.kept.at("predicted_rates");
  panel.title = predicted.members().empty() ? "modes" : "modes; dashed: predicted growth";
  double min = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int k = order[i].second;
    Curve curve{
        .name = fmt::format("{}", k), .x = seen.t, .y = run.column(fmt::format("mode_{}", k))};
    curve.mark = Curve::line;
    curve.colour = static_cast<int>(i);
    for (const double a : curve.y) min = a > 1e-13 ? std::fmin(min, a) : min;
    panel.curves.push_back(curve);
    const std::string key = std::to_string(k);
    if (!predicted.json().contains(key) || seen.t.front() != 0 || seen.linear_until() == 0)
      continue;
    Curve dashes{.mark = Curve::dashes, .colour = kGrey};
    for (int s = 0; s <= 50; ++s) {
      const double t = std::fmin(1.25 * seen.linear_until(), seen.t.back()) * s / 50;
      const double a = curve.y[0] * std::exp(predicted.at(key).number() * t);
      if (a > 1 || a < 1e-13) break;
      dashes.x.push_back(t);
      dashes.y.push_back(a);
    }
    panel.curves.push_back(dashes);
  }
  panel.y.from = 0.5 * min;
  return panel;
}

// Dashed lines where phases begin and end, as high as the curves before them.
void mark_regimes(const Seen& seen, Panel& panel) {
  const KeptJson regimes = seen.kept.at("phases");
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Curve& curve : panel.curves)
    for (const double y : curve.y) {
      low = std::fmin(low, y);
      high = std::fmax(high, y);
    }
  const auto mark = [&](double t, const char* name, int colour) {
    if (t <= seen.t.front() || t >= seen.t.back()) return;
    panel.curves.push_back(
        {.name = name, .x = {t, t}, .y = {low, high}, .mark = Curve::dashes, .colour = colour});
  };
  mark(seen.linear_until(), "linear until", 2);
  if (const KeptJson plateau = regimes.at("metastable"); !plateau.is_null()) {
    mark(plateau.at("from").number(), "metastable", 3);
    mark(plateau.at("to").number(), "", 3);
  }
  if (const KeptJson end = regimes.at("clustering"); !end.is_null())
    mark(end.at("from").number(), "to a point from", 4);
}

// Where the first phase is short beside the rest, equal factors of time are equally wide.
bool is_long(const Seen& seen) {
  const double until = seen.linear_until();
  return until > 0 && until < 0.05 * seen.t.back() && seen.t.size() > 20;
}

Panel energy_panel(const RunReader& run, const Seen& seen) {
  const std::vector<double> energy = run.column("energy"), free = run.column("free_energy");
  Panel panel{.title = "energy", .x = {.label = "t"}, .y = {.label = "energy"}};
  panel.x.log = is_long(seen);
  panel.curves = {{.name = "energy", .x = seen.t, .y = energy, .mark = Curve::line, .colour = 0}};
  bool noisy = false;
  for (std::size_t i = 0; i < energy.size(); ++i)
    noisy = noisy || std::fabs(free[i] - energy[i]) > 1e-12 * std::fabs(energy[i]);
  if (noisy)
    panel.curves.push_back(
        {.name = "free energy", .x = seen.t, .y = free, .mark = Curve::line, .colour = 1});
  mark_regimes(seen, panel);
  return panel;
}

// Order from 0, where the measure is uniform or balanced, to 1, where it is one point.
Panel order_panel(const RunReader& run, const Seen& seen) {
  Panel panel{.title = "order; 1: one point", .x = {.label = "t"}, .y = {.label = "order"}};
  panel.x.log = is_long(seen);
  const double first = seen.t.front(), last = seen.t.back();
  panel.curves = {
      {.name = "order", .x = seen.t, .y = run.column("order"), .mark = Curve::line, .colour = 0},
      {.x = {first, last}, .y = {1, 1}, .mark = Curve::dashes, .colour = kGrey}};
  if (panel.x.log) panel.curves[1].x[0] = seen.t[1];
  mark_regimes(seen, panel);
  return panel;
}

}  // namespace

std::vector<fs::path> draw_meanfield(const fs::path& directory, FigureStyle style) {
  const RunReader run(directory);
  const Seen seen = see(run);
  Figure figure{.style = style};
  if (seen.d == 3)
    figure.panels = sphere_maps(seen);
  else
    figure.panels = {seen.t.size() > 1 ? circle_map(seen) : circle_profile(seen)};
  if (seen.t.size() > 1) {
    figure.panels.push_back(modes_panel(run, seen));
    figure.panels.push_back(energy_panel(run, seen));
    figure.panels.push_back(order_panel(run, seen));
  }
  return draw_svg_and_png(figure, directory / "figures", "meanfield");
}

Figure bifurcation_figure(const Bifurcation& b, double predicted_onset) {
  Panel panel{
      .title = "stationary laws under noise", .x = {.label = "kappa"}, .y = {.label = "order"}};
  panel.curves = {{.name = "up", .x = b.kappa, .y = b.up, .colour = 0},
                  {.name = "down", .x = b.kappa, .y = b.down, .colour = 1}};
  const double most = *std::max_element(b.down.begin(), b.down.end());
  if (predicted_onset > b.kappa.front() && predicted_onset < b.kappa.back())
    panel.curves.push_back({.name = "predicted",
                            .x = {predicted_onset, predicted_onset},
                            .y = {0, std::fmax(most, 0.1)},
                            .mark = Curve::dashes,
                            .colour = 2});
  return {.panels = {panel}};
}

}  // namespace murmur
