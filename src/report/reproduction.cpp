// reproduction.cpp: turns the tables of a reproduction into figures, and many of them into a page.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "report/figures.h"
#include "report/report.h"

namespace murmur {

namespace {

double number_of(const ReproducedTable::Cell& cell) {
  const auto* number = std::get_if<double>(&cell);
  return number ? *number : kNoNumber;
}

std::string text_of(const ReproducedTable::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text ? *text : fmt::format("{:g}", std::get<double>(cell));
}

std::size_t column_of(const ReproducedTable& table, const std::string& name) {
  return static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), name) -
                                  table.columns.begin());
}

bool among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Curve::Mark mark_of(const ReproducedFigure& figure, const std::string& column) {
  if (among(figure.dashed, column)) return Curve::dashes;
  if (among(figure.points, column)) return Curve::points;
  if (among(figure.rings, column)) return Curve::rings;
  return Curve::linespoints;
}

// What the key calls a curve. Dashes for each value of `by` have the colours of what they are held
// against, and one name.
std::string name_of(const ReproducedFigure& figure, const std::string& column,
                    const std::string& value, bool first) {
  const std::string own = figure.by.empty() ? "" : fmt::format("{} = {}", figure.by, value);
  if (figure.columns.size() == 1 && figure.map.empty()) return own;
  if (own.empty()) return column;
  const std::size_t solid = figure.columns.size() - figure.dashed.size();
  if (among(figure.dashed, column)) return first ? column : "";
  return solid == 1 ? own : fmt::format("{}, {}", column, own);
}

// Curves of one column: one in all, or one for each value of the column `by`, in order of showing.
std::vector<Curve> curves_of(const ReproducedFigure& figure, const ReproducedTable& table,
                             const std::string& column) {
  const std::size_t x = figure.x.empty() ? 0 : column_of(table, figure.x);
  const std::size_t y = column_of(table, column);
  const std::size_t by = column_of(table, figure.by);
  std::vector<Curve> curves;
  std::map<std::string, std::size_t> place;
  for (const auto& row : table.rows) {
    const std::string value = figure.by.empty() ? "" : text_of(row[by]);
    const auto [at, fresh] = place.try_emplace(value, curves.size());
    if (fresh)
      curves.push_back({.name = name_of(figure, column, value, curves.empty()),
                        .mark = mark_of(figure, column),
                        .colour = figure.by.empty() ? -1 : static_cast<int>(curves.size())});
    curves[at->second].x.push_back(number_of(row[x]));
    curves[at->second].y.push_back(number_of(row[y]));
    if (!figure.error.empty() && column == figure.columns.front())
      curves[at->second].error.push_back(number_of(row[column_of(table, figure.error)]));
  }
  const bool many = !curves.empty() && curves.front().x.size() > 40;
  for (Curve& curve : curves)
    if (many && curve.mark == Curve::linespoints) curve.mark = Curve::line;
  return curves;
}

// The colours of a column over the grid of the first two.
ColourMap map_of(const ReproducedFigure& figure, const ReproducedTable& table) {
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
  ColourMap map{.x = {xs.begin(), xs.end()}, .y = {ys.begin(), ys.end()}, .label = figure.map};
  double low = 0, high = 1;
  for (const double y : map.y)
    for (const double x : map.x) {
      const auto found = at.find({x, y});
      map.value.push_back(found == at.end() ? kNoNumber : found->second);
      if (!std::isfinite(map.value.back())) continue;
      low = std::min(low, map.value.back());
      high = std::max(high, map.value.back());
    }
  map.low = low;
  map.high = high;
  return map;
}

Panel panel_of(const ReproducedFigure& figure, const ReproducedTable& table) {
  Panel panel{.title = figure.title,
              .x = {.label = figure.x_label, .log = figure.log_x},
              .y = {.label = figure.y_label, .log = figure.log_y, .from = figure.y_min},
              .equal_axes = figure.equal_axes};
  if (!figure.map.empty()) panel.map = map_of(figure, table);
  for (const std::string& column : figure.columns)
    for (Curve& curve : curves_of(figure, table, column)) panel.curves.push_back(std::move(curve));
  return panel;
}

std::string suffix(const Reproduction& done) { return done.quick ? "-quick" : ""; }

std::set<std::string> figure_names(const Reproduction& done) {
  std::set<std::string> names;
  for (const ReproducedFigure& figure : done.figures) names.insert(figure.name);
  return names;
}

// A row a check; why where it is no agreement.
TextTable table_of(const Reproduction& done) {
  TextTable table{{"what", "held against", "ours", "agrees when", "answer", "kind", "source"}};
  for (const Check& check : done.checks) {
    const Rule& rule = rule_of(check.rule_name);
    const CheckText numbers = numbers_of(check);
    std::string answer(name_of(check.answer));
    if (check.answer != expected_answer(done, check)) answer += ", NOT EXPECTED";
    if (const auto* known = expected_of(check.rule_name, check.what, done.quick))
      answer += fmt::format(": {}", known->explanation);
    table.push_back({check.what, numbers.published, numbers.ours, check.rule, answer,
                     std::string(name_of(rule.origin)), rule.source});
  }
  return table;
}

// The figures of one reproduction, then its verdicts.
void add_sections(Page& page, const Reproduction& done, const ReproductionRow& row) {
  std::string heading = done.name;
  std::string meaning = row.meaning;
  meaning[0] = static_cast<char>(std::toupper(meaning[0]));
  const std::string words = fmt::format("{}.{} Made by: murmur reproduce {}{}", meaning,
                                        *row.source ? fmt::format(" Source: {}.", row.source) : "",
                                        done.name, done.quick ? " --quick" : "");
  for (const std::string& name : figure_names(done)) {
    const auto path = done.folder / (name + suffix(done) + ".svg");
    if (!std::filesystem::exists(path)) continue;
    page.sections.push_back(
        {.heading = heading, .text = heading.empty() ? "" : words, .picture = path});
    heading.clear();
  }
  page.sections.push_back(
      {.heading = heading, .text = heading.empty() ? "" : words, .table = table_of(done)});
}

}  // namespace

void draw_reproduction(const Reproduction& done, FigureStyle style) {
  for (const std::string& name : figure_names(done)) {
    Figure drawn{.style = style};
    for (const ReproducedFigure& figure : done.figures)
      for (const ReproducedTable& table : done.tables)
        if (figure.name == name && table.name == figure.table)
          drawn.panels.push_back(panel_of(figure, table));
    draw_svg_and_png(drawn, done.folder, name + suffix(done));
  }
}

void write_reproductions(const std::vector<Reproduction>& all, const std::filesystem::path& html) {
  Page page;
  page.title = "Figures of the clustering laboratory, done again";
  page.lead =
      "Each number stands beside the one that was published, predicted or found before, and its "
      "table says which. Only published and predicted numbers are counted here.";
  AnswerCounts sum;
  for (const Reproduction& done : all) {
    const AnswerCounts answers = count_answers(done, true);
    sum = {sum.agrees + answers.agrees, sum.disagrees + answers.disagrees, sum.open + answers.open};
    for (const ReproductionRow& row : reproductions())
      if (done.name == row.name) add_sections(page, done, row);
  }
  page.facts = {{fmt::format("{}", all.size()), "figures"},
                {fmt::format("{}", sum.agrees), "agree"},
                {fmt::format("{}", sum.disagrees), "disagree"},
                {fmt::format("{}", sum.open), "open"}};
  write_page(page, html);
}

}  // namespace murmur
