// json_text.h: JSON to text and back, compiled once for all who write or read it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace murmur {

// Below 0 spaces of indent: one line. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

// is_discarded() where the text is no JSON.
nlohmann::json json_of_text(std::string_view text);

}  // namespace murmur
