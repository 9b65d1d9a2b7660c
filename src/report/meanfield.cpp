// meanfield.cpp: the figures and the page of a run of the mean field: its density over time and by
// label, its modes, energy and order, and the measured rates of growth.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <vector>

#include "experiment/meanfield_setup.h"
#include "murmur/error.h"
#include "murmur/run.h"
#include "picture/figure.h"
#include "report/figures.h"
#include "report/report.h"
#include "run/formats.h"
#include "run/kept_json.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

// A run of the mean field, read from its files.
struct MeanFieldRun {
  int d = 2;
  std::vector<double> t{};
  std::size_t cells = 0;
  std::vector<double> density{};  // (frames, cells) over the uniform one
  std::vector<double> grid{};     // (cells, d)
  KeptJson kept;                  // phases.json
  bool particles = false;         // cells count particles, and many may hold none
  // Of a causal field whose laws differ by label:
  std::vector<double> labels{};         // increasing
  std::vector<double> label_order{};    // (frames, labels)
  std::vector<double> label_density{};  // (labels, cells) of the last frame
  const double* frame(std::size_t k) const { return &density[k * cells]; }
  // 0 where there is no linear phase, the last time where it has not ended.
  double linear_until() const {
    const KeptJson linear = kept.at("phases").at("linear");
    return linear.is_null() ? 0 : linear.at("until").number_or(t.back());
  }
};

constexpr std::size_t kMostColumns = 128, kMostRows = 120;
constexpr double kDegrees = 180 / std::numbers::pi;
constexpr char kRelative[] = "density / uniform";

// Left out where there is one label, which is the whole prompt.
void read_labels(const fs::path& folder, MeanFieldRun& field) {
  const Array labels = read_npy(folder / "labels.npy");
  const Array modes = read_npy(folder / "label_modes.npy");
  const Array density = read_npy(folder / "label_density.npy");
  const std::size_t count = labels.size();
  const bool fits = modes.shape.size() == 3 && density.shape.size() == 2 && count > 0 &&
                    modes.shape[0] >= field.t.size() && modes.shape[1] == count &&
                    modes.shape[2] > 0 && density.shape[0] == count &&
                    density.shape[1] == field.cells;
  if (!fits)
    throw Error(Fault::input, "the files of this mean field do not fit together", folder.string(),
                "make the run again from its config.toml");
  if (count < 2) return;
  const std::vector<double> amplitude = modes.doubles();
  for (std::size_t i = 0; i < field.t.size() * count; ++i)
    field.label_order.push_back(amplitude[i * modes.shape[2]]);
  field.labels = labels.doubles();
  field.label_density = density.doubles();
}

MeanFieldRun read_meanfield_run(const RunReader& run) {
  const fs::path& folder = run.directory();
  MeanFieldRun field{
      .d = run.shape().d, .t = run.times(), .kept = KeptJson::read(folder / "phases.json")};
  const Array density = read_npy(folder / "density.npy"), grid = read_npy(folder / "grid.npy");
  const bool fits = !field.t.empty() && density.shape.size() == 2 && grid.shape.size() == 2 &&
                    density.shape[1] == grid.shape[0] && density.shape[0] >= field.t.size() &&
                    grid.shape[0] > 0 && grid.shape[1] == static_cast<std::size_t>(field.d);
  if (!fits)
    throw Error(Fault::input, "the files of this mean field do not fit together", folder.string(),
                "make the run again from its config.toml");
  field.particles =
      KeptJson::parse(run.manifest(), (folder / "manifest.json").string()).at("engine").text() !=
      "spectral";
  field.cells = density.shape[1];
  field.density = density.doubles();
  field.grid = grid.doubles();
  if (fs::exists(folder / "labels.npy")) read_labels(folder, field);
  return field;
}

// The first frame at or after a time; the last one where there is none.
std::size_t frame_from(const MeanFieldRun& field, double t) {
  const auto found = std::lower_bound(field.t.begin(), field.t.end(), t);
  return std::min<std::size_t>(found - field.t.begin(), field.t.size() - 1);
}

// Linear where the density stays near the uniform one, logarithmic where it gathers.
void set_scale(ColourMap& map, const std::string& what) {
  const auto ends = std::minmax_element(map.value.begin(), map.value.end());
  map.low = *ends.first;
  map.high = *ends.second;
  map.label = what;
  if (map.high > 3) {
    map.high = std::log10(map.high);
    map.low = std::clamp(std::log10(std::fmax(map.low, 1e-300)), -2.0, -0.1);
    for (double& v : map.value) v = std::fmax(map.low, std::log10(std::fmax(v, 1e-300)));
    map.label = fmt::format("log10 ({})", what);
  }
  if (!(map.high - map.low > 1e-9 * std::fabs(map.high))) {
    map.low -= 0.5;
    map.high += 0.5;
  }
}

// The density over angle and time, on an even grid whatever frames were kept.
Panel circle_map(const MeanFieldRun& field) {
  Panel panel{.title = "density", .x = {.label = "angle in degrees"}, .y = {.label = "t"}};
  ColourMap& map = panel.map;
  const std::size_t columns = std::min(field.cells, kMostColumns), width = field.cells / columns;
  for (std::size_t c = 0; c < columns; ++c)
    map.x.push_back(360.0 * (static_cast<double>(c) + 0.5) / static_cast<double>(columns) - 180);
  const std::size_t rows = std::min(field.t.size(), kMostRows);
  for (std::size_t r = 0; r < rows; ++r) {
    const double t = field.t.front() + (field.t.back() - field.t.front()) * static_cast<double>(r) /
                                           static_cast<double>(rows - 1);
    const std::size_t next = std::max<std::size_t>(frame_from(field, t), 1);
    const double before = field.t[next - 1], share = (t - before) / (field.t[next] - before);
    map.y.push_back(t);
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t g = 0; g < width; ++g) {
        const std::size_t cell = (c * width + g + field.cells / 2) % field.cells;
        sum += (1 - share) * field.frame(next - 1)[cell] + share * field.frame(next)[cell];
      }
      map.value.push_back(sum / static_cast<double>(width));
    }
  }
  set_scale(map, kRelative);
  return panel;
}

Panel circle_profile(const MeanFieldRun& field) {
  Panel panel{.x = {.label = "angle in degrees"}, .y = {.label = kRelative}};
  panel.title = fmt::format("t = {:.4g}", field.t.back());
  Curve curve{.mark = Curve::line};
  for (std::size_t c = 0; c < field.cells; ++c) {
    const std::size_t cell = (c + field.cells / 2) % field.cells;
    curve.x.push_back(360.0 * static_cast<double>(c) / static_cast<double>(field.cells) - 180);
    curve.y.push_back(field.frame(field.t.size() - 1)[cell]);
  }
  panel.curves = {curve};
  return panel;
}

// (latitudes, longitudes) between the rows of equal latitude of a spectral grid.
std::vector<double> between_rows(const MeanFieldRun& field, std::size_t frame,
                                 const ColourMap& map) {
  std::size_t columns = 1;
  while (columns < field.cells && field.grid[3 * columns + 2] == field.grid[2]) ++columns;
  const std::size_t rows = field.cells / columns;
  const auto latitude = [&](std::size_t row) {
    return std::asin(std::clamp(field.grid[3 * row * columns + 2], -1.0, 1.0)) * kDegrees;
  };
  const auto along = [&](std::size_t row, double longitude) {
    const auto count = static_cast<double>(columns);
    const double place = (longitude / 360 + 2) * count;
    const auto first = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(first);
    const double* density = field.frame(frame) + row * columns;
    return (1 - share) * density[first % columns] + share * density[(first + 1) % columns];
  };
  std::vector<double> value;
  for (const double at : map.y) {
    std::size_t below = 0;  // rows go south
    while (below < rows && latitude(below) > at) ++below;
    const std::size_t above = below > 0 ? below - 1 : 0;
    below = std::min(below, rows - 1);
    const double gap = latitude(above) - latitude(below);
    const double share = gap > 0 ? (latitude(above) - at) / gap : 0;
    for (const double longitude : map.x)
      value.push_back((1 - share) * along(above, longitude) + share * along(below, longitude));
  }
  return value;
}

// (latitudes, longitudes) particles spread by e^{60 x.y}, about 7 degrees, over cells of equal
// area.
std::vector<double> smoothed(const MeanFieldRun& field, std::size_t frame, const ColourMap& map) {
  std::vector<double> value;
  for (const double latitude : map.y)
    for (const double longitude : map.x) {
      const double v = latitude / kDegrees, u = longitude / kDegrees;
      const double x[] = {std::cos(v) * std::cos(u), std::cos(v) * std::sin(u), std::sin(v)};
      double sum = 0, weights = 0;
      for (std::size_t c = 0; c < field.cells; ++c) {
        const double weight =
            std::exp(60 * (std::inner_product(x, x + 3, &field.grid[3 * c], 0.0) - 1));
        sum += weight * field.frame(frame)[c];
        weights += weight;
      }
      value.push_back(sum / weights);
    }
  return value;
}

std::vector<double> values_over(const MeanFieldRun& field, std::size_t frame,
                                const ColourMap& map) {
  return field.particles ? smoothed(field, frame, map) : between_rows(field, frame, map);
}

// The density of a frame over longitude and latitude.
Panel sphere_map(const MeanFieldRun& field, std::size_t frame, const std::string& when) {
  Panel panel{.x = {.label = "longitude and latitude in degrees"}};
  panel.title = fmt::format("{}, t = {:.4g}", when, field.t[frame]);
  ColourMap& map = panel.map;
  const int step = field.particles ? 5 : 3;
  for (int k = -180; k <= 180; k += step) map.x.push_back(k);
  for (int k = -90; k <= 90; k += step) map.y.push_back(k);
  map.value = values_over(field, frame, map);
  set_scale(map, kRelative);
  return panel;
}

std::vector<Panel> sphere_maps(const MeanFieldRun& field) {
  const std::size_t last = field.t.size() - 1, linear = frame_from(field, field.linear_until());
  if (last == 0) return {sphere_map(field, 0, "end")};
  const bool ended = linear > 0 && linear < last;
  return {sphere_map(field, 0, "start"),
          ended ? sphere_map(field, linear, "end of the linear phase")
                : sphere_map(field, last / 2, "half way"),
          sphere_map(field, last, "end")};
}

// The law of the angle to the axis, per radian: density times sin^{d-2}, on an even grid of angles.
// Cells go from the pole at angle 0 to the other, one to an angle.
std::vector<double> angle_law(const MeanFieldRun& field, const double* density,
                              const std::vector<double>& degrees) {
  std::vector<double> angle = {0}, law = {0};
  for (std::size_t c = 0; c < field.cells; ++c) {
    const double cosine = std::clamp(field.grid[(c + 1) * field.d - 1], -1.0, 1.0);
    angle.push_back(std::acos(cosine));
    const double log =
        std::log(std::fmax(density[c], 1e-300)) + (field.d - 2) * std::log(std::sin(angle.back()));
    law.push_back(std::exp(log));
  }
  angle.push_back(std::numbers::pi);
  law.push_back(0);
  double sum = 0;
  for (std::size_t i = 1; i < angle.size(); ++i)
    sum += 0.5 * (angle[i] - angle[i - 1]) * (law[i] + law[i - 1]);
  std::vector<double> even;
  std::size_t next = 1;
  for (const double at : degrees) {
    while (next + 1 < angle.size() && angle[next] * kDegrees < at) ++next;
    const double width = angle[next] - angle[next - 1];
    const double share =
        width > 0 ? std::clamp((at / kDegrees - angle[next - 1]) / width, 0.0, 1.0) : 0;
    even.push_back(((1 - share) * law[next - 1] + share * law[next]) / sum);
  }
  return even;
}

std::vector<double> even_degrees() {
  std::vector<double> degrees;
  for (double at = 0.75; at < 180; at += 1.5) degrees.push_back(at);
  return degrees;
}

constexpr char kAngleLaw[] = "density of the angle";

Panel zonal_map(const MeanFieldRun& field) {
  Panel panel{.title = "law of the angle to the axis",
              .x = {.label = "angle in degrees"},
              .y = {.label = "t"}};
  ColourMap& map = panel.map;
  map.x = even_degrees();
  const std::size_t rows = std::min(field.t.size(), kMostRows);
  for (std::size_t r = 0; r < rows; ++r) {
    const double t = field.t.front() + (field.t.back() - field.t.front()) * static_cast<double>(r) /
                                           static_cast<double>(rows - 1);
    map.y.push_back(t);
    const auto row = angle_law(field, field.frame(frame_from(field, t)), map.x);
    map.value.insert(map.value.end(), row.begin(), row.end());
  }
  set_scale(map, kAngleLaw);
  return panel;
}

Panel zonal_profile(const MeanFieldRun& field) {
  Panel panel{.x = {.label = "angle in degrees"}, .y = {.label = kAngleLaw}};
  panel.title = fmt::format("t = {:.4g}", field.t.back());
  Curve curve{.x = even_degrees(), .mark = Curve::line};
  curve.y = angle_law(field, field.frame(field.t.size() - 1), curve.x);
  panel.curves = {curve};
  return panel;
}

// The two labels around an even one, and the share of the later.
struct Between {
  std::size_t low, high;
  double share;
};

Between label_at(const MeanFieldRun& field, double s) {
  const auto found = std::lower_bound(field.labels.begin(), field.labels.end(), s);
  const std::size_t high =
      std::min<std::size_t>(found - field.labels.begin(), field.labels.size() - 1);
  if (high == 0) return {0, 0, 0};
  const double width = field.labels[high] - field.labels[high - 1];
  return {high - 1, high, width > 0 ? (s - field.labels[high - 1]) / width : 0};
}

std::vector<double> even_labels() {
  std::vector<double> s;
  for (int i = 0; i < 60; ++i) s.push_back((i + 0.5) / 60);
  return s;
}

// The law of each label at the end, over angle and label. On the sphere of R^3 there is no one
// angle, and the map is left out.
Panel label_map(const MeanFieldRun& field) {
  Panel panel{.x = {.label = "angle in degrees"}, .y = {.label = "label s"}};
  panel.title = fmt::format("laws by label, t = {:.4g}", field.t.back());
  ColourMap& map = panel.map;
  map.y = even_labels();
  const std::size_t columns = std::min(field.cells, kMostColumns), width = field.cells / columns;
  if (field.d > 3) map.x = even_degrees();
  for (std::size_t c = 0; field.d == 2 && c < columns; ++c)
    map.x.push_back(360.0 * (static_cast<double>(c) + 0.5) / static_cast<double>(columns) - 180);
  for (const double s : map.y) {
    const auto [low, high, share] = label_at(field, s);
    std::vector<double> density(field.cells);
    for (std::size_t c = 0; c < field.cells; ++c)
      density[c] = (1 - share) * field.label_density[low * field.cells + c] +
                   share * field.label_density[high * field.cells + c];
    if (field.d > 3) {
      const auto row = angle_law(field, density.data(), map.x);
      map.value.insert(map.value.end(), row.begin(), row.end());
      continue;
    }
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t g = 0; g < width; ++g)
        sum += density[(c * width + g + field.cells / 2) % field.cells];
      map.value.push_back(sum / static_cast<double>(width));
    }
  }
  set_scale(map, field.d > 3 ? kAngleLaw : kRelative);
  return panel;
}

// The order of each label's law at four times.
Panel label_orders(const MeanFieldRun& field) {
  Panel panel{
      .title = "order of each label's law", .x = {.label = "label s"}, .y = {.label = "order"}};
  const std::size_t last = field.t.size() - 1;
  std::vector<std::size_t> frames;
  for (const std::size_t frame : {std::size_t{0}, last / 3, 2 * last / 3, last})
    if (frames.empty() || frame != frames.back()) frames.push_back(frame);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    Curve curve{.name = fmt::format("t = {:.3g}", field.t[frames[i]]),
                .x = field.labels,
                .mark = Curve::line,
                .colour = static_cast<int>(i)};
    const auto row =
        field.label_order.begin() + static_cast<std::ptrdiff_t>(frames[i] * field.labels.size());
    curve.y.assign(row, row + static_cast<std::ptrdiff_t>(field.labels.size()));
    if (curve.x.front() > 0) {  // a law that is the same from label 0 on
      curve.x.insert(curve.x.begin(), 0);
      curve.y.insert(curve.y.begin(), curve.y.front());
    }
    panel.curves.push_back(curve);
  }
  return panel;
}

// Densities over angle and time (on the sphere at three times), and of a causal field by label.
std::vector<Panel> density_panels(const MeanFieldRun& field) {
  std::vector<Panel> panels;
  if (field.d == 3)
    panels = sphere_maps(field);
  else if (field.d == 2)
    panels = {field.t.size() > 1 ? circle_map(field) : circle_profile(field)};
  else
    panels = {field.t.size() > 1 ? zonal_map(field) : zonal_profile(field)};
  if (field.labels.empty()) return panels;
  if (field.d != 3) panels.push_back(label_map(field));
  panels.push_back(label_orders(field));
  return panels;
}

constexpr std::size_t kMostModes = 6;
constexpr int kGrey = 7;  // a class that no other curve has here

// The largest modes at the end of the linear phase, with their predicted growth dashed.
Panel modes_panel(const RunReader& run, const MeanFieldRun& field) {
  Panel panel{.x = {.label = "t"}, .y = {.label = "amplitude of mode", .log = true}};
  const std::size_t linear = std::max<std::size_t>(1, frame_from(field, field.linear_until()));
  std::vector<std::pair<double, int>> order;  // greatest amplitude until then, mode
  for (int k = 1; k <= 12; ++k) {
    const std::vector<double> a = run.column(fmt::format("mode_{}", k));
    const double most = *std::max_element(a.begin(), a.begin() + linear + 1);
    if (most > 1e-12) order.emplace_back(-most, k);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kMostModes));
  std::sort(order.begin(), order.end(), [](auto a, auto b) { return a.second < b.second; });
  const KeptJson predicted = field.kept.at("predicted_rates");
  panel.title = predicted.members().empty() ? "modes" : "modes; dashed: predicted growth";
  double min = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int k = order[i].second;
    Curve curve{
        .name = fmt::format("{}", k), .x = field.t, .y = run.column(fmt::format("mode_{}", k))};
    curve.mark = Curve::line;
    curve.colour = static_cast<int>(i);
    for (const double a : curve.y) min = a > 1e-13 ? std::fmin(min, a) : min;
    panel.curves.push_back(curve);
    const std::string key = std::to_string(k);
    if (!predicted.json().contains(key) || field.t.front() != 0 || field.linear_until() == 0)
      continue;
    Curve dashes{.mark = Curve::dashes, .colour = kGrey};
    for (int s = 0; s <= 50; ++s) {
      const double t = std::fmin(1.25 * field.linear_until(), field.t.back()) * s / 50;
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
void mark_regimes(const MeanFieldRun& field, Panel& panel) {
  const KeptJson regimes = field.kept.at("phases");
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Curve& curve : panel.curves)
    for (const double y : curve.y) {
      low = std::fmin(low, y);
      high = std::fmax(high, y);
    }
  const auto mark = [&](double t, const char* name, int colour) {
    if (t <= field.t.front() || t >= field.t.back()) return;
    panel.curves.push_back(
        {.name = name, .x = {t, t}, .y = {low, high}, .mark = Curve::dashes, .colour = colour});
  };
  mark(field.linear_until(), "linear until", 2);
  if (const KeptJson plateau = regimes.at("metastable"); !plateau.is_null()) {
    mark(plateau.at("from").number(), "metastable", 3);
    mark(plateau.at("to").number(), "", 3);
  }
  if (const KeptJson end = regimes.at("clustering"); !end.is_null())
    mark(end.at("from").number(), "to a point from", 4);
}

// Whether time is drawn over its logarithm: where the first phase is short compared with the rest.
bool is_long(const MeanFieldRun& field) {
  const double until = field.linear_until();
  return until > 0 && until < 0.05 * field.t.back() && field.t.size() > 20;
}

Panel energy_panel(const RunReader& run, const MeanFieldRun& field) {
  const std::vector<double> energy = run.column("energy"), free = run.column("free_energy");
  Panel panel{.title = "energy", .x = {.label = "t"}, .y = {.label = "energy"}};
  panel.x.log = is_long(field);
  panel.curves = {{.name = "energy", .x = field.t, .y = energy, .mark = Curve::line, .colour = 0}};
  bool noisy = false;
  for (std::size_t i = 0; i < energy.size(); ++i)
    noisy = noisy || std::fabs(free[i] - energy[i]) > 1e-12 * std::fabs(energy[i]);
  if (noisy)
    panel.curves.push_back(
        {.name = "free energy", .x = field.t, .y = free, .mark = Curve::line, .colour = 1});
  mark_regimes(field, panel);
  return panel;
}

// Order from 0, where the measure is uniform or balanced, to 1, where it is one point.
Panel order_panel(const RunReader& run, const MeanFieldRun& field) {
  Panel panel{.title = "order; 1: one point", .x = {.label = "t"}, .y = {.label = "order"}};
  panel.x.log = is_long(field);
  const double first = field.t.front(), last = field.t.back();
  panel.curves = {
      {.name = "order", .x = field.t, .y = run.column("order"), .mark = Curve::line, .colour = 0},
      {.x = {first, last}, .y = {1, 1}, .mark = Curve::dashes, .colour = kGrey}};
  if (panel.x.log) panel.curves[1].x[0] = field.t[1];
  mark_regimes(field, panel);
  return panel;
}

void add_facts(RunReport& report, const KeptJson& summary) {
  auto& facts = report.page.facts;
  const KeptJson regimes = summary.at("phases");
  facts.emplace_back(fmt::format("{:.4g}", summary.at("t").number()), "time reached");
  facts.emplace_back(fmt::format("{:.6g}", summary.at("energy").number()), "energy at the end");
  facts.emplace_back(fmt::format("{:.4f}", summary.at("order").number()), "order at the end");
  if (const KeptJson linear = regimes.at("linear"); !linear.is_null()) {
    facts.emplace_back(fmt::format("mode {}", linear.at("leader").small_whole()), "leads");
    if (!linear.at("until").is_null())
      facts.emplace_back(fmt::format("{:.4g}", linear.at("until").number()),
                         "linear phase until t");
  }
  if (const KeptJson plateau = regimes.at("metastable"); !plateau.is_null())
    facts.emplace_back(
        fmt::format("{:.4g} to {:.4g}", plateau.at("from").number(), plateau.at("to").number()),
        fmt::format("the energy stays at {:.4g}", plateau.at("energy").number()));
  if (const KeptJson end = regimes.at("clustering"); !end.is_null())
    facts.emplace_back(fmt::format("{:.4g}", end.at("rate").number()),
                       fmt::format("clustering rate from t = {:.4g}", end.at("from").number()));
}

// {"1": rate, "2": rate}
std::map<int, double> rates_of(const KeptJson& kept) {
  std::map<int, double> rates;
  for (const auto& [mode, rate] : kept.members()) {
    int k = 0;
    const char* const end = mode.data() + mode.size();
    if (std::from_chars(mode.data(), end, k).ptr != end || k < 1) rate.refuse("is of no mode");
    rates[k] = rate.number();
  }
  return rates;
}

// Modes in order, the measured rate next to the predicted one where theory has it.
TextTable rates_table(const KeptJson& summary) {
  const std::map<int, double> rates = rates_of(summary.at("growth_rates"));
  const std::map<int, double> theory = rates_of(summary.at("predicted_rates"));
  TextTable table{{"mode", "measured", "predicted", "difference"}};
  for (const auto& [k, measured] : rates) {
    std::vector<std::string> row{fmt::format("{}", k), fmt::format("{:.8g}", measured), "", ""};
    if (const auto predicted = theory.find(k); predicted != theory.end()) {
      row[2] = fmt::format("{:.8g}", predicted->second);
      row[3] = fmt::format("{:.1e}", std::fabs(measured - predicted->second));
    }
    table.push_back(std::move(row));
  }
  return table;
}

std::string lead_of(const MeanFieldSetup& s, const KeptJson& summary) {
  const MeanField& f = s.field;
  std::string words = fmt::format(
      "Infinitely many tokens on {} under {}{} attention, β = {:g}{}{}.",
      f.d == 2   ? "the circle"
      : f.d == 3 ? "the sphere"
                 : fmt::format("the unit sphere of R^{}", f.d),
      f.causal ? "causal " : "", f.weighting == Attention::softmax ? "softmax" : "unnormalised",
      f.beta, f.noise > 0 ? fmt::format(", noise {:g}", f.noise) : "",
      f.perceptron ? ", with a perceptron" : "");
  if (const KeptJson stopped = summary.at("stopped"); !stopped.is_null())
    words += fmt::format(" Stopped at t = {:g}: {}.", stopped.at("t").number(),
                         stopped.at("why").text());
  return words;
}

}  // namespace

std::vector<fs::path> draw_meanfield(const fs::path& directory, FigureStyle style) {
  const RunReader run(directory);
  const MeanFieldRun field = read_meanfield_run(run);
  Figure figure{.style = style};
  figure.panels = density_panels(field);
  if (field.t.size() > 1) {
    figure.panels.push_back(modes_panel(run, field));
    figure.panels.push_back(energy_panel(run, field));
    figure.panels.push_back(order_panel(run, field));
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

SphereDensity density_of_meanfield(const RunReader& run) {
  if (run.shape().d != 3)
    throw Error(Fault::input, "a globe shows densities on the sphere of three coordinates",
                run.directory().string(), "use a mean field with d = 3");
  const auto field = std::make_shared<MeanFieldRun>(read_meanfield_run(run));
  std::vector<double> latitudes, longitudes;
  for (int r = 0; r < SphereDensity::kRows; ++r)
    latitudes.push_back(180 * ((r + 0.5) / SphereDensity::kRows - 0.5));
  for (int c = 0; c < SphereDensity::kColumns; ++c)
    longitudes.push_back(360 * ((c + 0.5) / SphereDensity::kColumns - 0.5));
  return {.times = field->t, .frame = [=](std::int64_t k) {
            return values_over(*field, static_cast<std::size_t>(k),
                               {.x = longitudes, .y = latitudes});
          }};
}

SceneSettings density_scene_of_meanfield(const RunReader& run, const PictureStyle& style) {
  const Settings settings =
      gather({.base = (run.directory() / "config.toml").string()}, meanfield_parameters());
  SceneSettings scene;
  scene.style = style;
  scene.title = settings.at("name").text;
  scene.caption = fmt::format("infinitely many tokens, {}, β\u00a0=\u00a0{}, d\u00a0=\u00a03",
                              settings.at("dynamics").text, settings.at("beta").text);
  return scene;
}

void report_meanfield(RunReport& report) {
  const std::string config = (report.run() / "config.toml").string();
  const MeanFieldSetup s = make_meanfield(gather({.base = config}, meanfield_parameters()));
  const KeptJson summary = KeptJson::read(report.run() / "phases.json");
  report.page.title = report.run().filename().string();
  report.page.lead = lead_of(s, summary);
  add_facts(report, summary);
  const bool dashes = !summary.at("predicted_rates").members().empty();
  report.add_figure(draw_meanfield(report.run(), report.style()), "The course",
                    dashes ? "Dashes over the modes: growth that theory predicts for small waves "
                             "over the uniform law."
                           : "");
  if (const auto table = rates_table(summary); table.size() > 1)
    report.add_table(
        "Growth of modes",
        "Rates at which amplitudes grow while they are small, and those of the linearised flow "
        "about the uniform law.",
        table);
}

}  // namespace murmur
