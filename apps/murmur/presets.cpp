// presets.cpp: murmur presets: the gallery of experiments inside the program.
#include <fmt/format.h>

#include <cassert>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "printable.h"
#include "run/json_text.h"

namespace murmur::app {

namespace {

// The text of its line "# group: ...".
std::string group_of(const Preset& preset) {
  const std::string text = preset.text, mark = "\n# group: ";
  const std::size_t at = text.find(mark);
  assert(at != std::string::npos);  // tests/cli/test_presets.py
  const std::size_t from = at + mark.size();
  return text.substr(from, text.find('\n', from) - from);
}

nlohmann::json summary_of(const Preset& p) {
  return {{"name", p.name},
          {"group", group_of(p)},
          {"about", headline(p)},
          {"commands", commands_of(p)}};
}

std::string line_of(const Preset& p) {
  std::string about = headline(p);
  const std::vector<std::string> commands = commands_of(p);
  for (std::size_t k = 1; k < commands.size(); ++k)
    about += fmt::format(" [also: murmur {}]", commands[k]);
  return fmt::format("  {:<20} {}\n", p.name, wrapped(about, 23));
}

// The groups in the order of what a reader meets first, each with its presets.
std::string gallery() {
  static constexpr const char* kGroups[] = {"Gathering into one cluster",
                                            "Clusters that live long",
                                            "Random weights, normalisation and heads",
                                            "Tokens in R^d",
                                            "Infinitely many tokens",
                                            "Feed-forward blocks",
                                            "Prompts, causal masks and readouts"};
  std::string text;
  for (const char* group : kGroups) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", group);
    for (const Preset& p : presets())
      if (group_of(p) == group) text += line_of(p);
  }
  return text;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (words.size() > 1) usage("presets takes at most one name", "murmur presets NAME");
  if (words.empty() && flags.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Preset& p : presets()) rows.push_back(summary_of(p));
    data(json_text(rows, 2) + "\n");
    return 0;
  }
  if (words.empty()) {
    data(gallery());
    return 0;
  }
  for (const Preset& p : presets()) {
    if (words[0] == p.name) {
      nlohmann::json object = summary_of(p);
      object["toml"] = p.text;
      if (flags.json)
        report(object);
      else
        data(p.text);
      return 0;
    }
  }
  throw Error(Fault::input, fmt::format("there is no preset {}", words[0]), "command line",
              "murmur presets lists them");
}

}  // namespace

std::string headline(const Preset& preset) {
  const std::string text = preset.text, line = text.substr(0, text.find('\n'));
  return line.rfind("# ", 0) == 0 ? line.substr(2) : line;
}

Command presets_command() {
  return {"presets",
          "The gallery: experiments ready to run, and by which commands.",
          "  murmur presets\n  murmur presets kinetic",
          nullptr,
          run,
          true};
}

}  // namespace murmur::app
