// scenes.cpp: makes the scene of a run: its caption, how time runs in it, the colours of its
// tokens, and the grid that single tokens carry along.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "murmur/error.h"
#include "murmur/flow.h"
#include "murmur/observe.h"
#include "picture/projection.h"
#include "report/figures.h"
#include "trace/trace_file.h"

namespace murmur {

namespace {

// Non-breaking spaces: a long caption breaks between items, and inside of long ones only.
std::string with_unbroken_spaces(const std::string& text) {
  constexpr std::size_t kShort = 22;
  if (text.size() > kShort) return text;
  std::string joined;
  for (const char c : text)
    if (c == ' ')
      joined += "\u00a0";
    else
      joined += c;
  return joined;
}

// A matrix of weights: as a formula, or as the law it was drawn from.
struct WeightsText {
  std::string text{};
  bool drawn = false;
};
WeightsText weights_text(const std::string& word) {
  if (word == "identity") return {"I"};
  if (word == "minus-identity") return {"−I"};
  if (word == "query-key") return {"QᵀK"};
  if (word == "minus-query-key") return {"−QᵀK"};
  if (word == "gaussian") return {"Gaussian", true};
  if (word == "goe") return {"GOE", true};
  if (word == "wigner") return {"Wigner", true};
  if (word == "psd") return {"GGᵀ/d", true};
  if (word.rfind("matrix:", 0) == 0) return {"as given"};
  return {"from " + std::filesystem::path(word).filename().string()};
}

// "Q = K = V = I", "Q, K: Gaussian; V = I": those of one origin are grouped.
std::vector<std::string> weights_of(const Settings& settings) {
  const std::pair<const char*, const char*> kNames[] = {
      {"Q", "query"}, {"K", "key"}, {"V", "value"}};
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // word, names
  for (const auto& [name, key] : kNames) {
    const std::string& word = settings.at(key).text;
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.first == word; });
    if (found == groups.end())
      groups.push_back({word, {name}});
    else
      found->second.emplace_back(name);
  }
  std::vector<std::string> items;
  for (const auto& [word, names] : groups) {
    const auto [text, drawn] = weights_text(word);
    const bool formula = !drawn && text.rfind("from ", 0) != 0 && text != "as given";
    items.push_back(
        formula ? fmt::format("{} = {}", fmt::join(names, " = "), text)
                : fmt::format("{} {}{}", fmt::join(names, ", "), drawn ? "drawn " : "", text));
  }
  const std::string& redraw = settings.at("redraw").text;
  if (redraw != "0") items.push_back(fmt::format("redrawn every {}", redraw));
  return items;
}

std::string heads_text(const std::vector<Attention>& heads, const Settings& settings, int d) {
  const int width = heads.front().query.rows > 0 ? heads.front().query.rows : d;
  std::string text = heads.size() == 1 ? "1 head" : fmt::format("{} heads", heads.size());
  if (heads.size() > 1 || width != d) text += fmt::format(" of width {}", width);
  if (heads.size() > 1 && settings.at("head_scale").text == "mean") text += ", averaged";
  return text;
}

std::string feed_forward_text(const std::string& word, const std::string& activation) {
  const std::size_t colon = word.find(':');
  const std::string kind = word.substr(0, colon);
  if (kind == "gaussian" || kind == "gradient")
    return fmt::format("feed-forward of {} drawn {} units, {}", word.substr(colon + 1),
                       kind == "gaussian" ? "Gaussian" : "gradient", activation);
  return fmt::format("feed-forward from {}", std::filesystem::path(word).filename().string());
}

}  // namespace

std::string caption_of(const Settings& settings, const Experiment& e) {
  const auto text = [&](const char* key) { return settings.at(key).text; };
  const int n = e.swarm.n(), d = e.swarm.d();
  const std::vector<Attention> heads = heads_of(e.dynamics, 0);
  std::vector<std::string> items;
  if (text("model") != "none") {
    const auto name = std::filesystem::path(text("model")).stem().string();
    items = {
        name == "model" ? "trained swarm" : "trained swarm " + name,  // model: the copy in a run
        fmt::format("n = {}", n), fmt::format("d = {}", d)};
    if (!heads.empty()) items.push_back(heads_text(heads, settings, d));
    items.push_back("Q, K, V learned");
  } else {
    const bool attends = !heads.empty();
    items.push_back(attends ? text("dynamics") : "no attention");
    if (attends) items.push_back(fmt::format("β = {}", text("beta")));
    items.push_back(fmt::format("n = {}", n));
    items.push_back(fmt::format("d = {}", d));
    if (attends) {
      items.push_back(heads_text(heads, settings, d));
      for (std::string& item : weights_of(settings)) items.push_back(std::move(item));
    }
    if (text("perceptron") != "none")
      items.push_back(feed_forward_text(text("perceptron"), text("activation")));
    if (text("noise") != "0") items.push_back(fmt::format("noise {}", text("noise")));
  }
  items.push_back(text("method"));
  if (text("model") == "none") items.push_back(fmt::format("seed {}", text("seed")));
  for (std::string& item : items) item = with_unbroken_spaces(item);
  return fmt::format("{}", fmt::join(items, ", "));
}

std::string caption_of(const RunReader& run, const Settings& settings, const Experiment& e) {
  if (run.command() != "trace") return caption_of(settings, e);
  const TraceFile file = read_trace_file(run.directory());
  return fmt::format("{}, {} tokens of {} text{}, d = {}; layer t, each state divided by its norm",
                     file.family, run.shape().n, file.texts.size(),
                     file.texts.size() == 1 ? "" : "s", file.d);
}

namespace {

// Whether positive times have a constant ratio, except the last one: T is always kept.
bool are_log_times(const std::vector<double>& times) {
  std::vector<double> positive;
  for (const double t : times)
    if (t > 0) positive.push_back(t);
  if (positive.size() < 5) return false;
  positive.pop_back();
  const double ratio = positive[1] / positive[0];
  if (!(ratio > 1)) return false;
  for (std::size_t k = 1; k < positive.size(); ++k)
    if (std::abs(positive[k] / positive[k - 1] - ratio) > 1e-3 * ratio) return false;
  return true;
}

// The share of the total variation of a column that lies before a time.
double share_changed(const RunReader& run, const std::string& name, double by) {
  const std::vector<std::string>& known = run.columns();
  if (std::find(known.begin(), known.end(), name) == known.end()) return 0;
  const std::vector<double>&times = run.times(), values = run.column(name);
  double early = 0, all = 0, before = std::nan("");
  for (std::size_t k = 0; k < std::min(times.size(), values.size()); ++k) {
    if (!std::isfinite(values[k])) continue;
    const double change = std::isfinite(before) ? std::abs(values[k] - before) : 0;
    all += change;
    early += times[k] <= by ? change : 0;
    before = values[k];
  }
  return all > 0 ? early / all : 0;
}

}  // namespace

bool is_in_log_time(const RunReader& run, TimeScale asked) {
  if (asked != TimeScale::chosen) return asked == TimeScale::log;
  const std::vector<double>& times = run.times();
  if (times.empty() || times.front() < 0) return false;
  if (are_log_times(times)) return true;
  const double tenth = times.front() + 0.1 * (times.back() - times.front());
  const auto early =
      std::count_if(times.begin(), times.end(), [&](double t) { return t > 0 && t <= tenth; });
  return early >= 4 && std::max(share_changed(run, "energy_scaled", tenth),
                                share_changed(run, "clusters", tenth)) > 0.5;
}

namespace {

constexpr int kLines = 13, kPieces = 60;  // of a plane, each way; pieces of a line

// Points of a grid before they are carried.
struct Grid {
  std::vector<std::vector<double>> points{};
  std::vector<std::vector<int>> lines{};

  template <typename At>
  void add(int pieces, const At& at) {
    std::vector<int> line;
    for (int k = 0; k <= pieces; ++k) {
      line.push_back(static_cast<int>(points.size()));
      points.push_back(at(static_cast<double>(k) / pieces));
    }
    lines.push_back(std::move(line));
  }
};

// Straight lines over where the particles start, a little farther.
Grid plane_grid(const HostSwarm& start) {
  std::vector<picture::Point> places;
  for (int i = 0; i < start.n(); ++i)
    places.push_back({static_cast<float>(start.at(i, 0)), static_cast<float>(start.at(i, 1)), 0});
  picture::TrajectoryExtent extent;
  extent.add(places);
  double low[2], high[2];
  for (int k = 0; k < 2; ++k) {
    const double width = extent.high[k] - extent.low[k], pad = width > 0 ? 0.04 * width : 0.5;
    low[k] = extent.low[k] - pad, high[k] = extent.high[k] + pad;
  }
  const auto between = [&](int k, double s) { return low[k] + s * (high[k] - low[k]); };
  Grid grid;
  for (int l = 0; l < kLines; ++l) {
    const double at = static_cast<double>(l) / (kLines - 1);
    grid.add(kPieces, [&](double s) { return std::vector{between(0, s), between(1, at)}; });
    grid.add(kPieces, [&](double s) { return std::vector{between(0, at), between(1, s)}; });
  }
  return grid;
}

// Parallels every twenty degrees, meridians every thirty.
Grid sphere_grid() {
  constexpr double kPi = std::numbers::pi;
  const auto place = [](double latitude, double longitude) {
    return std::vector{std::cos(latitude) * std::cos(longitude),
                       std::cos(latitude) * std::sin(longitude), std::sin(latitude)};
  };
  Grid grid;
  for (int step = -3; step <= 3; ++step)
    grid.add(2 * kPieces, [&](double s) { return place(step * kPi / 9, 2 * kPi * s); });
  for (int step = 0; step < 12; ++step)
    grid.add(kPieces, [&](double s) { return place((s - 0.5) * 8 * kPi / 9, step * kPi / 6); });
  return grid;
}

}  // namespace

bool is_map(const Experiment& e) {
  for (const double t : {0.0, e.schedule.T})
    if (!heads_of(e.dynamics, t).empty()) return false;
  return true;
}

std::shared_ptr<const CarriedGrid> carried_grid(const RunReader& run, const Experiment& e) {
  const int d = run.shape().d;
  const bool sphere = e.dynamics.manifold == Manifold::sphere;
  if (e.dynamics.noise > 0 || d != (sphere ? 3 : 2)) return nullptr;
  const Grid grid = sphere ? sphere_grid() : plane_grid(run.frame(0));
  Experiment carrying = e;
  carrying.swarm = HostSwarm({static_cast<int>(grid.points.size()), d});
  for (int i = 0; i < carrying.swarm.n(); ++i)
    for (int k = 0; k < d; ++k) carrying.swarm.at(i, k) = grid.points[i][k];
  carrying.engine = {.name = "reference"};
  carrying.flow.merge = 0;
  const auto engine = make_engine(carrying.engine);
  const auto field = prepare_field(carrying, *engine);
  auto carried = std::make_shared<CarriedGrid>();
  carried->lines = grid.lines;
  const auto frames = static_cast<std::size_t>(run.frames());
  FlowState state = start(carrying.swarm);
  const FlowWatch watch{
      .frame =
          [&](double, const Frame& frame) {
            if (carried->frames.size() < frames) carried->frames.push_back(frame.host);
          },
      .pause = [&](const FlowState&, const auto&) { return carried->frames.size() >= frames; }};
  advance({*engine, *field, carrying.flow, carrying.random}, carrying.schedule, state, watch);
  if (carried->frames.size() != frames) return nullptr;  // a line diverged: only paths are drawn
  return carried;
}

namespace {

// Colours by the cluster each particle ends in; particles that end in no cluster are grey.
std::vector<int> labels_of(const RunReader& run, const Experiment& e) {
  const Clusters end = clusters(run.frame(run.frames() - 1), e.dynamics, e.observe.cluster_tol);
  std::vector<int> order(end.count), rank(end.count, -1), labels(end.label.size());
  for (int c = 0; c < end.count; ++c) order[c] = c;
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return end.size[a] > end.size[b]; });
  for (int r = 0; r < end.count; ++r)
    if (end.size[order[r]] > 1) rank[order[r]] = r;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = rank[end.label[i]];
  return labels;
}

}  // namespace

void require_frames(const RunReader& run) {
  if (run.frames() == 0)
    throw Error(Fault::input, "the run has no frames yet", run.directory().string(),
                "run it first: murmur simulate --resume RUN");
}

SceneSettings scene_of(const RunReader& run, const Settings& settings, const Experiment& e,
                       const PictureStyle& style, FlightView asked) {
  SceneSettings scene;
  scene.style = style;
  scene.sphere = e.dynamics.manifold == Manifold::sphere;
  scene.title = e.name;
  scene.caption = caption_of(run, settings, e);
  const bool map = is_map(e) && asked != FlightView::flight;
  if (asked == FlightView::map && !map)
    throw Error(Fault::input, "tokens see each other here: there is no map of a single one",
                run.directory().string(), "leave figure=map out, or draw a run of dynamics=none");
  scene.map = map && !(scene.sphere && run.shape().d <= 2);  // a circle shows all of the past
  if (scene.map) {
    scene.grid = carried_grid(run, e);
    scene.caption += scene.grid ? ". Lines: a grid carried along; rings: where tokens start."
                                : ". Rings: where tokens start.";
    scene.label.assign(static_cast<std::size_t>(run.shape().n), 1);
  } else {
    scene.label = labels_of(run, e);
  }
  return scene;
}

SphereDensity density_of_swarm(const RunReader& run, const Experiment& e) {
  if (e.dynamics.manifold != Manifold::sphere || run.shape().d != 3)
    throw Error(Fault::input, "a globe shows densities on the sphere of three coordinates",
                run.directory().string(), "use a run on the sphere with d = 3");
  const double h = density_width(run.shape().n);
  return {.times = run.times(),
          .frame = [run, h](std::int64_t k) { return kernel_density(run.frame(k), h); },
          .tokens = [run](std::int64_t k) { return run.frame(k); }};
}

std::string density_caption(int n) {
  return fmt::format(". Density of tokens, each spread by a kernel of {:.2g}\u00a0rad.",
                     density_width(n));
}

}  // namespace murmur
