// describe.h: structs that are described once: JSON in both directions, CSV cells and lists of
// fields come from the description.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "murmur/matrix.h"
#include "run/kept_json.h"
#include "run/text.h"

namespace murmur {

// The number that null in JSON and an empty cell in CSV stand for.
enum class Null { refused, nan, infinity };

// One field of a described struct.
struct FieldInfo {
  std::string_view key;                                // in JSON objects; the column in CSV
  std::string_view meaning;                            // one line
  double least = -std::numeric_limits<double>::max();  // numbers outside this range are refused
  double greatest = std::numeric_limits<double>::max();
  Null null = Null::refused;
  bool optional = false;  // files of earlier versions may lack it
};

// A struct S is described by one function next to its files,
//   template <class Visitor> void describe(Visitor& v, FieldsOf<S>)
// which calls, field by field,
//   v(&S::member, {key, meaning, ...})             a value; a function S& -> member& serves as well
//   v.choice(&S::member, last, {key, meaning})     an enumeration from 0 to `last` with name_of
//   v.part(&S::member)                             a described struct, whose keys join those of S
//   v.list(&S::member, {key, meaning})             a vector of described structs; absent when empty
//   v.derived(function, {key, meaning})            computed from S: written, never read
template <class S>
struct FieldsOf {};

namespace described {

inline double null_value(Null null) {
  return null == Null::infinity ? std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::quiet_NaN();
}

// --- Values as JSON.

template <class Value>
nlohmann::json json_of(const Value& value) {
  if constexpr (std::is_same_v<Value, double>)
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
  else
    return value;
}

inline nlohmann::json json_of(const Matrix& m) {
  nlohmann::json rows = nlohmann::json::array();
  for (int i = 0; i < m.rows; ++i)
    rows.push_back(Vector(m.data.begin() + i * m.cols, m.data.begin() + (i + 1) * m.cols));
  return rows;
}

// --- Values out of JSON. `columns` is the length of each row of a matrix.

inline void read(const KeptJson& from, const FieldInfo& info, std::size_t, double& to) {
  to = info.null == Null::refused ? from.number(info.least, info.greatest)
                                  : from.number_or(null_value(info.null));
}
inline void read(const KeptJson& from, const FieldInfo&, std::size_t, int& to) {
  to = from.small_whole();
}
inline void read(const KeptJson& from, const FieldInfo&, std::size_t, std::uint64_t& to) {
  constexpr std::int64_t kMost = 9'000'000'000'000'000;  // exact as a double
  to = static_cast<std::uint64_t>(from.whole(0, kMost));
}
inline void read(const KeptJson& from, const FieldInfo&, std::size_t, bool& to) {
  to = from.flag();
}
inline void read(const KeptJson& from, const FieldInfo&, std::size_t, std::string& to) {
  to = from.text();
}
inline void read(const KeptJson& from, const FieldInfo& info, std::size_t, Vector& to) {
  to.clear();
  for (const KeptJson& value : from.list()) to.push_back(value.number(info.least, info.greatest));
}
inline void read(const KeptJson& from, const FieldInfo&, std::size_t columns,
                 std::vector<Vector>& to) {
  to = from.rows(columns);
}
inline void read(const KeptJson& from, const FieldInfo&, std::size_t columns, Matrix& to) {
  const std::vector<Vector> rows = from.rows(columns);
  if (rows.empty()) from.refuse("is empty");
  to = zeros(static_cast<int>(rows.size()), static_cast<int>(columns));
  for (int i = 0; i < to.rows; ++i)
    for (int k = 0; k < to.cols; ++k) to(i, k) = rows[i][k];
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

template <class S>
struct JsonWriter {
  const S& from;
  nlohmann::json& to;

  template <class Field>
  void operator()(const Field& field, const FieldInfo& info) {
    to[std::string(info.key)] = json_of(std::invoke(field, from));
  }
  template <class Field, class Enum>
  void choice(const Field& field, Enum, const FieldInfo& info) {
    to[std::string(info.key)] = name_of(std::invoke(field, from));
  }
  template <class Function>
  void derived(const Function& function, const FieldInfo& info) {
    to[std::string(info.key)] = json_of(function(from));
  }
  template <class Field>
  void part(const Field& field) {
    using Part = std::remove_cvref_t<std::invoke_result_t<Field, const S&>>;
    JsonWriter<Part> writer{std::invoke(field, from), to};
    describe(writer, FieldsOf<Part>{});
  }
  template <class Field>
  void list(const Field& field, const FieldInfo& info) {
    for (const auto& entry : std::invoke(field, from)) {
      using Entry = std::remove_cvref_t<decltype(entry)>;
      nlohmann::json object = nlohmann::json::object();
      JsonWriter<Entry> writer{entry, object};
      describe(writer, FieldsOf<Entry>{});
      to[std::string(info.key)].push_back(std::move(object));
    }
  }
};

template <class S>
struct JsonReader {
  const KeptJson& from;
  std::size_t columns;
  S& to;

  template <class Field>
  void operator()(const Field& field, const FieldInfo& info) {
    auto& value = std::invoke(field, to);
    const std::string key(info.key);
    if (!info.optional || from.has(key)) return read(from.at(key), info, columns, value);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, double>)
      if (info.null != Null::refused) value = null_value(info.null);
  }
  template <class Field, class Enum>
  void choice(const Field& field, Enum last, const FieldInfo& info) {
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
  void derived(const Function&, const FieldInfo&) {}
  template <class Field>
  void part(const Field& field) {
    using Part = std::remove_cvref_t<std::invoke_result_t<Field, S&>>;
    JsonReader<Part> reader{from, columns, std::invoke(field, to)};
    describe(reader, FieldsOf<Part>{});
  }
  template <class Field>
  void list(const Field& field, const FieldInfo& info) {
    auto& entries = std::invoke(field, to);
    using Entry = typename std::remove_cvref_t<decltype(entries)>::value_type;
    entries.clear();
    const std::string key(info.key);
    if (!from.has(key)) return;
    for (const KeptJson& object : from.at(key).list()) {
      JsonReader<Entry> reader{object, columns, entries.emplace_back()};
      describe(reader, FieldsOf<Entry>{});
    }
  }
};

template <class S>
struct CellWriter {
  const S& from;
  std::map<std::string_view, std::string>& to;

  template <class Field>
  void operator()(const Field& field, const FieldInfo& info) {
    to[info.key] = cell_of(std::invoke(field, from));
  }
  template <class Field, class Enum>
  void choice(const Field& field, Enum, const FieldInfo& info) {
    to[info.key] = cell_of(std::string(name_of(std::invoke(field, from))));
  }
  template <class Function>
  void derived(const Function& function, const FieldInfo& info) {
    to[info.key] = cell_of(function(from));
  }
  template <class Field>
  void part(const Field& field) {
    using Part = std::remove_cvref_t<std::invoke_result_t<Field, const S&>>;
    CellWriter<Part> writer{std::invoke(field, from), to};
    describe(writer, FieldsOf<Part>{});
  }
  template <class Field>
  void list(const Field& field, const FieldInfo& info) {
    to[info.key] = cell_of(std::invoke(field, from));
  }
};

template <class S>
struct FieldLister {
  std::vector<FieldInfo>& to;

  template <class Field>
  void operator()(const Field&, const FieldInfo& info) {
    to.push_back(info);
  }
  template <class Field, class Enum>
  void choice(const Field&, Enum, const FieldInfo& info) {
    to.push_back(info);
  }
  template <class Function>
  void derived(const Function&, const FieldInfo& info) {
    to.push_back(info);
  }
  template <class Field>
  void part(const Field&) {
    using Part = std::remove_cvref_t<std::invoke_result_t<Field, S&>>;
    FieldLister<Part> lister{to};
    describe(lister, FieldsOf<Part>{});
  }
  template <class Field>
  void list(const Field&, const FieldInfo& info) {
    to.push_back(info);
  }
};

}  // namespace described

// Adds the fields of a described struct to a JSON object. Numbers that are not finite become null.
template <class S>
void write_fields(const S& from, nlohmann::json& to) {
  described::JsonWriter<S> writer{from, to};
  describe(writer, FieldsOf<S>{});
}

// Reads the fields of a described struct from a JSON object; Error(input) that names file and key.
// `columns` is the length of each row of a matrix.
template <class S>
void read_fields(const KeptJson& from, std::size_t columns, S& to) {
  described::JsonReader<S> reader{from, columns, to};
  describe(reader, FieldsOf<S>{});
}

// Returns one line of CSV with the given columns, which must be keys of the description.
template <class S>
std::string csv_line(const S& from, std::span<const std::string_view> columns) {
  std::map<std::string_view, std::string> cells;
  described::CellWriter<S> writer{from, cells};
  describe(writer, FieldsOf<S>{});
  std::vector<std::string> line;
  for (const std::string_view column : columns) line.push_back(cells.at(column));
  return joined(line, ",") + "\n";
}

// Returns all fields of a described struct in order.
template <class S>
std::vector<FieldInfo> fields_of() {
  std::vector<FieldInfo> fields;
  described::FieldLister<S> lister{fields};
  describe(lister, FieldsOf<S>{});
  return fields;
}

}  // namespace murmur
