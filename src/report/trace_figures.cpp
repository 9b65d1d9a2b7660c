// trace_figures.cpp: what is drawn of a traced transformer: attention, patching, its layers next to
// the ideal flow, its heads, histograms of cosines, the phase diagram, eigenvalues.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "report/attention.h"
#include "report/trace.h"
#include "run/formats.h"
#include "trace/kept_heads.h"

namespace murmur {

namespace {

constexpr int kBlocksShown = 4;

std::vector<int> blocks_shown(int blocks, std::optional<int> asked) {
  if (asked) return {*asked};
  std::vector<int> shown;
  for (int k = 0; k < kBlocksShown; ++k)
    shown.push_back(
        static_cast<int>(std::lround(static_cast<double>(blocks - 1) * k / (kBlocksShown - 1))));
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

void require_between(const char* what, int asked, int count, const RunReader& run) {
  if (asked >= 0 && asked < count) return;
  throw Error(Fault::input, fmt::format("there is no {} {}", what, asked), run.directory().string(),
              fmt::format("use {}=0 to {}={}", what, what, count - 1));
}

}  // namespace

Figure trace_attention_figure(const RunReader& run, const TraceFile& file,
                              const TraceAttentionRequest& request) {
  const std::filesystem::path kept = run.directory() / "activations.safetensors";
  if (!std::filesystem::exists(kept))
    throw Error(Fault::input, "the run keeps no attention", run.directory().string(),
                "trace the text again without --no-activations");
  const Record tensors = read_safetensors(kept).tensors;
  const int blocks = file.blocks * file.repeat;
  require_between("text", request.text, static_cast<int>(file.texts.size()), run);
  if (request.head) require_between("head", *request.head, file.heads, run);
  if (request.block) require_between("block", *request.block, blocks, run);
  Figure figure{.layout = Figure::maps, .style = request.style};
  figure.panel_width = figure.panel_height = 124;
  int n = 0, group = 1;
  for (const int block : blocks_shown(blocks, request.block)) {
    const auto at =
        tensors.find(fmt::format("text{}.blocks.{}.attn.hook_pattern", request.text, block));
    const bool fits = at != tensors.end() && at->second.shape.size() == 3 &&
                      at->second.shape[1] == at->second.shape[2] && at->second.size() > 0;
    if (!fits)
      throw Error(Fault::input, fmt::format("it holds no attention of block {}", block),
                  kept.string(), "trace the text again");
    const Matrix weights = head_weights(at->second, request.head);
    n = weights.rows;
    group = (n + kMostCells - 1) / kMostCells;
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    Panel panel = attention_panel(weights, order);
    panel.title = fmt::format("block {}", block);
    figure.panels.push_back(std::move(panel));
  }
  figure.columns = static_cast<int>(figure.panels.size());
  set_range(figure);
  figure.note = fmt::format(
      "{}, n = {}, {}: row i is what token i attends to; 0 is uniform attention, {:.2f} all of it "
      "on one token{}.",
      file.family, n,
      request.head ? fmt::format("head {}", *request.head)
                   : fmt::format("mean of {} heads", file.heads),
      std::log10(static_cast<double>(n)),
      group > 1 ? fmt::format("; means over groups of {}", group) : "");
  return figure;
}

Figure patching_figure(const TraceFile& trace, FigureStyle style) {
  const Patching& p = *trace.patching;
  Figure figure{.layout = Figure::maps, .style = style};
  Panel panel{.title = "recovered by a state of the first text",
              .x = {.label = "token", .name = "token"},
              .y = {.label = "layer", .name = "layer"}};
  const int layers = p.places.back().frame + 1, tokens = p.places.back().place + 1;
  for (int i = 0; i < tokens; ++i) panel.map.x.push_back(i);
  for (int l = 0; l < layers; ++l) panel.map.y.push_back(l);
  for (std::size_t k = 0; k < p.places.size(); ++k) panel.map.value.push_back(p.recovered(k));
  const auto [low, high] = std::minmax_element(panel.map.value.begin(), panel.map.value.end());
  panel.map.low = std::min(0.0, *low);
  panel.map.high = std::max(1.0, *high);
  panel.map.label = "share recovered";
  panel.map.name = "recovered";
  figure.panels.push_back(std::move(panel));
  figure.panel_width = 300;
  figure.panel_height = 180;
  figure.note = fmt::format(
      "Logit of token {} less that of {}: {:.3g} of the first text, {:.3g} of the second. 1: the "
      "state makes the second answer as the first does.",
      p.answers.first, p.answers.second, p.first, p.second);
  return figure;
}

namespace {

Panel panel_of(const std::string& title, const char* x, const std::string& y, const char* name) {
  return {.title = title, .x = {.label = x, .name = x}, .y = {.label = y, .name = name}};
}

template <class Row, class Value>
Curve curve_of(const std::vector<Row>& rows, const std::string& name, Curve::Mark mark,
               const Value& value) {
  Curve curve{.name = name, .mark = mark};
  for (const Row& row : rows) {
    curve.x.push_back(row.layer);
    curve.y.push_back(value(row));
  }
  return curve;
}

// All heads as points, and a line through the means of the blocks.
template <class Value>
Panel head_panel(const TraceFile& trace, const std::string& title, const char* name,
                 const Value& value) {
  Panel panel = panel_of(title, "block", "", name);
  Curve heads{.mark = Curve::points}, mean{.mark = Curve::line, .colour = Curve::kInk};
  std::vector<double> sum, count;
  for (const HeadReading& h : trace.by_head) {
    const double v = value(h);
    if (!std::isfinite(v)) continue;
    heads.x.push_back(h.block);
    heads.y.push_back(v);
    sum.resize(std::max<std::size_t>(sum.size(), static_cast<std::size_t>(h.block) + 1));
    count.resize(sum.size());
    sum[static_cast<std::size_t>(h.block)] += v;
    count[static_cast<std::size_t>(h.block)] += 1;
  }
  for (std::size_t b = 0; b < sum.size(); ++b) {
    mean.x.push_back(static_cast<double>(b));
    mean.y.push_back(sum[b] / count[b]);
  }
  panel.curves = {std::move(heads), std::move(mean)};
  return panel;
}

// Layers are whole numbers: few of them are all marked.
void mark_layers(Figure& figure, std::size_t layers) {
  if (layers > 13) return;
  for (Panel& panel : figure.panels) panel.x.mark_every = 1;
}

}  // namespace

Figure layers_figure(const std::vector<LayerReading>& layers, const std::vector<TwinReading>& twin,
                     FigureStyle style) {
  using Layer = const LayerReading&;
  using Twin = const TwinReading&;
  Figure figure{.layout = Figure::grid, .style = style, .columns = 3};
  const bool has_ideal_flow = !twin.empty();
  Panel cosine = panel_of("Mean cosine", "layer", "mean cosine", "mean_cos");
  cosine.curves.push_back(
      curve_of(layers, "transformer", Curve::linespoints, [](Layer r) { return r.mean_cos; }));
  Panel energy = panel_of("Energy", "layer", "E_{β} / E_{max}", "energy_scaled");
  energy.curves.push_back(
      curve_of(layers, "transformer", Curve::linespoints, [](Layer r) { return r.energy_scaled; }));
  Panel rank = panel_of("Effective rank", "layer", "effective rank", "effective_rank");
  rank.curves.push_back(
      curve_of(layers, "", Curve::linespoints, [](Layer r) { return r.effective_rank; }));
  Panel norm = panel_of("Norm before it is divided out", "layer", "mean norm", "norm");
  norm.curves.push_back(curve_of(layers, "", Curve::linespoints, [](Layer r) { return r.norm; }));
  figure.panels = {cosine, energy, rank, norm};
  mark_layers(figure, layers.size());
  if (!has_ideal_flow) return figure;
  figure.panels[0].curves.push_back(
      curve_of(twin, "ideal flow", Curve::dashes, [](Twin r) { return r.mean_cos; }));
  figure.panels[1].curves.push_back(
      curve_of(twin, "ideal flow", Curve::dashes, [](Twin r) { return r.energy_scaled; }));
  Panel distance = panel_of("Distance of the layers", "layer", "distance", "distance");
  distance.curves = {
      // they may lie on each other: the broadest is drawn first
      curve_of(twin, "from the start", Curve::line, [](Twin r) { return r.still; }),
      curve_of(twin, "from the ideal flow", Curve::linespoints, [](Twin r) { return r.distance; }),
      curve_of(twin, "the same, W_{2}", Curve::dashes, [](Twin r) { return r.w2; })};
  const std::vector<TwinReading> moves(twin.begin() + 1, twin.end());
  Panel aligned = panel_of("Moves along the ideal velocity", "layer", "alignment", "alignment");
  aligned.curves.push_back(
      curve_of(moves, "", Curve::linespoints, [](Twin r) { return r.alignment; }));
  figure.panels.push_back(std::move(distance));
  figure.panels.push_back(std::move(aligned));
  mark_layers(figure, layers.size());
  return figure;
}

Figure heads_figure(const TraceFile& trace, FigureStyle style) {
  using Head = const HeadReading&;
  Figure figure{.layout = Figure::grid, .style = style, .columns = 3};
  figure.panels = {
      head_panel(trace, "effective β", "beta", [](Head h) { return h.beta; }),
      head_panel(trace, "misfit explained by β", "explained",
                 [](Head h) { return h.uniform > 0 ? 1 - h.misfit / h.uniform : std::nan(""); }),
      head_panel(trace, "entropy, of the greatest", "entropy_share",
                 [](Head h) { return h.entropy_share; }),
      head_panel(trace, "attention on the sink", "sink", [](Head h) { return h.sink; })};
  const bool known = std::any_of(trace.by_head.begin(), trace.by_head.end(),
                                 [](Head h) { return std::isfinite(h.qk.symmetry); });
  if (known) {
    figure.panels.push_back(head_panel(trace, "symmetry of Q^{T}K", "qk_symmetry",
                                       [](Head h) { return h.qk.symmetry; }));
    figure.panels.push_back(head_panel(trace, "positivity of OV", "ov_positivity",
                                       [](Head h) { return h.ov.positivity; }));
  }
  mark_layers(figure, trace.block_beta.size());
  return figure;
}

Figure head_maps_figure(const TraceFile& trace, FigureStyle style, const std::string& where) {
  if (trace.by_head.empty())
    throw Error(Fault::input, "the attention of this run is not known", where,
                "trace a text, or import states with their attentions");
  struct Map {
    const char *title, *name;
    double (*value)(const HeadReading& head);
  };
  static constexpr Map kMaps[] = {
      {"entropy", "entropy_share", [](const HeadReading& h) { return h.entropy_share; }},
      {"most attended", "sink", [](const HeadReading& h) { return h.sink; }},
      {"sign of QK", "qk_positivity", [](const HeadReading& h) { return h.qk.positivity; }},
      {"sign of OV", "ov_positivity", [](const HeadReading& h) { return h.ov.positivity; }}};
  Figure figure{.layout = Figure::maps, .style = style};
  figure.panel_width = figure.panel_height = 124;
  const int blocks = static_cast<int>(trace.by_head.size()) / trace.heads;
  for (const Map& map : kMaps) {
    if (!std::isfinite(map.value(trace.by_head.front()))) continue;
    Panel panel{.title = map.title,
                .x = {.label = "block", .name = "block"},
                .y = {.label = "head", .name = "head", .down = true}};
    for (int b = 0; b < blocks; ++b) panel.map.x.push_back(b);
    for (int h = 0; h < trace.heads; ++h) panel.map.y.push_back(h);
    for (int h = 0; h < trace.heads; ++h)
      for (int b = 0; b < blocks; ++b)
        panel.map.value.push_back(
            map.value(trace.by_head[static_cast<std::size_t>(b) * trace.heads + h]));
    panel.map.low = -1;
    panel.map.high = 1;
    panel.map.label = "share, or sign";
    panel.map.name = map.name;
    figure.panels.push_back(std::move(panel));
  }
  figure.columns = static_cast<int>(figure.panels.size());
  figure.note = fmt::format(
      "{}: entropy of a row as a share of the greatest; share of the attention that the most "
      "attended token gets; sum of Re λ over that of |λ| of QᵀK and of OV, 1 where all eigenvalues "
      "are positive.",
      trace.family);
  return figure;
}

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

namespace {

// The number of times that are drawn: until tokens of every beta have gathered, and every layer has
// its place.
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
      "The flow from {} tokens drawn uniformly on the sphere of R^{}, mean of {} runs at each β. A "
      "layer is drawn at the β that fits the heads of its block best, and at the time at which the "
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
