// experiment_file.cpp: reads presets and .toml files; deep nesting is refused before the text is
// parsed.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <vector>

#include "experiment/config.h"
#include "murmur/error.h"
#include "murmur/external.h"
#include "murmur/run.h"
#include "run/file.h"
#include "run/kept_json.h"

namespace murmur {

// --- How deep tables and lists lie in each other.

namespace {

class DepthScan {
 public:
  DepthScan(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'')
        skip_string(c);
      else if (c == '#')
        skip_comment();
      else
        count(c);
    }
  }

 private:
  void advance(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_)
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
  }

  bool is_at(std::string_view word) const { return text_.substr(at_, word.size()) == word; }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  // Moves after the closing quotes; an unclosed single-line string ends with its line.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool many = is_at(three);
    advance(many ? 3 : 1);
    while (at_ < text_.size()) {
      if (quote == '"' && text_[at_] == '\\') {
        advance(2);
      } else if (many ? is_at(three) : text_[at_] == quote) {
        advance(many ? 3 : 1);
        // Up to two quotes may precede the closing three: """x""""" is the string x"".
        for (int more = 0; many && more < 2 && is_at({&quote, 1}); ++more) advance(1);
        return;
      } else if (!many && text_[at_] == '\n') {
        return;
      } else {
        advance(1);
      }
    }
  }

  void count(char c) {
    if (c == '[' || c == '{') {
      open_.push_back(dots_);
      carried_ += dots_ + 1;
      dots_ = 0;
    } else if ((c == ']' || c == '}') && !open_.empty()) {
      carried_ -= open_.back() + 1;
      open_.pop_back();
      dots_ = 0;
    } else if (c == '.') {
      ++dots_;
    } else if (c == ',' || (c == '\n' && open_.empty())) {
      dots_ = 0;
    }
    if (carried_ + dots_ > kDeepestToml)
      throw Error(Fault::input,
                  fmt::format("TOML is nested more than {} levels deep", kDeepestToml),
                  fmt::format("{}:{}:{}", where_, line_, at_ - line_start_ + 1),
                  "an experiment file holds lines such as beta = 4, and tables of them");
    advance(1);
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  int dots_ = 0, carried_ = 0;  // of the current key; levels above it
  std::vector<int> open_{};     // dots before each open bracket
};

}  // namespace

void require_shallow_toml(std::string_view text, const std::string& where) {
  DepthScan(text, where).run();
}

// --- Files and presets.

namespace {

namespace fs = std::filesystem;

using Table = std::span<const Parameter>;

// Commands that read a table with their name; the top level belongs to simulate.
constexpr const char* kSections[] = {"meanfield", "landscape"};

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

// Returns the text that key=value would have.
std::string value_text(const std::string& key, const toml::node& node, const std::string& where) {
  if (const auto* v = node.as_string()) return v->get();
  if (const auto* v = node.as_integer()) return fmt::format("{}", v->get());
  if (const auto* v = node.as_floating_point()) return fmt::format("{}", v->get());
  if (const auto* v = node.as_boolean()) return v->get() ? "true" : "false";
  if (const auto* v = node.as_array(); v != nullptr && key == "init") return points_text(*v, where);
  throw Error(Fault::input, fmt::format("{} has a value of the wrong type", key),
              place(where, node.source()), "write a number, a word in quotes, true or false");
}

std::string text_of(const fs::path& path) try {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) >= 16'000'000)
    throw Error(Fault::input, "it is too large", path.string(), "");
  return read_text(path);
} catch (const Error& problem) {
  if (problem.fault == Fault::runtime) throw;
  throw Error(Fault::input, "the experiment file cannot be read: " + problem.summary, path.string(),
              "give a text file of at most 16 MB that may be read");
}

// The text of a preset or file before it is parsed.
struct Source {
  std::string text{}, where{};
  fs::path folder{};
  bool preset = false;
};

// A run with forces of a calling program cannot be made again from its files.
void refuse_external(const fs::path& run) {
  if (!is_run_directory(run)) return;
  const KeptJson manifest = KeptJson::parse(RunReader(run).manifest(), run.string());
  const std::vector<std::string> names = external_of_engine(manifest.at("engine").text());
  if (!names.empty())
    throw Error(Fault::input,
                fmt::format("the force {} of this run is a function of the program that made it",
                            names.front()),
                run.string(), "make the run again in that program; its frames can be measured");
}

Source source_of(const std::string& base) {
  for (const Preset& preset : presets())
    if (base == preset.name) return {preset.text, "preset " + base, current_folder(), true};
  const fs::path path(base);
  std::error_code ignored;
  if (fs::is_directory(path, ignored) && fs::exists(path / "config.toml", ignored)) {
    refuse_external(path);
    return {text_of(path / "config.toml"), (path / "config.toml").string(), path};
  }
  if (fs::exists(path, ignored) && !fs::is_directory(path, ignored))
    return {text_of(path), base, fs::absolute(path).parent_path()};
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  const std::string near = did_you_mean(base, names);
  throw Error(Fault::input, fmt::format("there is no preset or file {}", base), "command line",
              near.empty() ? "murmur presets lists the gallery; a file is given by its path"
                           : fmt::format("did you mean {}? murmur presets lists them all", near));
}

toml::table parsed(const std::string& text, const std::string& where) try {
  require_shallow_toml(text, where);
  return toml::parse(text);
} catch (const toml::parse_error& e) {
  throw Error(Fault::input, std::string(e.description()), place(where, e.source()),
              "mend the line; an experiment file holds lines such as beta = 4");
}

Settings settings_in(const toml::table& table, const Source& source, Table parameters) {
  Settings settings;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::string where = place(source.where, node.source());
    require_parameter(parameters, name, where);
    settings[name] = {value_text(name, node, source.where), where, source.folder};
  }
  return settings;
}

[[noreturn]] void refuse_preset(const Sources& sources) {
  std::vector<std::string> names;
  for (const Preset& preset : presets())
    for (const std::string& command : commands_of(preset))
      if (command == sources.section) names.emplace_back(preset.name);
  throw Error(
      Fault::input,
      fmt::format("the preset {} holds nothing for murmur {}", sources.base, sources.section),
      "command line", fmt::format("give one of {}", fmt::join(names, ", ")));
}

}  // namespace

Settings base_settings(Table table, const Sources& sources) {
  const Source source = source_of(sources.base);
  if (!sources.section.empty()) {
    const toml::table whole = parsed(source.text, source.where);
    if (const toml::table* own = whole[sources.section].as_table())
      return settings_in(*own, source, table);
    if (source.preset) refuse_preset(sources);
  }
  return parse_experiment(source.text, source.where, source.folder, table);
}

Settings parse_experiment(const std::string& text, const std::string& where, const fs::path& folder,
                          Table parameters) {
  toml::table table = parsed(text, where);
  for (const char* section : kSections)
    if (table[section].is_table()) table.erase(section);
  return settings_in(table, {.where = where, .folder = folder}, parameters);
}

std::vector<std::string> commands_of(const Preset& preset) {
  const toml::table table = parsed(preset.text, preset.name);
  std::vector<std::string> commands = {"simulate"};
  for (const char* section : kSections)
    if (table[section].is_table()) commands.emplace_back(section);
  return commands;
}

}  // namespace murmur
