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

std::filesystem::path path_of(const std::filesystem::path& folder, bool quick) {
  return folder / (quick ? "record-quick.json" : "record.json");
}

// What a result depends on, beside its name and --quick.
Json settings_of(const ReproductionControl& control) {
  const Manifest now = manifest_of_now();
  return {{"version", now.version},
          {"commit", now.commit},
          {"seeds", control.seeds},
          {"changed", control.changed}};
}

struct Misfit {};  // a record whose parts do not belong together

Answer answer_of(const std::string& name) {
  for (const Answer answer : {Answer::agrees, Answer::disagrees, Answer::open})
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
          {"more", more}};
}

Check check_of(const Json& json) {
  Check check{.what = json.at("what"),
              .published = number_of(json.at("published")),
              .ours = number_of(json.at("ours")),
              .tolerance = number_of(json.at("tolerance")),
              .answer = answer_of(json.at("answer")),
              .rule_name = json.at("rule_name"),
              .rule = json.at("rule")};
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

Json json_of(const ReproducedFigure& f) {
  return {{"name", f.name},
          {"table", f.table},
          {"columns", f.columns},
          {"x", f.x},
          {"x_label", f.x_label},
          {"y_label", f.y_label},
          {"log_x", f.log_x},
          {"log_y", f.log_y},
          {"y_min", number_or_null(f.y_min)},
          {"title", f.title},
          {"equal_axes", f.equal_axes},
          {"by", f.by},
          {"dashed", f.dashed},
          {"points", f.points},
          {"rings", f.rings},
          {"map", f.map},
          {"error", f.error}};
}

ReproducedFigure figure_of(const Json& json) {
  const auto words = [&](const char* key) { return json.at(key).get<std::vector<std::string>>(); };
  return {.name = json.at("name"),
          .table = json.at("table"),
          .columns = words("columns"),
          .x_label = json.at("x_label"),
          .y_label = json.at("y_label"),
          .log_y = json.at("log_y"),
          .y_min = number_of(json.at("y_min")),
          .title = json.at("title"),
          .log_x = json.at("log_x"),
          .equal_axes = json.at("equal_axes"),
          .x = json.at("x"),
          .by = json.at("by"),
          .dashed = words("dashed"),
          .points = words("points"),
          .rings = words("rings"),
          .map = json.at("map"),
          .error = json.at("error")};
}

// Every column that a figure names is in its table, so that it can be drawn.
void check(const ReproducedFigure& figure, const std::vector<ReproducedTable>& tables) {
  const auto table = std::find_if(tables.begin(), tables.end(),
                                  [&](const auto& one) { return one.name == figure.table; });
  if (table == tables.end()) throw Misfit();
  std::vector<std::string> named = figure.columns;
  for (const std::string& one : {figure.x, figure.by, figure.map, figure.error})
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
  write_file_atomically(path_of(done.folder, done.quick), json_text(record) + "\n");
}

std::optional<Reproduction> read_record(const std::string& name,
                                        const ReproductionControl& control) try {
  Reproduction done{.name = name,
                    .quick = control.quick,
                    .changed = control.changed,
                    .folder = control.runs / name};
  const std::filesystem::path path = path_of(done.folder, control.quick);
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
  return done;
} catch (const Json::exception&) {  // of another layout
  return std::nullopt;
} catch (const Misfit&) {  // changed by another hand
  return std::nullopt;
} catch (const Error&) {  // not there, or not to be read
  return std::nullopt;
}

}  // namespace murmur
