// meanfield_maps.cpp: maps of the densities of a mean field: over angle and time, and by label.
#include "report/meanfield_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "murmur/error.h"
#include "run/formats.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostColumns = 128, kMostRows = 120;
constexpr double kDegrees = 180 / std::numbers::pi;
constexpr char kRelative[] = "density / uniform";

// Left out where there is one label: it tells nothing that the whole prompt does not.
void see_labels(const fs::path& folder, SeenMeanField& seen) {
  const Array labels = read_npy(folder / "labels.npy");
  const Array modes = read_npy(folder / "label_modes.npy");
  const Array density = read_npy(folder / "label_density.npy");
  const std::size_t count = labels.size();
  const bool fits = modes.shape.size() == 3 && density.shape.size() == 2 && count > 0 &&
                    modes.shape[0] >= seen.t.size() && modes.shape[1] == count &&
                    modes.shape[2] > 0 && density.shape[0] == count &&
                    density.shape[1] == seen.cells;
  if (!fits)
    throw Error(Fault::input, "the files of this mean field do not fit together", folder.string(),
                "make the run again from its config.toml");
  if (count < 2) return;
  const std::vector<double> amplitude = modes.doubles();
  for (std::size_t i = 0; i < seen.t.size() * count; ++i)
    seen.label_order.push_back(amplitude[i * modes.shape[2]]);
  seen.labels = labels.doubles();
  seen.label_density = density.doubles();
}

}  // namespace

SeenMeanField see_meanfield(const RunReader& run) {
  const fs::path& folder = run.directory();
  SeenMeanField seen{
      .d = run.shape().d, .t = run.times(), .kept = KeptJson::read(folder / "phases.json")};
  const Array density = read_npy(folder / "density.npy"), grid = read_npy(folder / "grid.npy");
  const bool fits = !seen.t.empty() && density.shape.size() == 2 && grid.shape.size() == 2 &&
                    density.shape[1] == grid.shape[0] && density.shape[0] >= seen.t.size() &&
                    grid.shape[0] > 0 && grid.shape[1] == static_cast<std::size_t>(seen.d);
  if (!fits)
    throw Error(Fault::input, "the files of this mean field do not fit together", folder.string(),
                "make the run again from its config.toml");
  seen.particles =
      KeptJson::parse(run.manifest(), (folder / "manifest.json").string()).at("engine").text() !=
      "spectral";
  seen.cells = density.shape[1];
  seen.density = density.doubles();
  seen.grid = grid.doubles();
  if (fs::exists(folder / "labels.npy")) see_labels(folder, seen);
  return seen;
}

// The first frame at or after a time; the last one where there is none.
std::size_t frame_from(const SeenMeanField& seen, double t) {
  const auto found = std::lower_bound(seen.t.begin(), seen.t.end(), t);
  return std::min<std::size_t>(found - seen.t.begin(), seen.t.size() - 1);
}

namespace {

// Plain where the density stays near the uniform one, and its logarithm where it gathers.
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
Panel circle_map(const SeenMeanField& seen) {
  Panel panel{.title = "density", .x = {.label = "angle in degrees"}, .y = {.label = "t"}};
  ColourMap& map = panel.map;
  const std::size_t columns = std::min(seen.cells, kMostColumns), width = seen.cells / columns;
  for (std::size_t c = 0; c < columns; ++c)
    map.x.push_back(360.0 * (static_cast<double>(c) + 0.5) / static_cast<double>(columns) - 180);
  const std::size_t rows = std::min(seen.t.size(), kMostRows);
  for (std::size_t r = 0; r < rows; ++r) {
    const double t = seen.t.front() + (seen.t.back() - seen.t.front()) * static_cast<double>(r) /
                                          static_cast<double>(rows - 1);
    const std::size_t next = std::max<std::size_t>(frame_from(seen, t), 1);
    const double before = seen.t[next - 1], share = (t - before) / (seen.t[next] - before);
    map.y.push_back(t);
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t g = 0; g < width; ++g) {
        const std::size_t cell = (c * width + g + seen.cells / 2) % seen.cells;
        sum += (1 - share) * seen.frame(next - 1)[cell] + share * seen.frame(next)[cell];
      }
      map.value.push_back(sum / static_cast<double>(width));
    }
  }
  set_scale(map, kRelative);
  return panel;
}

Panel circle_profile(const SeenMeanField& seen) {
  Panel panel{.x = {.label = "angle in degrees"}, .y = {.label = kRelative}};
  panel.title = fmt::format("t = {:.4g}", seen.t.back());
  Curve curve{.mark = Curve::line};
  for (std::size_t c = 0; c < seen.cells; ++c) {
    const std::size_t cell = (c + seen.cells / 2) % seen.cells;
    curve.x.push_back(360.0 * static_cast<double>(c) / static_cast<double>(seen.cells) - 180);
    curve.y.push_back(seen.frame(seen.t.size() - 1)[cell]);
  }
  panel.curves = {curve};
  return panel;
}

// (latitudes, longitudes) between the rows of equal latitude of a spectral grid.
std::vector<double> between_rows(const SeenMeanField& seen, std::size_t frame,
                                 const ColourMap& map) {
  std::size_t columns = 1;
  while (columns < seen.cells && seen.grid[3 * columns + 2] == seen.grid[2]) ++columns;
  const std::size_t rows = seen.cells / columns;
  const auto latitude = [&](std::size_t row) {
    return std::asin(std::clamp(seen.grid[3 * row * columns + 2], -1.0, 1.0)) * kDegrees;
  };
  const auto along = [&](std::size_t row, double longitude) {
    const auto count = static_cast<double>(columns);
    const double place = (longitude / 360 + 2) * count;
    const auto first = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(first);
    const double* density = seen.frame(frame) + row * columns;
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
std::vector<double> smoothed(const SeenMeanField& seen, std::size_t frame, const ColourMap& map) {
  std::vector<double> value;
  for (const double latitude : map.y)
    for (const double longitude : map.x) {
      const double v = latitude / kDegrees, u = longitude / kDegrees;
      const double x[] = {std::cos(v) * std::cos(u), std::cos(v) * std::sin(u), std::sin(v)};
      double sum = 0, weights = 0;
      for (std::size_t c = 0; c < seen.cells; ++c) {
        const double weight =
            std::exp(60 * (std::inner_product(x, x + 3, &seen.grid[3 * c], 0.0) - 1));
        sum += weight * seen.frame(frame)[c];
        weights += weight;
      }
      value.push_back(sum / weights);
    }
  return value;
}

std::vector<double> values_over(const SeenMeanField& seen, std::size_t frame,
                                const ColourMap& map) {
  return seen.particles ? smoothed(seen, frame, map) : between_rows(seen, frame, map);
}

// The density of a frame over longitude and latitude.
Panel sphere_map(const SeenMeanField& seen, std::size_t frame, const std::string& when) {
  Panel panel{.x = {.label = "longitude and latitude in degrees"}};
  panel.title = fmt::format("{}, t = {:.4g}", when, seen.t[frame]);
  ColourMap& map = panel.map;
  const int step = seen.particles ? 5 : 3;
  for (int k = -180; k <= 180; k += step) map.x.push_back(k);
  for (int k = -90; k <= 90; k += step) map.y.push_back(k);
  map.value = values_over(seen, frame, map);
  set_scale(map, kRelative);
  return panel;
}

std::vector<Panel> sphere_maps(const SeenMeanField& seen) {
  const std::size_t last = seen.t.size() - 1, linear = frame_from(seen, seen.linear_until());
  if (last == 0) return {sphere_map(seen, 0, "end")};
  const bool ended = linear > 0 && linear < last;
  return {sphere_map(seen, 0, "start"),
          ended ? sphere_map(seen, linear, "end of the linear phase")
                : sphere_map(seen, last / 2, "half way"),
          sphere_map(seen, last, "end")};
}

// The law of the angle to the axis, per radian: density times sin^{d-2}, on an even grid of angles.
// Cells go from the pole at angle 0 to the other, one to an angle.
std::vector<double> angle_law(const SeenMeanField& seen, const double* density,
                              const std::vector<double>& degrees) {
  std::vector<double> angle = {0}, law = {0};
  for (std::size_t c = 0; c < seen.cells; ++c) {
    const double cosine = std::clamp(seen.grid[(c + 1) * seen.d - 1], -1.0, 1.0);
    angle.push_back(std::acos(cosine));
    const double log =
        std::log(std::fmax(density[c], 1e-300)) + (seen.d - 2) * std::log(std::sin(angle.back()));
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

Panel zonal_map(const SeenMeanField& seen) {
  Panel panel{.title = "law of the angle to the axis",
              .x = {.label = "angle in degrees"},
              .y = {.label = "t"}};
  ColourMap& map = panel.map;
  map.x = even_degrees();
  const std::size_t rows = std::min(seen.t.size(), kMostRows);
  for (std::size_t r = 0; r < rows; ++r) {
    const double t = seen.t.front() + (seen.t.back() - seen.t.front()) * static_cast<double>(r) /
                                          static_cast<double>(rows - 1);
    map.y.push_back(t);
    const auto row = angle_law(seen, seen.frame(frame_from(seen, t)), map.x);
    map.value.insert(map.value.end(), row.begin(), row.end());
  }
  set_scale(map, kAngleLaw);
  return panel;
}

Panel zonal_profile(const SeenMeanField& seen) {
  Panel panel{.x = {.label = "angle in degrees"}, .y = {.label = kAngleLaw}};
  panel.title = fmt::format("t = {:.4g}", seen.t.back());
  Curve curve{.x = even_degrees(), .mark = Curve::line};
  curve.y = angle_law(seen, seen.frame(seen.t.size() - 1), curve.x);
  panel.curves = {curve};
  return panel;
}

// The two labels around an even one, and the share of the later.
struct Between {
  std::size_t low, high;
  double share;
};

Between label_at(const SeenMeanField& seen, double s) {
  const auto found = std::lower_bound(seen.labels.begin(), seen.labels.end(), s);
  const std::size_t high =
      std::min<std::size_t>(found - seen.labels.begin(), seen.labels.size() - 1);
  if (high == 0) return {0, 0, 0};
  const double width = seen.labels[high] - seen.labels[high - 1];
  return {high - 1, high, width > 0 ? (s - seen.labels[high - 1]) / width : 0};
}

std::vector<double> even_labels() {
  std::vector<double> s;
  for (int i = 0; i < 60; ++i) s.push_back((i + 0.5) / 60);
  return s;
}

// What each label's law is at the end: over angle and label. On the sphere of R^3 there is no one
// angle, and the map is left out.
Panel label_map(const SeenMeanField& seen) {
  Panel panel{.x = {.label = "angle in degrees"}, .y = {.label = "label s"}};
  panel.title = fmt::format("laws by label, t = {:.4g}", seen.t.back());
  ColourMap& map = panel.map;
  map.y = even_labels();
  const std::size_t columns = std::min(seen.cells, kMostColumns), width = seen.cells / columns;
  if (seen.d > 3) map.x = even_degrees();
  for (std::size_t c = 0; seen.d == 2 && c < columns; ++c)
    map.x.push_back(360.0 * (static_cast<double>(c) + 0.5) / static_cast<double>(columns) - 180);
  for (const double s : map.y) {
    const auto [low, high, share] = label_at(seen, s);
    std::vector<double> density(seen.cells);
    for (std::size_t c = 0; c < seen.cells; ++c)
      density[c] = (1 - share) * seen.label_density[low * seen.cells + c] +
                   share * seen.label_density[high * seen.cells + c];
    if (seen.d > 3) {
      const auto row = angle_law(seen, density.data(), map.x);
      map.value.insert(map.value.end(), row.begin(), row.end());
      continue;
    }
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t g = 0; g < width; ++g)
        sum += density[(c * width + g + seen.cells / 2) % seen.cells];
      map.value.push_back(sum / static_cast<double>(width));
    }
  }
  set_scale(map, seen.d > 3 ? kAngleLaw : kRelative);
  return panel;
}

// The order of each label's law at four times.
Panel label_orders(const SeenMeanField& seen) {
  Panel panel{
      .title = "order of each label's law", .x = {.label = "label s"}, .y = {.label = "order"}};
  const std::size_t last = seen.t.size() - 1;
  std::vector<std::size_t> frames = {0, last / 3, 2 * last / 3, last};
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    Curve curve{.name = fmt::format("t = {:.3g}", seen.t[frames[i]]),
                .x = seen.labels,
                .mark = Curve::line,
                .colour = static_cast<int>(i)};
    const auto row =
        seen.label_order.begin() + static_cast<std::ptrdiff_t>(frames[i] * seen.labels.size());
    curve.y.assign(row, row + static_cast<std::ptrdiff_t>(seen.labels.size()));
    if (curve.x.front() > 0) {  // a law that is the same from label 0 on
      curve.x.insert(curve.x.begin(), 0);
      curve.y.insert(curve.y.begin(), curve.y.front());
    }
    panel.curves.push_back(curve);
  }
  return panel;
}

}  // namespace

std::vector<double> density_over(const SeenMeanField& seen, std::size_t frame,
                                 const std::vector<double>& latitudes,
                                 const std::vector<double>& longitudes) {
  return values_over(seen, frame, {.x = longitudes, .y = latitudes});
}

std::vector<Panel> density_panels(const SeenMeanField& seen) {
  std::vector<Panel> panels;
  if (seen.d == 3)
    panels = sphere_maps(seen);
  else if (seen.d == 2)
    panels = {seen.t.size() > 1 ? circle_map(seen) : circle_profile(seen)};
  else
    panels = {seen.t.size() > 1 ? zonal_map(seen) : zonal_profile(seen)};
  if (seen.labels.empty()) return panels;
  if (seen.d != 3) panels.push_back(label_map(seen));
  panels.push_back(label_orders(seen));
  return panels;
}

}  // namespace murmur
