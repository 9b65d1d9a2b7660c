// entries.cpp: collects what murmur explain says of a name; nothing is described here.
#include "entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "command.h"
#include "declared.h"
#include "murmur/experiment.h"
#include "murmur/observe.h"
#include "reproduce/reproduce.h"

namespace murmur::app {

namespace {

// Values that mean the same of every parameter, or nothing of their own.
const std::set<std::string> kPlain = {"true", "false", "none", "all", "auto", "recipe"};

const char* type_of(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::number:
      return "number";
    case Parameter::whole:
      return "whole number";
    case Parameter::word:
      return "word";
    case Parameter::flag:
      return "true or false";
  }
  return "";
}

// The lines of a command's examples, those that end in a backslash joined with the next.
std::vector<std::string> example_lines(const std::string& examples) {
  std::vector<std::string> lines;
  std::istringstream text(examples);
  bool joins = false;
  for (std::string line; std::getline(text, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (joins)
      lines.back() += line;
    else if (line.rfind("murmur ", 0) == 0)
      lines.push_back(line);
    joins = !lines.empty() && !lines.back().empty() && lines.back().back() == '\\';
    if (joins) lines.back().pop_back();
  }
  return lines;
}

// The first example of the commands that holds `part`; empty where there is none.
std::string example_with(const std::vector<std::string>& commands, const std::string& part) {
  for (const Command& command : all_commands()) {
    if (std::find(commands.begin(), commands.end(), command.name) == commands.end()) continue;
    for (const std::string& line : example_lines(command.examples))
      if (line.find(part) != std::string::npos) return line;
  }
  return {};
}

// The name of a value without its arguments: of cap:ANGLE cap.
std::string bare(const std::string& value) { return value.substr(0, value.find(':')); }

// The first line of an example of the command, up to its first parameter: what it works on.
std::string beginning_of(const std::string& command) {
  const std::string line = example_with({command}, "murmur " + command);
  std::istringstream words(line);
  std::string text;
  for (std::string word; words >> word && word.find('=') == std::string::npos && word[0] != '-';)
    text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "murmur " + command : text;
}

std::string example_of(const Entry& entry, const Parameter& p) {
  const std::string shown = example_with(entry.commands, fmt::format(" {}=", p.name));
  if (!shown.empty()) return shown;
  std::string value = p.initial;
  const std::string& command = entry.commands[0];
  if (command == "simulate" || command == "train")
    return fmt::format("murmur {} {}={}", command, p.name, value);
  for (const std::string& word : plain_values(p))
    if (value == "none" || value.empty()) value = word;
  return fmt::format("{} {}={}", beginning_of(command), p.name, value.empty() ? "1" : value);
}

// What a simulation with this value says of it: the equation of a dynamics, the step of a method.
void add_formula(const std::string& parameter, const std::string& assignments, Entry& entry) {
  const bool of_method = parameter == "method";
  if (!of_method && parameter != "dynamics") return;
  if (assignments == "dynamics=none") return;  // no force is left
  const Settings settings = gather({.assignments = {assignments}});
  const Experiment e = make_experiment(settings);
  std::string text = of_method ? method_text(e) : equation_text(e, settings);
  text = text.substr(0, text.find('\n'));
  text.erase(0, text.find_first_not_of(' '));
  if (!of_method || text.find("<-") != std::string::npos)
    entry.equation = text;
  else
    entry.meaning += ": " + text;
}

class Collector {
 public:
  std::vector<Entry> collect() {
    for (const CommandGroup& group : command_groups())
      for (const CommandGroup::Member& member : group.members) {
        pages_.emplace_back(member.command.name, member.page);
        for (const Parameter& p : declared_parameters(member.command.name))
          add_parameter(p, member.command.name, member.page);
      }
    for (std::size_t k = 0; k < parameters_.size(); ++k) add_values(k);
    add_observables();
    add_presets();
    add_figures();
    add_commands();
    add_flags();
    for (std::size_t k = 0; k < parameters_.size(); ++k)
      entries_[k].example = example_of(entries_[k], parameters_[k]);
    return std::move(entries_);
  }

 private:
  void add_parameter(const Parameter& p, const std::string& command, const char* page) {
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const Parameter& known = parameters_[k];
      const auto same = [](const char* a, const char* b) { return std::string_view(a) == b; };
      if (!same(p.name, known.name) || !same(p.meaning, known.meaning) ||
          !same(p.values, known.values) || !same(p.initial, known.initial))
        continue;
      if (entries_[k].commands.back() != command) entries_[k].commands.push_back(command);
      return;
    }
    Entry entry{.name = p.name,
                .kind = "parameter",
                .meaning = p.meaning,
                .equation = p.equation,
                .type = type_of(p.kind),
                .unit = p.unit,
                .takes = p.values,
                .initial = p.initial,
                .commands = {command},
                .page = page};
    for (const ParameterValue& value : p.choices)
      entry.values.push_back(fmt::format("{}: {}", value.name, value.meaning));
    parameters_.push_back(p);
    entries_.push_back(std::move(entry));
  }

  // Those that need an explanation, and those that are words.
  void add_values(std::size_t k) {
    const Parameter& p = parameters_[k];
    for (const ParameterValue& value : p.choices) {
      const std::string assigned = fmt::format("{}={}", p.name, bare(value.name));
      std::string example = example_with(entries_[k].commands, " " + assigned + " ");
      if (*value.example != '\0') example = value.example;
      add_value(k, bare(value.name), value.meaning, example.empty() ? assigned : example);
    }
    if (p.choices.empty())
      for (const std::string& word : plain_values(p))
        if (kPlain.count(word) == 0)
          add_value(k, word, p.meaning, fmt::format("{}={}", p.name, word));
  }

  // `example` is a command line, or the assignments of one.
  void add_value(std::size_t k, const std::string& name, const std::string& meaning,
                 const std::string& example) {
    const std::string kind = fmt::format("value of {}", parameters_[k].name);
    for (Entry& known : entries_)
      if (known.name == name && known.kind == kind) {
        for (const std::string& command : entries_[k].commands)
          if (std::find(known.commands.begin(), known.commands.end(), command) ==
              known.commands.end())
            known.commands.push_back(command);
        return;
      }
    const std::string& command = entries_[k].commands[0];
    Entry entry{.name = name,
                .kind = kind,
                .meaning = meaning,
                .commands = entries_[k].commands,
                .example = example.rfind("murmur ", 0) == 0
                               ? example
                               : fmt::format("{} {}", beginning_of(command), example),
                .page = entries_[k].page};
    add_formula(parameters_[k].name, fmt::format("{}={}", parameters_[k].name, name), entry);
    entries_.push_back(std::move(entry));
  }

  void add_observables() {
    for (const Observable& o : observables())
      entries_.push_back(
          {.name = o.name,
           .kind = fmt::format("observable, {} in figures", o.symbol),
           .meaning = o.meaning,
           .equation = o.equation,
           .type = "number, a column of observables.csv",
           .takes = o.range,
           .commands = {"simulate", "measure", "render"},
           .example = fmt::format("murmur render runs/flock-0-1 --plot {0} -o {0}.pdf", o.name),
           .page = "observables"});
  }

  void add_presets() {
    for (const Preset& preset : presets())
      entries_.push_back({.name = preset.name,
                          .kind = "preset",
                          .meaning = headline(preset),
                          .commands = commands_of(preset),
                          .example = fmt::format("murmur simulate {}", preset.name),
                          .page = "simulate"});
  }

  void add_figures() {
    for (const ReproductionRow& row : reproductions())
      entries_.push_back({.name = row.name,
                          .kind = *row.source == '\0'
                                      ? std::string("figure of reproduce")
                                      : fmt::format("figure of reproduce, from {}", row.source),
                          .meaning = row.meaning,
                          .commands = {"reproduce"},
                          .example = fmt::format("murmur reproduce {} --quick", row.name),
                          .page = row.trains ? "reproduce" : "laboratory"});
  }

  void add_commands() {
    for (const CommandGroup& group : command_groups())
      for (const CommandGroup::Member& member : group.members)
        entries_.push_back({.name = member.command.name,
                            .kind = "command",
                            .meaning = member.command.meaning,
                            .example = example_with({member.command.name}, "murmur "),
                            .page = member.page});
  }

  void add_flags() {
    std::vector<Entry> found;
    for (const DeclaredCommand& command : declared_commands())
      for (const DeclaredFlag& flag : command.flags) {
        const std::string kind = fmt::format("flag {}", fmt::join(flag.names, ", "));
        const auto known = std::find_if(found.begin(), found.end(), [&](const Entry& e) {
          return e.kind == kind && e.meaning == flag.meaning;
        });
        if (known != found.end()) {
          known->commands.push_back(command.name);
          continue;
        }
        const std::string& name = flag.names.back();
        found.push_back({.name = name.substr(std::min(name.find_first_not_of('-'), name.size())),
                         .kind = kind,
                         .meaning = flag.meaning,
                         .type = flag.value,
                         .takes = fmt::format("{}", fmt::join(flag.among, ", ")),
                         .initial = flag.initial,
                         .commands = {command.name},
                         .page = page_of(command.name)});
      }
    for (Entry& entry : found) {
      entry.example = example_with(entry.commands, "--" + entry.name);
      entries_.push_back(std::move(entry));
    }
  }

  std::string page_of(const std::string& command) const {
    for (const auto& [name, page] : pages_)
      if (name == command) return page;
    return {};
  }

  std::vector<Entry> entries_{};  // the parameters first, in the order of parameters_
  std::vector<Parameter> parameters_{};
  std::vector<std::pair<std::string, std::string>> pages_{};  // by command
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::vector<Entry> all_entries() { return Collector().collect(); }

std::vector<Entry> entries_of(const std::vector<Entry>& all, const std::string& name) {
  std::vector<Entry> found;
  const auto keep = [&](auto same) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const Entry& entry) { return same(entry.name); });
  };
  keep([&](const std::string& known) { return known == name; });
  if (found.empty()) keep([&](const std::string& known) { return lower(known) == lower(name); });
  return found;
}

}  // namespace murmur::app
