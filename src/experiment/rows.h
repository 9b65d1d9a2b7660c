// rows.h: what is derived from the description of a spec (murmur/describe.h): one row per
// parameter, which documents it, reads it from text and writes it as text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "experiment/words.h"
#include "murmur/experiment.h"

namespace murmur {

// Returns the full path of a folder of pictures, so that a run finds it from anywhere; names of
// data sets and empty texts are unchanged.
std::string whole_path(const std::filesystem::path& folder, const std::string& data);

}  // namespace murmur

namespace murmur::codec {

// --- Values as text. `read` refuses invalid text, `check` refuses values outside the range, and
// the text of `write` reads back as the same value.

// A value in the settings, and what is known about its parameter.
struct TypedValue {
  const Settings& words;
  const FieldInfo& info;
  std::string key() const { return std::string(info.key); }
  const std::string& text() const { return setting(words, key()).text; }
  std::filesystem::path file() const { return setting(words, key()).folder / text(); }
  bool is(std::string_view name) const { return !name.empty() && text() == name; }
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy) const {
    murmur::refuse(words, key(), reason, remedy);
  }
};

// Returns the names of an enumeration, in its order.
template <class Enum>
const std::vector<std::string>& names_of();

// Explains the values of a type; empty if their names suffice.
template <class Value>
std::span<const ParameterValue> choices_of() {
  return {};
}
template <>
std::span<const ParameterValue> choices_of<Interaction>();
template <>
std::span<const ParameterValue> choices_of<ManifoldChoice>();
template <>
std::span<const ParameterValue> choices_of<WeightsInTime>();
template <>
std::span<const ParameterValue> choices_of<HeadScale>();
template <>
std::span<const ParameterValue> choices_of<Clock>();
template <>
std::span<const ParameterValue> choices_of<Method>();
template <>
std::span<const ParameterValue> choices_of<Initial>();

template <class Value>
concept Number = std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>;
template <class Value>
concept Enumeration = std::is_enum_v<Value>;

// The names that a parameter takes: those of its enumeration up to the greatest that it allows.
template <Enumeration Enum>
std::vector<std::string> names_in(const FieldInfo& info) {
  std::vector<std::string> names = names_of<Enum>();
  if (info.has_greatest()) names.resize(static_cast<std::size_t>(info.greatest) + 1);
  return names;
}

void check_real(const TypedValue& at, double value);

template <Number Value>
void check(const TypedValue& at, const Value& value) {
  if constexpr (std::is_same_v<Value, double>)
    check_real(at, value);
  else if (at.info.zero.empty() || value != 0)
    check_whole(
        at.words, at.key(), static_cast<double>(value),
        {static_cast<std::int64_t>(at.info.least), static_cast<std::int64_t>(at.info.greatest)});
}
template <class Value>
void check(const TypedValue&, const Value&) {}
void check(const TypedValue& at, const std::string& value);
void check(const TypedValue& at, const std::vector<int>& labels);
template <class Value>
void check(const TypedValue& at, const std::optional<Value>& value) {
  if (value && !at.info.empty.empty()) check(at, *value);
}

template <Number Value>
void read(const TypedValue& at, Value& to) {
  if (at.is(at.info.zero)) return void(to = 0);
  if constexpr (std::is_same_v<Value, double>)
    to = number(at.words, at.key());
  else
    to = static_cast<Value>(whole(at.words, at.key(), static_cast<std::int64_t>(at.info.least),
                                  static_cast<std::int64_t>(at.info.greatest)));
  check(at, to);
}
inline void read(const TypedValue& at, bool& to) { to = flag(at.words, at.key()); }
template <Enumeration Enum>
void read(const TypedValue& at, Enum& to) {
  to = static_cast<Enum>(choice(at.words, at.key(), names_in<Enum>(at.info)));
}
void read(const TypedValue& at, Method& to);
void read(const TypedValue& at, ManifoldChoice& to);  // automatic unless it was given
void read(const TypedValue& at, std::string& to);
void read(const TypedValue& at, std::filesystem::path& to);
void read(const TypedValue& at, std::vector<int>& labels);
void read(const TypedValue& at, Vector& to);
void read(const TypedValue& at, MatrixChoice& to);
void read(const TypedValue& at, PerceptronChoice& to);
void read(const TypedValue& at, NormalisationChoice& to);
void read(const TypedValue& at, Initial& to);
void read(const TypedValue& at, SaveChoice& to);
void read(const TypedValue& at, Range& to);
double time_or_nan(const TypedValue& at);
// Empty for the text `empty`; without one, unless the value was given.
template <class Value>
void read(const TypedValue& at, std::optional<Value>& to) {
  to.reset();
  if (at.is(at.info.empty)) return;
  if constexpr (std::is_same_v<Value, double>)
    if (at.info.form == Form::time) return void(to = time_or_nan(at));
  read(at, to.emplace());
  if (at.info.empty.empty() && !is_given(at.words, at.key())) to.reset();
}

template <Number Value>
std::string write(const Value& value, const FieldInfo& info = {}) {
  return value == 0 && !info.zero.empty() ? std::string(info.zero) : fmt::format("{}", value);
}
inline std::string write(bool value, const FieldInfo& = {}) { return value ? "true" : "false"; }
template <Enumeration Enum>
std::string write(const Enum& value, const FieldInfo& = {}) {
  return names_of<Enum>().at(static_cast<std::size_t>(value));
}
std::string write(Method value, const FieldInfo& = {});
std::string write(ManifoldChoice value, const FieldInfo& = {});
inline std::string write(const std::string& value, const FieldInfo& = {}) { return value; }
inline std::string write(const std::filesystem::path& value, const FieldInfo& = {}) {
  return value.string();
}
std::string write(const std::vector<int>& labels, const FieldInfo& = {});
std::string write(const Vector& value, const FieldInfo& info = {});
std::string write(const MatrixChoice& value, const FieldInfo& = {});
std::string write(const PerceptronChoice& value, const FieldInfo& = {});
std::string write(const NormalisationChoice& value, const FieldInfo& = {});
std::string write(const Initial& value, const FieldInfo& = {});
std::string write(const SaveChoice& value, const FieldInfo& = {});
std::string write(const Range& value, const FieldInfo& = {});
template <class Value>
std::string write(const std::optional<Value>& value, const FieldInfo& info = {}) {
  return value ? write(*value, info) : std::string(info.empty);
}

// --- The values of a parameter as text, for help.

std::string joined_names(std::span<const ParameterValue> values);
std::string range_text(const FieldInfo& info, bool real);

template <class Value>
std::string values_text(const Value&, const FieldInfo& info) {
  if constexpr (std::is_same_v<Value, bool>)
    return "true, false";
  else if constexpr (Number<Value>)
    return range_text(info, std::is_same_v<Value, double>);
  else if constexpr (Enumeration<Value> && !std::is_same_v<Value, Method>)
    return fmt::format("{}", fmt::join(names_in<Value>(info), ", "));
  else
    return joined_names(choices_of<Value>());
}
std::string values_text(const Initial&, const FieldInfo&);
std::string values_text(const std::string&, const FieldInfo& info);
template <class Value>
std::string values_text(const std::optional<Value>&, const FieldInfo& info) {
  const std::string values = values_text(Value{}, info);
  return info.empty.empty() ? values : fmt::format("{}, {}", info.empty, values);
}

template <class Value>
constexpr Parameter::Kind kind_of(const Value&, const FieldInfo& info) {
  if constexpr (std::is_same_v<Value, bool>) return Parameter::flag;
  if constexpr (Number<Value>)
    if (info.zero.empty())
      return std::is_same_v<Value, double> ? Parameter::number : Parameter::whole;
  return Parameter::word;
}
template <class Value>
constexpr Parameter::Kind kind_of(const std::optional<Value>&, const FieldInfo& info) {
  return info.empty.empty() ? kind_of(Value{}, info) : Parameter::word;
}

// The default as it is written in a table: 1e-8, and not 1e-08.
std::string short_exponent(std::string number);

}  // namespace murmur::codec

namespace murmur {

// --- Rows.

template <class Spec>
struct Row {
  Parameter parameter;
  bool of_dynamics = false;  // whether its field is in DynamicsSpec
  std::function<void(const Settings& words, Spec& to)> read;
  // Sets the field to a number; empty for parameters that are not numbers.
  std::function<void(const Settings& words, double value, Spec& to)> accept;
  std::function<void(const Settings& words, const Spec& spec)> check;  // refuses invalid values
  std::function<std::string(const Spec& from)> write;
  std::function<bool(const Spec& a, const Spec& b)> same;
  // Copies the value of another spec if the field is empty, and returns whether it did. Empty for
  // fields that always have a value.
  std::function<bool(const Spec& from, Spec& to)> fill;
  std::shared_ptr<const std::string> initial, values;  // texts of `parameter`
};

// Makes the rows of a description.
template <class Spec>
struct RowMaker : FieldVisitor<RowMaker<Spec>> {
  std::vector<Row<Spec>>& rows;

  template <class Field>
  void on_value(const Field& field, const FieldInfo& info) {
    using Value = std::remove_cvref_t<std::invoke_result_t<Field, Spec&>>;
    Row<Spec>& row = rows.emplace_back();
    const Spec defaults{};
    const Value& value = std::invoke(field, defaults);
    if constexpr (requires { defaults.dynamics; })
      row.of_dynamics = is_within(&value, defaults.dynamics);
    row.initial = std::make_shared<const std::string>(
        info.initial.empty() ? codec::short_exponent(codec::write(value, info)) : info.initial);
    row.values = std::make_shared<const std::string>(
        info.values.empty() ? codec::values_text(value, info) : info.values);
    row.parameter = {.kind = codec::kind_of(value, info),
                     .name = info.key.data(),
                     .initial = row.initial->c_str(),
                     .values = row.values->c_str(),
                     .meaning = info.meaning.data(),
                     .equation = info.equation.data(),
                     .unit = info.unit.data(),
                     .choices = info.has_greatest()         ? std::span<const ParameterValue>{}
                                : info.form == Form::engine ? engine_values()
                                                            : codec::choices_of<Value>()};
    row.read = [=](const Settings& words, Spec& to) {
      codec::read({words, info}, std::invoke(field, to));
    };
    if (row.parameter.kind == Parameter::number || row.parameter.kind == Parameter::whole)
      row.accept = [=](const Settings& words, double number, Spec& to) {
        set_number({words, info}, number, std::invoke(field, to));
      };
    row.check = [=](const Settings& words, const Spec& spec) {
      codec::check({words, info}, std::invoke(field, spec));
    };
    row.write = [=](const Spec& from) { return codec::write(std::invoke(field, from), info); };
    row.same = [=](const Spec& a, const Spec& b) {
      return std::invoke(field, a) == std::invoke(field, b);
    };
    if constexpr (requires { value.has_value(); })
      row.fill = [=](const Spec& from, Spec& to) {
        if (std::invoke(field, to).has_value()) return false;
        std::invoke(field, to) = std::invoke(field, from);
        return true;
      };
  }

  // Whether the address lies in the struct.
  template <class Struct>
  static bool is_within(const void* address, const Struct& in) {
    const auto* begin = reinterpret_cast<const std::byte*>(&in);
    const auto* at = static_cast<const std::byte*>(address);
    return !std::less<>()(at, begin) && std::less<>()(at, begin + sizeof(Struct));
  }

  template <codec::Number Value>
  static void set_number(const codec::TypedValue& at, double number, Value& to) {
    if constexpr (std::is_same_v<Value, double>)
      codec::check(at, number);
    else
      check_whole(
          at.words, at.key(), number,
          {static_cast<std::int64_t>(at.info.least), static_cast<std::int64_t>(at.info.greatest)});
    to = static_cast<Value>(number);
  }
  template <class Value>
  static void set_number(const codec::TypedValue& at, double number, std::optional<Value>& to) {
    if constexpr (codec::Number<Value>) set_number(at, number, to.emplace());
  }
  template <class Value>
  static void set_number(const codec::TypedValue&, double, Value&) {}  // is not a number
};

template <class Spec>
std::vector<Row<Spec>> make_rows() {
  std::vector<Row<Spec>> rows;
  RowMaker<Spec> maker{{}, rows};
  describe(maker, FieldsOf<Spec>{});
  return rows;
}

// Returns one row per parameter of a described spec, in the order of the description. One file per
// spec defines it by make_rows.
template <class Spec>
std::span<const Row<Spec>> rows_of();
template <>
std::span<const Row<ExperimentSpec>> rows_of<ExperimentSpec>();

template <class Spec>
std::span<const Parameter> parameters_in() {
  static const std::vector<Parameter> table = [] {
    std::vector<Parameter> made;
    for (const Row<Spec>& row : rows_of<Spec>()) made.push_back(row.parameter);
    return made;
  }();
  return table;
}

// Reads a spec from settings; Error(input) for the first value that its parameter does not take.
template <class Spec>
Spec read_spec(const Settings& words) {
  Spec spec;
  for (const Row<Spec>& row : rows_of<Spec>()) row.read(words, spec);
  return spec;
}

template <class Spec>
const Row<Spec>& row_named(const std::string& name) {
  const auto rows = rows_of<Spec>();
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const Row<Spec>& row) { return name == row.parameter.name; });
}

// Returns the settings of a spec: defaults, and the values that differ from them, with the given
// `origin`.
template <class Spec>
Settings words_by(const Spec& spec, const char* origin) {
  const Spec initial;
  Settings words;
  for (const Row<Spec>& row : rows_of<Spec>())
    words[row.parameter.name] = row.same(spec, initial) ? Setting{row.parameter.initial, "default"}
                                                        : Setting{row.write(spec), origin};
  return words;
}

}  // namespace murmur
