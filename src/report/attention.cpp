// attention.cpp: heat maps of attention: every head at several times, tokens ordered by clusters.
#include "report/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/axes.h"
#include "murmur/error.h"
#include "murmur/observe.h"
#include "picture/labels.h"
#include "picture/track.h"

namespace murmur {

namespace {

constexpr std::size_t kMostRows = 6;  // heads on one figure
constexpr int kTimes = 4;

[[noreturn]] void refuse(const DomeStates& states, const std::string& what,
                         const std::string& remedy) {
  throw Error(Fault::input, what, states.name, remedy);
}

// Frames evenly over the time axis, first and last among them.
std::vector<std::int64_t> frames_over(const std::vector<double>& times, bool log_time, int count) {
  const picture::Timeline clock(times, log_time);
  std::vector<std::int64_t> frames;
  for (int k = 0; k < count; ++k) {
    const double progress = count > 1 ? static_cast<double>(k) / (count - 1) : 1;
    frames.push_back(nearest_frame(times, clock.time(progress)));
  }
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return frames;
}

// (n) the rank of each token's cluster by size; single tokens rank after all clusters.
std::vector<int> ranks_of(const Clusters& found) {
  std::vector<int> order(found.count), rank(found.count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return found.size[a] > found.size[b]; });
  for (int r = 0; r < found.count; ++r) rank[order[r]] = found.size[order[r]] > 1 ? r : found.count;
  std::vector<int> ranks;
  for (const int label : found.label) ranks.push_back(rank[label]);
  return ranks;
}

// Puts tokens together that are one cluster at the end, within it those that were one cluster
// earlier, and so on; tokens that never met are ordered along the longest axis of the last frame.
std::vector<int> order_by_clusters(const DomeStates& states, const AttentionRequest& request) {
  const auto last = static_cast<std::int64_t>(states.times.size()) - 1;
  const HostSwarm end = states.frame(last);
  std::vector<std::vector<int>> keys;
  const std::vector<std::int64_t> looks = frames_over(states.times, request.log_time, 8);
  for (auto look = looks.rbegin(); look != looks.rend(); ++look)
    keys.push_back(ranks_of(clusters(states.frame(*look), states.dynamics, request.cluster_tol)));
  const std::vector<HostSwarm> ends{end};
  const std::vector<double> axis = leading_axes(second_moment(ends, true), end.d(), 1);
  std::vector<double> along(static_cast<std::size_t>(end.n()));
  for (int i = 0; i < end.n(); ++i)
    for (int k = 0; k < end.d(); ++k) along[i] += axis[k] * end.at(i, k);
  std::vector<int> order(along.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    for (const std::vector<int>& key : keys)
      if (key[a] != key[b]) return key[a] < key[b];
    return along[a] < along[b];
  });
  return order;
}

}  // namespace

Panel attention_panel(const Matrix& weights, const std::vector<int>& order) {
  const int n = weights.rows, group = (n + kMostCells - 1) / kMostCells;
  const int cells = (n + group - 1) / group;
  Panel panel{.x = {.label = "attended token j", .name = "j"},
              .y = {.label = "token i", .name = "i", .down = true}};
  ColourMap& map = panel.map;
  map.label = "log10 of n a_ij";
  map.name = "log10_n_a";
  map.exact_name = "a";
  const auto size = [&](int cell) { return std::min(n, group * (cell + 1)) - group * cell; };
  map.exact.resize(static_cast<std::size_t>(cells) * cells);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      map.exact[static_cast<std::size_t>(i / group) * cells + j / group] +=
          weights(order[i], order[j]);
  for (int a = 0; a < cells; ++a) {
    map.x.push_back(group * (a + 0.5) - 0.5);
    for (int b = 0; b < cells; ++b) {
      double& weight = map.exact[static_cast<std::size_t>(a) * cells + b];
      weight /= size(a);
      map.value.push_back(std::log10(n * weight / size(b)));
    }
  }
  map.y = map.x;
  return panel;
}

void set_range(Figure& figure) {
  double low = -0.2, high = 0.2;
  for (const Panel& panel : figure.panels) {
    const auto ends = std::minmax_element(panel.map.value.begin(), panel.map.value.end());
    low = std::min(low, std::max(kLeastHeat, *ends.first)), high = std::max(high, *ends.second);
  }
  for (Panel& panel : figure.panels) panel.map.low = low, panel.map.high = high;
}

std::string time_name(const DomeStates& states, double t) {
  return states.layers ? fmt::format("block {}", std::llround(t / states.dt))
                       : "t = " + picture::time_number(t);
}

Figure attention_figure(const DomeStates& states, const AttentionRequest& request) {
  if (states.times.empty()) refuse(states, "there is no frame yet", "let it run first");
  const std::vector<Attention> heads = heads_of(states.dynamics, states.times.front());
  const int count = static_cast<int>(heads.size());
  if (heads.empty())
    refuse(states, "no token attends to another here", "draw a run that has attention");
  if (request.head && (*request.head < 0 || *request.head >= count))
    refuse(states, fmt::format("there is no head {}", *request.head),
           count == 1 ? "there is one, head=0" : fmt::format("use head=0 to head={}", count - 1));
  if (!request.head && heads.size() > kMostRows)
    refuse(states, fmt::format("{} heads do not fit one figure", count),
           fmt::format("choose one: head=0 to head={}", count - 1));
  const bool past = heads.front().mask == Attention::causal;
  const bool sorted = request.clusters.value_or(!past);
  const int n = states.frame(0).n(), group = (n + kMostCells - 1) / kMostCells;
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (sorted) order = order_by_clusters(states, request);
  const std::vector<std::int64_t> frames =
      request.t ? std::vector{nearest_frame(states.times, *request.t)}
                : frames_over(states.times, request.log_time, kTimes);
  Figure figure{.layout = Figure::maps, .style = request.style};
  figure.columns = static_cast<int>(frames.size());
  figure.panel_width = figure.panel_height = 124;
  for (int h = 0; h < count; ++h) {
    if (request.head && h != *request.head) continue;
    for (const std::int64_t frame : frames) {
      const double t = states.times[frame];
      Panel panel =
          attention_panel(attention_weights(states.frame(frame), states.dynamics, h, t), order);
      panel.title = (count > 1 ? fmt::format("head {}, ", h) : "") + time_name(states, t);
      figure.panels.push_back(std::move(panel));
    }
  }
  set_range(figure);
  figure.note = fmt::format(
      "{}, n = {}: row i is what token i attends to; 0 is uniform attention, {:.2f} all of it on "
      "one token. Tokens are in the order of {}{}.",
      states.name, n, std::log10(static_cast<double>(n)),
      sorted ? "the clusters they end in, the largest first" : "their places",
      group > 1 ? fmt::format("; means over groups of {}", group) : "");
  return figure;
}

}  // namespace murmur
