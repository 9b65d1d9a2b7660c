// words.cpp: typed values from settings.
#include "experiment/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "murmur/error.h"
#include "run/text.h"

namespace murmur {

void refuse(const Settings& settings, const std::string& key, const std::string& reason,
            const std::string& remedy) {
  const Setting& s = setting(settings, key);
  throw Error(Fault::input, fmt::format("{} = {}: {}", key, s.text, reason), s.origin, remedy);
}

const Setting& setting(const Settings& settings, const std::string& key) {
  return settings.at(key);
}

bool is_given(const Settings& settings, const std::string& key) {
  return setting(settings, key).origin != "default";
}

bool is_typed(const Settings& settings, const std::string& key) {
  return setting(settings, key).origin.rfind("command line", 0) == 0;
}

std::optional<Range> range_of(const Settings& settings, const std::string& key, int most) {
  const std::string& text = setting(settings, key).text;
  if (text == "none") return std::nullopt;
  const std::vector<std::string> parts = split(text, ':');
  Range range;
  double points = 0;
  const bool fits = parts.size() == 3 && parse_number(parts[0], range.from) &&
                    parse_number(parts[1], range.to) && parse_number(parts[2], points) &&
                    range.from > 0 && range.to > range.from;
  const std::string remedy = "write " + key + "=FROM:TO:POINTS, such as " + key + "=0.5:5:10";
  if (!fits) refuse(settings, key, "is not an increasing range above 0", remedy);
  if (!(points >= 2 && points <= most && points == std::floor(points)))
    refuse(settings, key, "needs a whole number of points, from 2 to " + std::to_string(most),
           remedy);
  range.points = static_cast<int>(points);
  return range;
}

bool parse_number(const std::string& text, double& value) {
  const std::optional<double> parsed = parse_number(text);
  if (parsed) value = *parsed;
  return parsed.has_value();
}

double number(const Settings& settings, const std::string& key) {
  double value = 0;
  if (!parse_number(setting(settings, key).text, value))
    refuse(settings, key, "not a finite number", fmt::format("write a number, e.g. {}=0.5", key));
  return value;
}

double positive(const Settings& settings, const std::string& key) {
  const double value = number(settings, key);
  check_positive(settings, key, value);
  return value;
}

void check_positive(const Settings& settings, const std::string& key, double value) {
  if (!(value > 0)) refuse(settings, key, "must be above 0", "write a positive number");
}

void check_whole(const Settings& settings, const std::string& key, double value, WholeRange range) {
  const auto [min, max] = range;
  const std::string remedy = fmt::format("write a whole number from {} to {}", min, max);
  if (value != std::floor(value) || std::fabs(value) > 9e15)
    refuse(settings, key, "not a whole number", remedy);
  if (value < static_cast<double>(min) || value > static_cast<double>(max))
    refuse(settings, key, "out of range", remedy);
}

std::int64_t whole(const Settings& settings, const std::string& key, std::int64_t min,
                   std::int64_t most) {
  double value = 0;
  if (!parse_number(setting(settings, key).text, value)) value = 0.5;  // then refused as not whole
  check_whole(settings, key, value, {min, most});
  return static_cast<std::int64_t>(value);
}

std::uint64_t seed_of(const Settings& settings) {
  return static_cast<std::uint64_t>(whole(settings, "seed", 0, kMostWhole));
}

std::uint32_t replica_of(const Settings& settings) {
  return static_cast<std::uint32_t>(whole(settings, "replica", 0, 4'294'967'295));
}

std::string run_name(const Settings& settings) {
  const std::string& name = setting(settings, "name").text;
  const auto fits = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) || c == '-' || c == '_');
  };
  if (name.empty() || name.size() > 100 || !std::all_of(name.begin(), name.end(), fits))
    refuse(settings, "name", "cannot be part of the name of a directory",
           "use letters, digits, - and _");
  return name;
}

bool flag(const Settings& settings, const std::string& key) {
  return choice(settings, key, {"false", "true"}) == 1;
}

Method method_of(const Settings& settings) {
  std::vector<std::string> names;
  for (const MethodRow& row : methods()) names.emplace_back(row.name);
  return methods()[static_cast<std::size_t>(choice(settings, "method", names))].method;
}

int choice(const Settings& settings, const std::string& key,
           const std::vector<std::string>& choices) {
  const std::string& text = setting(settings, key).text;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (text == choices[i]) return static_cast<int>(i);
  const std::string near = did_you_mean(text, choices);
  refuse(settings, key, "not one of its values",
         near.empty()
             ? fmt::format("use one of {}", fmt::join(choices, ", "))
             : fmt::format("did you mean {}={}? It takes {}", key, near, fmt::join(choices, ", ")));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

Array typed_rows(const Settings& settings, const std::string& key) {
  const std::string& text = setting(settings, key).text;
  const std::string name = text.substr(0, text.find(':'));
  const std::string remedy =
      fmt::format("write {}:x,y;x,y;... with as many numbers in each row", name);
  const std::vector<std::string> rows = split(text.substr(name.size() + 1), ';');
  std::vector<double> values;
  std::size_t d = 0;
  for (const std::string& row : rows) {
    const std::vector<std::string> numbers = split(row, ',');
    d = d == 0 ? numbers.size() : d;
    if (numbers.size() != d) refuse(settings, key, "rows have different lengths", remedy);
    for (const std::string& entry : numbers)
      if (!parse_number(entry, values.emplace_back()))
        refuse(settings, key, fmt::format("'{}' is not a number", entry), remedy);
  }
  Array array;
  array.shape = {rows.size(), d};
  array.values = std::move(values);
  return array;
}

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() > ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace murmur
