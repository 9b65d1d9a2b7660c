// metastability.cpp: draws tokens and clusters over log t, with the times at which clusters form
// and merge.
#include "report/metastability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "picture/labels.h"

namespace murmur {

namespace {

constexpr int kMostPaths = 128;  // tokens that are drawn

// The frames after t = 0 and how many clusters each has.
struct Counted {
  std::vector<std::int64_t> frame{};
  std::vector<double> t{};
  std::vector<Clusters> clusters{};
  int count(std::size_t k) const { return clusters[k].count; }
};

Counted count_frames(const RunReader& run, const Experiment& e) {
  Counted counted;
  for (std::int64_t k = 0; k < run.frames(); ++k) {
    if (!(run.times()[k] > 0)) continue;
    counted.frame.push_back(k);
    counted.t.push_back(run.times()[k]);
    counted.clusters.push_back(clusters(run.frame(k), e.dynamics, e.observe.cluster_tol));
  }
  return counted;
}

// A number of clusters, two or more, and the frames in which it stays.
struct CountPlateau {
  int clusters = 0;
  std::size_t from = 0;  // of the counted frames
  double factor = 1;     // of time
};

std::vector<CountPlateau> plateaus_of(const Counted& counted) {
  std::vector<CountPlateau> plateaus;
  for (std::size_t k = 0; k < counted.t.size();) {
    std::size_t next = k + 1;
    while (next < counted.t.size() && counted.count(next) == counted.count(k)) ++next;
    const double end = counted.t[std::min(next, counted.t.size() - 1)];
    if (counted.count(k) > 1) plateaus.push_back({counted.count(k), k, end / counted.t[k]});
    k = next;
  }
  return plateaus;
}

CountPlateau longest_of(const std::vector<CountPlateau>& plateaus) {
  return *std::max_element(
      plateaus.begin(), plateaus.end(),
      [](const CountPlateau& a, const CountPlateau& b) { return a.factor < b.factor; });
}

double mean_of_cluster(const HostSwarm& x, const Clusters& found, int cluster, int axis) {
  double sum = 0;
  for (int i = 0; i < x.n(); ++i)
    if (found.label[i] == cluster) sum += x.mass[i] * x.at(i, axis) / found.mass[cluster];
  return sum;
}

// The angle between the places of two clusters.
double angle_between(const HostSwarm& x, const Clusters& found) {
  double product = 0, first = 0, second = 0;
  for (int k = 0; k < x.d(); ++k) {
    const double a = mean_of_cluster(x, found, 0, k), b = mean_of_cluster(x, found, 1, k);
    product += a * b, first += a * a, second += b * b;
  }
  return std::acos(std::clamp(product / std::sqrt(first * second), -1.0, 1.0));
}

// The time at which two clusters meet by the equation of two bodies; nothing for other dynamics.
std::optional<double> predicted_end(const RunReader& run, const Experiment& e,
                                    const Counted& counted, const CountPlateau& longest) {
  if (longest.clusters != 2) return std::nullopt;
  theory::Growth known;
  try {
    known = theory::growth_of(e.dynamics, run.shape().d);
  } catch (const Error&) {
    return std::nullopt;  // no mean field, so no two bodies either
  }
  if (known.law != theory::Law::sa || known.descent || known.noise > 0) return std::nullopt;
  const Clusters& found = counted.clusters[longest.from];
  const double mass = found.mass[0];  // of its tokens, 1 in all
  if (!(mass > 0 && mass < 1)) return std::nullopt;
  const HostSwarm x = run.frame(counted.frame[longest.from]);
  const double angle = angle_between(x, found), met = std::min(0.01, 0.5 * angle);
  return counted.t[longest.from] +
         theory::lifetime({.beta = known.beta, .law = known.law, .mass = mass}, angle, met);
}

// (d) the direction of the mean of the last frame.
std::vector<double> end_of(const RunReader& run) {
  const HostSwarm x = run.frame(run.frames() - 1);
  std::vector<double> end(static_cast<std::size_t>(x.d()));
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) end[k] += x.at(i, k);
  return end;
}

// The angle of a token from the end: signed on the circle.
double angle_from(const std::vector<double>& end, const HostSwarm& x, int i) {
  if (x.d() == 2)
    return std::atan2(end[0] * x.at(i, 1) - end[1] * x.at(i, 0),
                      end[0] * x.at(i, 0) + end[1] * x.at(i, 1));
  double product = 0, square = 0;
  for (int k = 0; k < x.d(); ++k) product += end[k] * x.at(i, k), square += end[k] * end[k];
  return square > 0 ? std::acos(std::clamp(product / std::sqrt(square), -1.0, 1.0)) : 0;
}

// From when tokens have gathered (the first number of clusters that stays for ten times as long,
// and the one that stays longest), and from when one cluster is left.
std::vector<Guide> marks_of(const Counted& counted, const std::vector<CountPlateau>& plateaus,
                            const std::optional<double>& predicted) {
  constexpr double kStays = 10;
  const CountPlateau longest = longest_of(plateaus);
  std::vector<Guide> marks;
  const auto mark = [&](const CountPlateau& plateau) {
    const double t = counted.t[plateau.from];
    marks.push_back(
        {.name = fmt::format("{} clusters from t = {}", plateau.clusters, picture::time_number(t)),
         .x = t});
  };
  const auto first = std::find_if(plateaus.begin(), plateaus.end(),
                                  [](const CountPlateau& p) { return p.factor >= kStays; });
  if (first != plateaus.end() && first->from != longest.from) mark(*first);
  mark(longest);
  const std::string two =
      predicted ? fmt::format("two-body prediction: {}", picture::time_number(*predicted)) : "";
  for (std::size_t k = 0; k < counted.t.size(); ++k) {
    if (counted.count(k) != 1) continue;
    marks.push_back(
        {.name = fmt::format("one cluster from t = {}{}", picture::time_number(counted.t[k]),
                             predicted ? " (" + two + ")" : ""),
         .x = counted.t[k]});
    return marks;
  }
  if (predicted) marks.push_back({.name = "one cluster, " + two, .x = *predicted});
  return marks;
}

// One line per token; it breaks where an angle passes from pi to -pi. `rows` has all angles.
Panel places_panel(const RunReader& run, const Counted& counted, const CountPlateau& longest,
                   std::vector<std::vector<double>>& rows) {
  const int n = run.shape().n, stride = (n + kMostPaths - 1) / kMostPaths;
  const bool circle = run.shape().d == 2;
  Panel panel{.title = fmt::format("where {} tokens are", n),
              .x = {.label = "t", .log = true},
              .y = {.label = "angle from where they end", .angle = circle}};
  if (!circle) panel.y.from = 0, panel.y.to = std::numbers::pi;
  const std::vector<double> end = end_of(run);
  for (int i = 0; i < n; i += stride)
    panel.curves.push_back(
        {.mark = Curve::path, .colour = counted.clusters[longest.from].label[i]});
  for (std::size_t k = 0; k < counted.t.size(); ++k) {
    const HostSwarm x = run.frame(counted.frame[k]);
    std::vector<double>& row = rows.emplace_back();
    for (int i = 0; i < n; ++i) row.push_back(angle_from(end, x, i));
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      Curve& curve = panel.curves[c];
      const double angle = row[c * stride];
      if (!curve.y.empty() && std::fabs(angle - curve.y.back()) > std::numbers::pi) {
        curve.x.push_back(std::nan(""));
        curve.y.push_back(0);
      }
      curve.x.push_back(counted.t[k]);
      curve.y.push_back(angle);
    }
  }
  return panel;
}

Panel counts_panel(const Counted& counted) {
  Panel panel{.title = "how many clusters they form",
              .x = {.label = "t", .log = true},
              .y = {.label = "clusters", .log = true}};
  Curve count{.x = counted.t, .mark = Curve::steps, .colour = 0};
  for (std::size_t k = 0; k < counted.t.size(); ++k)
    count.y.push_back(static_cast<double>(counted.count(k)));
  panel.curves.push_back(std::move(count));
  return panel;
}

std::string csv_of(const Counted& counted, const std::vector<std::vector<double>>& rows) {
  std::string csv = "t,clusters";
  for (std::size_t i = 0; i < rows.front().size(); ++i) csv += fmt::format(",angle_{}", i);
  csv += "\n";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    csv += fmt::format("{},{}", counted.t[k], counted.count(k));
    for (const double angle : rows[k]) csv += fmt::format(",{}", angle);
    csv += "\n";
  }
  return csv;
}

}  // namespace

Drawing metastability_figure(const RunReader& run, const Experiment& e, FigureStyle style) {
  const std::string where = run.directory().string();
  if (e.dynamics.manifold != Manifold::sphere)
    throw Error(Fault::input, "figure=metastability is of tokens on the sphere", where,
                "use figure=distances, or a run on the sphere");
  const Counted counted = count_frames(run, e);
  const std::vector<CountPlateau> plateaus = plateaus_of(counted);
  if (plateaus.empty())
    throw Error(Fault::input, "there is one cluster at all times after the start", where,
                "keep frames in log times, save=log:300, or draw another run");
  const CountPlateau longest = longest_of(plateaus);
  const std::vector<Guide> marks =
      marks_of(counted, plateaus, predicted_end(run, e, counted, longest));
  std::vector<std::vector<double>> rows;
  Figure figure{.style = style};
  figure.panels.push_back(places_panel(run, counted, longest, rows));
  figure.panels.push_back(counts_panel(counted));
  for (Panel& panel : figure.panels) panel.guides = marks;
  return {std::move(figure), csv_of(counted, rows)};
}

}  // namespace murmur
