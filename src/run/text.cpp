// text.cpp: text as runs and commands read and write it: numbers, base 64, JSON, columns of tables,
// words of a shell.
#include "run/text.h"

#include <fmt/format.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "run/base64.h"
#include "run/columns.h"
#include "run/json_text.h"
#include "run/shell.h"

namespace murmur {

// --- Numbers.

std::optional<double> parse_number(const std::string& text) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front())) != 0) return {};
  char* end = nullptr;
  const double value = strtod_l(text.c_str(), &end, plain);
  const bool whole_text = end == text.c_str() + text.size();
  return whole_text && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> parse_whole(const std::string& text, std::int64_t least,
                                        std::int64_t greatest) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  const bool good = error == std::errc{} && at == end && value >= least && value <= greatest;
  return good ? std::optional(value) : std::nullopt;
}

// --- Base 64.

namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < left ? std::to_integer<std::uint32_t>(bytes[at + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= left ? kLetters[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  std::array<int, 256> digit{};
  digit.fill(-1);
  for (std::size_t k = 0; k < kLetters.size(); ++k)
    digit[static_cast<unsigned char>(kLetters[k])] = static_cast<int>(k);
  std::size_t length = text.size();
  while (length > 0 && text.size() - length < 2 && text[length - 1] == '=') --length;
  std::string bytes;
  bytes.reserve(length / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (std::size_t k = 0; k < length; ++k) {
    const int value = digit[static_cast<unsigned char>(text[k])];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFF);
  }
  return bytes;
}

// --- JSON, by the library that is compiled only here.

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

std::optional<JsonExcess> excess_of_json(std::string_view text) {
  int depth = 0, values = 1;
  std::size_t line = 1, line_start = 0;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '\n') {
      ++line;
      line_start = k + 1;
    } else if (quoted) {
      if (c == '\\')
        ++k;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{' || c == ',') {
      if (c != ',' && ++depth > kDeepestJson)
        return JsonExcess{fmt::format("JSON is nested more than {} levels deep", kDeepestJson),
                          line, k - line_start + 1};
      if (++values > kMostJsonValues)
        return JsonExcess{fmt::format("JSON holds more than {} values", kMostJsonValues), line,
                          k - line_start + 1};
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return {};
}

nlohmann::json json_of_text(std::string_view text) {
  if (excess_of_json(text)) return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(text, nullptr, false);
}

// --- Columns of tables.

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::size_t> column_widths(const TextRows& rows, std::size_t least) {
  std::vector<std::size_t> widths(rows.front().size(), least);
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  return widths;
}

std::vector<TextRows> split_columns(const TextRows& rows, const std::vector<std::size_t>& widths,
                                    std::size_t border, std::size_t most) {
  std::vector<std::vector<std::size_t>> groups = {{0}};
  std::size_t taken = widths[0] + border;
  for (std::size_t c = 1; c < widths.size(); ++c) {
    if (taken + widths[c] + border > most && groups.back().size() > 1) {
      groups.push_back({0});
      taken = widths[0] + border;
    }
    groups.back().push_back(c);
    taken += widths[c] + border;
  }
  std::vector<TextRows> parts;
  for (const std::vector<std::size_t>& group : groups) {
    parts.emplace_back();
    for (const auto& row : rows) {
      parts.back().emplace_back();
      for (const std::size_t c : group) parts.back().back().push_back(row[c]);
    }
  }
  return parts;
}

// --- Words of a shell.

namespace {

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

bool is_plain(unsigned char byte) {
  constexpr std::string_view marks = "_@%+=:,./-";
  const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  return letter || (byte >= '0' && byte <= '9') || byte >= 0x80 ||
         marks.find(static_cast<char>(byte)) != std::string_view::npos;
}

// Also finds C1 control characters, both in UTF-8 and as single bytes.
bool holds_controls(std::string_view word) {
  for (std::size_t k = 0; k < word.size(); ++k) {
    const auto byte = static_cast<unsigned char>(word[k]);
    const bool follows = k > 0 && static_cast<unsigned char>(word[k - 1]) > 0xc2;
    if (is_control(byte) || (byte >= 0x80 && byte < 0xa0 && !follows)) return true;
  }
  return false;
}

// Writes every byte that is not printable ASCII by its number.
std::string in_ansi_quotes(std::string_view word) {
  std::string quoted = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      quoted += "\\n";
    else if (is_control(byte) || byte >= 0x80 || c == '\'' || c == '\\')
      quoted += fmt::format(
          "\\{:03o}", byte);  // three digits, so that the next character is not read as a fourth
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (holds_controls(word)) return in_ansi_quotes(word);
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_path(const std::filesystem::path& path) {
  const std::string word = path.string();
  const bool misread = word.starts_with('-') || (!word.starts_with('/') && !word.starts_with('.') &&
                                                 word.find('=') != std::string::npos);
  return shell_word(misread ? "./" + word : word);
}

}  // namespace murmur
