// settings.cpp: gathers settings (defaults, then preset or file, then environment, then key=value)
// and writes them as the text of a config.toml.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "experiment/config.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/forces.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;

using Table = std::span<const Parameter>;

void overlay(Settings& settings, const Settings& more) {
  for (const auto& [key, value] : more) settings[key] = value;
}

// MURMUR_BETA and MURMUR_beta both mean beta; no two parameters differ only by case.
const Parameter* parameter_of_variable(Table table, const std::string& variable) {
  const auto same = [](const std::string& a, const char* b) {
    return a.size() == std::string(b).size() &&
           std::equal(a.begin(), a.end(), b, [](unsigned char x, unsigned char y) {
             return std::tolower(x) == std::tolower(y);
           });
  };
  for (const Parameter& p : table)
    if (same(variable.substr(7), p.name)) return &p;
  return nullptr;
}

}  // namespace

fs::path current_folder() {
  std::error_code ignored;
  return fs::current_path(ignored);
}

void require_parameter(Table table, const std::string& key, const std::string& where) {
  for (const Parameter& p : table)
    if (key == p.name) return;
  std::vector<std::string> names;
  for (const Parameter& p : table) names.emplace_back(p.name);
  const std::string near = did_you_mean(key, names);
  throw Error(Fault::input, fmt::format("there is no parameter {}", key), where,
              near.empty() ? "murmur explain --parameters lists them all"
                           : fmt::format("did you mean {}?", near));
}

Settings gather(const Sources& sources, Table table) {
  const fs::path here = current_folder();
  Settings settings;
  for (const Parameter& p : table) settings[p.name] = {p.initial, "default", here};
  if (!sources.base.empty()) overlay(settings, base_settings(table, sources));
  for (const auto& [variable, value] : sources.environment)
    if (const Parameter* p = parameter_of_variable(table, variable))
      settings[p->name] = {value, "environment variable " + variable, here};
  for (const std::string& assignment : sources.assignments) {
    const std::size_t equals = assignment.find('=');
    const std::string key = assignment.substr(0, equals);
    const std::string where = "command line: " + assignment;
    require_parameter(table, key, where);
    settings[key] = {equals == std::string::npos ? "" : assignment.substr(equals + 1), where, here};
  }
  return settings;
}

void add_external(Settings& words, const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& name = names[k];
    const bool word = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '-';
    });
    if (!word)
      throw Error(Fault::input,
                  "the name of a force has other characters than letters, digits, - and _",
                  fmt::format("external '{}'", name), "use letters, digits, - and _");
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k), name) !=
        names.begin() + static_cast<std::ptrdiff_t>(k))
      throw Error(Fault::input, "two forces have one name", fmt::format("external '{}'", name),
                  "give each another name");
    all += (k > 0 ? "," : "") + name;
  }
  if (!names.empty()) words["external"] = {all, "the calling program", {}};
}

std::vector<std::string> external_of(const Settings& words) {
  const auto found = words.find("external");
  if (found == words.end()) return {};
  return split(found->second.text, ',');
}

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

// Writes a TOML float with enough digits to read back the same number, and a point or exponent.
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
