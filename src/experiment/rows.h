// rows.h: one row a parameter: what help says of it, and how it is read into and written from a
// spec.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "experiment/values.h"
#include "murmur/experiment.h"

namespace murmur {

template <class Spec>
struct Row {
  Parameter parameter;
  bool of_dynamics;  // whether it says something of DynamicsSpec
  void (*read)(const Settings& words, const std::string& key, Spec& to);
  // Takes a number that is known already; none for parameters that are no number.
  void (*accept)(const Settings& words, const std::string& key, double value, Spec& to);
  // Refuses a value that no word could have said; none where every value of the type will do.
  void (*check)(const Settings& words, const std::string& key, const Spec& spec);
  std::string (*write)(const Spec& from);
  bool (*same)(const Spec& a, const Spec& b);
  // Takes the value of another spec where there is none; says whether it did. None for fields that
  // always have a value.
  bool (*fill)(const Spec& from, Spec& to);
};

// The field at the end of a path of members: &Spec::dynamics, &DynamicsSpec::beta.
template <auto... path>
constexpr auto& field_of(auto& spec) {
  return (spec.*....*path);
}

template <class Codec, class Spec, auto... path>
constexpr auto acceptor() -> decltype(Row<Spec>::accept) {
  if constexpr (requires(const Settings& words, const std::string& key, Spec& to) {
                  Codec::accept(words, key, 0.0, field_of<path...>(to));
                })
    return [](const Settings& words, const std::string& key, double value, Spec& to) {
      Codec::accept(words, key, value, field_of<path...>(to));
    };
  return nullptr;
}

template <class Codec, class Spec, auto... path>
constexpr auto checker() -> decltype(Row<Spec>::check) {
  if constexpr (requires(const Settings& words, const std::string& key, const Spec& spec) {
                  Codec::check(words, key, field_of<path...>(spec));
                })
    return [](const Settings& words, const std::string& key, const Spec& spec) {
      Codec::check(words, key, field_of<path...>(spec));
    };
  return nullptr;
}

template <class Spec, auto... path>
constexpr auto filler() -> decltype(Row<Spec>::fill) {
  if constexpr (requires(const Spec& spec) { field_of<path...>(spec).has_value(); })
    return [](const Spec& from, Spec& to) {
      if (field_of<path...>(to).has_value()) return false;
      field_of<path...>(to) = field_of<path...>(from);
      return true;
    };
  return nullptr;
}

// A row by its codec (values.h) and the path to its field.
template <class Spec, class Codec, auto... path>
constexpr Row<Spec> row(const Parameter& parameter) {
  return {.parameter = parameter,
          .of_dynamics = (std::is_same_v<decltype(path), DynamicsSpec Spec::*> || ...),
          .read = [](const Settings& words, const std::string& key,
                     Spec& to) { Codec::read(words, key, field_of<path...>(to)); },
          .accept = acceptor<Codec, Spec, path...>(),
          .check = checker<Codec, Spec, path...>(),
          .write = [](const Spec& from) { return Codec::write(field_of<path...>(from)); },
          .same = [](const Spec& a,
                     const Spec& b) { return field_of<path...>(a) == field_of<path...>(b); },
          .fill = filler<Spec, path...>()};
}

template <class Spec>
std::vector<Parameter> parameters_of(std::span<const Row<Spec>> rows) {
  std::vector<Parameter> table;
  for (const Row<Spec>& row : rows) table.push_back(row.parameter);
  return table;
}

template <class Spec>
const Row<Spec>& row_named(std::span<const Row<Spec>> rows, const std::string& name) {
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const Row<Spec>& row) { return name == row.parameter.name; });
}

// The words of a spec: defaults, and what differs from them, which `origin` gave.
template <class Spec>
Settings words_by(std::span<const Row<Spec>> rows, const Spec& spec, const char* origin) {
  const Spec initial;
  Settings words;
  for (const Row<Spec>& row : rows)
    words[row.parameter.name] = row.same(spec, initial) ? Setting{row.parameter.initial, "default"}
                                                        : Setting{row.write(spec), origin};
  return words;
}

std::span<const Row<ExperimentSpec>> experiment_rows();
const Row<ExperimentSpec>& experiment_row(const std::string& name);  // of a known parameter

// The forces among the words of any command; parameters that it does not have keep their defaults.
DynamicsSpec dynamics_spec_of(const Settings& words);

}  // namespace murmur
