// trace_theory.cpp: a traced transformer beside the theory: its layers on the phase diagram, its
// parts left out, the eigenvalues of its values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/trace.h"

namespace murmur {

namespace {

// How many times of the diagram tell anything: until tokens of every beta have gathered, and all
// layers have their place.
std::size_t times_shown(const PhaseReading& reading) {
  const PhaseDiagram& diagram = reading.diagram;
  const std::size_t times = diagram.t.size();
  std::size_t shown = 2;
  for (std::size_t k = 0; k < diagram.mean_cos.size(); ++k)
    if (diagram.mean_cos[k] < 0.99) shown = std::max(shown, k % times + 2);
  for (const PhasePlace& p : reading.places)
    while (shown < times && p.t > diagram.t[shown - 1]) ++shown;
  return std::min(shown, times);
}

}  // namespace

Figure phase_figure(const PhaseReading& reading, FigureStyle style) {
  const PhaseDiagram& diagram = reading.diagram;
  Figure figure{.layout = Figure::maps, .style = style};
  Panel panel{.title = "mean cosine of the ideal flow, simulated",
              .x = {.label = "time t", .name = "t"},
              .y = {.label = "β", .name = "beta"}};
  const std::size_t shown = times_shown(reading);
  panel.map.x.assign(diagram.t.begin(), diagram.t.begin() + static_cast<std::ptrdiff_t>(shown));
  panel.map.y = diagram.beta;
  for (std::size_t b = 0; b < diagram.beta.size(); ++b) {
    const auto row = diagram.mean_cos.begin() + static_cast<std::ptrdiff_t>(b * diagram.t.size());
    panel.map.value.insert(panel.map.value.end(), row, row + static_cast<std::ptrdiff_t>(shown));
  }
  panel.map.low =
      std::min(0.0, *std::min_element(diagram.mean_cos.begin(), diagram.mean_cos.end()));
  panel.map.high = 1;
  panel.map.label = "mean cosine";
  panel.map.name = "mean_cos";
  Curve layers{.name = "layers, first to last", .mark = Curve::linespoints};
  int nowhere = 0;
  for (const PhasePlace& p : reading.places) {
    if (!std::isfinite(p.t)) {
      ++nowhere;
      continue;
    }
    layers.x.push_back(p.t);
    layers.y.push_back(p.beta);
  }
  if (!layers.x.empty()) panel.curves.push_back(std::move(layers));
  figure.panels.push_back(std::move(panel));
  figure.panel_width = 300;
  figure.panel_height = 180;
  figure.note = fmt::format(
      "The flow from {} tokens drawn uniformly on the sphere of R^{}, mean of {} flights at each "
      "β. "
      "A layer stands at the β that fits the heads of its block best, and at the time at which the "
      "simulated tokens have gathered as far as its own{}.",
      diagram.n, diagram.d, diagram.flights,
      nowhere > 0 ? fmt::format("; {} never do", nowhere) : "");
  return figure;
}

Figure parts_figure(const TraceFile& trace, FigureStyle style) {
  struct Column {
    const char *title, *name;
    std::vector<double> PartReading::*values;
  };
  static constexpr Column kColumns[] = {
      {"mean cosine", "mean_cos", &PartReading::mean_cos},
      {"clusters", "clusters", &PartReading::clusters},
      {"effective rank", "effective_rank", &PartReading::effective_rank}};
  Figure figure{.layout = Figure::grid, .style = style, .columns = 3};
  for (const Column& column : kColumns) {
    Panel panel{.title = column.title,
                .x = {.label = "layer", .name = "layer"},
                .y = {.label = column.title, .name = column.name}};
    for (const PartReading& part : trace.parts) {
      Curve curve{.name = part.part == "none" ? "all parts" : "no " + part.part,
                  .mark = part.part == "none" ? Curve::line : Curve::linespoints};
      if (part.part == "none") curve.colour = Curve::kInk;
      const std::vector<double>& values = part.*column.values;
      for (std::size_t f = 0; f < values.size(); ++f) {
        if (!std::isfinite(values[f])) continue;
        curve.x.push_back(static_cast<double>(f));
        curve.y.push_back(values[f]);
      }
      panel.curves.push_back(std::move(curve));
    }
    if (!trace.parts.empty() && trace.parts.front().mean_cos.size() <= 13) panel.x.mark_every = 1;
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

Figure spectrum_figure(const Spectra& spectra, FigureStyle style) {
  constexpr std::size_t kBlocks = 4;
  Figure figure{.layout = Figure::grid, .style = style, .columns = 2};
  const std::size_t shown = std::min(kBlocks, spectra.blocks);
  for (std::size_t s = 0; s < shown; ++s) {
    const std::size_t block = shown > 1 ? s * (spectra.blocks - 1) / (shown - 1) : 0;
    Panel panel{.title = fmt::format("OV, block {}", block),
                .x = {.label = "Re λ", .name = "re"},
                .y = {.label = "Im λ", .name = "im"},
                .equal_axes = true};
    Curve all{.mark = Curve::dots}, first{.name = "largest of a head", .mark = Curve::points};
    for (std::size_t h = 0; h < spectra.heads; ++h)
      for (std::size_t k = 0; k < spectra.w; ++k) {
        const std::complex<double> lambda = spectra.at(block, h, 1, k);
        Curve& of = k == 0 ? first : all;
        of.x.push_back(lambda.real());
        of.y.push_back(lambda.imag());
      }
    panel.curves = {std::move(all), std::move(first)};
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace murmur
