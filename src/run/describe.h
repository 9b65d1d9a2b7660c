// describe.h: what is derived from the description of a struct (murmur/describe.h): JSON in both
// directions, CSV cells, numbers of a checkpoint and lists of fields.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "murmur/describe.h"
#include "murmur/matrix.h"
#include "run/json_text.h"
#include "run/kept_json.h"
#include "run/text.h"

namespace murmur {

namespace described {

inline double null_value(Null null) {
  if (null == Null::zero) return 0;
  return null == Null::infinity ? std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::quiet_NaN();
}

struct AnyVisitor {  // only to ask whether a struct is described
  template <class... Anything>
  void operator()(Anything&&...);
};
template <class S>
concept Described = requires(AnyVisitor& v) {
  describe(v, FieldsOf<S>{});
};

template <class Value>
constexpr bool is_optional = false;
template <class Value>
constexpr bool is_optional<std::optional<Value>> = true;

// --- Values as JSON.

template <class Json, class S>
struct JsonWriter;

template <class Json>
Json value_json(const Matrix& m);
template <class Json, class Entry>
Json value_json(const std::vector<Entry>& values);

template <class Json, class Value>
Json value_json(const Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    return finite_or_null<Json>(value);
  } else if constexpr (Described<Value>) {
    Json object = Json::object();
    JsonWriter<Json, Value> writer{{}, value, object};
    describe(writer, FieldsOf<Value>{});
    return object;
  } else if constexpr (is_optional<Value>) {
    return value ? value_json<Json>(*value) : Json(nullptr);
  } else {
    return value;
  }
}
template <class Json, class Entry>
Json value_json(const std::vector<Entry>& values) {
  Json list = Json::array();
  for (const Entry& value : values) list.push_back(value_json<Json>(value));
  return list;
}
template <class Json>
Json value_json(const Matrix& m) {
  Json rows = Json::array();
  for (int i = 0; i < m.rows; ++i)
    rows.push_back(Vector(m.data.begin() + i * m.cols, m.data.begin() + (i + 1) * m.cols));
  return rows;
}

// --- Values out of JSON. `columns` is the length of each row of a matrix.

struct KeptValue {
  const KeptJson& from;
  const FieldInfo& info;
  std::size_t columns;
};

template <class S>
void read_struct(const KeptJson& from, std::size_t columns, S& to);

inline void read(const KeptValue& at, double& to) {
  to = at.info.null == Null::refused ? at.from.number(at.info.least, at.info.greatest)
                                     : at.from.number_or(null_value(at.info.null));
}
inline void read(const KeptValue& at, int& to) {
  to = at.from.small_whole(at.info.least > 0 ? static_cast<int>(at.info.least) : 0);
}
constexpr std::int64_t kMostExact = 9'000'000'000'000'000;  // exact as a double
inline void read(const KeptValue& at, std::int64_t& to) { to = at.from.whole(0, kMostExact); }
inline void read(const KeptValue& at, std::uint64_t& to) {
  to = at.from.json().is_number_unsigned()
           ? at.from.natural()
           : static_cast<std::uint64_t>(at.from.whole(0, kMostExact));
}
inline void read(const KeptValue& at, bool& to) { to = at.from.flag(); }
inline void read(const KeptValue& at, std::string& to) { to = at.from.text(); }
inline void read(const KeptValue& at, std::map<std::string, std::string>& to) {
  to = at.from.texts_by_name();
}
inline void read(const KeptValue& at, std::map<std::string, double>& to) {
  to.clear();
  for (const auto& [name, value] : at.from.members()) read({value, at.info, 0}, to[name]);
}
inline void read(const KeptValue& at, std::vector<Vector>& to) { to = at.from.rows(at.columns); }
inline void read(const KeptValue& at, Matrix& to) {
  const std::vector<Vector> rows = at.from.rows(at.columns);
  if (rows.empty()) at.from.refuse("is empty");
  to = zeros(static_cast<int>(rows.size()), static_cast<int>(at.columns));
  for (int i = 0; i < to.rows; ++i)
    for (int k = 0; k < to.cols; ++k) to(i, k) = rows[i][k];
}
template <Described S>
void read(const KeptValue& at, S& to) {
  read_struct(at.from, at.columns, to);
}
template <class Entry>
void read(const KeptValue& at, std::vector<Entry>& to);
template <class Value>
void read(const KeptValue& at, std::pair<Value, Value>& to) {
  const std::vector<KeptJson> two = at.from.list();
  if (two.size() != 2) at.from.refuse("is not a pair");
  read({two[0], at.info, at.columns}, to.first);
  read({two[1], at.info, at.columns}, to.second);
}
template <class Value>
void read(const KeptValue& at, std::optional<Value>& to) {
  to.reset();
  if (!at.from.is_null()) read(at, to.emplace());
}
template <class Entry>
void read(const KeptValue& at, std::vector<Entry>& to) {
  to.clear();
  for (const KeptJson& value : at.from.list())
    read({value, at.info, at.columns}, to.emplace_back());
}

// --- Values as CSV cells. The cell of an array is its number of entries or rows.

inline std::string cell_of(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}
inline std::string cell_of(int value) { return fmt::format("{}", value); }
inline std::string cell_of(std::uint64_t value) { return fmt::format("{}", value); }
inline std::string cell_of(bool value) { return value ? "1" : "0"; }
inline std::string cell_of(const std::string& value) { return csv_cell(value); }
inline std::string cell_of(const Matrix& value) { return fmt::format("{}", value.rows); }
template <class Entry>
std::string cell_of(const std::vector<Entry>& value) {
  return fmt::format("{}", value.size());
}

// --- Visitors.

template <class Json, class S>
struct JsonWriter : FieldVisitor<JsonWriter<Json, S>> {
  const S& from;
  Json& to;

  template <class Field>
  void on_value(const Field& field, const FieldInfo& info) {
    const auto& value = std::invoke(field, from);  // also of a function
    if constexpr (is_optional<std::remove_cvref_t<decltype(value)>>)
      if (info.optional && !value) return;
    to[std::string(info.key)] = value_json<Json>(value);
  }
  template <class Field, class Enum>
  void on_choice(const Field& field, Enum, const FieldInfo& info) {
    to[std::string(info.key)] = name_of(std::invoke(field, from));
  }
  template <class Function>
  void on_derived(const Function& function, const FieldInfo& info) {
    to[std::string(info.key)] = value_json<Json>(function(from));
  }
  template <class Get, class Set>
  void on_computed(const Get& get, const Set&, const FieldInfo& info) {
    on_value(get, info);
  }
  template <class Field>
  void part(const Field& field) {
    using Part = std::remove_cvref_t<std::invoke_result_t<Field, const S&>>;
    JsonWriter<Json, Part> writer{{}, std::invoke(field, from), to};
    describe(writer, FieldsOf<Part>{});
  }
  template <class Field>
  void on_list(const Field& field, const FieldInfo& info) {
    if (!std::invoke(field, from).empty()) on_value(field, info);
  }
};

template <class S>
struct JsonReader : FieldVisitor<JsonReader<S>> {
  const KeptJson& from;
  std::size_t columns;
  S& to;

  template <class Field>
  void on_value(const Field& field, const FieldInfo& info) {
    auto& value = std::invoke(field, to);
    const std::string key(info.key);
    if (!info.optional || from.has(key)) return read({from.at(key), info, columns}, value);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, double>)
      if (info.null != Null::refused) value = null_value(info.null);
  }
  template <class Field, class Enum>
  void on_choice(const Field& field, Enum last, const FieldInfo& info) {
    const std::string key(info.key);
    if (info.optional && !from.has(key)) return;
    const std::string text = from.at(key).text();
    for (int k = 0; k <= static_cast<int>(last); ++k)
      if (text == name_of(static_cast<Enum>(k))) {
        std::invoke(field, to) = static_cast<Enum>(k);
        return;
      }
    from.at(key).refuse("is none of its values");
  }
  template <class Function>
  void on_derived(const Function&, const FieldInfo&) {}
  template <class Get, class Set>
  void on_computed(const Get&, const Set& set, const FieldInfo& info) {
    std::remove_cvref_t<std::invoke_result_t<Get, const S&>> value{};
    const std::string key(info.key);
    if (!info.optional || from.has(key)) read({from.at(key), info, columns}, value);
    std::invoke(set, to, value);
  }
  template <class Field>
  void part(const Field& field) {
    using Part = std::remove_cvref_t<std::invoke_result_t<Field, S&>>;
    JsonReader<Part> reader{{}, from, columns, std::invoke(field, to)};
    describe(reader, FieldsOf<Part>{});
  }
  template <class Field>
  void on_list(const Field& field, const FieldInfo& info) {
    std::invoke(field, to).clear();
    if (from.has(std::string(info.key))) on_value(field, info);
  }
};

template <class S>
void read_struct(const KeptJson& from, std::size_t columns, S& to) {
  JsonReader<S> reader{{}, from, columns, to};
  describe(reader, FieldsOf<S>{});
}

template <class S>
struct CellWriter : FieldVisitor<CellWriter<S>> {
  const S& from;
  std::map<std::string_view, std::string>& to;

  template <class Field>
  void on_value(const Field& field, const FieldInfo& info) {
    to[info.key] = cell_of(std::invoke(field, from));
  }
  template <class Field, class Enum>
  void on_choice(const Field& field, Enum, const FieldInfo& info) {
    to[info.key] = cell_of(std::string(name_of(std::invoke(field, from))));
  }
  template <class Function>
  void on_derived(const Function& function, const FieldInfo& info) {
    to[info.key] = cell_of(function(from));
  }
  template <class Get, class Set>
  void on_computed(const Get& get, const Set&, const FieldInfo& info) {
    to[info.key] = cell_of(std::invoke(get, from));
  }
  template <class Field>
  void part(const Field& field) {
    using Part = std::remove_cvref_t<std::invoke_result_t<Field, const S&>>;
    CellWriter<Part> writer{{}, std::invoke(field, from), to};
    describe(writer, FieldsOf<Part>{});
  }
  template <class Field>
  void on_list(const Field& field, const FieldInfo& info) {
    to[info.key] = cell_of(std::invoke(field, from));
  }
};

// A value as the numbers of a checkpoint, and back; a matrix has its shape already.
inline Vector numbers_of_value(const Vector& value) { return value; }
inline Vector numbers_of_value(const Matrix& value) { return value.data; }
template <class Value>
Vector numbers_of_value(const Value& value) requires std::is_arithmetic_v<Value> {
  return {static_cast<double>(value)};
}
// These return false if the numbers are no value of the type.
inline bool set_value(const Vector& numbers, Vector& to) {
  to = numbers;
  return true;
}
inline bool set_value(const Vector& numbers, Matrix& to) {
  to.data = numbers;
  return true;
}
template <class Value>
bool set_value(const Vector& numbers, Value& to) requires std::is_arithmetic_v<Value> {
  if (numbers.size() != 1) return false;
  if (std::is_integral_v<Value> && !(std::fabs(numbers[0]) < 0x1p31)) return false;
  to = static_cast<Value>(numbers[0]);
  return true;
}

using NumbersByKey = std::map<std::string_view, Vector>;

template <class S>
struct NumberWriter : FieldVisitor<NumberWriter<S>> {
  const S& from;
  NumbersByKey& to;

  template <class Field>
  void on_value(const Field& field, const FieldInfo& info) {
    to[info.key] = numbers_of_value(std::invoke(field, from));
  }
  template <class Field, class Enum>
  void on_choice(const Field& field, Enum, const FieldInfo& info) {
    to[info.key] = {static_cast<double>(std::invoke(field, from))};
  }
  template <class Function>
  void on_derived(const Function&, const FieldInfo&) {}
  template <class Field>
  void part(const Field& field) {
    using Part = std::remove_cvref_t<std::invoke_result_t<Field, const S&>>;
    NumberWriter<Part> writer{{}, std::invoke(field, from), to};
    describe(writer, FieldsOf<Part>{});
  }
};

template <class S>
struct NumberReader : FieldVisitor<NumberReader<S>> {
  const NumbersByKey& from;
  S& to;
  bool& fits;

  template <class Field>
  void on_value(const Field& field, const FieldInfo& info) {
    fits = set_value(from.at(info.key), std::invoke(field, to)) && fits;
  }
  template <class Field, class Enum>
  void on_choice(const Field& field, Enum last, const FieldInfo& info) {
    const Vector& numbers = from.at(info.key);
    const double index = numbers.size() == 1 ? numbers[0] : -1;
    if (!(index >= 0 && index <= static_cast<double>(last))) return void(fits = false);
    std::invoke(field, to) = static_cast<Enum>(static_cast<int>(index));
  }
  template <class Function>
  void on_derived(const Function&, const FieldInfo&) {}
  template <class Field>
  void part(const Field& field) {
    using Part = std::remove_cvref_t<std::invoke_result_t<Field, S&>>;
    NumberReader<Part> reader{{}, from, std::invoke(field, to), fits};
    describe(reader, FieldsOf<Part>{});
  }
};

template <class S>
struct FieldLister : FieldVisitor<FieldLister<S>> {
  std::vector<FieldInfo>& to;

  template <class Field>
  void on_value(const Field&, const FieldInfo& info) {
    to.push_back(info);
  }
  template <class Field, class Enum>
  void on_choice(const Field&, Enum, const FieldInfo& info) {
    to.push_back(info);
  }
  template <class Function>
  void on_derived(const Function&, const FieldInfo& info) {
    to.push_back(info);
  }
  template <class Get, class Set>
  void on_computed(const Get&, const Set&, const FieldInfo& info) {
    to.push_back(info);
  }
  template <class Field>
  void part(const Field&) {
    using Part = std::remove_cvref_t<std::invoke_result_t<Field, S&>>;
    FieldLister<Part> lister{{}, to};
    describe(lister, FieldsOf<Part>{});
  }
  template <class Field>
  void on_list(const Field&, const FieldInfo& info) {
    to.push_back(info);
  }
};

}  // namespace described

// Adds the fields of a described struct to a JSON object. Numbers that are not finite become null.
template <class S, class Json>
void write_fields(const S& from, Json& to) {
  described::JsonWriter<Json, S> writer{{}, from, to};
  describe(writer, FieldsOf<S>{});
}

// Reads the fields of a described struct from a JSON object; Error(input) that names file and key.
// `columns` is the length of each row of a matrix.
template <class S>
void read_fields(const KeptJson& from, std::size_t columns, S& to) {
  described::read_struct(from, columns, to);
}

// Returns one line of CSV with the given columns, which must be keys of the description.
template <class S>
std::string csv_line(const S& from, std::span<const std::string_view> columns) {
  std::map<std::string_view, std::string> cells;
  described::CellWriter<S> writer{{}, from, cells};
  describe(writer, FieldsOf<S>{});
  std::vector<std::string> line;
  for (const std::string_view column : columns) line.push_back(cells.at(column));
  return joined(line, ",") + "\n";
}

// Returns the numbers of all stored fields by key, and sets the fields to such numbers, which must
// hold every key; false if one is no value of its field.
template <class S>
described::NumbersByKey numbers_of(const S& from) {
  described::NumbersByKey numbers;
  described::NumberWriter<S> writer{{}, from, numbers};
  describe(writer, FieldsOf<S>{});
  return numbers;
}
template <class S>
bool set_numbers(const described::NumbersByKey& from, S& to) {
  bool fits = true;
  described::NumberReader<S> reader{{}, from, to, fits};
  describe(reader, FieldsOf<S>{});
  return fits;
}

// Returns all fields of a described struct in order.
template <class S>
std::vector<FieldInfo> fields_of() {
  std::vector<FieldInfo> fields;
  described::FieldLister<S> lister{{}, fields};
  describe(lister, FieldsOf<S>{});
  return fields;
}

}  // namespace murmur
