// trace_histograms.cpp: histograms of the cosines of pairs of tokens, a panel for each layer of a
// traced transformer (2312.10794, Fig. 1).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "report/trace.h"

namespace murmur {

namespace {

constexpr int kBins = 160;  // over [-1, 1]
constexpr double kWidth = 2.0 / kBins;
constexpr int kMostPanels = 25;
constexpr double kFrom = -0.3, kTo = 1.05;  // of the published figure

// Density of the cosines of pairs i < j of one text, over all texts. (kBins)
std::vector<double> density_of(const HostSwarm& x, const std::vector<TextSpan>& texts) {
  std::vector<double> density(kBins);
  std::int64_t pairs = 0;
  for (const TextSpan& text : texts) {
    if (text.n < 2) continue;
    const CosineHistogram h = cosine_histogram(part_of(x, text), kBins);
    for (int b = 0; b < kBins; ++b) density[b] += static_cast<double>(h.count[b]);
    pairs += h.pairs;
  }
  for (double& value : density) value /= static_cast<double>(pairs) * kWidth;
  return density;
}

// From one empty bin before the first that holds a pair to one after the last.
Curve curve_of(const std::vector<double>& density) {
  const auto holds = [](double value) { return value > 0; };
  const auto first = std::find_if(density.begin(), density.end(), holds) - density.begin();
  const auto last = density.rend() - std::find_if(density.rbegin(), density.rend(), holds) - 1;
  Curve curve{.mark = Curve::histogram, .colour = 0};
  for (auto b = first - 1; b <= last + 1; ++b) {
    curve.x.push_back(-1 + kWidth * (static_cast<double>(b) + 0.5));
    curve.y.push_back(b < first || b > last ? 0 : density[static_cast<std::size_t>(b)]);
  }
  return curve;
}

std::vector<int> layers_shown(const RunReader& run, const std::vector<int>& asked) {
  const int layers = static_cast<int>(run.frames());
  for (const int layer : asked)
    if (layer < 0 || layer >= layers)
      throw Error(Fault::input, fmt::format("there is no layer {}", layer),
                  run.directory().string(), fmt::format("use layers=0 to layers={}", layers - 1));
  if (!asked.empty()) return asked;
  std::vector<int> shown;
  const int panels = std::min(layers, kMostPanels);
  for (int k = 0; k < panels; ++k)
    shown.push_back(panels == 1 ? 0
                                : static_cast<int>(std::lround(static_cast<double>(layers - 1) * k /
                                                               (panels - 1))));
  return shown;
}

}  // namespace

Figure histograms_figure(const RunReader& run, const TraceFile& file,
                         const HistogramsRequest& request) {
  const std::vector<TextSpan> texts = texts_of(file, run);
  if (std::none_of(texts.begin(), texts.end(), [](const TextSpan& text) { return text.n > 1; }))
    throw Error(Fault::input, "a text of a single token has no pairs", run.directory().string(),
                "trace a text of two tokens or more");
  const std::vector<int> layers = layers_shown(run, request.layers);
  Figure figure{.layout = Figure::grid, .style = request.style};
  figure.columns = layers.size() <= 6 ? 3 : 5;
  double from = kFrom, top = 0;
  for (const int layer : layers) {
    const Curve curve = curve_of(density_of(run.frame(layer), texts));
    from = std::min(from, curve.x.front());
    top = std::max(top, *std::max_element(curve.y.begin(), curve.y.end()));
    figure.panels.push_back({.title = fmt::format("Layer {}", layer),
                             .x = {.label = "cosine of two tokens", .name = "cosine", .to = kTo},
                             .y = {.label = "density", .name = "density", .from = 0},
                             .curves = {curve}});
  }
  for (Panel& panel : figure.panels) {
    panel.x.from = from;
    panel.x.mark_every = 0.5;
    panel.y.to = 1.03 * top;
  }
  figure.note = fmt::format(
      "{}: cosines of the pairs i < j of {}, layer by layer; 0 is the embedding. Where tokens "
      "cluster, mass gathers at 1.",
      file.family,
      texts.size() == 1 ? fmt::format("{} tokens", texts[0].n)
                        : fmt::format("each of {} texts", texts.size()));
  return figure;
}

}  // namespace murmur
