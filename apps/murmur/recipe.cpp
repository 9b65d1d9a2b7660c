// recipe.cpp: writes down which commands make a picture.
#include "recipe.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "generated/version.h"
#include "recipe_words.h"
#include "run/shell.h"
#include "run_kind.h"
#include "trace/trace_file.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

// No number depends on threads.
std::string without_threads(const std::string& config) {
  std::istringstream lines(config);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("threads =", 0) != 0) kept += line + "\n";
  return kept;
}

// Where a picture lies below the folder; empty where it lies elsewhere.
std::string place_below(const fs::path& folder, const fs::path& place) {
  if (folder.empty()) return {};
  const fs::path below = fs::absolute(place).lexically_normal().lexically_relative(
      fs::absolute(folder).lexically_normal());
  if (below.empty() || *below.begin() == ".." || *below.begin() == ".") return {};
  return below.generic_string();
}

std::string whole_path(const std::string& name) {
  std::error_code ignored;
  return fs::exists(name, ignored) ? fs::absolute(name).lexically_normal().string() : name;
}

// images=FILE, FILE:3-7 or LEFT+RIGHT, data=DIR and a plain FILE.toml: a picture may be made again
// anywhere. Names that are no files (test:8, mnist) stay.
void name_whole_paths(std::vector<std::string>& words) {
  for (std::string& word : words) {
    const std::string key = word.substr(0, word.find('=') + 1);
    if (key.empty() && fs::path(word).extension() == ".toml") word = whole_path(word);
    if (key == "data=" && word != "data=mnist" && word != "data=fashion-mnist")
      word = key + whole_path(word.substr(key.size()));
    if (key != "images=") continue;
    std::string value;
    std::istringstream sides(word.substr(key.size()));
    for (std::string side; std::getline(sides, side, '+');) {
      const std::size_t colon = side.rfind(':');
      const std::string whole = whole_path(side);
      value += value.empty() ? "" : "+";
      value += whole != side || colon == side.npos
                   ? whole
                   : whole_path(side.substr(0, colon)) + side.substr(colon);
    }
    word = key + value;
  }
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  std::string line = "murmur";
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

Ingredients ingredients_of(const RunReader& run, const std::string& subject) {
  const KeptJson manifest = kept_manifest(run);
  const std::string kind = kind_of(run).word;
  return {.kind = kind,
          .config = run.config(),
          .made_by = kind == "trace" ? read_trace_file(run.directory()).made_by
                                     : std::vector<std::string>{},
          .seed = static_cast<std::uint64_t>(manifest.at("seed").number()),
          .parted = manifest.has("parent"),
          .folder = run.directory(),
          .subject = subject};
}

picture::RecipeOf recipe_of(Ingredients what) {
  std::vector<std::string> drawing =
      what.words.empty() ? telling_words(program_argv) : std::move(what.words);
  const fs::path folder = fs::absolute(what.folder / ".").lexically_normal();  // ends in a slash
  const std::string name = what.name.empty() ? folder.parent_path().filename().string() : what.name;
  nlohmann::json json = {
      {"murmur", MURMUR_VERSION}, {"commit", MURMUR_COMMIT}, {"seed", what.seed}};
  // What a run draws itself follows from its settings, whether it was begun or resumed.
  if (!what.kind.empty() && drawing.front() == what.kind) drawing = {what.kind, "config.toml"};
  std::vector<std::string> typed = drawing;
  if (!what.kind.empty()) {
    json["run"] = name;
    for (std::size_t k = 0; k < drawing.size(); ++k)
      if (drawing[k] == what.subject) {
        drawing[k] = "@run";
        typed[k] = name;  // without the folders on the way to it
      }
  }
  json["command"] = shell_line(typed);
  name_whole_paths(drawing);
  nlohmann::json steps = nlohmann::json::array();
  if (!what.kind.empty()) {
    if (what.made_by.empty())
      steps.push_back({what.kind, "@config"});
    else
      steps.push_back(what.made_by);
    json["config"] = without_threads(what.config);
  }
  if (drawing.empty() || drawing[0] != what.kind) steps.push_back(drawing);
  json["make"] = std::move(steps);
  if (what.parted) json["branch"] = true;
  return [json, folder = what.folder](const fs::path& place) {
    nlohmann::json whole = json;
    const std::string file = place_below(folder, place);
    if (!file.empty()) whole["file"] = file;
    return whole.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  };
}

}  // namespace murmur::app
