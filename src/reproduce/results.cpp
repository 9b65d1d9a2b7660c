// results.cpp: writes results of reproductions as JSON, CSV and plain tables, and keeps them whole,
// so that a later call reads them back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "murmur/error.h"
#include "reproduce/author_settings.h"
#include "reproduce/reproduce.h"
#include "run/columns.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/kept_json.h"
#include "run/manifest.h"
#include "run/text.h"

namespace murmur {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return finite_or_null<Json>(value); }

Json agreement(Answer answer) {
  const bool judged = answer == Answer::agrees || answer == Answer::disagrees;
  return judged ? Json(answer == Answer::agrees) : Json(nullptr);
}

Json json_of(const Reproduction& r, const Check& check) {
  const Rule& rule = rule_of(check.rule_name);
  Json object = {{"what", check.what},
                 {"published", number_or_null(check.published)},
                 {"ours", number_or_null(check.ours)},
                 {"tolerance", number_or_null(check.tolerance)},
                 {"agrees", agreement(check.answer)},
                 {"answer", name_of(check.answer)},
                 {"expected", name_of(expected_answer(r, check))},
                 {"kind", name_of(rule.origin)},
                 {"source", rule.source},
                 {"rule", check.rule},
                 {"rule_name", check.rule_name}};
  if (!check.against.empty())
    object["explanation"] = fmt::format("does not apply: {} was changed", check.against);
  else if (!check.missing.empty())
    object["explanation"] = check.missing;
  else if (const ExpectedAnswer* known = expected_of(check.rule_name, check.what, r.quick))
    object["explanation"] = known->explanation;
  for (const auto& [key, value] : check.more) object[key] = number_or_null(value);
  return object;
}

Json json_of(const AnswerCounts& answers) {
  return {{"agrees", answers.agrees},
          {"disagrees", answers.disagrees},
          {"open", answers.open},
          {"does_not_apply", answers.inapplicable}};
}

Json json_of(const AuthorSetting* setting) {
  if (setting == nullptr) return nullptr;
  return {{"authors", setting->theirs}, {"source", setting->source}, {"ours", setting->ours}};
}

// A table as a list of objects, one per row.
Json json_of(const ColumnTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      const auto* text = std::get_if<std::string>(&row[c]);
      object[table.columns[c]] = text ? Json(*text) : number_or_null(std::get<double>(row[c]));
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

// `digits` digits after the point, without trailing zeros.
std::string trimmed(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (digits == 0) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// At most four digits after the point; small and huge numbers with an exponent.
std::string short_text(double value) {
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  if (std::isnan(value)) return "";
  if (value != 0 && std::fabs(value) < 1e-3) return fmt::format("{:.2g}", value);
  if (std::fabs(value) >= 1e12) return fmt::format("{:.6g}", value);
  return trimmed(value, 4);
}

std::string cell_text(const ColumnTable::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text ? *text : short_text(std::get<double>(cell));
}

// A markdown table whose columns line up; the first line is the head.
std::string aligned(const TextRows& lines) {
  const std::vector<std::size_t> width = column_widths(lines, 3);
  std::string text;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    for (std::size_t c = 0; c < lines[k].size(); ++c)
      text += "| " + lines[k][c] + std::string(width[c] - width_of(lines[k][c]) + 1, ' ');
    text += "|\n";
    if (k > 0) continue;
    for (const std::size_t w : width) text += "|" + std::string(w + 2, '-');
    text += "|\n";
  }
  return text;
}

// Columns that do not fit on a line are in further tables, which repeat the first column.
std::string aligned_parts(const TextRows& lines) {
  std::string text;
  for (const TextRows& part : split_columns(lines, column_widths(lines, 3), 3, kTerminal - 1))
    text += (text.empty() ? "" : "\n") + aligned(part);
  return text;
}

const char* yes_or_no(Answer answer) {
  return answer == Answer::agrees ? "yes" : answer == Answer::open ? "open" : "NO";
}

// Bytes of the first `count` characters of a text in UTF-8.
std::size_t bytes_of(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size() && width_of(text.substr(0, at + 1)) <= count) ++at;
  return at;
}

// A text on lines of at most `width` characters, broken between its words; a longer one is cut.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && width_of(lines.back()) + 1 + width_of(word) > width)
      lines.emplace_back();
    for (; width_of(word) > width; word.erase(0, bytes_of(word, width))) {
      lines.back() = word.substr(0, bytes_of(word, width));
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

// The subject of a check and its further numbers: "... (seeds 20, sd 0.1)".
std::string subject_of(const Check& check) {
  std::vector<std::string> more;
  for (const auto& [key, value] : check.more)
    if (std::isfinite(value)) more.push_back(fmt::format("{} {}", key, short_text(value)));
  return more.empty() ? check.what : fmt::format("{} ({})", check.what, fmt::join(more, ", "));
}

// One row per check: long cells continue on lines whose other cells are empty.
TextRows lines_of(const std::vector<Check>& checks) {
  constexpr std::size_t kColumns = 6, kLeastSubject = 12, kWhen = 24;
  TextRows rows = {{"what", "compared with", "ours", "tolerance", "agrees", "agrees when"}};
  for (const Check& check : checks) {
    const CheckText numbers = numbers_of(check);
    const bool applies = check.against.empty();
    rows.push_back({subject_of(check), numbers.published, numbers.ours, short_text(check.tolerance),
                    applies ? yes_or_no(check.answer) : "n/a",
                    applies ? check.rule : check.against + " was changed"});
  }
  const std::vector<std::size_t> widest = column_widths(rows, 3);
  std::size_t taken = 3 * kColumns + 1;
  for (std::size_t c = 1; c < kColumns; ++c)
    taken += c + 1 < kColumns ? widest[c] : std::min(widest[c], kWhen);
  const std::size_t subject = std::max(kLeastSubject, kTerminal - std::min(taken, kTerminal));
  TextRows lines;
  for (const auto& row : rows) {
    const auto what = wrapped(row.front(), subject), when = wrapped(row.back(), kWhen);
    for (std::size_t k = 0; k < std::max(what.size(), when.size()); ++k) {
      std::vector<std::string> line(kColumns);
      if (k == 0) line = row;
      line.front() = k < what.size() ? what[k] : "";
      line.back() = k < when.size() ? when[k] : "";
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

// Each rule of the checks once, with the kind and the source of its number.
std::string sources_of(const Reproduction& r) {
  std::vector<std::string> listed;
  std::string text;
  for (const Check& check : r.checks) {
    if (std::find(listed.begin(), listed.end(), check.rule_name) != listed.end()) continue;
    listed.push_back(check.rule_name);
    const Rule& rule = rule_of(check.rule_name);
    const std::vector<std::string> lines = wrapped(
        fmt::format("{} ({}): {}", rule.name, name_of(rule.origin), rule.source), kTerminal - 2);
    for (std::size_t k = 0; k < lines.size(); ++k)
      text += fmt::format("{}{}\n", k == 0 ? "- " : "  ", lines[k]);
  }
  return text.empty() ? "" : "\nSources of the numbers:\n\n" + text;
}

// The authors' setting and ours, on lines that fit a terminal.
std::string setting_of(const Reproduction& r) {
  const AuthorSetting* setting = author_setting(r.name);
  if (setting == nullptr) return "";
  std::string text = "\n";
  std::istringstream lines(lines_of(*setting));
  for (std::string line; std::getline(lines, line);)
    for (const std::string& part : wrapped(line, kTerminal)) text += part + "\n";
  return text;
}

}  // namespace

std::string_view name_of(Curve::Mark drawn) {
  switch (drawn) {
    case Curve::linespoints:
      return "linespoints";
    case Curve::line:
      return "line";
    case Curve::dashes:
      return "dashes";
    case Curve::points:
      return "points";
    case Curve::rings:
      return "rings";
    case Curve::steps:
      return "steps";
    case Curve::dots:
      return "dots";
    case Curve::path:
      return "path";
    case Curve::area:
      return "area";
    case Curve::histogram:
      return "histogram";
    case Curve::bars:
      return "bars";
    case Curve::diamonds:
      break;
  }
  return "diamonds";
}

// One digit more than the tolerance, then as many more as distinguish the numbers.
CheckText numbers_of(const Check& check) {
  const double tolerance = check.tolerance;
  CheckText text{short_text(check.published), short_text(check.ours)};
  if (tolerance > 0 && tolerance < 1e-2) {
    const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(tolerance))), 4, 17);
    if (std::isfinite(check.published)) text.published = trimmed(check.published, digits);
    if (std::isfinite(check.ours)) text.ours = trimmed(check.ours, digits);
  }
  const bool differ = std::fabs(check.ours - check.published) > tolerance;
  for (int digits = 2; differ && text.published == text.ours && digits <= 17; ++digits)
    text = {fmt::format("{:.{}g}", check.published, digits),
            fmt::format("{:.{}g}", check.ours, digits)};
  return text;
}

ColumnTable table_of_checks(const Reproduction& r) {
  ColumnTable table{"checks",
                    {"what", "published", "ours", "tolerance", "answer", "expected", "kind",
                     "rule_name", "rule", "source"}};
  for (const Check& check : r.checks) {
    const Rule& rule = rule_of(check.rule_name);
    table.rows.push_back(
        {check.what, check.published, check.ours, check.tolerance,
         std::string(name_of(check.answer)), std::string(name_of(expected_answer(r, check))),
         std::string(name_of(rule.origin)), check.rule_name, check.rule, rule.source});
  }
  return table;
}

std::vector<std::string> disagreements_of(const Reproduction& r) {
  std::vector<std::string> lines;
  for (const Check& check : r.checks) {
    const Answer expected = expected_answer(r, check);
    if (check.answer == Answer::agrees && expected == Answer::agrees) continue;
    if (!check.against.empty()) {
      const auto count = std::count_if(r.checks.begin(), r.checks.end(), [&](const Check& one) {
        return one.rule_name == check.rule_name;
      });
      const std::string line =
          fmt::format("{} does not apply: {} was changed ({} check{})", check.rule_name,
                      check.against, count, count == 1 ? "" : "s");
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
      continue;
    }
    const CheckText numbers = numbers_of(check);
    const std::string_view kind = name_of(rule_of(check.rule_name).origin);
    std::string line = fmt::format("{} {}: {}", name_of(check.answer), r.name, check.what);
    if (!numbers.published.empty()) line += fmt::format(", {} {}", kind, numbers.published);
    if (!numbers.ours.empty()) line += fmt::format(", ours {}", numbers.ours);
    line += fmt::format(" ({}; {})", check.rule, check.rule_name);
    if (!check.missing.empty()) {
      lines.push_back(fmt::format("{}: {}", line, check.missing));
      continue;
    }
    if (check.answer != expected) line += fmt::format("; NOT EXPECTED, but {}", name_of(expected));
    if (const auto* known = expected_of(check.rule_name, check.what, r.quick))
      line += fmt::format(": {}", known->explanation);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string json_of(const Reproduction& r) {
  Json object = {{"name", r.name},
                 {"quick", r.quick},
                 {"agrees", agreement(r.verdict())},
                 {"as_expected", r.as_expected()},
                 {"counted", json_of(count_answers(r, true))},
                 {"beside", json_of(count_answers(r, false))},
                 {"folder", r.folder.string()},
                 {"changed", r.changed},
                 {"label", r.label()},
                 {"captions", Json(r.captions)},
                 {"setting", json_of(author_setting(r.name))},
                 {"checks", Json::array()}};
  for (const Check& check : r.checks) object["checks"].push_back(json_of(r, check));
  for (const ColumnTable& table : r.tables) object[table.name] = json_of(table);
  return json_text(object, 2) + "\n";
}

std::string csv_of(const ColumnTable& table) {
  std::string text;
  for (const std::string& column : table.columns) {
    if (!text.empty()) text += ',';
    text += csv_cell(column);
  }
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) text += ',';
      if (const auto* words = std::get_if<std::string>(&row[c]))
        text += csv_cell(*words);
      else if (std::isfinite(std::get<double>(row[c])))
        text += fmt::format("{}", std::get<double>(row[c]));
    }
    text += '\n';
  }
  return text;
}

std::string markdown_of(const Reproduction& r) {
  std::string text = r.label().empty() ? "" : r.label() + "\n\n";
  text += aligned(lines_of(r.checks)) + sources_of(r) + setting_of(r);
  constexpr std::size_t kMostRows = 40;  // longer tables are only in files and figures
  for (const ColumnTable& table : r.tables) {
    if (table.rows.size() > kMostRows) continue;
    TextRows lines = {table.columns};
    for (const auto& row : table.rows) {
      lines.emplace_back();
      for (const auto& cell : row) lines.back().push_back(cell_text(cell));
    }
    text += fmt::format("\n{}\n\n{}", table.name, aligned_parts(lines));
  }
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

double number_of(const Json& json) { return json.is_null() ? kNoNumber : json.get<double>(); }

std::filesystem::path path_of(const Reproduction& done) {
  return done.folder / ("record" + done.suffix() + ".json");
}

Json models_of(const ReproductionControl& control) {
  Json folders = Json::array();
  for (const std::filesystem::path& folder : control.models) folders.push_back(folder.string());
  return folders;
}

// The settings on which a result depends, in addition to its name and --quick.
Json settings_of(const ReproductionControl& control) {
  const Manifest now = manifest_of_now();
  return {{"version", now.version},
          {"commit", now.commit},
          {"seeds", control.seeds},
          {"changed", control.changed},
          {"models", models_of(control)}};
}

struct WrongRecord {};  // thrown for a record whose parts contradict each other

Answer answer_of(const std::string& name) {
  for (const Answer answer :
       {Answer::agrees, Answer::disagrees, Answer::open, Answer::inapplicable})
    if (name == name_of(answer)) return answer;
  throw WrongRecord();
}

Json record_of(const Check& check) {
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
    throw WrongRecord();
  for (const auto& [key, value] : json.at("more").items()) check.more[key] = number_of(value);
  return check;
}

Json record_of(const ColumnTable& table) {
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

ColumnTable table_of(const Json& json) {
  ColumnTable table{.name = json.at("name"),
                    .columns = json.at("columns").get<std::vector<std::string>>()};
  for (const Json& cells : json.at("rows")) {
    if (cells.size() != table.columns.size()) throw WrongRecord();
    auto& row = table.rows.emplace_back();
    for (const Json& cell : cells)
      row.push_back(cell.is_string() ? ColumnTable::Cell(cell.get<std::string>())
                                     : ColumnTable::Cell(number_of(cell)));
  }
  return table;
}

Json record_of(const FigureAxis& axis) {
  return {{"label", axis.label},
          {"log", axis.log},
          {"from", number_or_null(axis.from)},
          {"to", number_or_null(axis.to)},
          {"every", number_or_null(axis.mark_every)},
          {"angle", axis.angle}};
}

FigureAxis axis_of(const Json& json) {
  return {.label = json.at("label"),
          .log = json.at("log"),
          .from = number_of(json.at("from")),
          .to = number_of(json.at("to")),
          .mark_every = number_of(json.at("every")),
          .angle = json.at("angle")};
}

Json record_of(const TablePanel& f) {
  Json curves = Json::array(), guides = Json::array();
  for (const ColumnCurve& c : f.curves)
    curves.push_back({{"column", c.column},
                      {"drawn", name_of(c.drawn)},
                      {"name", c.name},
                      {"colour", c.colour},
                      {"error", c.error}});
  for (const Guide& g : f.guides)
    guides.push_back({{"name", g.name}, {"x", number_or_null(g.x)}, {"y", number_or_null(g.y)}});
  return {{"name", f.name},
          {"table", f.table},
          {"title", f.title},
          {"x", record_of(f.x)},
          {"y", record_of(f.y)},
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

Curve::Mark drawn_of(const std::string& name) {
  for (int k = 0; k <= static_cast<int>(Curve::diamonds); ++k)
    if (name == name_of(static_cast<Curve::Mark>(k))) return static_cast<Curve::Mark>(k);
  throw WrongRecord();
}

ColumnCurve curve_of(const Json& json) {
  const double colour = number_of(json.at("colour"));
  if (!(colour >= Curve::kQuiet && colour <= 100)) throw WrongRecord();
  return {.column = json.at("column"),
          .drawn = drawn_of(json.at("drawn")),
          .name = json.at("name"),
          .colour = static_cast<int>(colour),
          .error = json.at("error")};
}

TablePanel figure_of(const Json& json) {
  TablePanel figure{.name = json.at("name"),
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
  if (figure.columns < 1) throw WrongRecord();
  for (const Json& curve : json.at("curves")) figure.curves.push_back(curve_of(curve));
  for (const Json& guide : json.at("guides"))
    figure.guides.push_back({guide.at("name"), number_of(guide.at("x")), number_of(guide.at("y"))});
  return figure;
}

// Requires that the table of a figure has every column that the figure names.
void require_columns(const TablePanel& figure, const std::vector<ColumnTable>& tables) {
  const auto table = std::find_if(tables.begin(), tables.end(),
                                  [&](const auto& one) { return one.name == figure.table; });
  if (table == tables.end()) throw WrongRecord();
  std::vector<std::string> named;
  for (const ColumnCurve& curve : figure.curves) {
    named.push_back(curve.column);
    if (!curve.error.empty()) named.push_back(curve.error);
  }
  for (const std::string& one : {figure.over, figure.by, figure.apart, figure.map})
    if (!one.empty()) named.push_back(one);
  for (const std::string& name : named)
    if (std::count(table->columns.begin(), table->columns.end(), name) == 0) throw WrongRecord();
  if (table->columns.empty() || (!figure.map.empty() && table->columns.size() < 2))
    throw WrongRecord();
}

}  // namespace

void write_record(const Reproduction& done, const ReproductionControl& control) {
  Json record = {{"settings", settings_of(control)}};
  record["checks"] = record["tables"] = record["figures"] = Json::array();
  for (const Check& check : done.checks) record["checks"].push_back(record_of(check));
  for (const ColumnTable& table : done.tables) record["tables"].push_back(record_of(table));
  for (const TablePanel& figure : done.figures) record["figures"].push_back(record_of(figure));
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
  require_bounded_json(text, path.string());
  const Json record = Json::parse(text, nullptr, false);
  if (record.is_discarded() || record.at("settings") != settings_of(control)) return std::nullopt;
  for (const Json& check : record.at("checks")) done.checks.push_back(check_of(check));
  for (const Json& table : record.at("tables")) done.tables.push_back(table_of(table));
  for (const Json& figure : record.at("figures")) done.figures.push_back(figure_of(figure));
  for (const TablePanel& figure : done.figures) require_columns(figure, done.tables);
  for (const auto& [figure, caption] : record.at("captions").items())
    done.captions[figure] = caption;
  return done;
} catch (const Json::exception&) {  // its layout is another one
  return std::nullopt;
} catch (const WrongRecord&) {  // its parts contradict each other
  return std::nullopt;
} catch (const Error&) {  // it cannot be read
  return std::nullopt;
}

}  // namespace murmur
