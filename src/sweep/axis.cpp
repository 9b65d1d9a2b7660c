// axis.cpp: reads the values of an axis from its text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiment/words.h"
#include "murmur/error.h"
#include "sweep/cells.h"
#include "sweep/sweep.h"

namespace murmur {

namespace {

constexpr double kMostValues = 1e6;

struct AxisText {
  const Parameter& parameter;
  const Setting& setting;

  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy) const {
    throw Error(Fault::input, fmt::format("{} = {}: {}", parameter.name, setting.text, reason),
                setting.origin, remedy);
  }
  bool numeric() const {
    return parameter.kind == Parameter::number || parameter.kind == Parameter::whole;
  }
  std::string example() const {
    return fmt::format("write {}=1:9:17, {}=1:100:9:log or {}=1,2,4", parameter.name,
                       parameter.name, parameter.name);
  }
};

// a:b:count or a:b:count:log
std::vector<std::string> range_values(const AxisText& text) {
  const std::vector<std::string> parts = split(text.setting.text, ':');
  const bool log = parts.size() == 4 && parts[3] == "log";
  double from = 0, to = 0, count = 0;
  if ((parts.size() != 3 && !log) || !parse_number(parts[0], from) || !parse_number(parts[1], to) ||
      !parse_number(parts[2], count))
    text.refuse("is not a range of finite numbers", text.example());
  if (count != std::floor(count) || count < 1 || count > kMostValues)
    text.refuse("a range has from 1 to 1000000 values", text.example());
  if (log && !(from > 0 && to > 0)) text.refuse("a logarithmic range lies above 0", text.example());
  const bool whole = text.parameter.kind == Parameter::whole;
  std::vector<std::string> values;
  for (double k = 0; k < count; ++k) {
    const double share = count > 1 ? k / (count - 1) : 0;
    double value = log ? from * std::pow(to / from, share) : from + (to - from) * share;
    if (whole && log) value = std::round(value);
    std::string next = twelve_digits(value).text;
    if (whole && log && !values.empty() && values.back() == next) continue;
    values.push_back(std::move(next));
  }
  return values;
}

bool has_braces(const std::string& text) { return !text.empty() && text.front() == '{'; }

// {a,b}, or {a|b} where the values themselves hold commas
std::vector<std::string> values_of(const AxisText& text) {
  const std::string& s = text.setting.text;
  if (has_braces(s)) {
    if (s.back() != '}') text.refuse("the list is never closed", "write {a,b,c}, in quotes");
    return split(s.substr(1, s.size() - 2), s.find('|') == std::string::npos ? ',' : '|');
  }
  if (s.find(':') != std::string::npos) return range_values(text);
  return split(s, ',');
}

// Makes the path of a file absolute, so that the sweep can be resumed from another folder.
std::string anchored(const Setting& setting, const std::string& value) {
  std::error_code ignored;
  const std::filesystem::path path = setting.folder / value;
  const bool file = ends_with(value, ".npy") || ends_with(value, ".safetensors") ||
                    ends_with(value, ".png") || value.find('/') != std::string::npos;
  return file && std::filesystem::exists(path, ignored) ? std::filesystem::absolute(path).string()
                                                        : value;
}

// Numbers are compared by value: 1 and 1.0 are equal.
std::optional<std::string> value_given_twice(const Axis& axis) {
  std::vector<std::size_t> order(axis.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    return axis.numeric ? axis.numbers[a] < axis.numbers[b] : axis.values[a] < axis.values[b];
  };
  std::stable_sort(order.begin(), order.end(), before);
  for (std::size_t k = 1; k < order.size(); ++k)
    if (!before(order[k - 1], order[k])) return axis.values[order[k]];
  return std::nullopt;
}

}  // namespace

RoundNumber twelve_digits(double value) {
  RoundNumber number{fmt::format("{:.12g}", value), value};
  parse_number(number.text, number.value);
  return number;
}

std::optional<Axis> read_axis(const Parameter& parameter, const Setting& setting) {
  const AxisText text{parameter, setting};
  const bool several = has_braces(setting.text) ||
                       (text.numeric() && setting.text.find_first_of(":,") != std::string::npos);
  if (!several) return std::nullopt;
  Axis axis{.name = parameter.name,
            .numeric = text.numeric(),
            .whole = parameter.kind == Parameter::whole,
            .log = ends_with(setting.text, ":log"),
            .values = values_of(text)};
  if (static_cast<double>(axis.values.size()) > kMostValues)
    text.refuse("an axis has at most 1000000 values", "use fewer");
  for (std::string& value : axis.values) {
    if (value.empty())
      text.refuse(axis.values.size() == 1 ? "the list is empty" : "a value of the list is empty",
                  axis.numeric ? text.example() : "write {a,b,c}, in quotes");
    if (!axis.numeric) {
      value = anchored(setting, value);
      continue;
    }
    double number = 0;
    if (!parse_number(value, number))
      text.refuse(fmt::format("{} is not a finite number", value), text.example());
    if (axis.whole && number != std::floor(number))
      text.refuse(fmt::format("{} is not a whole number", value),
                  "choose the ends and the count so that every value is whole");
    axis.numbers.push_back(number);
  }
  if (const std::optional<std::string> twice = value_given_twice(axis))
    text.refuse(fmt::format("{} is there twice", *twice), "give each value once");
  return axis;
}

}  // namespace murmur
