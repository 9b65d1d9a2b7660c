// explain.cpp: murmur explain: what a name means, and the equation and method behind a setting.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "command.h"
#include "declared.h"
#include "entries.h"
#include "experiment/known.h"
#include "manual_page.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "printable.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

bool list_parameters = false, list_commands = false, list_of_names = false, list_known = false,
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
      data(fmt::format("murmur {}\n\n{}\n", kind.word, parameter_list(kind.parameters())));
    for (const Parameter& p : kind.parameters())
      rows.push_back({{"command", kind.word},
                      {"name", p.name},
                      {"default", p.initial},
                      {"takes", p.values},
                      {"meaning", p.meaning}});
  }
  if (flags.json) report(rows);
  return 0;
}

nlohmann::json json_of(const DeclaredCommand& command) {
  nlohmann::json flags = nlohmann::json::array();
  for (const DeclaredFlag& flag : command.flags)
    flags.push_back({{"names", flag.names},
                     {"value", flag.value},
                     {"among", flag.among},
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
    if (!flags.json) data(command.name + "\n");
    rows.push_back(json_of(command));
  }
  if (flags.json) report(rows);
  return 0;
}

std::string explanation_of(const std::vector<std::string>& words) {
  const Settings settings = settings_of(sort_words(words));
  return explanation(make_experiment(settings), settings);
}

// One word that is neither an assignment nor a file.
bool asks_for_name(const std::vector<std::string>& words) {
  return words.size() == 1 && words[0].find('=') == std::string::npos &&
         words[0].find('.') == std::string::npos && !std::filesystem::exists(words[0]);
}

[[noreturn]] void refuse_name(const std::vector<Entry>& all, const std::string& name) {
  std::vector<std::string> names;
  for (const Entry& entry : all) names.push_back(entry.name);
  const std::string near = did_you_mean(name, names);
  throw Error(Fault::input, fmt::format("nothing here is called {}", name), "command line",
              near.empty() ? "murmur explain --names lists every name"
                           : fmt::format("did you mean murmur explain {}?", near));
}

// Every meaning of a name; of a preset also its equation, method and columns.
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
    report(object);
  else
    app::data(text);  // qualified: std::data would fit a string better
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
    report(meanings);
  else
    data(fmt::format("{}\n", fmt::join(names, "\n")));
  return 0;
}

// What "Known" can say, and of which settings.
int list_statements(const Flags& flags) {
  nlohmann::json rows = nlohmann::json::array();
  for (const KnownStatement& statement : known_statements()) {
    if (!flags.json)
      data(fmt::format("{:<21} {}\n{:<21} ({})\n", statement.name, statement.about, "",
                       statement.source));
    rows.push_back({{"name", statement.name},
                    {"about", statement.about},
                    {"source", statement.source},
                    {"of_flow", statement.of_flow}});
  }
  if (flags.json) report(rows);
  return 0;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (list_parameters + list_commands + list_of_names + list_known + write_page > 1)
    usage("--parameters, --names, --commands, --known and --man are five questions",
          "ask one of them");
  if (list_known && !words.empty())
    usage(fmt::format("explain --known takes no {}", words[0]),
          fmt::format("murmur explain {} says what is known of that setting", words[0]));
  if (list_known) return list_statements(flags);
  if (list_of_names && !words.empty())
    usage(fmt::format("explain --names takes no {}", words[0]), "leave it out");
  if (list_of_names) return list_names(flags);
  if (list_commands && !words.empty())
    usage(fmt::format("explain --commands takes no {}", words[0]), "leave it out");
  if (list_commands) return list_all_commands(flags);
  if (write_page && words.size() > 1)
    usage(fmt::format("explain --man takes one command, and no {}", words[1]), "leave it out");
  if (write_page) {
    data(manual_page(words.empty() ? "" : words[0]));
    return 0;
  }
  if (list_parameters && !words.empty())
    usage(fmt::format("explain --parameters takes no {}", words[0]),
          "leave it out; murmur explain --parameters lists them all");
  if (list_parameters) return list_all(flags);
  if (asks_for_name(words)) return explain_name(flags, words[0]);
  const std::string text = explanation_of(words);
  if (flags.json)
    report({{"explanation", text}});
  else
    data(text);
  return 0;
}

}  // namespace

Command explain_command() {
  return {"explain",
          "Say what a name means, or the equation and method behind a setting.",
          "  murmur explain beta\n"
          "  murmur explain energy\n"
          "  murmur explain dynamics=causal beta=9\n"
          "  murmur explain --parameters\n"
          "  murmur explain --man simulate",
          [](Options& sub, Flags&) {
            sub.add_flag("--parameters", list_parameters, "list every parameter");
            sub.add_flag("--names", list_of_names,
                         "list every name that can be explained, with --json its meanings too");
            sub.add_flag("--commands", list_commands,
                         "list every command, with --json its flags too");
            sub.add_flag("--known", list_known,
                         "list the theorems that explain knows, with the settings they are about");
            sub.add_flag("--man", write_page,
                         "the manual page, as troff, of the program or of the command named");
          },
          run,
          true,
          nullptr,
          parameters};
}

}  // namespace murmur::app
