// presets.cpp: murmur presets: the gallery of experiments inside the program.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "run/json_text.h"

namespace murmur::app {

namespace {

// The text of the first comment line.
std::string headline(const std::string& toml) {
  const std::string line = toml.substr(0, toml.find('\n'));
  return line.rfind("# ", 0) == 0 ? line.substr(2) : line;
}

nlohmann::json summary_of(const Preset& p) {
  return {{"name", p.name}, {"about", headline(p.text)}, {"commands", commands_of(p)}};
}

std::string line_of(const Preset& p) {
  std::string line = fmt::format("{:<19} {}", p.name, headline(p.text));
  const std::vector<std::string> commands = commands_of(p);
  for (std::size_t k = 1; k < commands.size(); ++k)
    line += fmt::format(" [also: murmur {}]", commands[k]);
  return line + "\n";
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (words.size() > 1) usage("presets takes at most one name", "murmur presets NAME");
  if (words.empty() && flags.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Preset& p : presets()) rows.push_back(summary_of(p));
    data(json_text(rows, 2) + "\n");
    return 0;
  }
  for (const Preset& p : presets()) {
    if (words.empty()) data(line_of(p));
    if (!words.empty() && words[0] == p.name) {
      nlohmann::json object = summary_of(p);
      object["toml"] = p.text;
      if (flags.json)
        report(object);
      else
        data(p.text);
      return 0;
    }
  }
  if (words.empty()) return 0;
  throw Error(Fault::input, fmt::format("there is no preset {}", words[0]), "command line",
              "murmur presets lists them");
}

}  // namespace

Command presets_command() {
  return {"presets",
          "The gallery: experiments ready to run, and by which commands.",
          "  murmur presets\n  murmur presets kinetic",
          nullptr,
          run,
          true};
}

}  // namespace murmur::app
