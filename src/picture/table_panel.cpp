// table_panel.cpp: columns of a table as curves, one for each value of another column, and as a map
// of colours.
#include "picture/table_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace murmur {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double number_of(const ColumnTable::Cell& cell) {
  const auto* number = std::get_if<double>(&cell);
  return number ? *number : kNaN;
}

std::string text_of(const ColumnTable::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text ? *text : fmt::format("{:g}", std::get<double>(cell));
}

std::size_t column_of(const ColumnTable& table, const std::string& name) {
  return static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), name) -
                                  table.columns.begin());
}

// A column of a table as curves: one in all, or one for each value of the column `by`, in order of
// appearance. Curves of the first column name the values in the key.
std::vector<Curve> curves_of(const TablePanel& figure, const ColumnTable& table,
                             std::size_t place) {
  const ColumnCurve& described = figure.curves[place];
  const std::size_t x = figure.over.empty() ? 0 : column_of(table, figure.over);
  const std::size_t y = column_of(table, described.column);
  const std::size_t by = column_of(table, figure.by), apart = column_of(table, figure.apart);
  const std::size_t error = column_of(table, described.error);
  std::vector<Curve> curves;
  std::map<std::string, std::size_t> places;
  std::string before;
  for (const auto& row : table.rows) {
    const std::string value = figure.by.empty() ? "" : text_of(row[by]);
    const auto [at, fresh] = places.try_emplace(value, curves.size());
    if (fresh) {
      Curve& curve = curves.emplace_back();
      curve.mark = described.drawn;
      curve.colour = figure.by.empty() ? described.colour : static_cast<int>(at->second);
      if (figure.by.empty())
        curve.name = described.name;
      else if (place == 0)
        curve.name = figure.by_name.empty() ? value : fmt::format("{} = {}", figure.by_name, value);
    }
    Curve& curve = curves[at->second];
    if (!figure.apart.empty() && !curve.x.empty() && text_of(row[apart]) != before) {
      curve.x.push_back(kNaN);
      curve.y.push_back(kNaN);
      if (!described.error.empty()) curve.error.push_back(0);
    }
    if (!figure.apart.empty()) before = text_of(row[apart]);
    curve.x.push_back(number_of(row[x]));
    curve.y.push_back(number_of(row[y]));
    if (!described.error.empty()) curve.error.push_back(number_of(row[error]));
  }
  return curves;
}

// Where colours show the values of `by`, samples in the colour of text show the columns.
std::vector<Curve> samples_of(const TablePanel& figure) {
  std::vector<Curve> samples;
  for (const ColumnCurve& curve : figure.curves)
    if (!figure.by.empty() && !curve.name.empty())
      samples.push_back({.name = curve.name, .mark = curve.drawn, .colour = Curve::kInk});
  return samples;
}

// The colours of a column over the grid of the first two.
ColourMap map_of(const TablePanel& figure, const ColumnTable& table) {
  const std::size_t value = column_of(table, figure.map);
  std::set<double> xs, ys;
  std::map<std::pair<double, double>, double> at;
  for (const auto& row : table.rows) {
    const double x = number_of(row[0]), y = number_of(row[1]);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    xs.insert(x);
    ys.insert(y);
    at[{x, y}] = number_of(row[value]);
  }
  ColourMap map{
      .x = {xs.begin(), xs.end()}, .y = {ys.begin(), ys.end()}, .label = figure.map_label};
  double low = 0, high = 1;
  for (const double y : map.y)
    for (const double x : map.x) {
      const auto found = at.find({x, y});
      map.value.push_back(found == at.end() ? kNaN : found->second);
      if (!std::isfinite(map.value.back())) continue;
      low = std::min(low, map.value.back());
      high = std::max(high, map.value.back());
    }
  map.low = low;
  map.high = high;
  return map;
}

}  // namespace

Panel panel_of(const TablePanel& figure, const ColumnTable& table) {
  Panel panel{.title = figure.title,
              .x = figure.x,
              .y = figure.y,
              .equal_axes = figure.equal_axes,
              .guides = figure.guides,
              .side_by_side = figure.side_by_side};
  if (!figure.map.empty()) panel.map = map_of(figure, table);
  for (std::size_t k = 0; k < figure.curves.size(); ++k)
    for (Curve& curve : curves_of(figure, table, k)) {
      if (curve.colour == Curve::kByPlace) curve.colour = static_cast<int>(k);
      panel.curves.push_back(std::move(curve));
    }
  for (Curve& sample : samples_of(figure)) panel.curves.push_back(std::move(sample));
  return panel;
}

}  // namespace murmur
