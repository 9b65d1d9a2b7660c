// sweep_figures.cpp: turns the cells of a sweep into panels of heat maps.
#include "sweep_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "murmur/error.h"
#include "murmur/heat.h"
#include "reproduce_page.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostPanels = 12;
constexpr double kMostNumbers = 2e7;

struct Fibre {  // cells alike in every axis that a panel does not show
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

std::vector<Fibre> fibres_of(const Sweep& sweep, const SweepOutcome& outcome,
                             const std::vector<std::size_t>& shown) {
  std::map<std::vector<double>, Fibre> fibres;
  for (const Cell& cell : outcome.cells) {
    std::vector<double> key;
    std::string title;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
      if (std::find(shown.begin(), shown.end(), a) != shown.end()) continue;
      key.push_back(cell.place[a]);
      title += fmt::format("{}{} = {}", title.empty() ? "" : ", ",
                           sweep.axes[a].name == "beta" ? "β" : sweep.axes[a].name, cell.values[a]);
    }
    Fibre& fibre = fibres[key];
    fibre.title = title;
    fibre.cells.push_back(&cell);
  }
  std::vector<Fibre> list;
  for (auto& [key, fibre] : fibres) list.push_back(std::move(fibre));
  if (list.size() > kMostPanels) list.resize(kMostPanels);
  return list;
}

double value_at(const Cell& cell, std::size_t axis) {
  return std::strtod(cell.values[axis].c_str(), nullptr);
}

// Ranges by ratio, and lists that span much, such as d=2,8,32,128.
bool is_logarithmic(const Axis& axis) {
  const auto [low, high] = std::minmax_element(axis.numbers.begin(), axis.numbers.end());
  if (axis.log || *low <= 0 || *high < 16 * *low) return axis.log;
  const double step = axis.numbers[1] - axis.numbers[0];
  for (std::size_t k = 2; k < axis.numbers.size(); ++k)
    if (std::fabs(axis.numbers[k] - axis.numbers[k - 1] - step) > 1e-6 * std::fabs(step))
      return true;
  return axis.numbers.size() == 2;
}

HeatSheet sheet_of(const Sweep& sweep, std::size_t y) {
  HeatSheet sheet;
  sheet.y_name = sweep.axes[y].name;
  sheet.y_label = label_of(sheet.y_name);
  sheet.value_name = sweep.observe;
  sheet.value_label = label_of(sweep.observe);
  sheet.log_y = is_logarithmic(sweep.axes[y]);
  sheet.style = style_of(sweep.style);
  return sheet;
}

// Colours from 0 to 1; clusters, and means below 0, to the values there are.
void set_range(HeatSheet& sheet) {
  if (sheet.value_name == "clusters") sheet.low = 1;
  for (const HeatPanel& panel : sheet.panels)
    for (const double value : panel.mean.data)
      if (std::isfinite(value)) {
        sheet.high = std::max(sheet.high, value);
        sheet.low = std::min(sheet.low, value);
      }
  if (!(sheet.high > sheet.low)) sheet.high = sheet.low + 1;
}

void put_row(Matrix& m, int row, const std::vector<double>& values) {
  for (int k = 0; k < m.cols; ++k) m(row, k) = values[static_cast<std::size_t>(k)];
}

// Where theory and the sweep itself put the front, in (t, y).
void add_fronts(const Sweep& sweep, std::vector<std::pair<const Cell*, CellCurve>>& rows,
                std::size_t y, HeatPanel& panel) {
  if (sweep.observe != "close_pairs") return;
  Curve theory{.name = "predicted for orthogonal tokens, t*(β)"},
      seen{.name = "half of the pairs are close"};
  constexpr int kPoints = 200;
  for (int k = 0; k <= kPoints && sweep.axes[y].name == "beta"; ++k) {
    const double at = panel.y.front() + (panel.y.back() - panel.y.front()) * k / kPoints;
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

// Nothing where the cells of the fibre are read at different times, or fewer than two flew.
std::optional<HeatPanel> time_panel(const Sweep& sweep, const Fibre& fibre, std::size_t y,
                                    const fs::path& directory) {
  std::vector<std::pair<const Cell*, CellCurve>> rows;
  for (const Cell* cell : fibre.cells)
    if (auto curve = read_cell(sweep, *cell, directory)) rows.emplace_back(cell, std::move(*curve));
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    return value_at(*a.first, y) < value_at(*b.first, y);
  });
  if (rows.size() < 2) return std::nullopt;
  HeatPanel panel{.title = fibre.title, .x = rows.front().second.t};
  if (panel.x.size() < 2) return std::nullopt;
  panel.mean = zeros(static_cast<int>(rows.size()), static_cast<int>(panel.x.size()));
  panel.error = panel.mean;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto& [cell, curve] = rows[k];
    if (curve.t != panel.x) return std::nullopt;
    panel.y.push_back(value_at(*cell, y));
    put_row(panel.mean, static_cast<int>(k), curve.mean);
    put_row(panel.error, static_cast<int>(k), curve.error);
  }
  add_fronts(sweep, rows, y, panel);
  return panel;
}

// The last reading over two numeric axes; cells that refinement added have no partners there.
HeatPanel last_panel(const Sweep& sweep, const Fibre& fibre, const std::vector<std::size_t>& axes,
                     const fs::path& directory) {
  HeatPanel panel{.title = fibre.title};
  panel.y = sweep.axes[axes[0]].numbers;
  panel.x = sweep.axes[axes[1]].numbers;
  std::sort(panel.y.begin(), panel.y.end());
  std::sort(panel.x.begin(), panel.x.end());
  panel.mean = zeros(static_cast<int>(panel.y.size()), static_cast<int>(panel.x.size()));
  std::fill(panel.mean.data.begin(), panel.mean.data.end(), kNothing);
  panel.error = panel.mean;
  for (const Cell* cell : fibre.cells) {
    if (cell->place[axes[0]] != std::floor(cell->place[axes[0]])) continue;
    const auto at = [](const std::vector<double>& values, double value) {
      return static_cast<int>(std::lower_bound(values.begin(), values.end(), value) -
                              values.begin());
    };
    const auto curve = read_cell(sweep, *cell, directory);
    if (!curve) continue;
    const int row = at(panel.y, value_at(*cell, axes[0]));
    const int column = at(panel.x, value_at(*cell, axes[1]));
    panel.mean(row, column) = curve->mean.back();
    panel.error(row, column) = curve->error.back();
  }
  return panel;
}

void draw(const HeatSheet& sheet, const fs::path& stem, std::vector<fs::path>& drawn) {
  for (const char* ending : {".svg", ".png"}) {
    drawn.push_back(fs::path(stem.string() + ending));
    draw_heat(sheet, drawn.back());
  }
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
  if (std::error_code problem; fs::create_directories(figures, problem), problem)
    throw Error(Fault::runtime, "the folder cannot be made: " + problem.message(), figures.string(),
                "move away what is in its place, and go on with murmur sweep --resume RUN");
  for (const auto& entry : fs::directory_iterator(figures))  // left by a killed process
    if (const std::string name = entry.path().filename().string();
        name.front() == '.' && name.find(".part") != std::string::npos)
      fs::remove(entry.path());
  HeatSheet over_time = sheet_of(sweep, numeric[0]);
  over_time.x_name = "t";
  over_time.x_label = "time t";
  for (const Fibre& fibre : fibres_of(sweep, outcome, {numeric[0]}))
    if (auto panel = time_panel(sweep, fibre, numeric[0], directory))
      over_time.panels.push_back(std::move(*panel));
  if (!over_time.panels.empty()) {
    set_range(over_time);
    draw(over_time, figures / sweep.observe, drawn);
  }
  if (numeric.size() < 2) return drawn;
  const std::vector<std::size_t> both = {numeric[0], numeric[1]};
  HeatSheet at_end = sheet_of(sweep, both[0]);
  at_end.x_name = sweep.axes[both[1]].name;
  at_end.x_label = label_of(at_end.x_name);
  at_end.log_x = is_logarithmic(sweep.axes[both[1]]);
  for (const Fibre& fibre : fibres_of(sweep, outcome, both))
    at_end.panels.push_back(last_panel(sweep, fibre, both, directory));
  set_range(at_end);
  draw(at_end, figures / (sweep.observe + "_last"), drawn);
  return drawn;
}

bool is_drawn(const Sweep& sweep, const fs::path& directory) {
  std::error_code missing;
  return numeric_axes(sweep).empty() ||
         fs::directory_iterator(directory / "figures", missing) != fs::directory_iterator();
}

}  // namespace murmur::app
