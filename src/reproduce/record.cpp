// record.cpp: checks, tables and figures of a reproduction to JSON and back, digit by digit.
#include "reproduce/record.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/kept_json.h"
#include "run/manifest.h"

namespace murmur {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double number_of(const Json& json) { return json.is_null() ? kNoNumber : json.get<double>(); }

std::filesystem::path path_of(const Reproduction& done) {
  return done.folder / ("record" + done.suffix() + ".json");
}

Json models_of(const ReproductionControl& control) {
  Json folders = Json::array();
  for (const std::filesystem::path& folder : control.models) folders.push_back(folder.string());
  return folders;
}

// What a result depends on, beside its name and --quick.
Json settings_of(const ReproductionControl& control) {
  const Manifest now = manifest_of_now();
  return {{"version", now.version},
          {"commit", now.commit},
          {"seeds", control.seeds},
          {"changed", control.changed},
          {"models", models_of(control)}};
}

struct Misfit {};  // a record whose parts do not belong together

Answer answer_of(const std::string& name) {
  for (const Answer answer :
       {Answer::agrees, Answer::disagrees, Answer::open, Answer::inapplicable})
    if (name == name_of(answer)) return answer;
  throw Misfit();
}

Json json_of(const Check& check) {
  Json more = Json::object();
  for (const auto& [key, value] : check.more) more[key] = number_or_null(value);
  return {{"what", check.what},
          {"published", number_or_null(check.published)},
          {"ours", number_or_null(check.ours)},
          {"tolerance", number_or_null(check.tolerance)},
          {"answer", name_of(check.answer)},
          {"rule_name", check.rule_name},
          {"rule", check.rule},
          {"missing", check.missing},
          {"against", check.against},
          {"more", more}};
}

Check check_of(const Json& json) {
  Check check{.what = json.at("what"),
              .published = number_of(json.at("published")),
              .ours = number_of(json.at("ours")),
              .tolerance = number_of(json.at("tolerance")),
              .answer = answer_of(json.at("answer")),
              .rule_name = json.at("rule_name"),
              .rule = json.at("rule"),
              .missing = json.at("missing"),
              .against = json.at("against")};
  if (std::none_of(rules().begin(), rules().end(),
                   [&](const Rule& rule) { return check.rule_name == rule.name; }))
    throw Misfit();
  for (const auto& [key, value] : json.at("more").items()) check.more[key] = number_of(value);
  return check;
}

Json json_of(const ReproducedTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const auto& cell : row) {
      const auto* text = std::get_if<std::string>(&cell);
      cells.push_back(text ? Json(*text) : number_or_null(std::get<double>(cell)));
    }
    rows.push_back(std::move(cells));
  }
  return {{"name", table.name}, {"columns", table.columns}, {"rows", rows}};
}

ReproducedTable table_of(const Json& json) {
  ReproducedTable table{.name = json.at("name"),
                        .columns = json.at("columns").get<std::vector<std::string>>()};
  for (const Json& cells : json.at("rows")) {
    if (cells.size() != table.columns.size()) throw Misfit();
    auto& row = table.rows.emplace_back();
    for (const Json& cell : cells)
      row.push_back(cell.is_string() ? ReproducedTable::Cell(cell.get<std::string>())
                                     : ReproducedTable::Cell(number_of(cell)));
  }
  return table;
}

Json json_of(const ReproducedAxis& axis) {
  return {{"label", axis.label},
          {"log", axis.log},
          {"from", number_or_null(axis.from)},
          {"to", number_or_null(axis.to)},
          {"every", number_or_null(axis.every)},
          {"angle", axis.angle}};
}

ReproducedAxis axis_of(const Json& json) {
  return {.label = json.at("label"),
          .log = json.at("log"),
          .from = number_of(json.at("from")),
          .to = number_of(json.at("to")),
          .every = number_of(json.at("every")),
          .angle = json.at("angle")};
}

Json json_of(const ReproducedFigure& f) {
  Json curves = Json::array(), guides = Json::array();
  for (const ReproducedCurve& c : f.curves)
    curves.push_back({{"column", c.column},
                      {"drawn", name_of(c.drawn)},
                      {"name", c.name},
                      {"colour", c.colour},
                      {"error", c.error}});
  for (const ReproducedGuide& g : f.guides)
    guides.push_back({{"name", g.name}, {"x", number_or_null(g.x)}, {"y", number_or_null(g.y)}});
  return {{"name", f.name},
          {"table", f.table},
          {"title", f.title},
          {"x", json_of(f.x)},
          {"y", json_of(f.y)},
          {"curves", curves},
          {"over", f.over},
          {"by", f.by},
          {"by_name", f.by_name},
          {"apart", f.apart},
          {"map", f.map},
          {"map_label", f.map_label},
          {"guides", guides},
          {"equal_axes", f.equal_axes},
          {"side_by_side", f.side_by_side},
          {"columns", f.columns}};
}

Drawn drawn_of(const std::string& name) {
  for (int k = 0; k <= static_cast<int>(Drawn::diamonds); ++k)
    if (name == name_of(static_cast<Drawn>(k))) return static_cast<Drawn>(k);
  throw Misfit();
}

ReproducedCurve curve_of(const Json& json) {
  const double colour = number_of(json.at("colour"));
  if (!(colour >= ReproducedCurve::kQuiet && colour <= 100)) throw Misfit();
  return {.column = json.at("column"),
          .drawn = drawn_of(json.at("drawn")),
          .name = json.at("name"),
          .colour = static_cast<int>(colour),
          .error = json.at("error")};
}

ReproducedFigure figure_of(const Json& json) {
  ReproducedFigure figure{.name = json.at("name"),
                          .table = json.at("table"),
                          .title = json.at("title"),
                          .x = axis_of(json.at("x")),
                          .y = axis_of(json.at("y")),
                          .over = json.at("over"),
                          .by = json.at("by"),
                          .by_name = json.at("by_name"),
                          .apart = json.at("apart"),
                          .map = json.at("map"),
                          .map_label = json.at("map_label"),
                          .equal_axes = json.at("equal_axes"),
                          .side_by_side = json.at("side_by_side"),
                          .columns = json.at("columns")};
  if (figure.columns < 1) throw Misfit();
  for (const Json& curve : json.at("curves")) figure.curves.push_back(curve_of(curve));
  for (const Json& guide : json.at("guides"))
    figure.guides.push_back({guide.at("name"), number_of(guide.at("x")), number_of(guide.at("y"))});
  return figure;
}

// Every column that a figure names is in its table, so that it can be drawn.
void check(const ReproducedFigure& figure, const std::vector<ReproducedTable>& tables) {
  const auto table = std::find_if(tables.begin(), tables.end(),
                                  [&](const auto& one) { return one.name == figure.table; });
  if (table == tables.end()) throw Misfit();
  std::vector<std::string> named;
  for (const ReproducedCurve& curve : figure.curves) {
    named.push_back(curve.column);
    if (!curve.error.empty()) named.push_back(curve.error);
  }
  for (const std::string& one : {figure.over, figure.by, figure.apart, figure.map})
    if (!one.empty()) named.push_back(one);
  for (const std::string& name : named)
    if (std::count(table->columns.begin(), table->columns.end(), name) == 0) throw Misfit();
  if (table->columns.empty() || (!figure.map.empty() && table->columns.size() < 2)) throw Misfit();
}

}  // namespace

void write_record(const Reproduction& done, const ReproductionControl& control) {
  Json record = {{"settings", settings_of(control)}};
  record["checks"] = record["tables"] = record["figures"] = Json::array();
  for (const Check& check : done.checks) record["checks"].push_back(json_of(check));
  for (const ReproducedTable& table : done.tables) record["tables"].push_back(json_of(table));
  for (const ReproducedFigure& figure : done.figures) record["figures"].push_back(json_of(figure));
  record["captions"] = Json(done.captions);
  write_file_atomically(path_of(done), json_text(record) + "\n");
}

std::optional<Reproduction> read_record(const std::string& name,
                                        const ReproductionControl& control) try {
  Reproduction done{.name = name,
                    .quick = control.quick,
                    .changed = control.changed,
                    .folder = control.runs / name};
  const std::filesystem::path path = path_of(done);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const std::string text = read_text(path);
  require_shallow_json(text, path.string());
  const Json record = Json::parse(text, nullptr, false);
  if (record.is_discarded() || record.at("settings") != settings_of(control)) return std::nullopt;
  for (const Json& check : record.at("checks")) done.checks.push_back(check_of(check));
  for (const Json& table : record.at("tables")) done.tables.push_back(table_of(table));
  for (const Json& figure : record.at("figures")) done.figures.push_back(figure_of(figure));
  for (const ReproducedFigure& figure : done.figures) check(figure, done.tables);
  for (const auto& [figure, caption] : record.at("captions").items())
    done.captions[figure] = caption;
  return done;
} catch (const Json::exception&) {  // of another layout
  return std::nullopt;
} catch (const Misfit&) {  // changed by another hand
  return std::nullopt;
} catch (const Error&) {  // not there, or not to be read
  return std::nullopt;
}

}  // namespace murmur
