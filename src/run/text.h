// text.h: numbers read from text; lists and cells of tables written as text. (fmt::join makes gcc
// 12 warn at -O3.)
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace murmur {

// The whole text as a finite number, or as a whole number from `least` to `greatest`.
inline std::optional<double> parse_number(const std::string& text) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front())) != 0) return {};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool whole_text = end == text.c_str() + text.size();
  return whole_text && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

inline std::optional<std::int64_t> parse_whole(const std::string& text, std::int64_t least,
                                               std::int64_t greatest) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  const bool good = error == std::errc{} && at == end && value >= least && value <= greatest;
  return good ? std::optional(value) : std::nullopt;
}

template <class List>
std::string joined(const List& items, std::string_view separator) {
  std::string text;
  for (const auto& item : items) {
    if (&item != &*items.begin()) text += separator;
    text += fmt::format("{}", item);
  }
  return text;
}

// In quotation marks where a reader of CSV would stumble, those of the text twice (RFC 4180).
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace murmur
