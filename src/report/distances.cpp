// distances.cpp: histograms of the distances of pairs of tokens at several times, and a map.
#include "report/distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/sums.h"
#include "murmur/error.h"
#include "murmur/observe.h"
#include "picture/labels.h"

namespace murmur {

namespace {

constexpr int kTimes = 5, kColumns = 60;
constexpr int kMostExact = 2'000;  // tokens, all of whose pairs are counted
constexpr std::int64_t kSampledPairs = 1'000'000;
constexpr double kLeastShare = -4;  // log10, the lower end of the colours

std::int64_t nearest_frame(const std::vector<double>& times, double t) {
  std::int64_t best = 0;
  for (std::size_t k = 0; k < times.size(); ++k)
    if (std::fabs(times[k] - t) < std::fabs(times[best] - t)) best = static_cast<std::int64_t>(k);
  return best;
}

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
                fmt::format("particle {}", *lost), "look at an earlier time, or mend the data");
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
  DistanceCounts(const RunReader& run, const Experiment& e, const DistancesRequest& request,
                 const std::vector<std::int64_t>& frames)
      : run_(run), e_(e), bins_(request.bins) {
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
    return pair_distances(run_.frame(frame), observe_settings(e_, run_.times()[frame]));
  }

  const RunReader& run_;
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

// A row for each bin of each frame shown.
std::string csv_of_distances(const DistanceCounts& counts, const RunReader& run,
                             std::vector<std::int64_t> frames, int bins) {
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  std::string csv = "t,from,to,share\n";
  for (const std::int64_t frame : frames) {
    const std::vector<double> share = counts.shares_at(frame);
    for (int b = 0; b < bins; ++b)
      csv += fmt::format("{},{},{},{}\n", run.times()[frame], counts.longest() * b / bins,
                         counts.longest() * (b + 1) / bins, share[b]);
  }
  return csv;
}

void check(const RunReader& run, const DistancesRequest& request) {
  const std::string where = run.directory().string();
  if (run.shape().n < 2)
    throw Error(Fault::input, "a single token has no pairs", where,
                "draw a run of two tokens or more");
  constexpr int kMostBins = 1'000;
  if (request.bins < 1 || request.bins > kMostBins)
    throw Error(Fault::input, fmt::format("a histogram cannot have {} bins", request.bins),
                fmt::format("command line: bins={}", request.bins),
                fmt::format("write a number from 1 to {}", kMostBins));
  if (request.log_time && !(run.times().back() > 0))
    throw Error(Fault::input, "no frame lies after t = 0", where, "write time=linear");
}

}  // namespace

FigureWithNumbers distances_figure(const RunReader& run, const Settings& settings,
                                   const DistancesRequest& request) {
  check(run, request);
  const Experiment e = make_experiment(settings);
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
  const DistanceCounts counts(run, e, request, frames);
  Figure figure{.style = request.style};
  for (const std::int64_t frame : shown)
    figure.panels.push_back(histogram_panel(counts, run, frame));
  if (shown.size() > 1) figure.panels.push_back(map_panel(counts, run, request, times));
  figure.panels.front().title += fmt::format(", {} tokens, d = {}", run.shape().n, run.shape().d);
  return {std::move(figure), csv_of_distances(counts, run, frames, request.bins)};
}

}  // namespace murmur
