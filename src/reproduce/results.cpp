// results.cpp: results of reproductions as JSON, CSV and plain tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "reproduce/reproduce.h"
#include "run/json_text.h"
#include "run/text.h"

namespace murmur {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json agreement(Answer answer) {
  return answer == Answer::open ? Json(nullptr) : Json(answer == Answer::agrees);
}

Json json_of(const Reproduction& r, const Check& check) {
  const Rule& rule = rule_of(check.rule_name);
  Json object = {{"what", check.what},
                 {"published", number_or_null(check.published)},
                 {"ours", number_or_null(check.ours)},
                 {"tolerance", number_or_null(check.tolerance)},
                 {"agrees", agreement(check.answer)},
                 {"expected", name_of(expected_answer(r, check))},
                 {"kind", name_of(rule.origin)},
                 {"source", rule.source},
                 {"rule", check.rule},
                 {"rule_name", check.rule_name}};
  if (!check.missing.empty())
    object["explanation"] = check.missing;
  else if (const ExpectedAnswer* known = expected_of(check.rule_name, check.what, r.quick))
    object["explanation"] = known->explanation;
  for (const auto& [key, value] : check.more) object[key] = number_or_null(value);
  return object;
}

Json json_of(const AnswerCounts& answers) {
  return {{"agrees", answers.agrees}, {"disagrees", answers.disagrees}, {"open", answers.open}};
}

// A table becomes a list of objects, one a row.
Json json_of(const ReproducedTable& table) {
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

// So many digits after the point, none that say nothing.
std::string trimmed(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (digits == 0) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// At most four digits after the point; small numbers by their exponent.
std::string short_text(double value) {
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  if (std::isnan(value)) return "";
  if (value != 0 && std::fabs(value) < 1e-3) return fmt::format("{:.2g}", value);
  return trimmed(value, 4);
}

std::string cell_text(const ReproducedTable::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text ? *text : short_text(std::get<double>(cell));
}

using Lines = std::vector<std::vector<std::string>>;

// Characters of a text in UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// A markdown table whose columns line up; the first line is the head.
std::string aligned(const Lines& lines) {
  std::vector<std::size_t> width(lines.front().size(), 3);
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], width_of(line[c]));
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

const char* word_of(Answer answer) {
  return answer == Answer::agrees ? "yes" : answer == Answer::open ? "open" : "NO";
}

Lines lines_of(const std::vector<Check>& checks) {
  std::set<std::string> more;
  for (const Check& check : checks)
    for (const auto& entry : check.more) more.insert(entry.first);
  Lines lines = {{"what", "held against", "ours", "tolerance", "agrees", "kind"}};
  lines[0].insert(lines[0].end(), more.begin(), more.end());
  lines[0].emplace_back("agrees when");
  lines[0].emplace_back("source");
  for (const Check& check : checks) {
    const Rule& rule = rule_of(check.rule_name);
    const CheckText numbers = numbers_of(check);
    std::vector<std::string> line = {check.what,
                                     numbers.published,
                                     numbers.ours,
                                     short_text(check.tolerance),
                                     word_of(check.answer),
                                     std::string(name_of(rule.origin))};
    for (const std::string& key : more)
      line.push_back(check.more.count(key) != 0 ? short_text(check.more.at(key)) : "");
    line.push_back(check.rule);
    line.emplace_back(rule.source);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::string_view name_of(Drawn drawn) {
  static constexpr std::string_view kNames[] = {"linespoints", "line",      "dashes", "points",
                                                "rings",       "steps",     "dots",   "path",
                                                "area",        "histogram", "bars",   "diamonds"};
  return kNames[static_cast<int>(drawn)];
}

// A digit finer than the tolerance, then as many more as tell them apart.
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

ReproducedTable table_of_checks(const Reproduction& r) {
  ReproducedTable table{"checks",
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

std::vector<std::string> dissents_of(const Reproduction& r) {
  std::vector<std::string> lines;
  for (const Check& check : r.checks) {
    const Answer expected = expected_answer(r, check);
    if (check.answer == Answer::agrees && expected == Answer::agrees) continue;
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
                 {"captions", Json(r.captions)},
                 {"checks", Json::array()}};
  for (const Check& check : r.checks) object["checks"].push_back(json_of(r, check));
  for (const ReproducedTable& table : r.tables) object[table.name] = json_of(table);
  return json_text(object, 2) + "\n";
}

std::string csv_of(const ReproducedTable& table) {
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
  std::string text = aligned(lines_of(r.checks));
  constexpr std::size_t kMostRows = 40;  // longer tables are for files and figures
  for (const ReproducedTable& table : r.tables) {
    if (table.rows.size() > kMostRows) continue;
    Lines lines = {table.columns};
    for (const auto& row : table.rows) {
      lines.emplace_back();
      for (const auto& cell : row) lines.back().push_back(cell_text(cell));
    }
    text += fmt::format("\n{}\n\n{}", table.name, aligned(lines));
  }
  return text;
}

}  // namespace murmur
