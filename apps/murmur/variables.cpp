// variables.cpp: reads the environment, and knows the parameters of every command.
#include "variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "run_kind.h"

extern char** environ;

namespace murmur::app {

namespace {

constexpr std::string_view kPrefix = "MURMUR_";

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// MURMUR_DATA beside every parameter of every kind of run, in capitals.
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
    const std::size_t equals = text.find('=');
    if (text.rfind(kPrefix, 0) == 0 && equals != std::string::npos)
      found[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return found;
}

void warn_of_unknown_variables(const Flags& flags) {
  const std::map<std::string, std::string> variables = murmur_variables();
  if (variables.empty()) return;
  const std::vector<std::string> known = known_variables();
  for (const auto& [name, value] : variables) {
    if (std::binary_search(known.begin(), known.end(), upper(name))) continue;
    const std::string near = did_you_mean(upper(name), known);
    say(flags, fmt::format("the environment variable {} is no parameter and says nothing{}", name,
                           near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
}

}  // namespace murmur::app
