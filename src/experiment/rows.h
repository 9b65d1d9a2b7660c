// rows.h: one row per parameter: its help, and how it is read into and written from a spec by a
// codec.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "experiment/words.h"
#include "murmur/experiment.h"

namespace murmur::codec {

// --- Codecs: how a value is read from text and written as text.

// Each codec has `read`, which refuses invalid text, and `write`, whose text reads back as the same
// value. `check` refuses a value outside the range.

struct Real {
  static void read(const Settings& words, const std::string& key, double& to) {
    accept(words, key, number(words, key), to);
  }
  // Sets a number directly; `words` are quoted if it is refused.
  static void accept(const Settings&, const std::string&, double value, double& to) { to = value; }
  static std::string write(double value) { return fmt::format("{}", value); }
};

struct Positive : Real {
  static void read(const Settings& words, const std::string& key, double& to) {
    accept(words, key, number(words, key), to);
  }
  static void accept(const Settings& words, const std::string& key, double value, double& to) {
    check(words, key, value);
    to = value;
  }
  static void check(const Settings& words, const std::string& key, double value) {
    check_positive(words, key, value);
  }
};

template <std::int64_t min, std::int64_t max>
struct Whole {
  template <class Integer>
  static void read(const Settings& words, const std::string& key, Integer& to) {
    to = static_cast<Integer>(whole(words, key, min, max));
  }
  template <class Integer>
  static void accept(const Settings& words, const std::string& key, double value, Integer& to) {
    check(words, key, value);
    to = static_cast<Integer>(value);
  }
  template <class Number>
  static void check(const Settings& words, const std::string& key, Number value) {
    check_whole(words, key, static_cast<double>(value), {min, max});
  }
  template <class Integer>
  static std::string write(Integer value) {
    return fmt::format("{}", value);
  }
};

struct Flag {
  static void read(const Settings& words, const std::string& key, bool& to) {
    to = flag(words, key);
  }
  static std::string write(bool value) { return value ? "true" : "false"; }
};

struct RunName {
  static void read(const Settings& words, const std::string&, std::string& to) {
    to = run_name(words);
  }
  static void check(const Settings& words, const std::string&, const std::string&) {
    run_name(words);
  }
  static std::string write(const std::string& value) { return value; }
};

struct Text {
  static void read(const Settings& words, const std::string& key, std::string& to) {
    to = setting(words, key).text;
  }
  static std::string write(const std::string& value) { return value; }
};

// Returns the values of `dynamics`, in the order of Interaction.
std::span<const ParameterValue> interactions();

// Returns the names of an enumeration, in its order.
template <class Enum>
const std::vector<std::string>& names_of();

struct Named {
  template <class Enum>
  static void read(const Settings& words, const std::string& key, Enum& to) {
    to = static_cast<Enum>(choice(words, key, names_of<Enum>()));
  }
  template <class Enum>
  static std::string write(Enum value) {
    return names_of<Enum>().at(static_cast<std::size_t>(value));
  }
};

struct MethodName {  // a row of the table of methods
  static void read(const Settings& words, const std::string&, Method& to) { to = method_of(words); }
  static std::string write(Method value) { return row_of(value).name; }
};

// A value that the experiment chooses unless it was given.
template <class Codec>
struct Given {
  template <class Value>
  static void read(const Settings& words, const std::string& key, std::optional<Value>& to) {
    Value value{};
    Codec::read(words, key, value);
    to = is_given(words, key) ? std::optional(std::move(value)) : std::nullopt;
  }
  template <class Value>
  static void accept(const Settings& words, const std::string& key, double number,
                     std::optional<Value>& to) requires requires(Value value) {
    Codec::accept(words, key, number, value);
  }
  { Codec::accept(words, key, number, to.emplace()); }
  template <class Value>
  static std::string write(const std::optional<Value>& value) {
    return value ? Codec::write(*value) : std::string{};
  }
};

// `automatic` unless a manifold was given.
struct GivenManifold {
  static void read(const Settings& words, const std::string& key, ManifoldChoice& to);
  static std::string write(ManifoldChoice value);
};

// A file, or the name for none.
struct EqualOrFile {
  static void read(const Settings& words, const std::string& key,
                   std::optional<std::filesystem::path>& to);
  static std::string write(const std::optional<std::filesystem::path>& value);
};
struct NoneOrFile {
  static void read(const Settings& words, const std::string& key,
                   std::optional<std::filesystem::path>& to);
  static std::string write(const std::optional<std::filesystem::path>& value);
};

struct Threads {  // all is 0
  static void read(const Settings& words, const std::string& key, int& to);
  static void check(const Settings& words, const std::string& key, int value) {
    if (value != 0) check_whole(words, key, value, {1, 4096});
  }
  static std::string write(int value);
};

struct EngineName {
  static void read(const Settings& words, const std::string& key, std::string& to);
  static std::string write(const std::string& value) { return value; }
};

struct NamedMatrix {
  static void read(const Settings& words, const std::string& key, MatrixChoice& to);
  static std::string write(const MatrixChoice& value);
};

struct NamedPerceptron {
  static void read(const Settings& words, const std::string& key, PerceptronChoice& to);
  static std::string write(const PerceptronChoice& value);
};

struct Normalisation {
  static void read(const Settings& words, const std::string& key, NormalisationChoice& to);
  static std::string write(const NormalisationChoice& value);
};

struct Gains {  // g,g,... or none
  static void read(const Settings& words, const std::string& key, Vector& to);
  static std::string write(const Vector& value);
};

struct Until {  // T, or a time; NaN if the text is not a number
  static void read(const Settings& words, const std::string& key, std::optional<double>& to);
  static std::string write(const std::optional<double>& value);
};

struct InitialWord {
  static void read(const Settings& words, const std::string& key, Initial& to);
  static std::string write(const Initial& value);
};

struct Save {
  static void read(const Settings& words, const std::string& key, SaveChoice& to);
  static std::string write(const SaveChoice& value);
};

}  // namespace murmur::codec

namespace murmur {

// --- Rows.

template <class Spec>
struct Row {
  Parameter parameter;
  bool of_dynamics;  // whether its field is in DynamicsSpec
  void (*read)(const Settings& words, const std::string& key, Spec& to);
  // Sets the field to a number; null for parameters that are not numbers.
  void (*accept)(const Settings& words, const std::string& key, double value, Spec& to);
  // Refuses a value outside the range; null if every value of the type is valid.
  void (*check)(const Settings& words, const std::string& key, const Spec& spec);
  std::string (*write)(const Spec& from);
  bool (*same)(const Spec& a, const Spec& b);
  // Copies the value of another spec if the field is empty, and returns whether it did. Null for
  // fields that always have a value.
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

// A row by its codec (above) and the path to its field.
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

// Returns the settings of a spec: defaults, and the values that differ from them, with the given
// `origin`.
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

// Reads the parameters of forces from the settings of any command; parameters that it lacks keep
// their defaults.
DynamicsSpec dynamics_spec_of(const Settings& words);

}  // namespace murmur
