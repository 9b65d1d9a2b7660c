// config.cpp: every setting as a line of TOML that reads back the same.
#include "experiment/config.h"

#include <fmt/format.h>

#include "experiment/words.h"

namespace murmur {

namespace {

// A TOML basic string, quoted and escaped.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

// A TOML float: digits enough to read back the same number, and a point or exponent.
std::string toml_float(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

std::string config_of(std::span<const Parameter> table, const Settings& resolved) {
  std::string text = "# Every parameter of this run; murmur explain tells what each means.\n";
  for (const Parameter& p : table) {
    const std::string& value = resolved.at(p.name).text;
    double parsed = 0;
    if (p.kind == Parameter::whole)
      text += fmt::format("{} = {}\n", p.name, whole(resolved, p.name, 0, kMostWhole));
    else if (p.kind == Parameter::number && parse_number(value, parsed))
      text += fmt::format("{} = {}\n", p.name, toml_float(parsed));
    else
      text += fmt::format("{} = {}\n", p.name, p.kind == Parameter::flag ? value : quoted(value));
  }
  return text;
}

}  // namespace murmur
