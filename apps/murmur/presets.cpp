// presets.cpp: murmur presets: the gallery of experiments inside the program.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"

namespace murmur::app {

namespace {

// The text of the first comment line.
std::string headline(const std::string& toml) {
  const std::string line = toml.substr(0, toml.find('\n'));
  return line.rfind("# ", 0) == 0 ? line.substr(2) : line;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (words.size() > 1) usage("presets takes at most one name", "murmur presets NAME");
  if (words.empty() && flags.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Preset& p : presets())
      rows.push_back({{"name", p.name}, {"about", headline(p.text)}});
    data(rows.dump(2) + "\n");
    return 0;
  }
  for (const Preset& p : presets()) {
    if (words.empty()) data(fmt::format("{:<14} {}\n", p.name, headline(p.text)));
    if (!words.empty() && words[0] == p.name) {
      if (flags.json)
        report({{"name", p.name}, {"about", headline(p.text)}, {"toml", p.text}});
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
  return {"presets", "The gallery: experiments ready to run.",
          "  murmur presets\n  murmur presets kinetic", nullptr, run};
}

}  // namespace murmur::app
