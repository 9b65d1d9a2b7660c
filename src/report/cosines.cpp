// cosines.cpp: how the cosines of pairs of tokens spread over time, beside what theory predicts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "report/attention.h"
#include "report/figures.h"

namespace murmur {

namespace {

constexpr int kBins = 80;
constexpr std::size_t kMostColumns = 160;
constexpr int kManyDimensions = 32;  // independent tokens are then nearly at right angles

// rho(0) of the start, and whether all pairs have exactly that; nothing for other laws.
struct StartCosine {
  double rho = 0;
  bool exact = true;
};
std::optional<StartCosine> start_cosine(const ExperimentSpec& spec, int d) {
  const auto* law = std::get_if<InitialLaw>(&spec.init);
  if (law == nullptr) return std::nullopt;
  if (law->kind == InitialLaw::orthonormal) return StartCosine{};
  if (law->kind == InitialLaw::equiangular) return StartCosine{law->arguments.at(0)};
  if (law->kind == InitialLaw::uniform && d >= kManyDimensions) return StartCosine{0, false};
  return std::nullopt;
}

// Whether V alone is drawn, anew after every time `redraw`: the limit of redrawn_cosine.
bool redraws_values(const DynamicsSpec& spec) {
  return spec.redraw > 0 && spec.interaction == Interaction::SA &&
         spec.value.kind == MatrixChoice::gaussian && spec.query.kind == MatrixChoice::identity &&
         spec.key.kind == MatrixChoice::identity && spec.heads.value_or(1) == 1 &&
         spec.perceptron.kind == PerceptronChoice::none && spec.noise == 0;
}

}  // namespace

PredictedCosine predicted_cosine(const Settings& settings, const Experiment& e,
                                 const std::vector<double>& times) {
  if (settings.at("model").text != "none" || e.flow.method == Method::layers) return {};
  const ExperimentSpec spec = spec_of(settings);
  const int n = e.swarm.n(), d = e.swarm.d();
  const auto start = start_cosine(spec, d);
  if (!start || n < 2) return {};
  PredictedCosine predicted;
  const bool redrawn = redraws_values(spec.dynamics);
  if (redrawn && d < kManyDimensions) return {};
  theory::Equiangular swarm{.n = n, .beta = spec.dynamics.beta};
  if (!redrawn) {
    try {
      swarm = theory::equiangular_of(e.dynamics, n);
    } catch (const Error&) {
      return {};  // theory has no curve for this dynamics
    }
  }
  swarm.start = start->rho;
  predicted.name = redrawn || !start->exact ? "predicted as d goes to infinity" : "predicted";
  for (const double t : times)
    predicted.rho.push_back(redrawn ? theory::redrawn_cosine(swarm, spec.dynamics.redraw * t)
                                    : theory::cosine(swarm, t));
  return predicted;
}

Figure cosines_figure(const RunReader& run, const Settings& settings,
                      const CosinesRequest& request) {
  if (run.shape().n < 2)
    throw Error(Fault::input, "a single token has no pairs", run.directory().string(),
                "draw a run of two tokens or more");
  const Experiment e = make_experiment(settings);
  constexpr double kLow = -4;
  Panel panel{.x = {.label = "t", .name = "t", .log = request.log_time},
              .y = {.label = "cosine of two tokens", .name = "cosine"}};
  ColourMap& map = panel.map;
  std::vector<std::int64_t> frames;
  for (std::int64_t k = 0; k < run.frames(); ++k)
    if (!request.log_time || run.times()[k] > 0) frames.push_back(k);
  if (frames.empty())
    throw Error(Fault::input, "no frame lies after t = 0", run.directory().string(),
                "say time=linear");
  const std::size_t stride = (frames.size() + kMostColumns - 1) / kMostColumns;
  std::vector<CosineHistogram> histograms;
  const std::vector<double> exact = run.column("mean_cos");
  Curve mean{.name = "mean", .mark = Curve::line};
  for (std::size_t k = 0; k < frames.size(); k += stride) {
    const double t = run.times()[frames[k]];
    histograms.push_back(cosine_histogram(run.frame(frames[k]), kBins, observe_settings(e, t)));
    map.x.push_back(t);
    if (frames[k] >= static_cast<std::int64_t>(exact.size())) continue;
    mean.x.push_back(t);
    mean.y.push_back(exact[static_cast<std::size_t>(frames[k])]);
  }
  for (int b = 0; b < kBins; ++b) {
    map.y.push_back(-1 + 2 * (b + 0.5) / kBins);
    for (const CosineHistogram& h : histograms)
      map.value.push_back(h.count[b] == 0
                              ? std::nan("")
                              : std::max(kLow, std::log10(static_cast<double>(h.count[b]) /
                                                          static_cast<double>(h.pairs))));
  }
  map.low = kLow, map.high = 0;
  map.label = "log10 of the share of pairs";
  map.name = "log10_share";
  panel.curves.push_back(std::move(mean));
  const PredictedCosine predicted = predicted_cosine(settings, e, map.x);
  if (!predicted.rho.empty())
    panel.curves.push_back(
        {.name = predicted.name, .x = map.x, .y = predicted.rho, .mark = Curve::dashes});
  Figure figure{.layout = Figure::maps, .style = request.style, .panels = {std::move(panel)}};
  figure.panel_width = 300, figure.panel_height = 180;
  figure.note = fmt::format("{}: {}.", e.name, caption_of(run, settings, e));
  return figure;
}

}  // namespace murmur
