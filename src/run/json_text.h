// json_text.h: JSON to text and back, compiled once for all files.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace murmur {

// A negative indent gives one line. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

// The result is_discarded() if the text is not JSON.
nlohmann::json json_of_text(std::string_view text);

// JSON has no NaN and no infinity: they are written as null.
template <class Json = nlohmann::json>
Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

}  // namespace murmur
