// json_text.h: JSON to text and back, compiled once for all files.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace murmur {

// A negative indent gives one line. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

// The deepest nesting of objects and lists: functions that walk a JSON value are recursive. And the
// most values of a text: each takes up to a hundred bytes of memory.
constexpr int kDeepestJson = 64, kMostJsonValues = 1 << 22;

// Why a text is not parsed, JSON or not, and where.
struct JsonExcess {
  std::string what{};
  std::size_t line = 1, column = 1;
};
std::optional<JsonExcess> excess_of_json(std::string_view text);

// The result is_discarded() if the text is not JSON or has an excess.
nlohmann::json json_of_text(std::string_view text);

// JSON has no NaN and no infinity: they are written as null.
template <class Json = nlohmann::json>
Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

}  // namespace murmur
