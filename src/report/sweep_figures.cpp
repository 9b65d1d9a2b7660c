// sweep_figures.cpp: turns the cells of a sweep into panels of colour maps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "murmur/error.h"
#include "report/figures.h"
#include "run/file.h"
#include "run/text.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostPanels = 12;
constexpr double kMostNumbers = 2e7;

struct PanelCells {  // cells that agree in every axis that a panel does not show
  std::string title{};
  std::vector<const Cell*> cells{};
};

std::string label_of(const std::string& name) {
  static const std::map<std::string, std::string> known = {{"beta", "inverse temperature β"},
                                                           {"n", "tokens n"},
                                                           {"d", "dimension d"},
                                                           {"close_pairs", "share of close pairs"},
                                                           {"mean_cos", "mean cosine"},
                                                           {"order", "order |Σ mᵢxᵢ|"},
                                                           {"clusters", "mean number of clusters"}};
  const auto found = known.find(name);
  return found == known.end() ? name : found->second;
}

std::vector<PanelCells> panels_of_cells(const Sweep& sweep, const SweepOutcome& outcome,
                                        const std::vector<std::size_t>& shown) {
  std::map<std::vector<double>, PanelCells> panels;
  for (const Cell& cell : outcome.cells) {
    std::vector<double> key;
    std::string title;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
      if (std::find(shown.begin(), shown.end(), a) != shown.end()) continue;
      key.push_back(cell.place[a]);
      title += fmt::format("{}{} = {}", title.empty() ? "" : ", ",
                           sweep.axes[a].name == "beta" ? "β" : sweep.axes[a].name, cell.values[a]);
    }
    PanelCells& cells = panels[key];
    cells.title = title;
    cells.cells.push_back(&cell);
  }
  std::vector<PanelCells> list;
  for (auto& [key, cells] : panels) list.push_back(std::move(cells));
  if (list.size() > kMostPanels) list.resize(kMostPanels);
  return list;
}

double value_at(const Cell& cell, std::size_t axis) {
  return parse_number(cell.values[axis]).value_or(0);
}

// Whether an axis is drawn over its logarithm: ranges by ratio, and lists over a wide range, such
// as d=2,8,32,128.
bool is_logarithmic(const Axis& axis) {
  const auto [low, high] = std::minmax_element(axis.numbers.begin(), axis.numbers.end());
  if (axis.log || *low <= 0 || *high < 16 * *low) return axis.log;
  const double step = axis.numbers[1] - axis.numbers[0];
  for (std::size_t k = 2; k < axis.numbers.size(); ++k)
    if (std::fabs(axis.numbers[k] - axis.numbers[k - 1] - step) > 1e-6 * std::fabs(step))
      return true;
  return axis.numbers.size() == 2;
}

FigureAxis figure_axis(const Axis& axis) {
  return {.label = label_of(axis.name), .name = axis.name, .log = is_logarithmic(axis)};
}

// An empty panel for the cells; the caller fills its map.
Panel panel_of(const Sweep& sweep, const PanelCells& cells, std::size_t y) {
  Panel panel{.title = cells.title, .y = figure_axis(sweep.axes[y])};
  panel.map.name = sweep.observe;
  panel.map.label = label_of(sweep.observe);
  return panel;
}

// One range of colours for all panels: from 0 to 1, and for clusters and means below 0 as far as
// the values go.
void set_range(Figure& figure) {
  double low = figure.panels.front().map.name == "clusters" ? 1 : 0, high = 1;
  for (const Panel& panel : figure.panels)
    for (const double value : panel.map.value)
      if (std::isfinite(value)) {
        high = std::max(high, value);
        low = std::min(low, value);
      }
  if (!(high > low)) high = low + 1;
  for (Panel& panel : figure.panels) {
    panel.map.low = low;
    panel.map.high = high;
  }
}

// The front in (t, y) that theory predicts and that of the sweep itself.
void add_fronts(const Sweep& sweep, std::vector<std::pair<const Cell*, CellCurve>>& rows,
                std::size_t y, Panel& panel) {
  if (sweep.observe != "close_pairs") return;
  Curve theory{.name = "predicted for orthogonal tokens, t*(β)"},
      seen{.name = "half of the pairs are close"};
  constexpr int kPoints = 200;
  for (int k = 0; k <= kPoints && sweep.axes[y].name == "beta"; ++k) {
    const double at =
        panel.map.y.front() + (panel.map.y.back() - panel.map.y.front()) * k / kPoints;
    ExperimentSpec spec = spec_of_cell(sweep, *rows.front().first).spec;
    spec.dynamics.beta = at;
    if (const auto t = predicted_front(spec)) {
      theory.x.push_back(*t);
      theory.y.push_back(at);
    }
  }
  for (const auto& [cell, curve] : rows) {
    seen.x.push_back(half_time(curve));
    seen.y.push_back(value_at(*cell, y));
  }
  if (!theory.x.empty()) panel.curves.push_back(theory);
  const auto crosses = [](double t) { return std::isfinite(t); };
  if (std::count_if(seen.x.begin(), seen.x.end(), crosses) > 1) panel.curves.push_back(seen);
}

// Nothing where the cells are read at different times, or fewer than two were simulated.
std::optional<Panel> time_panel(const Sweep& sweep, const PanelCells& cells, std::size_t y,
                                const fs::path& directory) {
  std::vector<std::pair<const Cell*, CellCurve>> rows;
  for (const Cell* cell : cells.cells)
    if (auto curve = read_cell(sweep, *cell, directory)) rows.emplace_back(cell, std::move(*curve));
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    return value_at(*a.first, y) < value_at(*b.first, y);
  });
  if (rows.size() < 2) return std::nullopt;
  Panel panel = panel_of(sweep, cells, y);
  panel.x = {.label = "time t", .name = "t"};
  ColourMap& map = panel.map;
  map.x = rows.front().second.t;
  if (map.x.size() < 2) return std::nullopt;
  for (const auto& [cell, curve] : rows) {
    if (curve.t != map.x) return std::nullopt;
    map.y.push_back(value_at(*cell, y));
    map.value.insert(map.value.end(), curve.mean.begin(), curve.mean.end());
    map.error.insert(map.error.end(), curve.error.begin(), curve.error.end());
  }
  add_fronts(sweep, rows, y, panel);
  return panel;
}

// The last reading over two numeric axes, without the cells that refinement added.
Panel last_panel(const Sweep& sweep, const PanelCells& cells, const std::vector<std::size_t>& axes,
                 const fs::path& directory) {
  Panel panel = panel_of(sweep, cells, axes[0]);
  panel.x = figure_axis(sweep.axes[axes[1]]);
  ColourMap& map = panel.map;
  map.y = sweep.axes[axes[0]].numbers;
  map.x = sweep.axes[axes[1]].numbers;
  std::sort(map.y.begin(), map.y.end());
  std::sort(map.x.begin(), map.x.end());
  map.value.assign(map.y.size() * map.x.size(), kNothing);
  map.error = map.value;
  for (const Cell* cell : cells.cells) {
    if (cell->place[axes[0]] != std::floor(cell->place[axes[0]])) continue;
    const auto at = [](const std::vector<double>& values, double value) {
      return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) -
                                      values.begin());
    };
    const auto curve = read_cell(sweep, *cell, directory);
    if (!curve) continue;
    const std::size_t row = at(map.y, value_at(*cell, axes[0]));
    const std::size_t column = at(map.x, value_at(*cell, axes[1]));
    map.value[row * map.x.size() + column] = curve->mean.back();
    map.error[row * map.x.size() + column] = curve->error.back();
  }
  return panel;
}

void draw_maps(Figure& figure, const fs::path& stem, std::vector<fs::path>& drawn) {
  set_range(figure);
  for (const fs::path& path :
       draw_svg_and_png(figure, stem.parent_path(), stem.filename().string()))
    drawn.push_back(path);
}

std::vector<std::size_t> numeric_axes(const Sweep& sweep) {
  std::vector<std::size_t> numeric;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a)
    if (sweep.axes[a].numeric && sweep.axes[a].values.size() > 1) numeric.push_back(a);
  return numeric;
}

}  // namespace

std::vector<fs::path> draw_sweep(const Sweep& sweep, const SweepOutcome& outcome,
                                 const fs::path& directory) {
  const std::vector<std::size_t> numeric = numeric_axes(sweep);
  std::vector<fs::path> drawn;
  const double numbers = static_cast<double>(outcome.cells.size()) * sweep.times;
  if (numeric.empty() || numbers > kMostNumbers) return drawn;
  const fs::path figures = directory / "figures";
  std::error_code problem;
  if (fs::is_symlink(fs::symlink_status(figures, problem))) make_folder_of_run(figures);  // refuses
  if (fs::create_directories(figures, problem), problem)
    throw Error(problem == std::errc::not_a_directory || problem == std::errc::file_exists
                    ? Fault::usage  // the place is taken
                    : Fault::runtime,
                "the folder cannot be made: " + problem.message(), figures.string(),
                "move away what is in its place, and go on with murmur sweep --resume RUN");
  for (const auto& entry : fs::directory_iterator(figures))  // left by a killed process
    if (const std::string name = entry.path().filename().string();
        name.front() == '.' && name.find(".part") != std::string::npos)
      fs::remove(entry.path());
  Figure over_time{.layout = Figure::maps, .style = style_of(sweep.style)};
  for (const PanelCells& cells : panels_of_cells(sweep, outcome, {numeric[0]}))
    if (auto panel = time_panel(sweep, cells, numeric[0], directory))
      over_time.panels.push_back(std::move(*panel));
  if (!over_time.panels.empty()) draw_maps(over_time, figures / sweep.observe, drawn);
  if (numeric.size() < 2) return drawn;
  const std::vector<std::size_t> both = {numeric[0], numeric[1]};
  Figure at_end{.layout = Figure::maps, .style = over_time.style};
  for (const PanelCells& cells : panels_of_cells(sweep, outcome, both))
    at_end.panels.push_back(last_panel(sweep, cells, both, directory));
  draw_maps(at_end, figures / (sweep.observe + "_last"), drawn);
  return drawn;
}

bool is_drawn(const Sweep& sweep, const fs::path& directory) {
  std::error_code missing;
  return numeric_axes(sweep).empty() ||
         fs::directory_iterator(directory / "figures", missing) != fs::directory_iterator();
}

}  // namespace murmur
