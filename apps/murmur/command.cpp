// command.cpp: splits arguments, reads settings, and finds and creates runs.
#include "command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "generated/version.h"
#include "murmur/error.h"
#include "murmur/external.h"
#include "murmur/forces.h"
#include "run_kind.h"

extern char** environ;

namespace murmur::app {

namespace fs = std::filesystem;

std::string program_version() {
  return fmt::format("murmur {} ({})", MURMUR_VERSION, MURMUR_COMMIT);
}

void throw_usage_error(const std::string& what, const std::string& remedy) {
  throw Error(Fault::usage, what, "command line", remedy);
}

Arguments parse_arguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    bool assigns = equals != std::string::npos && equals > 0;
    for (std::size_t k = 0; assigns && k < equals; ++k)
      assigns = std::isalnum(static_cast<unsigned char>(word[k])) != 0 || word[k] == '_' ||
                word[k] == '-';
    (assigns ? arguments.assignments : arguments.positional).push_back(word);
  }
  return arguments;
}

Assignment split_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, ""};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

bool has_key(const Arguments& arguments, const std::string& key) {
  return std::any_of(arguments.assignments.begin(), arguments.assignments.end(),
                     [&](const std::string& a) { return split_assignment(a).key == key; });
}

std::optional<std::string> take_value(Arguments& arguments, const std::string& key) {
  std::optional<std::string> found;
  std::erase_if(arguments.assignments, [&](const std::string& text) {
    Assignment assignment = split_assignment(text);
    if (assignment.key != key) return false;
    found = std::move(assignment.value);
    return true;
  });
  return found;
}

std::vector<std::string> split_list(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(separator, from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

std::string names_of(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& p : parameters) text += (text.empty() ? "" : ", ") + std::string(p.name);
  return text;
}

Settings settings_of(const Arguments& arguments, std::span<const Parameter> table,
                     const std::string& section) {
  const std::vector<std::string>& bases = arguments.positional;
  if (bases.size() > 1)
    throw_usage_error(
        fmt::format("there is more than one preset or path: {} and {}", bases[0], bases[1]),
        "give one; parameters are written key=value without spaces");
  Sources sources;
  if (!bases.empty()) sources.base = bases[0];
  sources.environment = murmur_variables();
  sources.assignments = arguments.assignments;
  sources.section = section;
  Settings settings = gather(sources, table);
  settings["xdg"] = {data_home(), "environment variable XDG_DATA_HOME", {}};
  return settings;
}

std::string data_home() {
  const char *xdg = std::getenv("XDG_DATA_HOME"), *home = std::getenv("HOME");
  if (xdg != nullptr && xdg[0] != '\0') return xdg;
  return home != nullptr && home[0] != '\0' ? std::string(home) + "/.local/share" : "";
}

Settings settings_of_run(const fs::path& directory, const std::vector<std::string>& assignments,
                         std::span<const Parameter> table) {
  const bool of_simulation = table.data() == parameters().data();
  if (of_simulation) {
    const RunReader run(directory);
    const RunKind& kind = kind_of(run);
    if (!kind.no_swarm.what.empty()) refuse(run, kind.no_swarm);
  }
  Settings settings = gather({(directory / "config.toml").string(), {}, assignments}, table);
  if (of_simulation)
    add_external(settings,
                 external_of_engine(kept_manifest(RunReader(directory)).at("engine").text()));
  return settings;
}

Run create_run(const Flags& flags, const std::string& name, const RunContents& contents) {
  if (!flags.out.empty()) return Run::create(flags.out, contents, flags.force);
  for (int tries = 0;; ++tries) try {  // another process may take the number first
      return Run::create(free_run_directory(flags.runs, name, contents.seed), contents, false);
    } catch (const Error& error) {
      if (error.fault != Fault::usage || tries == 1000) throw;
    }
}

fs::path find_run(const Flags& flags, const std::string& word) {
  if (is_run_directory(word)) return word;
  const fs::path below = fs::path(flags.runs) / word;
  if (is_run_directory(below)) return below;
  for (const fs::path& directory : {fs::path(word), below}) {
    const fs::path manifest = directory / "manifest.json";
    std::error_code ignored;
    if (fs::exists(manifest, ignored) && !fs::is_regular_file(manifest, ignored))
      throw Error(Fault::input, "the manifest.json there is not a regular file", manifest.string(),
                  "put back the file that murmur wrote");
  }
  throw Error(Fault::input, fmt::format("{} is not a run directory", word), word,
              "murmur runs lists the runs; a run holds a manifest.json");
}

namespace {

constexpr std::string_view kPrefix = "MURMUR_";

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// MURMUR_DATA and every parameter of every kind of run, in capitals.
std::vector<std::string> known_variables() {
  std::vector<std::string> names{"MURMUR_DATA"};
  for (const RunKind& kind : run_kinds())
    for (const Parameter& p : kind.parameters())
      names.push_back(upper(fmt::format("{}{}", kPrefix, p.name)));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

std::map<std::string, std::string> murmur_variables() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    if (text.rfind(kPrefix, 0) != 0 || text.find('=') == std::string::npos) continue;
    auto [name, value] = split_assignment(text);
    found[name] = value;
  }
  return found;
}

void warn_about_unknown_variables(const Flags& flags) {
  const std::map<std::string, std::string> variables = murmur_variables();
  if (variables.empty()) return;
  const std::vector<std::string> known = known_variables();
  for (const auto& [name, value] : variables) {
    if (std::binary_search(known.begin(), known.end(), upper(name))) continue;
    const std::string near = did_you_mean(upper(name), known);
    print_message(flags,
                  fmt::format("the environment variable {} is not a parameter and has no effect{}",
                              name, near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
}

}  // namespace murmur::app
