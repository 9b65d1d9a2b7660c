// parameters.cpp: reads the values of the parameters of a reproduction, and says which rules depend
// on them.
#include "reproduce/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "experiment/words.h"
#include "murmur/error.h"
#include "reproduce/rules.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct Assignment {
  std::string key, value;
};
Assignment parted(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) return {assignment, ""};
  return {assignment.substr(0, equals), assignment.substr(equals + 1)};
}

bool is_list(const FigureParameter& p) {
  return p.kind == FigureParameter::numbers || p.kind == FigureParameter::wholes;
}
bool is_whole(const FigureParameter& p) {
  return p.kind == FigureParameter::whole || p.kind == FigureParameter::wholes;
}

// "1,2,5" or FROM:TO:POINTS; empty where the text is neither.
std::vector<double> list_of(const std::string& text) {
  constexpr int kMostPoints = 10'000;
  std::vector<double> values;
  const std::vector<std::string> range = split(text, ':');
  double from = 0, to = 0, points = 0;
  if (range.size() == 3 && parse_number(range[0], from) && parse_number(range[1], to) &&
      parse_number(range[2], points) && points == std::floor(points) && points >= 2 &&
      points <= kMostPoints) {
    for (int k = 0; k < points; ++k) values.push_back(from + (to - from) * k / (points - 1));
    return values;
  }
  for (const std::string& part : split(text, ',')) {
    double value = 0;
    if (!parse_number(part, value)) return {};
    values.push_back(value);
  }
  return values;
}

bool fits(const FigureParameter& p, const std::vector<double>& values) {
  if (values.empty() || (!is_list(p) && values.size() > 1)) return false;
  return std::all_of(values.begin(), values.end(), [&](double value) {
    return value >= p.low && value <= p.high && (!is_whole(p) || value == std::floor(value));
  });
}

const FigureParameter* find(const std::vector<FigureParameter>& all, std::string_view name) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
  return at == all.end() ? nullptr : &*at;
}

std::string figure_of(const Rule& rule) {
  const std::string name = rule.name;
  return name.substr(0, name.find('.'));
}

bool keeps(const FigureParameter& p, const Rule& rule) {
  if (p.keeps == "*") return true;
  const std::string name = rule.name, asked = name.substr(name.find('.') + 1);
  const std::vector<std::string> kept = split(p.keeps, ' ');
  return std::find(kept.begin(), kept.end(), asked) != kept.end();
}

// Figures that train take the parameters of `murmur train`. These rules are theorems, which hold
// whatever is trained; `unless` names the parameters under which theirs is another statement.
struct TrainingRule {
  const char* rule;
  const char* unless;
};
constexpr TrainingRule kTheorems[] = {{"ladder.additive", ""},
                                      {"ladder.alone", ""},
                                      {"ladder.bag", ""},
                                      {"order.chance", "positions"}};

// Whether a rule applies although this parameter was changed.
bool still_applies(const Rule& rule, const std::string& key) {
  const std::vector<FigureParameter>& all = parameters_of(figure_of(rule));
  if (const FigureParameter* p = find(all, key)) return keeps(*p, rule);
  return std::any_of(std::begin(kTheorems), std::end(kTheorems), [&](const TrainingRule& one) {
    return std::string_view(rule.name) == one.rule && key != one.unless;
  });
}

[[noreturn]] void refuse_name(const std::string& figure, const std::string& assignment) {
  const std::vector<FigureParameter>& all = parameters_of(figure);
  std::vector<std::string> names{"threads"};
  for (const FigureParameter& p : all) names.push_back(p.name);
  const std::string near = did_you_mean(parted(assignment).key, names);
  const std::string list = fmt::format("murmur reproduce {} --help lists its parameters", figure);
  throw Error(Fault::input, fmt::format("{} has no parameter {}", figure, parted(assignment).key),
              "command line: " + assignment,
              near.empty() ? list : fmt::format("did you mean {}? {}", near, list));
}

}  // namespace

const std::vector<FigureParameter>& parameters_of(std::string_view figure) {
  static const std::vector<FigureParameter> none;
  for (const FigureDescription& one : figure_descriptions())
    if (one.figure == figure) return one.parameters;
  return none;
}

std::string default_of(const FigureParameter& p, bool is_quick) {
  if (p.kind == FigureParameter::experiment) {
    const Settings settings = gather({p.preset, {}, {}});
    return settings.at(p.name).text;
  }
  return is_quick && !p.quick.empty() ? p.quick : p.initial;
}

std::string takes(const FigureParameter& p) {
  if (p.kind == FigureParameter::experiment) {
    for (const Parameter& one : parameters())
      if (p.name == one.name) return one.values;
  }
  std::string range;
  if (std::isfinite(p.low) && std::isfinite(p.high))
    range = fmt::format("from {:g} to {:g}", p.low, p.high);
  else if (std::isfinite(p.low))
    range = fmt::format("{:g} or more", p.low);
  else if (std::isfinite(p.high))
    range = fmt::format("{:g} or less", p.high);
  const std::string unit = is_whole(p) ? "whole number" : "number";
  const std::string what = is_list(p) ? unit + "s with commas, or FROM:TO:POINTS" : unit;
  return range.empty() ? what : fmt::format("{}, {}", what, range);
}

std::vector<std::string> depends_on(const Rule& rule) {
  std::vector<std::string> names;
  for (const FigureParameter& p : parameters_of(figure_of(rule)))
    if (!keeps(p, rule)) names.push_back(p.name);
  return names;
}

void FigureValues::give(const FigureParameter& p, const std::string& text,
                        const std::string& where) {
  std::vector<double> values;
  double one = 0;
  if (is_list(p))
    values = list_of(text);
  else if (parse_number(text, one))
    values = {one};
  if (!fits(p, values))
    throw Error(Fault::input, fmt::format("{} takes no {}", p.name, text), where,
                fmt::format("{} takes: {}", p.name, takes(p)));
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw Error(Fault::input, fmt::format("{} names {:g} twice", p.name, *twice), where,
                "give each number once");
  const std::vector<double> initial = list_of(p.initial);
  if (is_list(p) && values != sorted && std::is_sorted(initial.begin(), initial.end()))
    throw Error(Fault::input, fmt::format("{} does not ascend", p.name), where,
                "write the lowest number first");
  values_[p.name] = std::move(values);
}

// A range NAME_min to NAME_max runs upwards.
void FigureValues::require_ranges() const {
  for (const auto& [name, low] : values_) {
    if (!name.ends_with("_min")) continue;
    const auto high = values_.find(name.substr(0, name.size() - 3) + "max");
    if (high != values_.end() && low.front() >= high->second.front())
      throw Error(Fault::input,
                  fmt::format("{} = {:g} is not below {} = {:g}", name, low.front(), high->first,
                              high->second.front()),
                  "command line", fmt::format("give a smaller {}", name));
  }
}

FigureValues::FigureValues(const std::string& figure, bool is_quick,
                           const std::vector<std::string>& assignments) {
  const std::vector<FigureParameter>& all = parameters_of(figure);
  for (const FigureParameter& p : all)
    if (p.kind != FigureParameter::experiment)
      give(p, default_of(p, is_quick), "default of " + figure);
  for (const std::string& assignment : assignments) {
    const auto [key, value] = parted(assignment);
    const FigureParameter* p = find(all, key);
    if (p == nullptr) refuse_name(figure, assignment);
    changed_.push_back(key);
    if (p->kind != FigureParameter::experiment) {
      give(*p, value, "command line: " + assignment);
      continue;
    }
    of_preset_.push_back(assignment);
    spec(p->preset);  // refuses a value that is none
  }
  require_ranges();
}

const std::vector<double>& FigureValues::numbers(std::string_view name) const {
  const auto at = values_.find(name);
  if (at == values_.end()) throw std::logic_error(fmt::format("no parameter {} is declared", name));
  return at->second;
}

double FigureValues::number(std::string_view name) const { return numbers(name).front(); }

int FigureValues::whole(std::string_view name) const { return static_cast<int>(number(name)); }

std::vector<int> FigureValues::wholes(std::string_view name) const {
  const std::vector<double>& values = numbers(name);
  return {values.begin(), values.end()};
}

bool FigureValues::is_changed(std::string_view name) const {
  return std::find(changed_.begin(), changed_.end(), name) != changed_.end();
}

ExperimentSpec FigureValues::spec(const std::string& preset) const {
  return spec_of(gather({preset, {}, of_preset_}));
}

std::string label_of_changes(const std::string& figure, bool is_quick,
                             const std::vector<std::string>& assignments) {
  std::vector<std::string> parts;
  for (const std::string& assignment : assignments) {
    const FigureParameter* p = find(parameters_of(figure), parted(assignment).key);
    parts.push_back(p == nullptr
                        ? assignment
                        : fmt::format("{} instead of {}", assignment, default_of(*p, is_quick)));
  }
  return parts.empty() ? "" : fmt::format("changed: {}", fmt::join(parts, ", "));
}

std::string changes_against(const Rule& rule, const std::vector<std::string>& assignments) {
  std::vector<std::string> names;
  for (const std::string& assignment : assignments) {
    const std::string key = parted(assignment).key;
    if (!still_applies(rule, key)) names.push_back(key);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace murmur
