// explain.cpp: murmur explain and murmur presets: the meaning of every name, and the equation and
// method of a setting.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/known.h"
#include "murmur/observe.h"
#include "output.h"
#include "program.h"
#include "reproduce/reproduce.h"
#include "run/json_text.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

// One meaning of a name. A text that does not apply is empty.
struct Entry {
  std::string name{}, kind{};  // beta, parameter; USA, value of dynamics; energy, observable
  std::string meaning{};
  std::string equation{};
  std::string type{}, unit{}, takes{}, initial{};  // of its value; `initial` is the default
  std::vector<std::string> values{};               // of a parameter: NAME: meaning
  std::vector<std::string> commands{};             // that take it
  std::string example{};                           // a command line
  std::string page{};                              // of docs/, without .md
};

// Values that mean the same for every parameter.
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

// The lines of the examples of a command; a line that ends in a backslash is joined with the next.
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

// The first example of the commands that contains `part`; empty if there is none.
std::string example_with(const std::vector<std::string>& commands, const std::string& part) {
  for (const Command& command : all_commands()) {
    if (std::find(commands.begin(), commands.end(), command.name) == commands.end()) continue;
    for (const std::string& line : example_lines(command.examples))
      if (line.find(part) != std::string::npos) return line;
  }
  return {};
}

// The name of a value without its arguments: cap for cap:ANGLE.
std::string bare(const std::string& value) { return value.substr(0, value.find(':')); }

// The beginning of an example of the command, up to its first parameter.
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
  for (const std::string& word : literal_values(p))
    if (value == "none" || value.empty()) value = word;
  return fmt::format("{} {}={}", beginning_of(command), p.name, value.empty() ? "1" : value);
}

// Adds the equation of a dynamics, or the step of a method, for this value.
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

  // Adds the values that need an explanation, and those that are names.
  void add_values(std::size_t k) {
    const Parameter& p = parameters_[k];
    for (const ParameterValue& value : p.choices) {
      const std::string assigned = fmt::format("{}={}", p.name, bare(value.name));
      std::string example = example_with(entries_[k].commands, " " + assigned + " ");
      if (*value.example != '\0') example = value.example;
      add_value(k, bare(value.name), value.meaning, example.empty() ? assigned : example);
    }
    if (p.choices.empty())
      for (const std::string& word : literal_values(p))
        if (kPlain.count(word) == 0)
          add_value(k, word, p.meaning, fmt::format("{}={}", p.name, word));
  }

  // `example` is a command line, or its assignments.
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
                         .takes = fmt::format("{}", fmt::join(flag.choices, ", ")),
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

// Parameters and their values, observables, presets, figures of reproduce, commands and flags, in
// this order.
std::vector<Entry> all_entries() { return Collector().collect(); }

// The meanings of a name; if there is none, those of the name in other capitals.
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

bool list_parameters = false, list_commands = false, list_all_names = false, list_known = false,
     write_page = false;

std::string parameter_list(std::span<const Parameter> table) {
  std::string text;
  for (const Parameter& p : table) {
    text += fmt::format("{:<16} {} [{}]\n{:<16} takes {}\n", p.name, p.meaning, p.initial, "",
                        p.values);
    for (const ParameterValue& value : p.choices)
      text += fmt::format("{:<18} {}: {}\n", "", value.name, value.meaning);
  }
  return text;
}

std::string sentence(std::string text) {
  const bool is_word = text.size() > 1 && (std::isalpha(static_cast<unsigned char>(text[1])) != 0 ||
                                           text.rfind("a ", 0) == 0);  // no formula
  if (is_word) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string text_of(const Entry& entry) {
  constexpr std::size_t kIndent = 12;
  std::string text = fmt::format("{}: {}\n", entry.name, entry.kind);
  text += fmt::format("  {}\n", wrapped(sentence(entry.meaning), 2));
  const auto line = [&](const char* label, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<9} {}\n", label, wrapped(value, kIndent));
  };
  line("equation", entry.equation);
  line("type", entry.type);
  line("unit", entry.unit);
  line("takes", entry.takes);
  for (const std::string& value : entry.values) line("", value);
  line("default", entry.initial);
  line("commands", fmt::format("{}", fmt::join(entry.commands, ", ")));
  if (!entry.example.empty()) text += fmt::format("  {:<9} {}\n", "example", entry.example);
  line("see also", fmt::format("docs/{}.md", entry.page));
  return text;
}

nlohmann::json json_of(const Entry& entry) {
  const auto maybe = [](const std::string& text) {
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
  };
  return {{"name", entry.name},
          {"kind", entry.kind},
          {"meaning", sentence(entry.meaning)},
          {"equation", maybe(entry.equation)},
          {"type", maybe(entry.type)},
          {"unit", maybe(entry.unit)},
          {"takes", maybe(entry.takes)},
          {"values", entry.values},
          {"default", maybe(entry.initial)},
          {"commands", entry.commands},
          {"example", maybe(entry.example)},
          {"page", fmt::format("docs/{}.md", entry.page)}};
}

std::string explanation(const Experiment& e, const Settings& s) {
  std::string text = equation_text(e, s);
  text += fmt::format("for {} particles {} R^{}\n", e.swarm.n(),
                      e.dynamics.manifold == Manifold::sphere ? "on the unit sphere of" : "in",
                      e.swarm.d());
  for (const std::string& result : known_results(e)) text += "Known:  " + result + "\n";
  text += fmt::format(
      "Method: {}\nEngine: {}, {}\n", method_text(e), e.engine.name,
      e.engine.precision == Precision::f32 ? "pair sums in single precision" : "double precision");
  text += fmt::format("Clusters: components of the graph {} (cluster_tol)\n", cluster_text(e));
  text += "Columns:\n";
  const std::vector<std::string> names = observable_names(e.dynamics);
  for (const Observable& o : observables())
    for (const std::string& name : names)
      if (name == o.name)
        text += fmt::format("  {:<18} {}{}{}\n", o.name, o.meaning, *o.equation == '\0' ? "" : ": ",
                            o.equation);
  return text;
}

int list_all(const Flags& flags) {
  nlohmann::json rows = nlohmann::json::array();
  for (const RunKind& kind : run_kinds()) {
    if (!kind.explains_parameters) continue;
    if (!flags.json)
      print_text(fmt::format("murmur {}\n\n{}\n", kind.command, parameter_list(kind.parameters())));
    for (const Parameter& p : kind.parameters())
      rows.push_back({{"command", kind.command},
                      {"name", p.name},
                      {"default", p.initial},
                      {"takes", p.values},
                      {"meaning", p.meaning}});
  }
  if (flags.json) print_json(rows);
  return 0;
}

nlohmann::json json_of(const DeclaredCommand& command) {
  nlohmann::json flags = nlohmann::json::array();
  for (const DeclaredFlag& flag : command.flags)
    flags.push_back({{"names", flag.names},
                     {"value", flag.value},
                     {"among", flag.choices},
                     {"default", flag.initial},
                     {"meaning", flag.meaning}});
  return {{"name", command.name},
          {"meaning", command.meaning},
          {"examples", command.examples},
          {"flags", flags}};
}

int list_all_commands(const Flags& flags) {
  nlohmann::json rows = nlohmann::json::array();
  for (const DeclaredCommand& command : declared_commands()) {
    if (!flags.json) print_text(command.name + "\n");
    rows.push_back(json_of(command));
  }
  if (flags.json) print_json(rows);
  return 0;
}

std::string explanation_of(const std::vector<std::string>& words) {
  const Settings settings = settings_of(parse_arguments(words));
  return explanation(make_experiment(settings), settings);
}

// Whether the only argument is neither an assignment nor a file.
bool asks_for_name(const std::vector<std::string>& words) {
  return words.size() == 1 && words[0].find('=') == std::string::npos &&
         words[0].find('.') == std::string::npos && !std::filesystem::exists(words[0]);
}

[[noreturn]] void refuse_name(const std::vector<Entry>& all, const std::string& name) {
  std::vector<std::string> names;
  for (const Entry& entry : all) names.push_back(entry.name);
  const std::string near = did_you_mean(name, names);
  throw Error(Fault::input, fmt::format("there is no name {}", name), "command line",
              near.empty() ? "murmur explain --names lists every name"
                           : fmt::format("did you mean murmur explain {}?", near));
}

// Prints every meaning of a name, and for a preset its equation, method and columns.
int explain_name(const Flags& flags, const std::string& name) {
  const std::vector<Entry> all = all_entries(), found = entries_of(all, name);
  if (found.empty()) refuse_name(all, name);
  nlohmann::json object = {{"name", found[0].name}, {"meanings", nlohmann::json::array()}};
  std::string text;
  if (found.size() > 1) text = fmt::format("{} has {} meanings.\n\n", found[0].name, found.size());
  for (const Entry& entry : found) {
    text += fmt::format("{}{}", &entry == &found.front() ? "" : "\n", text_of(entry));
    object["meanings"].push_back(json_of(entry));
    if (entry.kind != "preset") continue;
    const std::string explained = explanation_of({entry.name});
    text += "\n" + explained;
    object["explanation"] = explained;
  }
  if (flags.json)
    print_json(object);
  else
    print_text(text);
  return 0;
}

int list_names(const Flags& flags) {
  std::set<std::string> names;
  nlohmann::json meanings = nlohmann::json::array();
  for (const Entry& entry : all_entries()) {
    names.insert(entry.name);
    meanings.push_back(json_of(entry));
  }
  if (flags.json)
    print_json(meanings);
  else
    print_text(fmt::format("{}\n", fmt::join(names, "\n")));
  return 0;
}

// Prints the theorems that "Known" can name, with their settings.
int list_statements(const Flags& flags) {
  nlohmann::json rows = nlohmann::json::array();
  for (const KnownStatement& statement : known_statements()) {
    if (!flags.json)
      print_text(fmt::format("{:<21} {}\n{:<21} ({})\n", statement.name, statement.about, "",
                             statement.source));
    rows.push_back({{"name", statement.name},
                    {"about", statement.about},
                    {"source", statement.source},
                    {"of_flow", statement.of_flow}});
  }
  if (flags.json) print_json(rows);
  return 0;
}

int explain(const Flags& flags, const std::vector<std::string>& words) {
  if (list_parameters + list_commands + list_all_names + list_known + write_page > 1)
    throw_usage_error("--parameters, --names, --commands, --known and --man exclude each other",
                      "give one of them");
  const std::string first = words.empty() ? "" : words[0];
  const auto refuse_argument = [&](const char* flag, const std::string& remedy) {
    if (!words.empty())
      throw_usage_error(fmt::format("explain {} takes no {}", flag, first), remedy);
  };
  if (list_known) {
    refuse_argument(
        "--known", fmt::format("murmur explain {} prints what is known about that setting", first));
    return list_statements(flags);
  }
  if (list_all_names) {
    refuse_argument("--names", "leave it out");
    return list_names(flags);
  }
  if (list_commands) {
    refuse_argument("--commands", "leave it out");
    return list_all_commands(flags);
  }
  if (list_parameters) {
    refuse_argument("--parameters", "leave it out; murmur explain --parameters lists them all");
    return list_all(flags);
  }
  if (write_page) {
    if (words.size() > 1)
      throw_usage_error(fmt::format("explain --man takes one command, and no {}", words[1]),
                        "leave it out");
    print_text(manual_page(first));
    return 0;
  }
  if (asks_for_name(words)) return explain_name(flags, words[0]);
  const std::string text = explanation_of(words);
  print_result(flags, {{"explanation", text}}, text);
  return 0;
}

}  // namespace

Command explain_command() {
  return {"explain",
          "Explain a name, or the equation and method of a setting.",
          "  murmur explain beta\n"
          "  murmur explain energy\n"
          "  murmur explain dynamics=causal beta=9\n"
          "  murmur explain --parameters\n"
          "  murmur explain --man simulate",
          [](Options& sub, Flags&) {
            sub.add_flag("--parameters", list_parameters, "list every parameter");
            sub.add_flag("--names", list_all_names,
                         "list every name that can be explained, with --json also its meanings");
            sub.add_flag("--commands", list_commands,
                         "list every command, with --json also its flags");
            sub.add_flag("--known", list_known,
                         "list the theorems that explain knows, with their settings");
            sub.add_flag("--man", write_page,
                         "print the manual page of the program or of a command, as troff");
          },
          explain,
          true,
          nullptr,
          parameters};
}

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

// The groups in the order for a new reader, each with its presets.
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

int list_presets(const Flags& flags, const std::vector<std::string>& words) {
  if (words.size() > 1) throw_usage_error("presets takes at most one name", "murmur presets NAME");
  if (words.empty() && flags.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Preset& p : presets()) rows.push_back(summary_of(p));
    print_text(json_text(rows, 2) + "\n");
    return 0;
  }
  if (words.empty()) {
    print_text(gallery());
    return 0;
  }
  for (const Preset& p : presets()) {
    if (words[0] == p.name) {
      nlohmann::json object = summary_of(p);
      object["toml"] = p.text;
      if (flags.json)
        print_json(object);
      else
        print_text(p.text);
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
          "List the gallery: experiments ready to run, with their commands.",
          "  murmur presets\n  murmur presets kinetic",
          nullptr,
          list_presets,
          true};
}

}  // namespace murmur::app
