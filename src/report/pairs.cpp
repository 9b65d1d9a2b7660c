// pairs.cpp: draws how the cosines and the distances of pairs of tokens spread over time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/sums.h"
#include "murmur/error.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "picture/labels.h"
#include "report/attention.h"
#include "report/figures.h"
#include "report/metastability.h"

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

// Whether only V is drawn, again after every time `redraw`: the case of redrawn_cosine.
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

Figure cosines_figure(const RunReader& run, const Settings& settings, const Experiment& e,
                      const CosinesRequest& request) {
  if (run.shape().n < 2)
    throw Error(Fault::input, "a single token has no pairs", run.directory().string(),
                "draw a run of two tokens or more");
  constexpr double kLow = -4;
  Panel panel{.x = {.label = "t", .name = "t", .log = request.log_time},
              .y = {.label = "cosine of two tokens", .name = "cosine"}};
  ColourMap& map = panel.map;
  std::vector<std::int64_t> frames;
  for (std::int64_t k = 0; k < run.frames(); ++k)
    if (!request.log_time || run.times()[k] > 0) frames.push_back(k);
  if (frames.empty())
    throw Error(Fault::input, "no frame lies after t = 0", run.directory().string(),
                "write time=linear");
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

namespace {

constexpr int kTimes = 5, kColumns = 60;
constexpr int kMostExact = 2'000;  // tokens, all of whose pairs are counted
constexpr std::int64_t kSampledPairs = 1'000'000;
constexpr double kLeastShare = -4;  // log10, the lower end of the colours

// Times in equal steps of t, or of log t from the first positive one on.
std::vector<double> even_times(const std::vector<double>& times, bool log_time, int count) {
  const auto first = log_time
                         ? std::find_if(times.begin(), times.end(), [](double t) { return t > 0; })
                         : times.begin();
  const double from = *first, to = times.back();
  std::vector<double> even;
  for (int k = 0; k < count; ++k) {
    const double share = count > 1 ? static_cast<double>(k) / (count - 1) : 1;
    even.push_back(log_time ? from * std::pow(to / from, share) : from + (to - from) * share);
  }
  return even;
}

// |x_i - x_j| of all pairs i < j, or of the fixed sample of them.
std::vector<double> pair_distances(const HostSwarm& x, const ObserveSettings& settings) {
  if (const auto lost = first_unmeasurable(x))
    throw Error(Fault::input, "a coordinate is not a finite number, or too large to square",
                fmt::format("particle {}", *lost), "look at an earlier time, or correct the data");
  const auto distance = [&](int i, int j) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += (x.at(i, k) - x.at(j, k)) * (x.at(i, k) - x.at(j, k));
    return std::sqrt(square);
  };
  const PairSample sample{.seed = settings.seed, .max_exact = kMostExact, .pairs = kSampledPairs};
  std::vector<double> distances;
  if (is_sampled(x.n(), sample)) {
    for (std::int64_t p = 0; p < sample.pairs; ++p) {
      const auto [i, j] = sampled_pair(p, x.n(), sample.seed);
      distances.push_back(distance(i, j));
    }
    return distances;
  }
  for (int i = 0; i < x.n(); ++i)
    for (int j = i + 1; j < x.n(); ++j) distances.push_back(distance(i, j));
  return distances;
}

// The distances of the frames of a run, counted in equal bins.
class DistanceCounts {
 public:
  DistanceCounts(History history, const Experiment& e, int bins,
                 const std::vector<std::int64_t>& frames)
      : history_(std::move(history)), e_(e), bins_(bins) {
    if (e.dynamics.manifold == Manifold::sphere) {
      longest_ = 2;
      return;
    }
    for (const std::int64_t frame : frames)
      for (const double distance : distances_at(frame)) longest_ = std::max(longest_, distance);
    if (longest_ == 0) longest_ = 1;
  }

  double middle(int bin) const { return longest_ * (bin + 0.5) / bins_; }
  double longest() const { return longest_; }
  double time(std::int64_t frame) const { return history_.time(frame); }

  // (bins) the share of pairs in each; a distance of 2 and rounding is in the last one.
  std::vector<double> shares_at(std::int64_t frame) const {
    const std::vector<double> distances = distances_at(frame);
    std::vector<double> share(static_cast<std::size_t>(bins_));
    for (const double distance : distances) {
      const double bin = std::floor(distance / longest_ * bins_);
      share[static_cast<std::size_t>(std::clamp(bin, 0.0, bins_ - 1.0))] += 1;
    }
    for (double& value : share) value /= static_cast<double>(distances.size());
    return share;
  }

 private:
  std::vector<double> distances_at(std::int64_t frame) const {
    return pair_distances(history_.frame(frame), observe_settings(e_, history_.time(frame)));
  }

  History history_;
  const Experiment& e_;
  int bins_;
  double longest_ = 0;
};

constexpr const char* kDistance = "distance of two tokens";

Panel histogram_panel(const DistanceCounts& counts, const RunReader& run, std::int64_t frame) {
  Panel panel{.title = "t = " + picture::time_number(run.times()[frame]),
              .x = {.label = kDistance, .from = 0, .to = counts.longest()},
              .y = {.label = "share of pairs", .from = 0}};
  Curve bars{.y = counts.shares_at(frame), .mark = Curve::bars, .colour = 0};
  for (std::size_t b = 0; b < bars.y.size(); ++b)
    bars.x.push_back(counts.middle(static_cast<int>(b)));
  panel.curves.push_back(std::move(bars));
  return panel;
}

Panel map_panel(const DistanceCounts& counts, const RunReader& run, const DistancesRequest& request,
                const std::vector<double>& times) {
  Panel panel{.title = "all times",
              .x = {.label = request.log_time ? "log_{10} t" : "t"},
              .y = {.label = kDistance}};
  ColourMap& map = panel.map;
  map.label = "log_{10} of the share of pairs";
  map.low = kLeastShare, map.high = 0;
  std::vector<std::vector<double>> columns;
  for (const double t : times) {
    map.x.push_back(request.log_time ? std::log10(t) : t);
    columns.push_back(counts.shares_at(nearest_frame(run.times(), t)));
  }
  for (int b = 0; b < request.bins; ++b) {
    map.y.push_back(counts.middle(b));
    for (const std::vector<double>& column : columns)
      map.value.push_back(column[b] > 0 ? std::max(kLeastShare, std::log10(column[b]))
                                        : std::nan(""));
  }
  return panel;
}

// One row for each bin of each frame.
Table table_of(const DistanceCounts& counts, const std::vector<std::int64_t>& frames, int bins) {
  Table table{{"t", "from", "to", "share"}};
  for (const std::int64_t frame : frames) {
    const std::vector<double> share = counts.shares_at(frame);
    for (int b = 0; b < bins; ++b)
      table.rows.push_back({counts.time(frame), counts.longest() * b / bins,
                            counts.longest() * (b + 1) / bins, share[b]});
  }
  return table;
}

void check_pairs(int n, int bins, const std::string& where) {
  if (n < 2)
    throw Error(Fault::input, "a single token has no pairs", where,
                "give a run of two tokens or more");
  constexpr int kMostBins = 1'000;
  if (bins < 1 || bins > kMostBins)
    throw Error(Fault::input, fmt::format("a histogram cannot have {} bins", bins),
                fmt::format("command line: bins={}", bins),
                fmt::format("write a number from 1 to {}", kMostBins));
}

void check(const RunReader& run, const DistancesRequest& request) {
  const std::string where = run.directory().string();
  check_pairs(run.shape().n, request.bins, where);
  if (request.log_time && !(run.times().back() > 0))
    throw Error(Fault::input, "no frame lies after t = 0", where, "write time=linear");
}

}  // namespace

Drawing distances_figure(const RunReader& run, const Experiment& e,
                         const DistancesRequest& request) {
  check(run, request);
  const std::vector<double>& all = run.times();
  std::vector<std::int64_t> shown, frames;
  std::vector<double> times;
  if (request.t) {
    shown = {nearest_frame(all, *request.t)};
  } else {
    times = even_times(all, request.log_time, kColumns);
    for (const double t : even_times(all, request.log_time, kTimes))
      shown.push_back(nearest_frame(all, t));
    shown.front() = 0;
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  }
  frames = shown;
  for (const double t : times) frames.push_back(nearest_frame(all, t));
  const DistanceCounts counts({run.frames(), [&run](std::int64_t k) { return run.times()[k]; },
                               [&run](std::int64_t k) { return run.frame(k); }},
                              e, request.bins, frames);
  Figure figure{.style = request.style};
  for (const std::int64_t frame : shown)
    figure.panels.push_back(histogram_panel(counts, run, frame));
  if (shown.size() > 1) figure.panels.push_back(map_panel(counts, run, request, times));
  figure.panels.front().title += fmt::format(", {} tokens, d = {}", run.shape().n, run.shape().d);
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return {std::move(figure), csv_of(table_of(counts, frames, request.bins))};
}

Table distances_table(const RunView& view, int bins) {
  const History& history = view.history();
  check_pairs(history.frame(0).n(), bins, view.name());
  std::vector<std::int64_t> frames(static_cast<std::size_t>(history.count));
  std::iota(frames.begin(), frames.end(), std::int64_t{0});
  const DistanceCounts counts(history, view.experiment(), bins, frames);
  return table_of(counts, frames, bins);
}

Table cosines_table(const RunView& view, int bins) {
  const History& history = view.history();
  check_pairs(history.frame(0).n(), bins, view.name());
  Table table{{"t", "from", "to", "share"}};
  for (std::int64_t k = 0; k < history.count; ++k) {
    const double t = history.time(k);
    const CosineHistogram h =
        cosine_histogram(history.frame(k), bins, observe_settings(view.experiment(), t));
    for (std::size_t b = 0; b < h.count.size(); ++b)
      table.rows.push_back({t, h.edge[b], h.edge[b + 1],
                            static_cast<double>(h.count[b]) / static_cast<double>(h.pairs)});
  }
  return table;
}

}  // namespace murmur
