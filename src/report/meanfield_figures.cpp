// meanfield_figures.cpp: draws a run of the mean field: its density, its modes, energy and order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures.h"
#include "report/meanfield_maps.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostModes = 6;
constexpr int kGrey = 7;  // a class that no other curve here has

// The modes that stand out at the end of the linear phase, their predicted growth dashed.
Panel modes_panel(const RunReader& run, const SeenMeanField& seen) {
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
void mark_regimes(const SeenMeanField& seen, Panel& panel) {
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
bool is_long(const SeenMeanField& seen) {
  const double until = seen.linear_until();
  return until > 0 && until < 0.05 * seen.t.back() && seen.t.size() > 20;
}

Panel energy_panel(const RunReader& run, const SeenMeanField& seen) {
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
Panel order_panel(const RunReader& run, const SeenMeanField& seen) {
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
  const SeenMeanField seen = see_meanfield(run);
  Figure figure{.style = style};
  figure.panels = density_panels(seen);
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
