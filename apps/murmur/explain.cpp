// explain.cpp: murmur explain: the equation, the method and the definitions behind a setting.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "declared.h"
#include "manual_page.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

bool list_parameters = false, list_commands = false, write_page = false;

std::string parameter_list(std::span<const Parameter> table) {
  std::string text;
  for (const Parameter& p : table)
    text += fmt::format("{:<16} {} [{}]\n{:<16} takes {}\n", p.name, p.meaning, p.initial, "",
                        p.values);
  return text;
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
      if (name == o.name) text += fmt::format("  {:<18} {}\n", o.name, o.meaning);
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

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (list_parameters + list_commands + write_page > 1)
    usage("--parameters, --commands and --man are three questions", "ask one of them");
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
  const Settings settings = settings_of(sort_words(words));
  const std::string text = explanation(make_experiment(settings), settings);
  if (flags.json)
    report({{"explanation", text}});
  else
    data(text);
  return 0;
}

}  // namespace

Command explain_command() {
  return {"explain",
          "The equation, method and definitions behind a setting.",
          "  murmur explain dynamics=causal beta=9\n  murmur explain --parameters\n"
          "  murmur explain --man simulate | man -l -",
          [](Options& sub, Flags&) {
            sub.add_flag("--parameters", list_parameters, "list every parameter");
            sub.add_flag("--commands", list_commands,
                         "list every command, with --json its flags too");
            sub.add_flag("--man", write_page,
                         "the manual page, as troff, of the program or of the command named");
          },
          run,
          true};
}

}  // namespace murmur::app
