// explain.cpp: murmur explain: the equation, the method and the definitions behind a setting.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

bool list_parameters = false;

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

int run(const Flags& flags, const std::vector<std::string>& words) {
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
          "  murmur explain dynamics=causal beta=9\n  murmur explain --parameters",
          [](Options& sub, Flags&) {
            sub.add_flag("--parameters", list_parameters, "list every parameter");
          },
          run,
          true};
}

}  // namespace murmur::app
