// experiment_file.cpp: an experiment file or preset, as settings.
#include "experiment/experiment_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <fstream>
#include <sstream>

#include "murmur/error.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;

using Table = std::span<const Parameter>;

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

}  // namespace

Settings base_settings(Table table, const std::string& base) {
  for (const Preset& preset : presets())
    if (base == preset.name)
      return parse_experiment(preset.text, "preset " + base, current_folder(), table);
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
    require_parameter(parameters, name, place(where, node.source()));
    settings[name] = {value_text(name, node, where), place(where, node.source()), folder};
  }
  return settings;
}

}  // namespace murmur
