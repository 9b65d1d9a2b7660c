// text.h: numbers read from text; lists and cells of tables written as text. (fmt::join makes gcc
// 12 warn at -O3.)
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace murmur {

// The whole text as a finite number, with a decimal point in every locale, or as a whole number
// from `least` to `greatest`.
std::optional<double> parse_number(const std::string& text);

std::optional<std::int64_t> parse_whole(const std::string& text, std::int64_t least,
                                        std::int64_t greatest);

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
