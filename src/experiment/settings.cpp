// settings.cpp: gathers settings: defaults, then preset or file, then environment, then key=value.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "experiment/words.h"
#include "murmur/error.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;

using Table = std::span<const Parameter>;

const Parameter* find(Table table, const std::string& name) {
  for (const Parameter& p : table)
    if (name == p.name) return &p;
  return nullptr;
}

[[noreturn]] void refuse_unknown(Table table, const std::string& key, const std::string& where) {
  std::vector<std::string> names;
  for (const Parameter& p : table) names.emplace_back(p.name);
  const std::string near = did_you_mean(key, names);
  throw Error(Fault::input, fmt::format("there is no parameter {}", key), where,
              near.empty() ? "murmur explain --parameters lists them all"
                           : fmt::format("did you mean {}?", near));
}

std::string place(const std::string& where, const toml::source_region& region) {
  return fmt::format("{}:{}:{}", where, region.begin.line, region.begin.column);
}

// [[1, 0], [0, 1]] -> points:1,0;0,1
std::string points_text(const toml::array& rows, const std::string& where) {
  std::string text = "points:";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const toml::array* row = rows[i].as_array();
    if (row == nullptr)
      throw Error(Fault::input, "a list of points must hold lists of numbers",
                  place(where, rows[i].source()), "write init = [[1, 0], [0, 1]]");
    if (i > 0) text += ';';
    for (std::size_t k = 0; k < row->size(); ++k) {
      const auto value = (*row)[k].value<double>();
      if (!value)
        throw Error(Fault::input, "a coordinate is not a number", place(where, (*row)[k].source()),
                    "write init = [[1, 0], [0, 1]]");
      text += fmt::format("{}{}", k > 0 ? "," : "", *value);
    }
  }
  return text;
}

// The text that key=value would have carried.
std::string value_text(const std::string& key, const toml::node& node, const std::string& where) {
  if (const auto* v = node.as_string()) return v->get();
  if (const auto* v = node.as_integer()) return fmt::format("{}", v->get());
  if (const auto* v = node.as_floating_point()) return fmt::format("{}", v->get());
  if (const auto* v = node.as_boolean()) return v->get() ? "true" : "false";
  if (const auto* v = node.as_array(); v != nullptr && key == "init") return points_text(*v, where);
  throw Error(Fault::input, fmt::format("{} has a value of the wrong type", key),
              place(where, node.source()), "write a number, a word in quotes, true or false");
}

std::string read_text(const fs::path& path) {
  std::error_code ignored;
  const bool sane = fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) < 16'000'000;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in && sane) text << in.rdbuf();
  if (!in || !sane)
    throw Error(Fault::input, "the experiment file cannot be read", path.string(),
                "give a text file of at most 16 MB that may be read");
  return text.str();
}

void lay_over(Settings& settings, const Settings& more) {
  for (const auto& [key, value] : more) settings[key] = value;
}

Settings base_settings(Table table, const std::string& base) {
  for (const Preset& preset : presets())
    if (base == preset.name)
      return parse_experiment(preset.text, "preset " + base, fs::current_path(), table);
  const fs::path path(base);
  std::error_code ignored;
  if (fs::is_directory(path, ignored) && fs::exists(path / "config.toml", ignored))
    return parse_experiment(read_text(path / "config.toml"), (path / "config.toml").string(), path,
                            table);
  if (fs::exists(path, ignored) && !fs::is_directory(path, ignored))
    return parse_experiment(read_text(path), base, fs::absolute(path).parent_path(), table);
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  const std::string near = did_you_mean(base, names);
  throw Error(Fault::input, fmt::format("there is no preset or file {}", base), "command line",
              near.empty() ? "murmur presets lists the gallery; a file is given by its path"
                           : fmt::format("did you mean {}? murmur presets lists them all", near));
}

// MURMUR_BETA and MURMUR_beta both mean beta; parameters differ by more than case.
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

Settings parse_experiment(const std::string& text, const std::string& where, const fs::path& folder,
                          Table parameters) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& e) {
    throw Error(Fault::input, std::string(e.description()), place(where, e.source()),
                "mend the line; an experiment file holds lines such as beta = 4");
  }
  Settings settings;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (find(parameters, name) == nullptr)
      refuse_unknown(parameters, name, place(where, node.source()));
    settings[name] = {value_text(name, node, where), place(where, node.source()), folder};
  }
  return settings;
}

Settings gather(const Sources& sources, Table table) {
  const fs::path here = fs::current_path();
  Settings settings;
  for (const Parameter& p : table) settings[p.name] = {p.initial, "default", here};
  if (!sources.base.empty()) lay_over(settings, base_settings(table, sources.base));
  for (const auto& [variable, value] : sources.environment)
    if (const Parameter* p = parameter_of_variable(table, variable))
      settings[p->name] = {value, "environment variable " + variable, here};
  for (const std::string& assignment : sources.assignments) {
    const std::size_t equals = assignment.find('=');
    const std::string key = assignment.substr(0, equals);
    const std::string where = "command line: " + assignment;
    if (find(table, key) == nullptr) refuse_unknown(table, key, where);
    settings[key] = {equals == std::string::npos ? "" : assignment.substr(equals + 1), where, here};
  }
  return settings;
}

}  // namespace murmur
