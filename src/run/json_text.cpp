// json_text.cpp: the library's writer and parser, compiled here for all files of runs and commands.
#include "run/json_text.h"

namespace murmur {
namespace {

template <class Json>
std::string written(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string json_text(const nlohmann::json& json, int indent) { return written(json, indent); }

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return written(json, indent);
}

nlohmann::json json_of_text(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace murmur
